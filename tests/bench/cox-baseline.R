# Does a baseline hazard by domain help? Concordance within held-out domains (ten folds of domains)
# of dg_glm(family = "cox") with a shared baseline and with one by domain, pooled kernels:
#   worlds   the level of risk and the mean of x differ between domains, and are related with
#            correlation rho; slope: the effect of x in a linear model, truth 1
#   sets     of the package survival: hospitals, or periods of diagnosis as domains
#   Rscript tests/bench/cox-baseline.R [worlds]

library(domgen)
library(survival)
worlds <- as.integer(c(commandArgs(TRUE), "20")[1L])

world <- function(seed, rho, domains = 30, rows = 20) {
  set.seed(seed)
  g <- gl(domains, rows)
  level <- rnorm(domains)
  mean <- rho * level + sqrt(1 - rho^2) * rnorm(domains)
  x <- rnorm(domains * rows) + mean[g]
  time <- rexp(domains * rows, exp(x - 1.5 * level[g]))
  end <- rexp(domains * rows, 0.3)
  data.frame(g, x, time = pmin(time, end), status = as.integer(time <= end))
}

cox <- function(baseline, ...) {
  dg_glm(family = "cox", baseline = baseline, domain_kernel = domain_pooled(), ...)
}
slope_of <- function(d, baseline) {
  model <- fit(cox(baseline, kernel = kernel_linear(), lambda = 1e-4, scale = "none"),
               Surv(time, status) ~ x | g, data = d)
  diff(drop(predict(model, data.frame(x = 0:1), type = "decision")))
}
both <- c(shared = "shared", domain = "domain")

# A row for each baseline, the shared one first.
compared <- function(formula, d) {
  table <- dg_compare(lapply(both, cox), formula, data = d,
                      folds = min(10, nlevels(d$g)), baseline = "shared",
                      refits = FALSE)$table
  table[match(names(both), table$method), ]
}

in_worlds <- do.call(rbind, lapply(c(0, 0.5, 0.9), function(rho) {
  found <- vapply(seq_len(worlds), function(seed) {
    d <- world(seed, rho)
    set.seed(seed)
    c(vapply(both, slope_of, 0, d = d), compared(Surv(time, status) ~ x | g, d)$mean)
  }, numeric(4))
  error <- apply(found, 1L, sd) / sqrt(worlds)
  data.frame(rho, what = rep(c("slope", "concordance"), each = 2), baseline = names(both),
             mean = rowMeans(found), se = error, row.names = NULL)
}))
cat(worlds, "worlds of 30 domains of 20 rows, concordance in held-out domains, slope (truth 1)\n")
print(format(in_worlds, digits = 3), row.names = FALSE)

period <- function(year) cut(year, unique(quantile(year, (0:12) / 12)), include.lowest = TRUE)
some <- function(d, n = 1500L) d[sort(sample(nrow(d), min(n, nrow(d)))), ]
set.seed(1)
sets <- list(
  lung = na.omit(lung[c("inst", "time", "status", "age", "sex", "ph.ecog", "wt.loss")]),
  cgd = cgd[cgd$enum == 1, c("center", "tstop", "status", "treat", "age", "sex", "steroids")],
  mgus2 = with(na.omit(mgus2[c("dxyr", "futime", "death", "age", "sex", "hgb", "mspike")]),
               data.frame(period(dxyr), futime, death, age, sex, hgb, mspike)),
  flchain = with(flchain, data.frame(factor(sample.yr), futime, death, age, sex, kappa, lambda)),
  rotterdam = with(rotterdam, data.frame(period(year), dtime, death, age, meno, size, nodes, er))
)
in_sets <- do.call(rbind, lapply(names(sets), function(name) {
  d <- some(sets[[name]])
  names(d)[1:3] <- c("g", "time", "status")
  d$g <- droplevels(factor(d$g))
  d <- d[d$time > 0, ]
  set.seed(1)
  found <- compared(Surv(time, status) ~ . | g, d)
  data.frame(set = name, domains = nlevels(d$g), rows = nrow(d), shared = found$mean[1L],
             domain = found$mean[2L], found[2L, c("difference", "lower", "upper")])
}))
cat("\nsets of the package survival, concordance in held-out domains\n")
print(format(in_sets, digits = 3), row.names = FALSE)
