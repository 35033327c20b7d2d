# Scores that dg_forecast() knows, and what a model expects of them at a site from its unlabelled
# rows.

# By kind of response. title, better, scale, prior_sd: as in `measures`; loss: of each row, `of` its
# site_value(); expected: the score to expect of rows. d is a list of rows: y (number, or code of
# the class), p (prediction, or matrix of probabilities), class (code of the predicted class), score
# (that ranks rows of two classes); infinite: TRUE if it is so for a class that training lacks, and
# then is none; without labels q (matrix of calibrated probabilities) or error
# (expected size of the error: root mean square if `square`, else mean absolute value).
forecast_scores <- list(
  number = list(
    rmse = list(title = "RMSE", better = "low", scale = "log", prior_sd = 0.5,
                square = TRUE, loss = function(d) (d$y - d$p)^2, loss_title = "squared error",
                of = function(d, ...) site_root(site_mean(d$y)),
                expected = function(d) sqrt(mean(d$error^2))),
    mae = list(title = "mean absolute error", better = "low", scale = "log", prior_sd = 0.5,
               loss = function(d) abs(d$y - d$p), loss_title = "absolute error",
               of = function(d, ...) site_mean(d$y), expected = function(d) mean(d$error))
  ),
  class = list(
    accuracy = list(title = "accuracy", better = "high", scale = "logit", prior_sd = 1,
                    loss = function(d) as.numeric(d$y != d$class), loss_title = "error rate",
                    of = function(d, ...) site_proportion(d$y == 0, rep(TRUE, length(d$y))),
                    expected = function(d) mean(d$q[cbind(seq_along(d$class), d$class)])),
    auc = list(title = "AUC", better = "high", scale = "logit", prior_sd = 1,
               of = function(d, ...) site_auc(d), expected = function(d) expected_auc(d)),
    log_loss = list(title = "log loss", better = "low", scale = "log", prior_sd = 0.5,
                    needs = "prob",
                    loss = function(d) minus_log(d$p[cbind(seq_along(d$y), d$y)]),
                    infinite = TRUE, loss_title = "log loss", of = function(d, ...) site_mean(d$y),
                    expected = function(d) mean(rowSums(d$q * minus_log(d$p)))),
    brier = list(title = "Brier score", better = "low", scale = "log", prior_sd = 0.5,
                 needs = "prob",
                 loss = function(d) brier_of(d$p, d$y), loss_title = "Brier score",
                 of = function(d, ...) site_mean(d$y),
                 expected = function(d) {
                   by_class <- vapply(seq_len(ncol(d$p)), function(k) brier_of(d$p, k),
                                      numeric(nrow(d$p)))
                   mean(rowSums(d$q * by_class))
                 })
  )
)

# As metrics$brier: of two classes (1 - p of the true one)^2.
brier_of <- function(P, code) {
  code <- rep_len(code, nrow(P))
  squares <- rowSums(P^2) - 2 * P[cbind(seq_along(code), code)] + 1
  squares / if (ncol(P) == 2L) 2 else 1
}

# Expected concordant pairs over expected pairs, sum_ij q_i (1 - q_j) [s_i > s_j] / sum_ij q_i (1 -
# q_j) over i != j, with q the probability of the second class; ties count 1/2.
expected_auc <- function(d) {
  q <- d$q[, 2L]
  value <- match(d$score, sort(unique(d$score)))
  others <- c(rowsum(1 - q, value))
  lower <- cumsum(others) - others / 2
  # a row is no pair with itself
  self <- sum(q * (1 - q))
  (sum(q * lower[value]) - self / 2) / (sum(q) * sum(1 - q) - self)
}

# ---- rows -------------------------------------------------------------------------------------

# Held-out rows of a cross-validation as the scores want them: list(y, p, class, score, domain, rep,
# place, levels).
held_out_scored <- function(cv, classes, measure) {
  held <- cv$predictions
  at <- !is.na(held$prediction) & !is.na(held$truth)
  if (isTRUE(measure$infinite)) {
    at <- at & !held$domain %in% held$domain[is_lacking(held$decision, held$truth)]
  }
  held <- held[at, ]
  scored <- list(domain = droplevels(as.factor(held$domain)), rep = held$rep, place = held$row)
  if (is.null(classes)) return(c(scored, list(y = held$truth, p = held$prediction, sd = held$se)))
  c(scored, list(y = match(value_labels(held$truth), classes), p = unname(held$prob),
                 class = match(value_labels(held$prediction), classes),
                 score = if (length(classes) == 2L) held$decision))
}

