# Ridge regression from sums of features, see feature_sums().

#' @exportS3Method
fit_sums.dg_ridge_spec <- function(spec, sums) {
  check_ridge_sums(spec, sums)
  spec <- take_fixed(spec, sums)
  task <- summed_task(sums, spec$args$scale != "none")
  # sums do not tell whose domain a row is
  args <- spec$args
  if (is.null(args$lambda)) args$lambda <- 1
  solved <- solve_moments(task$moments, args)
  solved$decision <- matrix(0, 0L, ncol(solved$coefficients))
  sample <- list(weights = numeric(), y = NULL)
  finish_sums(new_ridge(solved, sums$product, task$response, sample, numeric(), args$lambda), spec,
              sums)
}

check_ridge_sums <- function(spec, sums) {
  check_fixed(spec, sums)
  kind <- sums$response$kind
  if (kind == "none") abort("data", "A response is needed: the sums are of rows without one.")
  if (kind == "class" && length(sums$sums$response$levels) < 2L) {
    abort_one_class(factor(sums$sums$response$levels))
  }
  if (kind == "number" && is.null(sums$sums$response$linear)) {
    abort("data", "The response must not be so much larger than in the first piece that its ",
          "square overflows.")
  }
  args <- spec$args
  by_rows <- c(domain_weights = args$domain_weights == "equal",
               bandwidths = args$bandwidths == "fitted",
               probability = args$probability != "none")
  if (any(by_rows)) {
    name <- names(which(by_rows))[1L]
    abort("argument", "`", name, "` must not be \"", args[[name]], "\" with sums: that needs the ",
          "rows themselves.")
  }
}

# list(response, moments as ridge_moments() makes them).
summed_task <- function(sums, standardise) {
  total <- sums$sums
  moments <- list(second = total$second, sums = rowSums(total$sums), total = total$n)
  if (sums$response$kind == "class") {
    levels <- total$response$levels
    response <- list(kind = "class", levels = levels, centre = 0, scale = 1)
    if (length(levels) > 2L) response$pairs <- each_class(levels)
    return(list(response = response, moments = c(moments, class_moments(total))))
  }
  # of (y - origin) / unit
  linear <- total$response$linear
  map <- total$response$map
  mean <- linear$sum / total$n
  spread <- sqrt(max(linear$second / total$n - mean^2, 0))
  if (spread == 0) spread <- 1
  response <- list(kind = "number", centre = 0, scale = 1)
  shift <- map$origin
  factor <- map$unit
  if (standardise) {
    response[c("centre", "scale")] <- list(map$origin + map$unit * mean, map$unit * spread)
    shift <- -mean / spread
    factor <- 1 / spread
  }
  list(response = response,
       moments = c(moments, list(
         cross = matrix(factor * linear$cross + shift * moments$sums),
         response_sums = factor * linear$sum + shift * total$n
       )))
}

# Z'Y and Y'1 for the targets of ridge_targets().
class_moments <- function(total) {
  member <- outer(total$cells$class, total$response$levels, "==") + 0
  cross <- total$sums %*% member
  counts <- drop(crossprod(member, total$cells$count))
  if (ncol(cross) > 2L) return(list(cross = cross, response_sums = counts))
  list(cross = cross[, 2L, drop = FALSE] - cross[, 1L], response_sums = counts[2L] - counts[1L])
}
