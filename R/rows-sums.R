# Rows of which only sums of features are left, see feature_sums(): the third constructor of rows.
# They have a space already, and say nothing of single rows or domains.

rows_sums <- function(sums) {
  levels <- sums$sums$response$levels
  sample <- list(blueprint = sums$blueprint, domain = factor(sums$sums$cells$domain),
                 y = switch(sums$response$kind, class = factor(levels = levels),
                            number = numeric()))
  structure(list(sums = sums, space = sums$space, sample = sample),
            class = c("rows_sums", "dg_rows"))
}

# The specification for the fit to these sums, with what was decided when they were made.
with_sums <- function(spec, sums) {
  check_sums(spec, sums)
  fixed <- intersect(fixed_by_sums, names(spec$args))
  spec$args[fixed] <- sums$args[fixed]
  spec
}

# Can it be fitted to these?
check_sums <- function(spec, sums) UseMethod("check_sums")

#' @exportS3Method
check_sums.default <- function(spec, sums) {
  abort("argument", "`x` must be data for `", spec$method, "()`; sums of features serve ",
        "projections and `dg_ridge()` only.")
}

#' @exportS3Method
response_facts.rows_sums <- function(rows, standardise) {
  sums <- rows$sums
  total <- sums$sums
  if (sums$response$kind == "none") {
    abort("data", "A response is needed: the sums are of rows without one.")
  }
  if (sums$response$kind == "class") return(list(kind = "class", levels = total$response$levels))
  linear <- total$response$linear
  if (is.null(linear)) {
    abort("data", "The response must not be so much larger than in the first piece that its ",
          "square overflows.")
  }
  if (!standardise) return(list(kind = "number", mean = 0, spread = 1))
  # of (y - origin) / unit
  map <- total$response$map
  mean <- linear$sum / total$n
  spread <- sqrt(max(linear$second / total$n - mean^2, 0))
  list(kind = "number", mean = map$origin + map$unit * mean, spread = map$unit * spread)
}

#' @exportS3Method
column_costs.rows_sums <- function(rows, targets, domain_weights) matrix(1)

#' @exportS3Method
domain_sums.rows_sums <- function(rows) list(weights = 1)

# One group, of all rows.
#' @exportS3Method
group_sums.rows_sums <- function(rows, space, targets, costs, group = one_group, table = NULL) {
  total <- rows$sums$sums
  n <- total$n
  sums <- rowSums(total$sums)
  if (targets$kind == "class") {
    member <- outer(total$cells$class, targets$levels, "==") + 0
    cross <- total$sums %*% member
    counts <- drop(crossprod(member, total$cells$count))
    second <- diag(counts)
    if (is.null(targets$pairs)) {
      cross <- cross[, 2L, drop = FALSE] - cross[, 1L]
      counts <- counts[2L] - counts[1L]
      second <- n
    }
  } else {
    # the targets are factor (y - origin) / unit + shift
    linear <- total$response$linear
    map <- total$response$map
    factor <- map$unit / targets$scale
    shift <- (map$origin - targets$centre) / targets$scale
    cross <- matrix(factor * linear$cross + shift * sums)
    counts <- factor * linear$sum + shift * n
    second <- factor^2 * linear$second + 2 * factor * shift * linear$sum + shift^2 * n
  }
  response <- rbind(cbind(second, counts, deparse.level = 0), c(counts, n))
  new_group_sums(list(second = matrix(total$second), cross = matrix(cbind(cross, sums)),
                      response = matrix(response)), space, 1L)
}

# No row is kept.
#' @exportS3Method
fit_origin.rows_sums <- function(rows, fitted, input) {
  sums <- rows$sums
  fitted$formula <- sums$formula
  fitted$rows <- list(kept = seq_len(0), padded = NULL, n = sums$sums$n)
  fitted$domain <- factor(unique(sums$sums$cells$domain))
  fitted
}

# What was decided when the sums were made.
fixed_by_sums <- c("kernel", "kernel_y", "domain_kernel", "feature_map", "scale")

# Arguments that the user gave must be those of the sums. Another default is replaced, with a
# message; `feature_map` without one, because the default of a method is the Gram matrix.
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
    if (is.null(given) || name == "feature_map") next
    inform("sums", "`", name, "` is that of the sums", describe_fixed(sums$args[[name]]),
           ", and not the default of `", spec$method, "()`.")
  }
}

describe_fixed <- function(value) {
  if (is.null(value)) return("")
  paste0(", ", if (inherits(value, "domgen_kernel")) format_bandwidth(value)
               else if (is.list(value)) format(value) else value)
}
