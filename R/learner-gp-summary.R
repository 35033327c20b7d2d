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
  if (!block$of %in% c("signal_sd", "noise_sd")) return(block$meaning)
  paste0(block$meaning, ", in ",
         if (response$scale == 1 && response$centre == 0) "units of the response"
         else "standard deviations of the response")
}

#' @exportS3Method
print_details.dg_gp <- function(x) {
  describe_response(x$response)
  describe_kernels(x$space)
  parameters <- x$parameters
  shown <- parameters[parameters$name %in% c("signal_sd", "noise_sd"), ]
  cat_line("  ", paste0(shown$name, " = ", rounded(shown$value, 4),
                        ifelse(shown$fitted, " (fitted)", ""), collapse = ", "),
           if (x$response$scale != 1) {
             paste0("; noise in units of the response ", rounded(x$noise_sd * x$response$scale, 4))
           })
  cat_line("  log likelihood ", format(rounded(x$log_likelihood, 6)), ", ",
           plural(sum(parameters$fitted), "fitted parameter"))
}

#' @importFrom stats logLik
#' @export
logLik.dg_gp <- function(object, ...) {
  fixed_session()
  check_no_dots(list(...), character())
  structure(object$log_likelihood, df = sum(object$parameters$fitted),
            nobs = if (length(object$weights)) sum(object$weights > 0) else nobs(object),
            class = "logLik")
}
