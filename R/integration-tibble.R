# Results as plain data frames and as tibbles of the tibble package.
#' @rdname tidy.domgen
#' @export
as.data.frame.dg_result <- function(x, row.names = NULL, optional = FALSE, ...,
                                    stringsAsFactors = FALSE) {
  enter_session()
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

#' @rdname tidy.domgen
#' @usage \method{as_tibble}{dg_result}(x, ...)
#' @exportS3Method tibble::as_tibble
as_tibble.dg_result <- function(x, ...) {
  check_no_dots(list(...), character())
  tidy(x)
}