# The same of new rows, without y.
new_scored <- function(model, newdata, domain, ok, classes, needs_sd) {
  # what predictions warn of is said once
  said <- "domgen_warning_missing"
  ask <- function(type) {
    values <- quietly(predict(model, newdata, domain = domain, type = type), said)
    said <<- "domgen_warning"
    take(values, ok)
  }
  if (is.null(classes)) {
    return(list(p = ask("response"), sd = if (needs_sd) {
      take(quietly(predictive_sd(model, newdata, domain)), ok)
    }))
  }
  list(p = if (gives_probabilities(model)) unname(at_labels(ask("prob"), classes)),
       class = match(value_labels(ask("class")), classes),
       score = if (length(classes) == 2L) ask("decision"))
}

# ---- what to expect ---------------------------------------------------------------------------

# The expected score of each left-out site and of each new one, and the labelled rows from which
# these were computed: list(left_out, new, rows); NULL where the model has nothing for it.
# held: held_out_scored(); new: new_scored(); X: forecast_predictors(). All sites share what is
# learned here from labels, and it does not use how the means of sites differ: learned without a
# site, it would be lower where the site's own mean is higher; learned with it, higher.
expected_scores <- function(held, new, measure, classes, X) {
  once <- held$rep == held$rep[1L]
  held <- lapply(held, take, once)
  held$domain <- droplevels(held$domain)
  by_site <- function(d, domain) {
    vapply(split(seq_along(domain), domain), function(i) measure$expected(lapply(d, take, i)), 0)
  }
  if (is.null(classes)) return(expected_of_numbers(held, new, measure, by_site, X))
  fields <- c("p", "class", "score", "q")
  if (length(classes) > 2L) {
    if (is.null(held$p)) return(NULL)
    held$q <- held$p
    new$q <- new$p
  } else {
    link <- function(d) if (is.null(d$p)) d$score else logits(d$p[, 2L])
    both <- recalibration(link(held), held$y == 2L)
    held$q <- both(link(held))
    new$q <- both(link(new))
  }
  list(left_out = by_site(held[fields], held$domain), new = by_site(new[fields], new$domain),
       rows = held)
}

# Probabilities of both classes by logit q = a + b x of left-out rows: a function of x.
recalibration <- function(x, event) {
  fit <- canonical_fit(cbind(1, x), as.numeric(event), stats::binomial())
  beta <- if (is.null(fit)) c(stats::qlogis((sum(event) + 1) / (length(event) + 2)), 0)
          else fit$beta
  function(x) {
    q <- stats::plogis(beta[1L] + max(beta[2L], 0) * x)
    cbind(1 - q, q)
  }
}

# By the model's own standard deviation of each row, where it has one, or by a regression of the
# absolute errors of left-out rows on the predictors.
expected_of_numbers <- function(held, new, measure, by_site, X) {
  absolute <- is.null(measure$square)
  if (!is.null(held$sd)) {
    # the mean absolute value of a normal variable
    unit <- if (absolute) sqrt(2 / pi) else 1
    return(list(left_out = by_site(list(error = unit * held$sd), held$domain),
                new = by_site(list(error = unit * new$sd), new$domain),
                rows = c(held, list(error = unit * held$sd))))
  }
  at <- match(held$place, X$place)
  in_X <- which(!is.na(at))
  most <- max(error_rows %/% nlevels(held$domain), 2L)
  some <- thin_domains(list(X = matrix(seq_along(in_X)), domain = held$domain[in_X]), most)
  some <- in_X[some$X]
  domain <- held$domain[some]
  size <- within_regression(X$training[at[some], , drop = FALSE], abs(held$y - held$p)[some],
                            domain, X$new)
  if (is.null(size)) return(NULL)
  # a regression of positive numbers may fall below 0
  least <- 0.1 * mean(size$fitted)
  error <- pmax(size$fitted, least)
  # squares of absolute errors are larger than those of their means
  unit <- if (absolute) 1 else sqrt(mean((held$y - held$p)[some]^2) / mean(error^2))
  list(left_out = by_site(list(error = unit * error), domain),
       new = by_site(list(error = unit * pmax(size$new, least)), new$domain),
       rows = list(y = held$y[some], p = held$p[some], error = unit * error, domain = domain))
}

