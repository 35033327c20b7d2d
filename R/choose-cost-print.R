# What dg_cost() says.

#' @export
print.dg_cost <- function(x, digits = NULL, ...) {
  at_digits(digits, describe_cost(x))
  invisible(x)
}

describe_cost <- function(x) {
  size <- x$arguments
  cat_line(x$title, ": ", in_full(size$rows), " rows x ", plural(size$predictors, "predictor"),
           ", ", plural(size$domains, "domain"), ", ", plural(size$workers, "worker"))
  cat_line("  ", plural(x$coordinates, "coordinate"), "; all rows are read ", x$readings,
           " times\n")
  cat_table(cost_cells(x), text = "pass")
  cat_line("")
  cat_line("  ", cost_totals(x))
}

cost_totals <- function(x) {
  size <- x$arguments
  c(paste0("in all ", trimws(format_seconds(x$seconds)), " s, at ",
           in_rate(size$flops, "operations"), " and ", in_rate(size$bytes, "bytes"),
           " a second and worker"),
    paste0("memory ", in_bytes(x$worker_memory), " a worker", if (size$workers > 1) {
      paste0(", ", in_bytes(x$master_memory), " in the session of the call")
    }))
}

cost_cells <- function(x) {
  shown <- x$passes
  data.frame(
    pass = ifelse(shown$reads > 1, paste0(shown$pass, " (", shown$reads, ")"), shown$pass),
    operations = formatC(shown$operations, digits = 2, format = "g"), read = in_bytes(shown$read),
    `sent by a worker` = in_bytes(shown$sent), seconds = format_seconds(shown$seconds),
    check.names = FALSE
  )
}

in_rate <- function(value, of) paste(formatC(value, digits = 2, format = "g"), of)

# "2.1 GB"
in_bytes <- function(bytes) {
  units <- c("B", "kB", "MB", "GB", "TB", "PB")
  power <- pmin(pmax(floor(log10(pmax(bytes, 1)) / 3), 0), length(units) - 1)
  ifelse(bytes == 0, "-", paste(rounded(bytes / 1000^power, 2), units[power + 1]))
}

format_seconds <- function(seconds) {
  format(rounded(seconds, 2), big.mark = big_mark(), scientific = FALSE, drop0trailing = TRUE)
}
