# Parameters of a specification by name, for tuning. A name is a path: an argument, then what is
# inside the kernel or feature map that is given there, as in
# "domain_kernel.embedding_kernel.bandwidth". `bandwidth`, `bandwidth_factor` and `smoothing` alone
# are those of `kernel`. In a pipeline the name of the part may come first, as in "dica.lambda" or
# "svm.cost", and must where both parts have the parameter.

short_of_kernel <- c("bandwidth", "bandwidth_factor", "smoothing")

# A hit, list(part: NULL, "projection" or "learner"; path: character vector). all: also arguments
# that are not tuned?
find_parameter <- function(spec, name, all = FALSE) UseMethod("find_parameter")

#' @exportS3Method
find_parameter.dg_spec <- function(spec, name, all = FALSE) {
  path <- strsplit(name, ".", fixed = TRUE)[[1L]]
  if (length(path) > 1L && path[1L] %in% short_names(spec)) path <- path[-1L]
  # an argument may have a dot in its name
  whole <- paste(path, collapse = ".")
  if (whole %in% names(spec$args)) path <- whole
  else if (length(path) == 1L && path %in% short_of_kernel) path <- c("kernel", path)
  if (length(path) == 0L || !knows_path(spec, path, all)) return(NULL)
  list(part = NULL, path = path)
}

#' @exportS3Method
find_parameter.dg_pipeline_spec <- function(spec, name, all = FALSE) {
  parts <- c("projection", "learner")
  hits <- Filter(Negate(is.null), lapply(parts, function(part) {
    hit <- find_parameter(spec[[part]], name, all)
    if (!is.null(hit)) list(part = part, path = hit$path)
  }))
  if (length(hits) == 2L) {
    both <- paste0(vapply(parts, function(part) short_names(spec[[part]])[1L], ""), ".", name)
    abort("argument", "`", name, "` is a parameter of both parts of the pipeline: write `",
          both[1L], "` or `", both[2L], "`.")
  }
  if (length(hits)) hits[[1L]]
}

short_names <- function(spec) unique(c(sub("^dg_", "", spec$method), spec$method))

knows_path <- function(spec, path, all = FALSE) {
  if (!path[1L] %in% names(spec$args) || !all && !is_tuned(spec, path[1L])) return(FALSE)
  if (length(path) == 1L) return(TRUE)
  inner <- inner_object(spec$args[[path[1L]]], path[1L])
  is.list(inner) && knows_inner(inner, path[-1L])
}

# The record of a parameter that find_parameter() found.
found_row <- function(spec, hit) {
  argument_row(if (is.null(hit$part)) spec else spec[[hit$part]], hit$path)
}

knows_inner <- function(object, path) {
  args <- names(formals(constructor(object)))
  if (!path[1L] %in% args) return(FALSE)
  length(path) == 1L || is.list(object[[path[1L]]]) && knows_inner(object[[path[1L]]], path[-1L])
}

# The function that made a kernel, a domain kernel or a feature map.
constructor <- function(object) {
  name <- class(object)[1L]
  if (name == "domain_embedding") name <- "domain_distribution"
  get0(name, mode = "function", ifnotfound = function() NULL)
}

# The specification with these values, list by name; the method functions check them.
set_parameters <- function(spec, values) {
  for (name in names(values)) {
    hit <- find_parameter(spec, name)
    if (is.null(hit)) abort_parameter(spec, name)
    spec <- set_found(spec, hit, values[[name]])
  }
  spec
}

set_found <- function(spec, hit, value) {
  if (!is.null(hit$part)) {
    part <- set_found(spec[[hit$part]], list(path = hit$path), value)
    check_no_own_terms(part, "part", spec$method)
    spec[[hit$part]] <- part
    return(spec)
  }
  first <- hit$path[1L]
  args <- spec$args
  args[first] <- list(if (length(hit$path) == 1L) value else {
    set_inner(inner_object(spec$args[[first]], first), hit$path[-1L], value)
  })
  changed <- do.call(spec$method, args, quote = TRUE)
  # all were handed over, but the user gave no more than before and this one
  given <- if (is.null(args[[first]])) setdiff(spec$given, first) else c(spec$given, first)
  changed$given <- as.character(intersect(names(args), given))
  changed
}

set_inner <- function(object, path, value) {
  make <- constructor(object)
  given <- unclass(object)[intersect(names(formals(make)), names(object))]
  given[path[1L]] <- list(if (length(path) == 1L) value
                          else set_inner(object[[path[1L]]], path[-1L], value))
  # a bandwidth is given in one way or the other
  if (path[1L] == "bandwidth_factor") given$bandwidth <- NULL
  if (path[1L] == "bandwidth") given$bandwidth_factor <- NULL
  do.call(make, given, quote = TRUE)
}

abort_parameter <- function(spec, name) {
  allowed <- known_parameters(spec)
  abort("argument", "`grid` must have names of parameters; `", name, "` is none. ",
        "Known are ", enumerate(allowed, length(allowed), "`"), ".")
}

known_parameters <- function(spec) UseMethod("known_parameters")

#' @exportS3Method
known_parameters.dg_spec <- function(spec) {
  names <- Filter(function(name) is_tuned(spec, name), names(spec$args))
  c(names, Filter(function(name) knows_path(spec, c("kernel", name)), short_of_kernel))
}

#' @exportS3Method
known_parameters.dg_pipeline_spec <- function(spec) {
  parts <- lapply(c("projection", "learner"), function(part) {
    setdiff(known_parameters(spec[[part]]), "terms")
  })
  both <- intersect(parts[[1L]], parts[[2L]])
  labels <- Map(function(names, part) {
    ifelse(names %in% both, paste0(short_names(spec[[part]])[1L], ".", names), names)
  }, parts, c("projection", "learner"))
  unlist(labels, use.names = FALSE)
}

# One line of a data frame for the parameters chosen in a fold.
parameter_row <- function(values) {
  plain <- lapply(values, function(value) {
    if (is.atomic(value) && length(value) == 1L) value else format_value(value)
  })
  data.frame(plain, check.names = FALSE, stringsAsFactors = FALSE)
}
