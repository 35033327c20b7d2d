# Names of domains, methods and classes are as long as users make them.

# The letters of English alone: in Turkish the small letter of I is another one, and neither
# tolower() nor a pattern that ignores case takes INSERT for insert.
small_letters <- paste(letters, collapse = "")

large_letters <- paste(LETTERS, collapse = "")

lower_case <- function(text) chartr(large_letters, small_letters, text)

upper_case <- function(text) chartr(small_letters, large_letters, text)

# Text that is invalid in its encoding (read from a file in another one) cannot be measured nor
# drawn: its bytes are written as <e9>.
readable <- function(text) {
  if (!is.character(text)) return(text)
  bad <- !validEnc(text)
  replace(text, bad, iconv(text[bad], "UTF-8", "UTF-8", sub = "byte"))
}

# Broken into at most `lines` lines of `width` characters, and shortened if that is not enough.
fit_text <- function(text, width, lines = 1L) {
  fit_one <- function(one) {
    if (widest(one) <= width && number_of_lines(one) <= lines) return(one)
    for (total in seq(lines * width, width)) {
      broken <- strwrap(shorten(one, total), width + 1)
      if (length(broken) <= lines && all(nchar(broken, "width") <= width)) break
    }
    paste(broken, collapse = "\n")
  }
  vapply(readable(as.character(text)), fit_one, "", USE.NAMES = FALSE)
}

# Shortened in the middle, because names often only differ at the end. A Chinese, Japanese or Korean
# character is as wide as two.
shorten <- function(text, width) {
  text <- readable(as.character(text))
  long <- which(nchar(text, "width") > width)
  head <- max(ceiling((width - 3) / 2), 0)
  tail <- max(width - 3 - head, 0)
  text[long] <- paste0(strtrim(text[long], head), "...", last_of(text[long], tail))
  text
}

# The last characters of a text that fit into a width.
last_of <- function(text, width) {
  backwards <- function(text) {
    vapply(strsplit(text, ""), function(letters) paste(rev(letters), collapse = ""), "")
  }
  backwards(strtrim(backwards(text), width))
}

widest <- function(text) {
  max(nchar(unlist(strsplit(readable(text), "\n", fixed = TRUE)), "width"), 0L)
}

number_of_lines <- function(text) max(lengths(strsplit(text, "\n", fixed = TRUE)), 0L)

# The level of an interval in percent.
level_words <- function(level) paste(format(100 * level, digits = 4L), "%")

# Do rows differ in weight?
have_weights <- function(weights) length(unique(weights)) > 1L

# Whoever gives weights is told that scores have none. weighted: do the rows differ in weight?
with_weights_said <- function(text, weighted) {
  paste0(text, if (isTRUE(weighted)) ", scored without weights")
}
