# Means over many small sites of the measures that dg_validate() summarises by likelihoods, against
# those by weights, where predictions are the true probabilities (class) or means (count):
# observed/expected and slope are 1, the AUC is 0.74.
# Rscript tests/bench/small-sites.R > tests/bench/results/small-sites.txt

library(domgen)

measures <- c("oe", "slope", "auc")

# By the likelihoods, and by metafor's weights of the values by site.
means <- function(p, y, domain, ...) {
  found <- dg_validate(p, y = y, domain = domain, ...)
  sites <- lapply(split(seq_along(y), domain), function(i) list(y = y[i], p = p[i], score = p[i]))
  by_weights <- vapply(names(found$measures), function(name) {
    measure <- found$measures[[name]]
    values <- domgen:::measure_sites(list(y = y, p = p, score = p, domain = factor(domain),
                                          rep = rep(1, length(y)), place = seq_along(y)),
                                     found$measures[name], NULL, FALSE)[[1L]]
    scale <- domgen:::scales[[measure$scale]]
    scale$from(domgen:::random_effects(values$value, values$value_se, measure$large)$weighted$mean)
  }, 0)
  at <- match(measures, found$summary$measure)
  own <- found$summary[at, ]
  c(likelihood = stats::setNames(own$mean, measures),
    weights = stats::setNames(by_weights[measures], measures),
    outside = stats::setNames(own$lower > 1 | own$upper < 1, measures)[1:2])
}

draw <- function(kind, sites, rows) {
  x <- rnorm(sites * rows)
  domain <- rep(seq_len(sites), each = rows)
  if (kind == "class") {
    p <- plogis(x - 0.5)
    return(means(p, rbinom(length(p), 1L, p), domain))
  }
  p <- exp(0.7 * x - 0.5)
  means(p, rpois(length(p), p), domain, response = "count")
}

cat("Means over draws, and the share of draws whose 95 % interval of the mean excludes 1\n")
for (kind in c("class", "count")) for (rows in c(12, 20, 40)) {
  set.seed(rows)
  found <- replicate(20L, draw(kind, 60L, rows))
  cat("\n", kind, ": 60 sites of ", rows, " rows, 20 draws\n", sep = "")
  mean <- rowMeans(found, na.rm = TRUE)
  table <- rbind(likelihood = mean[1:3], weights = mean[4:6], outside = c(mean[7:8], NA))
  colnames(table) <- measures
  print(round(table[, if (kind == "class") measures else measures[1:2]], 3))
}
