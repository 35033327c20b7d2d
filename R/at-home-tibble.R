#' Results as plain data frames and as tibbles
#'
#' @description
#' `as.data.frame()` gives the table of a result that [`tidy()`][tidy.domgen] gives, as a plain
#' data frame for base R, `write.csv()`, `knitr::kable()`, `gt::gt()` or
#' `flextable::flextable()`; `tibble::as_tibble()` gives the same as a tibble.
#'
#' * [dg_cv()], a line per domain: `domain`, `fold`, `rows`, `score`, further metrics
#' * [dg_compare()], per method: `method`, `mean` over domains, `overall` rows, mean `rank`,
#'   `difference` from the reference with `se`, `lower`, `upper`, `p` and `p_rank`, `seconds`
#' * [dg_tune()], per combination: the parameters, `mean` and `se` of the score, `seconds`,
#'   `error` (its message, where it failed), `chosen`
#' * [dg_auto()], per candidate: whether it is a `member`, its `weight`, `scale`,
#'   `kernel`, `domain_kernel`, `lambda`, `rows` scored, `mean` score and its `se`, `difference`
#'   from the whole with `difference_se`, `seconds`; the first line is the whole
#' * [dg_diagnose()], per question: `what` (shift, room or gain), `estimate`, `lower`, `upper`,
#'   `p.value`
#' * [dg_calibration()], per bin: `class`, its bounds `low` and `high`, `rows`, mean `predicted`
#'   probability, `observed` share and its interval `lower`, `upper`
#' * [mmd()] and [domain_map()], per pair of domains: `first`, `second`, `squared` distance,
#'   `p.value` where there were permutations
#' * [dg_novelty()], per new domain: `domain`, `rows`, `distance`, `farthest` (of a training
#'   domain), `p`
#' * [dg_cost()], per pass over the rows: `pass`, how often it `reads` them, `operations`, bytes
#'   `read` and `sent`, `seconds`
#' * [dg_importance()], per predictor and kind: `predictor`, `kind`, `increase`, `se`, `lower`,
#'   `upper`, `domains`
#' * [dg_effect()], per predictor, class and value: `predictor`, `class`, `at`, `category`, `value`,
#'   `se`, `lower`, `upper`, `domains`; those of single domains are in `$domains`
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

# The one way of all classes.
plain_table <- function(x, row.names = NULL, optional = FALSE, ..., stringsAsFactors = FALSE) {
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

tibble_table <- function(x, ...) {
  check_no_dots(list(...), character())
  tidy(x)
}

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_cv <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_cv <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_compare <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_compare <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_tuned <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_tuned <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_auto <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_auto <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_diagnose <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_diagnose <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_calibration <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_calibration <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.domgen_mmd <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.domgen_mmd <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_cost <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_cost <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_importance <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_importance <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_effect <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_effect <- tibble_table

#' @rdname as.data.frame.domgen
#' @export
as.data.frame.dg_novelty <- plain_table

#' @exportS3Method tibble::as_tibble
as_tibble.dg_novelty <- tibble_table
