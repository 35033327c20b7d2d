# Time, and how it is said on the message stream.

clock <- function() proc.time()[["elapsed"]]

# "1:05"
minutes <- function(seconds) sprintf("%d:%02d", as.integer(seconds) %/% 60L,
                                     as.integer(seconds) %% 60L)

# Can a line be written over? In a file or a pipe each would stay. Windows of R are no terminal.
can_redraw <- function() {
  sink.number(type = "message") == 2L && (interactive() || isatty(stderr()))
}

# A line of more than 78 would wrap, and could not be overwritten: the bar gives way first.
bar_line <- function(share, count, label, left) {
  width <- min(24, max(4, 73 - nchar(count) - nchar(label) - nchar(left)))
  filled <- round(width * share)
  substr(sprintf("[%s%s] %s  %s%s", strrep("=", filled), strrep(" ", width - filled), count, label,
                 left), 1L, 78L)
}
