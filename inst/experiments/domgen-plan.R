# Do the bands of dg_plan() cover when half of the sites are held back, and where do the external
# model, its updates and a local model cross?
#
# coverage: fits are least squares and logistic regression with a ridge penalty of 1 on standardised
# predictors, written here since a fit of dg_lm() reads and checks its rows anew; the curve is the
# package's (tests show that dg_plan() gives it the scores of its fits). simulated worlds have sites
# with number   y = a_g + (0.3 + b_g)'x + s_g e, 20 rows a site, p columns of x, standard normal
# class    logit P(y = 1) = a_g + (0.5 + b_g)'x, 40 rows a site with a_g ~ N(0, 0.5^2), b_g ~ N(0,
# 0.2^2), log s_g ~ N(0, 0.1^2), p = 3 or 8. The curve is made on n sites; `sure`: is the mean score
# of a model of 2 n other sites over 300 further ones in the band? real data: half of the sites at
# random for the curve; `half`: in five folds of all sites, is the mean score of the other half's
# sites, by models of four fifths of all sites, in the band of so many training sites and the mean
# over so many new sites (`new_sites`)? `naive`: in the band that takes the score at the largest
# number of sites measured and the error of a mean of so many sites. `off`: score less the middle of
# the band; `width`: of the band. crossing: from how many labels on one way is better than another
# (0: from the first on, Inf: not at 20), with 80 % intervals, and the mean scores.

plan_of_package <- function(name, package, formula, rows = function(d) d) {
  list(data = function(data) rows(as.data.frame(getExportedValue(package, name))),
       formula = formula)
}
plan_sets <- list(
  Exam = plan_of_package("Exam", "mlmRev", normexam ~ standLRT + sex + schavg | school),
  Contraception = plan_of_package(
    "Contraception", "mlmRev", use ~ age + age2 + urban + children | district,
    function(d) transform(d, age2 = age^2, children = livch != "0")
  ),
  ScotsSec = plan_of_package("ScotsSec", "mlmRev", attain ~ verbal + sex + social | primary),
  MathAchieve = plan_of_package("MathAchieve", "nlme",
                                MathAch ~ SES + Sex + Minority + MEANSES | School),
  bdf = plan_of_package("bdf", "nlme", langPOST ~ IQ.verb + sex + Minority + aritPRET | schoolNR,
                        function(d) data.frame(lapply(d, function(v) v))),
  ChickWeight = plan_of_package("ChickWeight", "datasets", weight ~ Time + Diet | Chick),
  school_ilea = list(data = function(data) {
    d <- data$school_ilea
    codes <- c("gender", "vrband", "ethnicity", "schoolgender", "schooldenom")
    d[codes] <- lapply(d[codes], factor)
    d
  }, formula = y ~ fsm + gender + vrband + ethnicity | domain)
)

# list(X with a constant, y, site as whole numbers, classes)
plan_rows <- function(d, formula) {
  site <- all.vars(formula[[3L]][[3L]])
  d <- stats::na.omit(d[all.vars(formula)])
  y <- d[[all.vars(formula)[1L]]]
  plain <- stats::as.formula(call("~", formula[[3L]][[2L]]))
  X <- stats::model.matrix(plain, d)
  X[, -1L] <- scale(X[, -1L])
  list(X = X, y = if (is.factor(y)) as.integer(y) - 1 else as.numeric(y),
       site = as.integer(factor(as.character(d[[site]]))), classes = is.factor(y))
}

plan_world <- function(sites, response, p) {
  classes <- response == "class"
  site <- rep(seq_len(sites), each = if (classes) 40 else 20)
  x <- matrix(stats::rnorm(length(site) * p), ncol = p)
  slopes <- matrix(stats::rnorm(sites * p, if (classes) 0.5 else 0.3, 0.2), ncol = p)
  value <- stats::rnorm(sites, 0, 0.5)[site] + rowSums(x * slopes[site, ])
  y <- if (classes) stats::rbinom(length(site), 1L, stats::plogis(value))
       else value + exp(stats::rnorm(sites, 0, 0.1))[site] * stats::rnorm(length(site))
  list(X = cbind(1, x), y = y, site = site, classes = classes)
}

# By Newton's method, which needs one step for numbers.
plan_fit <- function(rows, i) {
  X <- rows$X[i, , drop = FALSE]
  y <- rows$y[i]
  penalty <- diag(c(1e-8, rep(1, ncol(X) - 1L)))
  beta <- numeric(ncol(X))
  for (step in seq_len(if (rows$classes) 12L else 1L)) {
    value <- drop(X %*% beta)
    mean <- if (rows$classes) stats::plogis(value) else value
    w <- if (rows$classes) mean * (1 - mean) else rep(1, length(y))
    beta <- beta + solve(crossprod(X, w * X) + penalty, crossprod(X, y - mean) - penalty %*% beta)
  }
  beta
}

# RMSE or log loss of each site, by its number.
plan_scores <- function(rows, i, beta) {
  value <- drop(rows$X[i, , drop = FALSE] %*% beta)
  loss <- if (rows$classes) -stats::plogis((2 * rows$y[i] - 1) * value, log.p = TRUE)
          else (rows$y[i] - value)^2
  means <- tapply(loss, rows$site[i], mean)
  if (rows$classes) means else sqrt(means)
}

