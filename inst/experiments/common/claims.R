# What a paper says without a number, as rows of verdict_table().

# `difference`: a line of paired(), which is below 0 if the `claim` is right.
claim_row <- function(item, data, difference, claim, reason = "", digits = 2) {
  verdict <- if (is.na(difference$lower)) "cannot" else if (difference$upper < 0) "match"
             else if (difference$lower > 0) "worse" else "cannot"
  data.frame(item = item, data = data, draws = paste(difference$draws, "/ -"),
             ours = interval(difference, digits), paper = claim, verdict = verdict,
             reason = reason)
}

# What a paper names, and does not say what comes of it.
no_claim <- function(item, data, difference, digits = 2) {
  row <- claim_row(item, data, difference, "", "named, without a figure", digits)
  row$verdict <- "cannot"
  row
}

# What has no number of ours.
not_run <- function(item, reason) {
  data.frame(item = item, data = "-", draws = "-", ours = "", paper = "", verdict = "cannot",
             reason = reason)
}

# "3 match, 1 better, none worse": of all rows of verdict_rows().
verdicts_in_words <- function(rows) {
  found <- verdict_of(rows)
  each <- vapply(c("match", "better", "worse"), function(v) paste(count(found == v), v), "")
  paste(each, collapse = ", ")
}

# What the power of lines of add_intervals() is.
power_in_words <- function(d) {
  known <- d[!is.na(d$lower), ]
  if (!nrow(known)) return("")
  paste0("With so many draws, a difference has an 80 % chance of an interval without 0 if it is ",
         "at least ", span(known$detectable), ".")
}
