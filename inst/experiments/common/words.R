# Numbers and results in words, for the vignettes.

# zero has no minus
number <- function(x, digits = 2) {
  sub("^-([0.]+)$", "\\1", formatC(as.numeric(x), digits, format = "f"))
}
signed <- function(x, digits = 2) sub("^-([0.]+)$", "+\\1", sprintf("%+.*f", digits, x))

# "-0.31 to +0.20"; one number where both ends are the same.
span <- function(x, digits = 2, form = number) {
  paste(unique(form(range(x), digits)), collapse = " to ")
}

# "a, b and c"
listed <- function(x) {
  n <- length(x)
  if (n > 1L) paste(paste(x[-n], collapse = ", "), "and", x[n]) else paste(x)
}

# "none", "1", "2"
count <- function(x) if (any(x, na.rm = TRUE)) sum(x, na.rm = TRUE) else "none"

# "1.23 (0.04)": mean and standard error; the mean alone where there is one draw.
in_brackets <- function(mean, se, digits) {
  ifelse(is.na(se), number(mean, digits),
         paste0(number(mean, digits), " (", number(se, digits), ")"))
}

# "+0.12 [-0.03, 0.27]": a difference with its interval; alone where there is one draw.
interval <- function(d, digits = 2) {
  limits <- paste0(" [", number(d$lower, digits), ", ", number(d$upper, digits), "]")
  paste0(signed(d$mean, digits), ifelse(is.na(d$lower), "", limits))
}

# "domains 16, rows 8": the columns `cells` of a table as text, line by line.
cell_names <- function(table, cells) {
  if (is.null(cells)) return(rep("", nrow(table)))
  said <- function(cell) {
    if (cell == "measure") table$measure else paste(cell, table[[cell]])
  }
  do.call(paste, c(lapply(cells, said), sep = ", "))
}

# "3 draws", or "1 to 3 draws" where cells have different numbers.
draws_in_words <- function(lines) {
  draws <- range(summarise_results(lines)$draws)
  if (draws[2L] == 1L) "one draw" else paste(paste(unique(draws), collapse = " to "), "draws")
}

# How results were made, or that they are not here.
made <- function(name) {
  command <- paste0("`Rscript run.R ", name, "`")
  if (is_stored(name)) paste0("Made by ", command, "; ", draws_in_words(read_results(name)), ".")
  else paste0("*The results are not stored here: ", command, " makes them.*")
}

# Which of the differences of add_intervals() have p < 0.05; up to eight are named, with
# their `cells`.
verdict <- function(d, cells = NULL, digits = 2) {
  known <- d[!is.na(d$se), ]
  if (!nrow(known)) return("They are of one draw and have no standard error.")
  where <- if (is.null(cells)) "" else paste0(" with ", cell_names(known, cells))
  each <- paste0(known$method, where, ", ", signed(known$mean, digits))
  counted <- function(which) {
    named <- if (sum(which) %in% 1:8) paste0(" (", paste(each[which], collapse = "; "), ")")
    paste0(count(which), named)
  }
  of_all <- paste0(" of the ", nrow(known), " differences",
                   if (nrow(known) < nrow(d)) " of several draws")
  if (!any(is_apart(known))) return(paste0("None", of_all, " has p < 0.05."))
  paste0("Taken one at a time, p < 0.05 for ", counted(is_apart(known)), of_all,
         "; after Holm's correction for ", counted((known$holm < 0.05) %in% TRUE), ".")
}
