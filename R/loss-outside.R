# Losses made outside the package.

#' @rdname extending
#' @export
new_svm_loss <- function(name, response = c("number", "class"), smooth, kinks = 0, tube = NULL,
                         squared = FALSE, log_odds = FALSE, ...) {
  par <- given_dots(list(...))
  if (length(unique(setdiff(names(par), c("", names(formals(new_loss)))))) < length(par)) {
    abort("argument", "Parameters of a loss must have names of their own, not ",
          if (is.null(names(par))) "none" else enumerate(names(par)), ".")
  }
  row <- new_loss(check_choice(response, "response", c("number", "class")),
                  held_to(smooth, "smooth", c(value = -Inf, slope = -Inf, curvature = 0)),
                  kinks = check_count(kinks, "kinks", at_least = 0L), parameters = names(par),
                  tube = held_to(tube, "tube", c(low = -Inf, high = 0, epsilon = 0), c(low = 0)),
                  squared = check_flag(squared, "squared"),
                  log_odds = check_flag(log_odds, "log_odds"))
  structure(c(row[c("kinds", "smooth", "kinks", "parameters", "tube", "squared", "log_odds")], par),
            class = c(part_name(name), "dg_svm_loss"))
}

check_loss <- function(value, arg) {
  if (inherits(value, "dg_svm_loss")) value else check_choice(value, arg, names(svm_losses()))
}

#' @export
format.dg_svm_loss <- function(x, ...) {
  values <- vapply(unclass(x)[x$parameters], format_value, "")
  paste0(class(x)[1L], "(", paste(names(values), values, sep = " = ", collapse = ", "), ")")
}

#' @export
print.dg_svm_loss <- function(x, ...) {
  cat_line(format(x))
  invisible(x)
}
