# How far a call is: a progress line on the message stream (bar, count, label, estimated time
# left; in a log one each half minute), or through the progressr package where the session has
# loaded it.

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
  # not what is left when the first line is written
  force(total)
  redrawn <- can_redraw()
  start <- said <- clock()
  finished <- 0L
  say <- function(label, left) {
    line <- bar_line(finished / total, paste0(in_full(finished), "/", in_full(total)), label, left)
    cat(if (redrawn) c("\r", formatC(line, width = -78)) else c(line, "\n"), sep = "",
        file = stderr())
  }
  show <- function(label) {
    now <- clock()
    if (!redrawn && now - said < 30) return(invisible())
    said <<- now
    left <- (now - start) / finished * (total - finished)
    say(label, if (finished > 0L) paste0("  about ", minutes(left), " left") else "")
  }
  list(
    tick = show,
    advance = function(n = 1L) finished <<- finished + n,
    done = function() {
      if (redrawn) show("") else if (said > start) say("", paste("after", minutes(clock() - start)))
      if (redrawn) cat("\n", file = stderr())
    }
  )
}
