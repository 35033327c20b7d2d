# The summary of a Gaussian process: its parameters, its likelihood.

# Data frame: name, value, fitted, at_bound, meaning.
describe_parameters <- function(point, best, response, columns) {
  fitted <- vapply(best$blocks, block_key, "")
  bound <- if (length(best$blocks)) {
    split_blocks(best$theta <= best$bounds$lower | best$theta >= best$bounds$upper, best$blocks)
  }
  lines <- lapply(all_blocks(point), function(b) {
    value <- get_block(point, b)
    place <- match(block_key(b), fitted)
    data.frame(name = block_names(b, point, columns), value = value, fitted = !is.na(place),
               at_bound = if (is.na(place)) FALSE else bound[[place]],
               meaning = block_meaning(b, response))
  })
  do.call(rbind, lines)
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
  if (!block$of %in% c("signal_sd", "noise_sd")) return(block$meaning)
  paste0(block$meaning, ", in ",
         if (response$scale == 1 && response$centre == 0) "units of the response"
         else "standard deviations of the response")
}

#' @exportS3Method
describe_fit.dg_gp <- function(x) {
  all <- x$parameters
  parameters <- lapply(seq_len(nrow(all)), function(i) {
    row <- all[i, ]
    fact(row$name, row$value, only = c(if (endsWith(row$name, "_sd")) "print", "summary"),
         how = paste0(row$meaning, "; ", if (!row$fitted) "not ", "fitted",
                      if (row$at_bound) ", at its bound"))
  })
  c(NextMethod(), parameters, list(
    if (x$response$scale != 1) {
      fact("noise", x$noise_sd * x$response$scale, " in units of the response")
    }, likelihood_fact(x)
  ))
}

#' @importFrom stats logLik
#' @export
logLik.dg_gp <- function(object, ...) {
  enter_session()
  check_no_dots(list(...), character())
  structure(object$log_likelihood, df = sum(object$parameters$fitted),
            nobs = if (length(object$weights)) sum(object$weights > 0) else nobs(object),
            class = "logLik")
}
