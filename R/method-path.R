# Fits of several specifications to the same rows, as in a search: what they share is made once.

# Specifications of one method that are fitted to the same sample: functions that make the fits of
# fit_sample(), to be called in their order. A method whose fits share more than the representation
# of the rows has a method here.
fit_path <- function(specs, sample) UseMethod("fit_path", specs[[1L]])

#' @exportS3Method
fit_path.dg_spec <- function(specs, sample) {
  sample$represent <- remembering(represent_rows)
  lapply(specs, function(spec) function() fit_sample(spec, sample))
}

# For methods that are always fitted along a path.
fit_alone <- function(spec, sample) fit_path(list(spec), sample)[[1L]]()

# f, which remembers what it gave last: for the same key it gives it again. What else it is told
# must follow from the key.
remembering <- function(f) {
  last <- NULL
  function(key, ...) {
    if (is.null(last) || !identical(last$key, key)) {
      # before there are two
      last <<- NULL
      last <<- list(key = key, value = f(key, ...))
    }
    last$value
  }
}

# Functions of no arguments, one for each key: fit(i, shared, k), where `shared` is what
# prepare(those with the same key) gives and i is the k-th of those. Equal keys stand together.
sharing <- function(keys, prepare, fit) {
  shared <- remembering(function(key) {
    same <- which(vapply(keys, identical, NA, key))
    list(same = same, value = prepare(same))
  })
  lapply(seq_along(keys), function(i) function() {
    found <- shared(keys[[i]])
    fit(i, found$value, match(i, found$same))
  })
}