# Number of rows to which expected errors are fitted, but for two of each domain.
error_rows <- 600L

# Kernel ridge regression of values on X with a free intercept for each site, which is then replaced
# by one for all: with M the centring by site it minimises |M (values - f)|^2 + lambda |f|^2, lambda
# by generalised cross-validation. Only differences within sites are learned from. list(fitted, new:
# f of the rows); NULL where nothing varies.
within_regression <- function(X, values, domain, X_new) {
  varies <- apply(X, 2L, function(x) max(x) > min(x))
  if (!any(varies) || max(values) <= min(values) || max(tabulate(domain)) < 2L) return(NULL)
  unit <- quietly(learn_scaling(X[, varies, drop = FALSE], "pooled"))
  X <- apply_scaling(X[, varies, drop = FALSE], unit)
  X_new <- apply_scaling(X_new[, varies, drop = FALSE], unit)
  kernel <- kernel_fit(kernel_rbf() + kernel_linear(), X)
  K <- kernel_matrix(kernel, X)
  sizes <- tabulate(domain, nlevels(domain))
  centred <- function(x) x - (rowsum(x, as.integer(domain)) / sizes)[as.integer(domain), ]
  MKM <- t(centred(t(centred(K))))
  spectrum <- eigen((MKM + t(MKM)) / 2, symmetric = TRUE)
  d <- pmax(spectrum$values, 0)
  y <- drop(crossprod(spectrum$vectors, centred(matrix(values))))
  lambdas <- max(d) * 10^seq(1, -4, by = -0.5)
  gcv <- vapply(lambdas, function(lambda) {
    left <- length(values) - sum(sizes > 0) - sum(d / (d + lambda))
    sum((lambda / (d + lambda) * y)^2) / max(left, 1)^2
  }, 0)
  weights <- spectrum$vectors %*% (y / (d + lambdas[which.min(gcv)]))
  weights <- centred(weights)
  f <- drop(K %*% weights)
  level <- mean(values - f)
  list(fitted = level + f, new = level + drop(kernel_matrix(kernel, X_new, X) %*% weights))
}

# ---- sampling error ---------------------------------------------------------------------------

# The proportion of the sampling variance of a site's score that is no error of a forecast. The
# forecast is of the score to expect in rows with these predictors, and the variation that comes
# from which rows were drawn is in the expected score, too. The proportion follows from the slope of
# one score on the other between random halves of sites, whose differences have 4 times the
# covariances of all rows.
row_share <- function(expected, measure) {
  held <- expected$rows
  scale <- scales[[measure$scale]]
  fields <- c("y", "p", "class", "score", "q", "error")
  held$loss <- if (is.null(measure$loss)) as.integer(held$y == 2L) else measure$loss(held)
  value <- function(i) {
    observed <- measure$of(list(y = held$loss[i], score = held$score[i]))$estimate
    at <- measure$expected(lapply(held[fields], take, i))
    c(scale$to(observed), scale$to(inside(at, scale)))
  }
  sites <- split(seq_along(held$loss), held$domain)
  sites <- sites[lengths(sites) >= few_events]
  halves <- lapply(rep(sites, 5L), function(i) {
    first <- sample.int(length(i), length(i) %/% 2L)
    difference <- quietly(value(i[first]) - value(i[-first]))
    if (all(is.finite(difference))) c(difference, length(i))
  })
  halves <- do.call(rbind, halves)
  if (is.null(halves)) return(0)
  n <- halves[, 3L]
  squares <- crossprod(halves[, 1:2] * sqrt(n))
  if (squares[1L, 2L] <= 0 || squares[2L, 2L] <= 0) return(0)
  min(squares[1L, 2L]^2 / (squares[1L, 1L] * squares[2L, 2L]), 0.9)
}
