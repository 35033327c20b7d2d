# Tables of results; those of fits are in output-tidy-fits.R.

# Names of broom and tidymodels for shorter names in results.
broom_names <- c(se = "std.error", lower = "conf.low", upper = "conf.high", p = "p.value")

as_broom <- function(frame, names = NULL) {
  all_names <- c(names, broom_names)
  # by position: tuning parameters may have any name
  at <- match(names(frame), names(all_names))
  names(frame)[!is.na(at)] <- unname(all_names)[at[!is.na(at)]]
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
  augmented <- describe_result(x)$augmented
  if (is.data.frame(augmented)) return(as_tbl(augmented))
  abort("argument", "`x`, ", describe(x), ", has no rows of the data for augment()",
        if (!is.null(augmented)) paste0(": ", augmented), ".")
}
