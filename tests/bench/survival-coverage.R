# Coverage of the 95 % intervals that dg_validate() prints of censored times: of a site (its own and
# the shrunken one), of the mean over sites, and of a new site. Sites have 50 to 200 rows, or 5, 30 %
# of them censored; the level of risk and the slope of the log hazard differ between sites.
# Rscript tests/bench/survival-coverage.R > tests/bench/results/survival-coverage.txt

library(domgen)

level_sd <- 0.3
slope_sd <- 0.15
times <- c(0.3, 1)

draw_rows <- function(n, level, slope) {
  f <- rnorm(n)
  time <- rexp(n) / exp(slope * f + level)
  end <- rexp(n, 0.35)
  data.frame(f = f, time = pmin(time, end), status = time <= end)
}

validated <- function(rows, site) {
  dg_validate(exp(-outer(exp(rows$f), times)), y = survival::Surv(rows$time, rows$status),
              domain = site, times = times)
}

# What a measure is with many rows, on its scale, as a polynomial of level and slope: by sites of
# 4,000 rows.
learn_truth <- function(points = 90L) {
  level <- runif(points, -1, 1)
  slope <- runif(points, 0.5, 1.5)
  rows <- do.call(rbind, Map(draw_rows, 4000L, level, slope))
  found <- validated(rows, rep(seq_len(points), each = 4000L))
  lapply(split(found$domains, factor(found$domains$measure, names(found$measures))), function(own) {
    measure <- found$measures[[own$measure[1L]]]
    scale <- domgen:::scales[[measure$scale]]
    value <- scale$to(own$estimate[match(seq_len(points), own$domain)])
    fit <- lm(value ~ poly(level, 3) + poly(slope, 3) + level:slope)
    function(level, slope) {
      inside <- data.frame(level = pmin(pmax(level, -1), 1), slope = pmin(pmax(slope, 0.5), 1.5))
      list(values = unname(predict(fit, inside)), from = scale$from)
    }
  })
}

covered <- function(truth, sites, sizes) {
  level <- rnorm(sites, 0, level_sd)
  slope <- rnorm(sites, 1, slope_sd)
  size <- sizes[sample.int(length(sizes), sites, TRUE)]
  rows <- do.call(rbind, Map(draw_rows, size, level, slope))
  found <- validated(rows, rep(seq_len(sites), size))
  t(vapply(names(truth), function(name) {
    of <- found$domains[found$domains$measure == name, ]
    of <- of[match(seq_len(sites), of$domain), ]
    own <- truth[[name]](level, slope)
    own <- own$from(own$values)
    all <- truth[[name]](rnorm(4000L, 0, level_sd), rnorm(4000L, 1, slope_sd))
    mean <- all$from(mean(all$values))
    new <- all$from(all$values)
    whole <- found$summary[found$summary$measure == name, ]
    c(site = mean(of$lower <= own & own <= of$upper, na.rm = TRUE),
      shrunk = mean(of$shrunk_lower <= own & own <= of$shrunk_upper, na.rm = TRUE),
      mean = whole$lower <= mean && mean <= whole$upper,
      new = mean(whole$new_lower <= new & new <= whole$new_upper),
      estimate = whole$mean, truth = mean)
  }, numeric(6)))
}

set.seed(1)
truth <- learn_truth()
settings <- list(list(sites = 10, draws = 80, sizes = 50:200),
                 list(sites = 25, draws = 40, sizes = 50:200), list(sites = 30, draws = 40, sizes = 5))
for (setting in settings) {
  found <- lapply(seq_len(setting$draws), function(k) covered(truth, setting$sites, setting$sizes))
  cat("\n", setting$sites, " sites of ", paste(unique(range(setting$sizes)), collapse = " to "),
      " rows, ", setting$draws, " draws: coverage, mean estimate and its truth\n", sep = "")
  print(round(Reduce(`+`, found) / length(found), 3))
}
