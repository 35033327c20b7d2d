# What fits to the same rows share: an environment with the last value of each kind, see
# shared_value(). specs: those that are going to be fitted, in this order; ctx: of the call, where
# that keeps what is done.
new_shared <- function(specs = list(), ctx = NULL) {
  list2env(list(specs = specs, ctx = ctx), parent = emptyenv())
}

# f(...), or what it gave last for the same key. key: all that the value follows from.
shared_value <- function(shared, kind, key, f, ...) {
  last <- shared[[kind]]
  if (!is.null(last) && identical(last$key, key)) return(last$value)
  # the last goes before the next is made: there is room for one
  assign(kind, NULL, shared)
  value <- f(...)
  assign(kind, list(key = key, value = value), shared)
  value
}

# The specifications that are going to be fitted and differ from this one in the ridge only. None,
# if others stand between them: what they share would be forgotten by then.
same_but_ridge <- function(spec, shared) {
  ridges <- shared_value(shared, "ridges", spec$method, ridge_names, spec)
  shared_value(shared, "same", without_ridge(spec, ridges), function() {
    fixed <- without_ridge(place_spec(spec, NULL), ridges)
    same <- which(vapply(shared$specs, function(other) {
      identical(without_ridge(other, ridges), fixed)
    }, NA))
    if (all(diff(same) == 1L)) shared$specs[same]
  })
}

ridge_names <- function(spec) names(ridge_rows(spec))

without_ridge <- function(spec, ridges) {
  c(spec["method"], spec$args[setdiff(names(spec$args), ridges)])
}
