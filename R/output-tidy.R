# Tables of results; those of fits are in output-tidy-fits.R.

# Names of broom and tidymodels for shorter names in results.
broom_names <- c(se = "std.error", lower = "conf.low", upper = "conf.high", p = "p.value")

as_broom <- function(frame, names = NULL) {
  known <- c(names, broom_names)
  # by position: tuning parameters may have any name
  found <- match(names(frame), names(known))
  names(frame)[!is.na(found)] <- unname(known)[found[!is.na(found)]]
  as_tbl(frame)
}

#' @rdname tidy.domgen
#' @order 1
#' @export
tidy.dg_result <- function(x, ...) {
  enter_session()
  check_no_dots(list(...), character())
  result <- describe_result(x)
  names <- unlist(lapply(result$columns, function(column) {
    if (is.null(column$values) && !identical(column$tidy, column$name)) {
      stats::setNames(column$tidy, column$name)
    }
  }))
  as_broom(result$table, names)
}

#' @rdname tidy.domgen
#' @order 1
#' @export
glance.dg_result <- function(x, ...) {
  enter_session()
  line <- describe_result(x)$glance
  if (is.null(line)) return(NextMethod())
  check_no_dots(list(...), character())
  as_broom(line)
}

#' @rdname tidy.domgen
#' @order 1
#' @export
augment.dg_result <- function(x, ...) {
  enter_session()
  if (inherits(x, "dg_fit")) return(NextMethod())
  check_no_dots(list(...), character())
  rows <- describe_result(x)$rows
  if (is.data.frame(rows)) return(as_tbl(rows))
  abort("argument", "`x`, ", describe(x), ", has no rows of the data for augment()",
        if (!is.null(rows)) paste0(": ", rows), ".")
}
