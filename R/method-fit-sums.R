# Fitting specifications to sums of features.

# A specification fitted to sums that the user made, as fit_input() does it to rows.
fit_sums <- function(spec, sums) UseMethod("fit_sums")

#' @exportS3Method
fit_sums.dg_spec <- function(spec, sums) {
  abort("argument", "`x` must be data for `", spec$method, "()`; sums of features serve ",
        "projections and `dg_ridge()` only.")
}

# What every fit carries, without rows.
finish_sums <- function(fitted, spec, sums) {
  fitted$spec <- spec
  fitted$blueprint <- sums$blueprint
  fitted$formula <- sums$formula
  fitted$rows <- list(kept = seq_len(0), padded = NULL, n = sums$sums$n)
  fitted$domain <- factor(unique(sums$sums$cells$domain))
  seal(fitted)
}

# What was decided when the sums were made.
fixed_by_sums <- c("kernel", "kernel_y", "domain_kernel", "features", "scale")

take_fixed <- function(spec, sums) {
  for (name in intersect(fixed_by_sums, names(spec$args))) {
    spec$args[name] <- list(sums$args[[name]])
  }
  spec
}

# What was asked for must be that of the sums; a default that is another gives way, and the user
# is told. `features` without a word: that of a method is the Gram matrix.
check_fixed <- function(spec, sums) {
  same <- function(a, b) identical(a, b, ignore.environment = TRUE, ignore.bytecode = TRUE)
  standard <- do.call(spec$method, list())$args
  for (name in intersect(fixed_by_sums, names(spec$args))) {
    given <- spec$args[[name]]
    if (same(given, sums$args[[name]])) next
    if (name %in% spec$given || !same(given, standard[[name]])) {
      abort("argument", "`", name, "` must be given to `feature_sums()`; these sums were made ",
            "with another one", describe_fixed(sums$args[[name]]), ".")
    }
    if (is.null(given) || name == "features") next
    inform("sums", "`", name, "` is that of the sums", describe_fixed(sums$args[[name]]),
           ", and not the default of `", spec$method, "()`.")
  }
}

describe_fixed <- function(value) {
  if (is.null(value)) return("")
  paste0(", ", if (inherits(value, "domgen_kernel")) format_bandwidth(value)
               else if (is.list(value)) format(value) else value)
}
