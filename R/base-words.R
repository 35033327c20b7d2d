# Names of domains, methods and classes are as long as users make them. Margins
# must be known before a plot is open, so widths are estimated from the height of a
# line: a character is about half as wide.

characters_in <- function(inches, cex = 1, at_least = 8) {
  max(floor(inches / (0.5 * cex * graphics::par("cin")[2L])), at_least)
}

# Broken into at most `lines` lines of `width` characters, and shortened where that
# is not enough.
fit_text <- function(text, width, lines = 1L) {
  fit_one <- function(one) {
    if (widest(one) <= width && number_of_lines(one) <= lines) return(one)
    for (total in seq(lines * width, width)) {
      broken <- strwrap(shorten(one, total), width + 1)
      if (length(broken) <= lines && all(nchar(broken) <= width)) break
    }
    paste(broken, collapse = "\n")
  }
  vapply(as.character(text), fit_one, "", USE.NAMES = FALSE)
}

# In the middle, because names often differ only at the end.
shorten <- function(text, width) {
  n <- nchar(text)
  head <- ceiling((width - 3) / 2)
  tail <- width - 3 - head
  short <- paste0(substr(text, 1L, head), "...", substr(text, n - tail + 1L, n))
  replace(as.character(text), which(n > width), short[which(n > width)])
}

widest <- function(text) max(nchar(unlist(strsplit(text, "\n", fixed = TRUE))), 0L)

number_of_lines <- function(text) max(lengths(strsplit(text, "\n", fixed = TRUE)), 0L)

# "RMSE (lower is better)", in two lines where one is too wide.
score_label <- function(measure, width, prefix = "") {
  direction <- if (measure$better == "low") "(lower is better)" else "(higher is better)"
  title <- paste0(prefix, measure$title)
  paste0(title, if (nchar(title) + nchar(direction) < width) " " else "\n", direction)
}

# The user's names of the response and of the domain.
variable_names <- function(blueprint) {
  domain <- blueprint$domain_columns
  structure <- blueprint$structure
  list(response = if (is.null(blueprint$response_name)) "y" else blueprint$response_name,
       domain = if (!is.null(structure)) structure$text
                else if (length(domain)) paste(domain, collapse = ", ") else "domain")
}

# "12 of 60 domains named", or nothing where all are.
note_unnamed <- function(shown, of) {
  if (shown < of) paste0(plural(of, "domain"), ", ", shown, " of them named")
}
