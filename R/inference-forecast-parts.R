# How a new site's loss differs from that of left-out training rows: by its covariates or by the
# relation of response and covariates (DISDE; Cai, Namkoong and Yadlowsky, 2023).

# Maximum number of rows of a site, and of training rows, to which density ratios are fitted.
parts_rows <- 600L
parts_folds <- 5L

# Data frame, a row for each labelled new site. X: forecast_predictors(); held: held_out_scored();
# new: new_scored() with y and domain.
parts_of_loss <- function(held, new, measure, X) {
  at <- which(held$rep == held$rep[1L] & !is.na(match(held$place, X$place)))
  loss <- measure$loss(lapply(held[c("y", "p", "class")], take, at))
  train <- list(X = X$training[match(held$place[at], X$place), , drop = FALSE], loss = loss,
                site = droplevels(held$domain[at]))
  new_loss <- measure$loss(new)
  parts <- lapply(split(seq_along(new_loss), new$domain), function(i) {
    i <- i[!is.na(new_loss[i])]
    if (length(i) < 2L * parts_folds) return(NULL)
    i <- with_seed(1L, sample_most(i, parts_rows))
    odds <- site_odds(train, X$new[i, , drop = FALSE])
    data.frame(rows = length(i), disde(train$loss, new_loss[i], odds$train, odds$new, train$site))
  })
  named_frames(parts, "domain")
}

# The ratio q / p of the densities of site and training at rows of both, by probabilities of a
# penalised logistic regression, on a linear and a Gaussian kernel, of the other folds of rows, see
# closed_cv(). Training sites have equal weights. list(train, new)
site_odds <- function(train, X_new) {
  n <- length(train$loss)
  m <- nrow(X_new)
  X <- rbind(train$X, X_new)
  varies <- apply(X, 2L, function(x) max(x) > min(x))
  if (!any(varies)) return(list(train = rep(1, n), new = rep(1, m)))
  X <- X[, varies, drop = FALSE]
  is_site <- factor(rep(c("training", "site"), c(n, m)), c("training", "site"))
  weights <- c(equal_weights(train$site) * n, rep(1, m))
  with_seed(1L, {
    at <- c(sample_most(seq_len(n), parts_rows), n + seq_len(m))
    fold <- stats::ave(at, is_site[at], FUN = function(i) {
      sample(rep_len(seq_len(parts_folds), length(i)))
    })
    link <- quietly(suppressMessages({
      model <- dg_glm(X[at, , drop = FALSE], is_site[at], domain = fold,
                      weights = weights[at], domain_kernel = domain_pooled(),
                      kernel = kernel_rbf() + kernel_linear())
      values <- numeric(n + m)
      values[at] <- closed_cv(model)$predictions$decision
      others <- setdiff(seq_len(n), at)
      if (length(others)) {
        values[others] <- predict(model, X[others, , drop = FALSE], type = "decision")
      }
      values
    }))
    odds <- exp(link) * sum(weights[at[at <= n]]) / m
    list(train = odds[seq_len(n)], new = odds[n + seq_len(m)])
  })
}

# Weights of rows that sum to 1, the same sum for each site.
equal_weights <- function(site) {
  row_costs(1, rep(1, length(site)), site, "equal") / length(site)
}

# With S of density proportional to p q / (p + q), p that of training, q of the site, and means of
# the loss l over x of a distribution and y given x of training (l_P) or the site (l_Q):
#   E_Q l_Q - E_P l_P = (E_S l_P - E_P l_P) + (E_S l_Q - E_S l_P) + (E_Q l_Q - E_S l_Q).
# E_S l_P is the mean over training rows with weights q / (p + q), E_S l_Q over those of the site
# with p / (p + q). loss_p, loss_q: by row; odds_p, odds_q: q / p at the rows; site: of training
# rows, which are dependent within. Standard errors take the odds as known.
disde <- function(loss_p, loss_q, odds_p, odds_q, site) {
  base_p <- equal_weights(site)
  base_q <- rep(1 / length(loss_q), length(loss_q))
  shared_p <- base_p * odds_p / (1 + odds_p)
  shared_q <- base_q / (1 + odds_q)
  means <- list(p = weighted_effects(loss_p, base_p), sp = weighted_effects(loss_p, shared_p),
                sq = weighted_effects(loss_q, shared_q), q = weighted_effects(loss_q, base_q))
  error_p <- function(effects) {
    by_site <- c(rowsum(effects, as.integer(site)))
    sqrt(sum(by_site^2) * length(by_site) / max(length(by_site) - 1, 1))
  }
  n <- length(loss_q)
  error_q <- function(effects) sqrt(sum(effects^2) * n / max(n - 1, 1))
  p <- means$p$effects
  sp <- means$sp$effects
  q <- means$q$effects
  sq <- means$sq$effects
  data.frame(
    training = means$p$mean, site = means$q$mean, difference = means$q$mean - means$p$mean,
    difference_se = sqrt(error_p(p)^2 + error_q(q)^2),
    covariates = means$sp$mean - means$p$mean + means$q$mean - means$sq$mean,
    covariates_se = sqrt(error_p(sp - p)^2 + error_q(q - sq)^2),
    relation = means$sq$mean - means$sp$mean,
    relation_se = sqrt(error_p(sp)^2 + error_q(sq)^2),
    from_training = means$sp$mean - means$p$mean, to_site = means$q$mean - means$sq$mean,
    # 2 pq / (p + q), integrated: 1 where the distributions are equal
    overlap = min(sum(shared_p) + sum(shared_q), 1)
  )
}

# A weighted mean, and the effect of each row on it.
weighted_effects <- function(values, weights) {
  mean <- sum(weights * values) / sum(weights)
  list(mean = mean, effects = weights * (values - mean) / sum(weights))
}
