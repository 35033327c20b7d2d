# How far a call is: a progress line on the message stream (bar, count, label, estimated time
# left), or through the progressr package where the session has loaded it.

# progress: as the user gave it. A search inside a fold leaves the line to the cross-validation.
read_progress <- function(progress, inside = FALSE) {
  if (isTRUE(inside)) return(FALSE)
  if (!is.null(progress)) return(check_flag(progress, "progress"))
  isTRUE(getOption("domgen.progress", interactive() || "progressr" %in% loadedNamespaces()))
}

# tick(label) before each piece of work, advance(pieces) after some, done() at the end.
progress_line <- function(total, wanted) {
  if (!wanted) {
    nothing <- function(...) invisible()
    return(list(tick = nothing, advance = nothing, done = nothing))
  }
  if ("progressr" %in% loadedNamespaces()) progressr_line(total) else own_line(total)
}

# step(label, code): the value of one of `total` steps; done() at the end.
progress_steps <- function(total, wanted) {
  bar <- progress_line(total, wanted)
  list(done = bar$done, step = function(label, code) {
    bar$tick(label)
    force(code)
    bar$advance()
    code
  })
}

# The user's handlers show it.
progressr_line <- function(total) {
  step <- progressr::progressor(steps = total, on_exit = FALSE, enable = TRUE)
  list(tick = function(label) step(label, amount = 0), advance = function(n = 1L) step(amount = n),
       done = function() step(type = "finish"))
}

own_line <- function(total) {
  start <- proc.time()[["elapsed"]]
  finished <- 0L
  show <- function(label) {
    left <- if (finished > 0L) {
      seconds <- (proc.time()[["elapsed"]] - start) / finished * (total - finished)
      sprintf("  about %d:%02d left", as.integer(seconds) %/% 60L, as.integer(seconds) %% 60L)
    } else ""
    count <- paste0(in_full(finished), "/", in_full(total))
    # a line of more than 78 would wrap, and could not be overwritten: the bar gives way first
    width <- min(24, max(4, 73 - nchar(count) - nchar(label) - nchar(left)))
    filled <- round(width * finished / total)
    line <- sprintf("[%s%s] %s  %s%s", strrep("=", filled), strrep(" ", width - filled), count,
                    label, left)
    cat("\r", formatC(substr(line, 1L, 78L), width = -78), sep = "", file = stderr())
  }
  list(
    tick = show,
    advance = function(n = 1L) finished <<- finished + n,
    done = function() {
      show("")
      cat("\n", file = stderr())
    }
  )
}
