# Tables of results: tibbles that need no package.

# A method of a model, without further arguments, that returns a tibble.
alone <- function(take) {
  function(x, ...) {
    enter_session()
    check_no_dots(list(...), character())
    as_tbl(from_whole(x, take(x), "x"))
  }
}

# A tibble, whether or not that package is installed: no row names, plain columns.
as_tbl <- function(frame) {
  columns <- lapply(as.list(frame), function(column) {
    if (is.null(dim(column)) && !is.factor(column)) names(column) <- NULL
    column
  })
  structure(columns, names = names(frame), row.names = .set_row_names(nrow(frame)),
            class = c("tbl_df", "tbl", "data.frame"))
}

# Of coefficients and their covariance: Wald's tests and intervals, normal without degrees of
# freedom.
coefficient_table <- function(x, level = 0.95, df = Inf) {
  se <- sqrt(diag(x$covariance))
  t <- x$coefficients / se
  half <- stats::qt((1 + level) / 2, df) * se
  data.frame(term = names(x$coefficients), estimate = x$coefficients, se = se, statistic = t,
             p = 2 * stats::pt(-abs(t), df), lower = x$coefficients - half,
             upper = x$coefficients + half, row.names = NULL)
}
