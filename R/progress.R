# A progress line on the message stream: bar, count, label, estimated time left.

progress_wanted <- function() isTRUE(getOption("domgen.progress", interactive()))

# tick(label) before each piece of work, done() at the end.
progress_line <- function(total, wanted = progress_wanted()) {
  force(wanted)
  start <- proc.time()[["elapsed"]]
  finished <- 0L
  show <- function(label) {
    if (!wanted) return(invisible())
    filled <- round(24 * finished / total)
    left <- if (finished > 0L) {
      seconds <- (proc.time()[["elapsed"]] - start) / finished * (total - finished)
      sprintf("  about %d:%02d left", as.integer(seconds) %/% 60L, as.integer(seconds) %% 60L)
    } else ""
    line <- sprintf("[%s%s] %d/%d  %s%s", strrep("=", filled), strrep(" ", 24 - filled), finished,
                    total, label, left)
    # a longer line would wrap, and could not be overwritten
    cat("\r", formatC(substr(line, 1L, 78L), width = -78), sep = "", file = stderr())
  }
  list(
    tick = function(label) show(label),
    advance = function(n = 1L) finished <<- finished + n,
    done = function() if (wanted) {
      show("")
      cat("\n", file = stderr())
    }
  )
}
