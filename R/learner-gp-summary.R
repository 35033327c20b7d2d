# What a Gaussian process says of itself: its parameters, its likelihood.

# Data frame: name, value, fitted, at_bound, meaning.
describe_parameters <- function(point, best, response, columns) {
  fitted <- vapply(best$blocks, block_key, "")
  bound <- if (length(best$blocks)) {
    split_blocks(best$theta <= best$bounds$lower | best$theta >= best$bounds$upper, best$blocks)
  }
  rows <- lapply(all_blocks(point), function(b) {
    value <- get_block(point, b)
    place <- match(block_key(b), fitted)
    data.frame(name = block_names(b, point, columns), value = value, fitted = !is.na(place),
               at_bound = if (is.na(place)) FALSE else bound[[place]],
               meaning = block_meaning(b, response))
  })
  do.call(rbind, rows)
}

block_key <- function(block) paste(c(block$of, block$part, block$path), collapse = " ")

block_names <- function(block, point, columns) {
  name <- block$name
  kernel <- if (block$of == "domain") point$domain_kernel[[block$part]] else point[[block$of]]
  path <- shown_path(kernel, block$path)
  if (length(path)) name <- paste0(name, " (part ", paste(path, collapse = "."), ")")
  if (block$size == 1L) return(name)
  paste0(name, " [", columns[path_columns_of(kernel, block$path, length(columns))], "]")
}

block_meaning <- function(block, response) {
  if (!block$of %in% c("signal", "noise")) return(block$meaning)
  paste0(block$meaning, ", in ",
         if (response$scale == 1 && response$centre == 0) "units of the response"
         else "standard deviations of the response")
}

#' @exportS3Method
print_details.dg_gp <- function(x) {
  describe_response(x$response)
  describe_kernels(x$product)
  parameters <- x$parameters
  shown <- parameters[parameters$name %in% c("signal", "noise"), ]
  cat("  ", paste0(shown$name, " = ", signif(shown$value, 4),
                   ifelse(shown$fitted, " (fitted)", ""), collapse = ", "),
      if (x$response$scale != 1) {
        paste0("; noise in units of the response ", signif(x$noise * x$response$scale, 4))
      }, "\n", sep = "")
  cat("  log likelihood ", format(signif(x$log_likelihood, 6)), ", ",
      plural(sum(parameters$fitted), "fitted parameter"), "\n", sep = "")
}

#' @export
summary.dg_gp <- function(object, ...) {
  check_no_dots(list(...), character())
  structure(list(fit = object, parameters = object$parameters, log_likelihood = logLik(object),
                 aic = stats::AIC(object), bic = stats::BIC(object), lodo = object$lodo),
            class = "summary.dg_gp")
}

#' @export
print.summary.dg_gp <- function(x, digits = 4, ...) {
  digits <- max(check_digits(digits), 1L)
  fit <- x$fit
  cat(fit$spec$parts$title, describe_formula(fit), "\n  ", describe_rows(fit), "\n", sep = "")
  describe_response(fit$response)
  describe_kernels(fit$product)
  cat("\nParameters\n")
  table <- x$parameters
  lines <- paste0("  ", formatC(table$name, width = -max(nchar(table$name))), "  ",
                  formatC(signif(table$value, digits), width = 9, format = "g", digits = digits),
                  "  ", ifelse(table$fitted, "fitted", "fixed "), "  ", table$meaning,
                  ifelse(table$at_bound, " (at its bound)", ""))
  cat(lines, sep = "\n")
  cat("\nLog likelihood ", format(signif(c(x$log_likelihood), 6)), " (df ",
      attr(x$log_likelihood, "df"), "), AIC ", format(signif(x$aic, 6)), ", BIC ",
      format(signif(x$bic, 6)), "\n", sep = "")
  if (!is.null(x$lodo)) {
    cat("Leave one domain out: mean RMSE over domains ", signif(mean(x$lodo$rmse), digits), "\n",
        sep = "")
  }
  invisible(x)
}

#' @importFrom stats logLik
#' @export
logLik.dg_gp <- function(object, ...) {
  check_no_dots(list(...), character())
  structure(object$log_likelihood, df = sum(object$parameters$fitted),
            nobs = if (length(object$weights)) sum(object$weights > 0) else nobs(object),
            class = "logLik")
}
