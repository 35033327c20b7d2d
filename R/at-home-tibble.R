#' Results as plain data frames and as tibbles
#'
#' @description
#' `as.data.frame()` gives the table of a result that [`tidy()`][tidy.domgen] gives, as a plain
#' data frame for base R, `write.csv()`, `knitr::kable()`, `gt::gt()` or
#' `flextable::flextable()`; `tibble::as_tibble()` gives the same as a tibble.
#'
#' * [dg_cv()] and [dg_lodo()], a row per domain: `domain`, `fold`, `rows`, `score`, further metrics
#' * [dg_compare()], per method: `method`, `mean` over domains, `overall` rows, mean `rank`,
#'   `estimate` (the difference from the reference), `p_rank`, `seconds`, `error`
#' * [dg_tune()], per combination: the parameters, `estimate` (the mean score), `seconds`, `error`
#'   (its message, where it failed), `chosen`
#' * [dg_auto()], per candidate: whether it is a `member`, its `weight`, `scale`, `kernel`,
#'   `domain_kernel`, `lambda`, `rows` scored, `estimate` (the mean score), `difference` from the
#'   whole with `difference_se`, `seconds`; the first row is the whole
#' * [dg_diagnose()], per question: `what` (shift, room or gain), `estimate` (the difference from
#'   chance or from pooling)
#' * [dg_calibration()], per bin: `class`, its bounds `low` and `high`, `rows`, mean `predicted`
#'   probability, `estimate` (the observed proportion)
#' * [dg_mmd()] and [domain_map()], per pair of domains: `first`, `second`, `estimate` (the squared
#'   distance)
#' * [dg_novelty()], per new domain: `domain`, `rows`, `statistic` (the distance), `farthest` (of a
#'   training domain)
#' * [dg_resources()], per pass over the rows: `pass`, how often it `reads` them, `operations`,
#'   bytes `read` and `sent`, `seconds`
#' * [dg_importance()], per predictor and kind: `predictor`, `kind`, `estimate` (the increase),
#'   `domains`
#' * [dg_effect()], per predictor, class and value: `predictor`, `class`, `at`, `category`,
#'   `estimate` (the value), `domains`; those of single domains are in `$domains`
#'
#' Where they are known, `std.error` is the standard error of `estimate`, `conf.low` and `conf.high`
#' are the ends of its interval, and `p.value` belongs to it.
#'
#' No number is rounded, and there are no list columns.
#'
#' @param x A result.
#' @param row.names `NULL`, or the names of the rows.
#' @param optional Ignored: names are never changed.
#' @param ... Must be empty.
#' @param stringsAsFactors Make factors of columns of text?
#' @return A data frame; `as_tibble()`: a tibble.
#' @name as.data.frame.domgen
#' @examples
#' weights <- dg_cv(dg_lm(), weight ~ Time | Diet, data = ChickWeight)
#' as.data.frame(weights)
NULL

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_result <- function(x, row.names = NULL, optional = FALSE, ...,
                                    stringsAsFactors = FALSE) {
  check_no_dots(list(...), character())
  frame <- tidy(x)
  class(frame) <- "data.frame"
  if (check_flag(stringsAsFactors, "stringsAsFactors")) {
    text <- vapply(frame, is.character, NA)
    frame[text] <- lapply(frame[text], factor)
  }
  if (!is.null(row.names)) row.names(frame) <- row.names
  frame
}

#' @exportS3Method tibble::as_tibble
as_tibble.dg_result <- function(x, ...) {
  check_no_dots(list(...), character())
  tidy(x)
}
