# Do the intervals of dg_coefficients() cover? Worlds with random intercepts and slopes by domain:
# x varies within domains (with a mean of the domain's own), z is the same for all rows of a domain.
# "normal": slopes are normal over domains. "skewed": they are lognormal, with the same mean.
# "uneven": so is the standard deviation of x in a domain, and a few domains decide its coefficient.
# Beside the share of 95 % intervals that hold the true coefficient: that of intervals that take
# rows for independent (lm(), glm(), coxph()). The truth of the logistic and Cox models, whose
# coefficients in the mean over domains differ from those within one, is the fit to 2,000 domains
# (20,000 where they are not normal).
#   Rscript tests/bench/coefficients.R [simulations [world ...]]

library(domgen)
given <- commandArgs(TRUE)
draws <- as.integer(c(given, "400")[1L])
worlds <- if (length(given) > 1L) given[-1L] else c("normal", "skewed", "uneven")

# lognormal, with mean 1
skewed <- function(G, sd) exp(rnorm(G, sd = sd) - sd^2 / 2)

draw <- function(world, model, G, n = 20L) {
  domain <- gl(G, n)
  within <- rnorm(G * n)
  if (world == "uneven") within <- within * skewed(G, 0.7)[domain]
  x <- within + rnorm(G)[domain]
  z <- rnorm(G)[domain]
  slope <- if (world == "normal") 0.5 + rnorm(G, sd = 0.3) else 0.5 * skewed(G, 0.8)
  f <- slope[domain] * x + 0.5 * z + rnorm(G, sd = 0.7)[domain]
  y <- switch(model, linear = f + rnorm(G * n) * exp(x / 4), logistic = f + rlogis(G * n) > 0,
              cox = rexp(G * n) * exp(-f))
  d <- data.frame(domain, x, z, y = if (model == "logistic") factor(y) else as.numeric(y))
  if (model != "cox") return(d)
  end <- 2 * rexp(G * n)
  transform(d, event = y <= end, y = pmin(y, end))
}

formulas <- list(linear = y ~ x + z, logistic = y ~ x + z, cox = survival::Surv(y, event) ~ x + z)
of_rows <- function(model, d) {
  fitted <- switch(model, linear = lm(formulas$linear, d),
                   logistic = glm(formulas$logistic, binomial, d),
                   cox = survival::coxph(formulas$cox, d))
  list(estimate = coef(fitted)[c("x", "z")], interval = confint.default(fitted)[c("x", "z"), ])
}

of_domains <- function(model, d) {
  f <- formulas[[model]]
  f[[3L]] <- call("|", f[[3L]], quote(domain))
  fitted <- dg_lm(f, data = d)
  confint(dg_coefficients(fitted, data = d))[c("x", "z"), ]
}

for (world in worlds) for (model in names(formulas)) {
  set.seed(1)
  truth <- of_rows(model, draw(world, model, if (world == "normal") 2000L else 20000L))$estimate
  for (G in if (world == "normal") c(6L, 10L, 20L, 40L) else c(6L, 12L, 40L)) {
    covered <- rowMeans(vapply(seq_len(draws), function(seed) {
      set.seed(seed)
      d <- draw(world, model, G)
      held <- function(interval) interval[, 1L] <= truth & truth <= interval[, 2L]
      c(held(of_domains(model, d)), held(of_rows(model, d)$interval))
    }, logical(4L)), na.rm = TRUE)
    shown <- sprintf("%.1f", 100 * covered)
    cat(sprintf(paste("%-7s %-9s %2d domains, %d simulations: x %s %%, z %s %%;",
                      "rows as independent %s, %s %%\n"),
                world, model, G, draws, shown[1L], shown[2L], shown[3L], shown[4L]))
  }
}
