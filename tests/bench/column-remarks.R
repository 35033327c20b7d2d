# How often dg_diagnose() remarks on usual columns, which are drawn at random, and how often on those
# that it should (identifiers and codes planted in such columns), by kind.
#   Rscript tests/bench/column-remarks.R [draws of each kind of column]
library(domgen)
source("tests/testthat/helper-usual-columns.R")
draws <- as.integer(c(commandArgs(TRUE), 600)[1])
remarks <- function(x) domgen:::column_remarks(list(x = x))$kind
kinds <- c("identifier", "code", "categories", "levels", "constant")
count <- function(found) tabulate(match(unlist(found), kinds), length(kinds))
size <- function() sample(c(30, 100, 300, 1000, 5000), 1)

set.seed(1)
usual <- t(vapply(usual_columns, function(draw) {
  count(replicate(draws, remarks(draw(size())), simplify = FALSE))
}, integer(length(kinds))))
colnames(usual) <- kinds
print(usual)
cat("false alarms in ", draws * nrow(usual), " usual columns: ",
    paste(kinds, colSums(usual), collapse = ", "), "\n\n", sep = "")

# columns that are below 101, beside which a code may be far or near
numbers <- usual_columns[c("age", "percent", "likert", "score", "dose", "dummy")]
planted <- function(code, share) mean(replicate(draws, {
  n <- size()
  x <- sample(numbers, 1)[[1]](n)
  "code" %in% remarks(replace(x, sample(n, max(1, round(share * n))), code))
}))
for (code in c(-9, -99, -999, 99, 999, 9999)) {
  cat("found of code ", code, " in one row: ", round(planted(code, 0), 2), ", in 5 % of rows: ",
      round(planted(code, 0.05), 2), "\n", sep = "")
}
cat("found of running numbers, a fifth of them left out: ", mean(replicate(draws, {
  n <- size()
  "identifier" %in% remarks(sample(10^sample(0:7, 1) + sample(round(1.25 * n), n)))
})), "\n", sep = "")
