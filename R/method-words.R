# Values of parameters in words.

# A value of a parameter in few characters.
format_value <- function(value) {
  if (is.list(value)) short_object(value)
  else paste(format(value, digits = 4), collapse = ", ")
}

# A kernel or feature map by its constructor and what is not the default: "rbf(bandwidth_factor =
# 2)"; the first number is always there: "poly(2)".
short_object <- function(value) UseMethod("short_object")

short_parts <- function(sign) {
  function(value) paste(vapply(value$parts, format_value, ""), collapse = sign)
}

#' @exportS3Method
short_object.kernel_sum <- short_parts(" + ")

#' @exportS3Method
short_object.kernel_product <- short_parts(" * ")

#' @exportS3Method
short_object.default <- function(value) {
  class <- class(value)[1L]
  name <- c(domain_embedding = "domain_distribution", kernel_normalised = "kernel_normalise")[class]
  if (is.na(name)) name <- class
  if (name == "kernel_normalise") value <- value$parts
  defaults <- if (exists(name, mode = "function")) formals(name)
  if (!is.null(names(value))) value <- unclass(value)[intersect(names(defaults), names(value))]
  shown <- Map(function(part, arg) {
    default <- on_error(eval(defaults[[arg]]), function(e) NULL)
    if (is.character(default)) default <- default[1L]
    first <- is.numeric(part) && arg == names(defaults)[1L]
    usual <- !first && isTRUE(all.equal(part, default))
    if (is.null(part) || is.function(part) || usual) return(NULL)
    text <- format_value(part)
    if (arg %in% c("", names(defaults)[1L])) text else paste(arg, "=", text)
  }, value, if (is.null(names(value))) "" else names(value))
  shown <- unlist(shown)
  paste0(sub("^kernel_|^features_|^domain_", "", name),
         if (length(shown)) paste0("(", paste(shown, collapse = ", "), ")"))
}