# The curve on some sites, as dg_plan() makes it, and the mean score at the largest size.
plan_curve <- function(rows, sites, draws = 5L) {
  n <- length(sites)
  most <- n - ceiling(n / 5)
  sizes <- domgen:::read_sizes(NULL, n, most)$measured
  places <- split(seq_along(rows$site), factor(rows$site, sites))
  losses <- array(0, c(n, length(sizes), draws))
  fold <- replicate(draws, sample(rep_len(1:5, n)))
  for (r in seq_len(draws)) for (l in seq_along(sizes)) for (k in 1:5) {
    others <- which(fold[, r] != k)
    beta <- plan_fit(rows, unlist(places[others[sample.int(length(others), sizes[l])]]))
    held <- which(fold[, r] == k)
    losses[held, l, r] <- plan_scores(rows, unlist(places[held]), beta)[as.character(sites[held])]
  }
  c(domgen:::curve_posterior(losses, fold, sizes, n),
    list(last = rowMeans(losses[, length(sizes), , drop = FALSE])))
}

plan_inside <- function(value, ends) as.numeric(value >= ends[1L] && value <= ends[2L])

plan_band <- function(curve, m, new_sites = Inf) {
  unname(stats::quantile(domgen:::curve_predictive(curve, m, new_sites), c(0.1, 0.5, 0.9)))
}

plan_simulated <- function(cell) {
  one <- function() {
    rows <- plan_world(cell$sites, cell$response, cell$p)
    band <- plan_band(plan_curve(rows, seq_len(cell$sites)), 2 * cell$sites)
    others <- plan_world(2 * cell$sites, cell$response, cell$p)
    further <- plan_world(300, cell$response, cell$p)
    found <- mean(plan_scores(further, seq_along(further$y), plan_fit(others, seq_along(others$y))))
    c(sure = plan_inside(found, band[-2L]), width = band[3L] - band[1L], off = found - band[2L])
  }
  result_lines("simulated", rowMeans(replicate(cell$replications, one())))
}

plan_real <- function(cell, data) {
  set <- plan_sets[[cell$set]]
  rows <- plan_rows(set$data(data), set$formula)
  n <- max(rows$site)
  one <- function() {
    half <- sort(sample(n, floor(n / 2)))
    fold <- sample(rep_len(1:5, n))[rows$site]
    of <- unlist(lapply(1:5, function(k) {
      plan_scores(rows, which(fold == k & !rows$site %in% half), plan_fit(rows, which(fold != k)))
    }))
    curve <- plan_curve(rows, half)
    band <- plan_band(curve, round(0.8 * n), length(of))
    error <- stats::sd(curve$last) * sqrt(1 / length(half) + 1 / length(of))
    naive <- mean(curve$last) + c(-1, 1) * stats::qt(0.9, length(half) - 1) * error
    c(half = plan_inside(mean(of), band[-2L]), width = band[3L] - band[1L],
      off = mean(of) - band[2L], naive = plan_inside(mean(of), naive),
      naive_off = mean(of) - mean(curve$last))
  }
  result_lines("real", c(rowMeans(replicate(cell$replications, one())), sites = n))
}

plan_crossing <- function(cell, data) {
  set <- plan_sets[[cell$set]]
  d <- set$data(data)
  classes <- is.factor(d[[all.vars(set$formula)[1L]]])
  learner <- if (classes) domgen::dg_glm(kernel = domgen::kernel_linear()) else domgen::dg_lm()
  plan <- domgen::dg_plan(learner, set$formula, data = d, sites = FALSE,
                          labels = c(1, 2, 5, 10, 20), metric = if (classes) "log_loss" else "rmse")
  names <- paste(plan$crossings$update, plan$crossings$other, sep = " / ")
  bind(c(
    lapply(seq_along(names), function(i) {
      result_lines(names[i], unlist(plan$crossings[i, c("labels", "lower", "upper", "better")]))
    }),
    list(result_lines(paste(plan$labels$update, plan$labels$shots),
                      stats::setNames(plan$labels$mean, rep("score", nrow(plan$labels)))))
  ))
}

experiment(
  paper = "domgen", item = "?dg_plan",
  title = "Do bands of dg_plan() cover, and where do external, updated and local models cross?",
  data = "school_ilea", packages = c("mlmRev", "nlme"),
  draws = c(quick = 1, normal = 1, full = 5), minutes = c(quick = 0.2, normal = 10, full = 50),
  tolerance = c(width = 0.5, off = 0.5),
  cells = function(size) {
    cell <- function(kind, set, replications, response = "", sites = 0, p = 0) {
      data.frame(kind, set, replications, response, sites, p)
    }
    if (size == "quick") {
      return(rbind(cell("simulated", "world", 5, "number", 12, 3), cell("real", "ChickWeight", 5)))
    }
    worlds <- expand.grid(response = c("number", "class"), sites = c(12, 20, 40), p = c(3, 8),
                          stringsAsFactors = FALSE)
    rbind(cell("simulated", "world", 100, worlds$response, worlds$sites, worlds$p),
          cell("real", names(plan_sets), 100), cell("crossing", c("Exam", "Contraception"), 1))
  },
  run = function(cell, draw, data) {
    switch(cell$kind, simulated = plan_simulated(cell), real = plan_real(cell, data),
           crossing = plan_crossing(cell, data))
  }
)
