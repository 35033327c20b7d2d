# The print of dg_resources().

#' @exportS3Method
describe_result.dg_resources <- function(x) {
  passes <- x$passes
  size <- x$arguments
  bytes <- function(values, rows) in_bytes(values)
  named <- ifelse(passes$reads > 1, paste0(passes$pass, " (", passes$reads, ")"), passes$pass)
  new_result(
    paste0("Cost of a fit: ", x$title, ": ", in_full(size$n), " rows, ",
           plural(size$predictors, "predictor"), ", ", plural(size$domains, "domain"), ", ",
           plural(size$workers, "worker")),
    passes,
    list(column("name", "pass", values = named, report = "Pass (times)"),
         column("operations", format = function(values, rows) formatC(values, 2, format = "g")),
         column("read", format = bytes), column("sent", "sent by a worker", bytes),
         column("seconds", format = function(values, rows) format_seconds(values))),
    facts = paste0(plural(x$coordinates, "feature dimension"), "; all rows are read ",
                   plural(x$readings, "time")),
    notes = c(
      paste0("Total ", trimws(format_seconds(x$seconds)), " s, with ",
             in_rate(size$flops, "operations"), " and ", in_rate(size$bytes, "bytes"),
             " per second and worker."),
      paste0("Memory: ", in_bytes(x$worker_memory), " per worker", if (size$workers > 1) {
        paste0(", ", in_bytes(x$master_memory), " in the session of the call")
      }, ".")
    ),
    glance = data.frame(rows = size$n, workers = size$workers, readings = x$readings,
                        coordinates = x$coordinates, worker_memory = x$worker_memory,
                        master_memory = x$master_memory, seconds = x$seconds)
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
