# How far a function is shrunk, and how far domains are told apart, where the user does not say: as
# predicts domains best that were left out, by the closed form of ridge regression with the same
# kernels.

# lambda over the sum of costs, which is n; the largest leaves little but the constant.
penalty_shares <- 10^seq(-5, 1, by = 0.5)

# The bandwidth between domains over the median; the last is nearly pooling.
penalty_times <- c(1, 2, 4, 8)

# Standard errors by which a narrower one must be better.
penalty_margin <- 0.5

# The most rows that are searched.
penalty_rows <- 1000L

# The arguments of a learner with lambda and the kernel between domains, and `slope`, the mean size
# of the residuals of left-out domains where two classes are 2 apart. What fewer than two domains
# leave open is 1. A further one, `bandwidth_factor`, says by how much the kernel between domains is
# widened. between: that kernel, where it is fitted already; most: rows that are searched;
# width_alone: is only the factor wanted? for_new: are new domains what the fit is for?
choose_penalty <- function(args, sample, task, between = NULL, most = penalty_rows,
                           width_alone = FALSE, for_new = is_for_new(args)) {
  args[c("lambda", "slope")] <- list(1, 1)
  folds <- calibration_folds(sample)
  if (max(folds) < 2L || !for_new) return(args)
  open <- has_open_width(args$domain_kernel) && !identical(args$bandwidths, "fitted")
  part <- penalty_part(args, sample, task, between, most)
  if (all(part$unknown)) return(args)
  args$bandwidth_factor <- 1
  if (width_alone && !open) return(args)
  # the widest first, and narrower ones as long as the error gets less
  tried <- list()
  for (bandwidth_factor in if (open) rev(penalty_times) else 1) {
    domain_kernel <- widen_fitted(part$between, bandwidth_factor)
    space <- structure(list(kernel = part$kernel, domain_kernel = domain_kernel, X = part$rows$X,
                            domain = part$rows$domain, threads = args$threads),
                       class = "gram_space")
    tried <- c(list(c(try_penalties(space, part$rows, part$task, args),
                      bandwidth_factor = bandwidth_factor)), tried)
    if (length(tried) > 1L && tried[[1L]]$error >= tried[[2L]]$error) break
  }
  best <- tried[[widest_good(tried)]]
  if (open) args$domain_kernel <- widen_open(args$domain_kernel, best$bandwidth_factor)
  args$bandwidth_factor <- best$bandwidth_factor
  # of huge weights the largest number that there is
  total <- min(sum(task$costs), .Machine$double.xmax / max(penalty_shares))
  args$lambda <- penalty_shares[best$best] * total
  args$slope <- best$slope
  args
}

# The same for rows of any kind. Of a source it is the sample that is searched: its domains are
# described by all of their rows, the kernel between domains comes back fitted, and lambda is that
# of the sample, which stands_for(rows) makes that of all rows.
choose_on_sample <- function(args, rows, task, ...) {
  if (!only_sums(rows) || !needs_domain_rows(args$domain_kernel)) {
    return(choose_penalty(args, rows$sample, task, ...))
  }
  fitted <- described_kernel(args, rows)
  chosen <- choose_penalty(args, rows$sample, task, between = fitted, ...)
  factor <- if (is.null(chosen$bandwidth_factor)) 1 else chosen$bandwidth_factor
  chosen$domain_kernel <- if (factor == 1) fitted else widen_described(fitted, factor)
  chosen
}

# A multi-task kernel is for domains that are known by name.
is_for_new <- function(args) known_of_domains(args$domain_kernel) != "names"

# The kernel between domains, fitted to all rows.
described_kernel <- function(args, rows) {
  fitted <- domain_kernel_fit(args$domain_kernel, rows_of(described_rows(rows), args$threads),
                              args$feature_map)
  check_described(fitted)
  fitted
}

# So that new domains are judged by the wider kernel too.
widen_described <- function(kernel, bandwidth_factor) {
  kernel <- widen_fitted(kernel, bandwidth_factor)
  kernel$embedding_kernel$bandwidth <- kernel$embedding_kernel$bandwidth * bandwidth_factor
  kernel
}

# Is the width between domains chosen, with lambda?
chooses_width <- function(args) {
  needs_domain_rows(args$domain_kernel) && is.null(args$lambda) &&
    has_open_width(args$domain_kernel)
}

# The part that is searched: list(rows: at most `most`, with the groups that are left out, task: of
# these rows, kernel, between: fitted, unknown: rows without a prediction).
penalty_part <- function(args, sample, task, between, most) {
  kept <- penalty_sample(sample, task, most)
  domain <- sample$domain[kept]
  folds <- calibration_folds(sample)
  tried <- list(X = sample$X[kept, , drop = FALSE], domain = domain, weights = sample$weights[kept],
                levels = take(sample$levels, kept), left_out = factor(folds[as.integer(domain)]))
  if (is.null(between)) {
    between <- domain_kernel_fit(args$domain_kernel, rows_of(sample, args$threads),
                                 args$feature_map)
  }
  list(rows = tried, task = task_of_rows(task, kept), kernel = kernel_fit(args$kernel, sample$X),
       between = between, unknown = unknown_elsewhere(tried$levels, tried$left_out))
}

task_of_rows <- function(task, at) {
  for (part in intersect(c("Y", "costs", "offset"), names(task))) {
    task[[part]] <- take(task[[part]], at)
  }
  task
}

# Rows with a weight, at most so many, evenly spaced within domains in the order of x and of the
# response, and in that order, so that the order of rows and of columns (of the levels of a factor)
# changes nothing. Where rows are compared within domains only, rather fewer domains than few rows
# of each.
penalty_sample <- function(sample, task, most) {
  kept <- which(sample$weights > 0)
  if (isTRUE(task$compared) && length(kept) > most) {
    domains <- sort(unique(as.integer(sample$domain[kept])))
    count <- floor(most / min(compared_rows, length(kept) / length(domains)))
    if (count < length(domains)) {
      domains <- domains[round(seq(1, length(domains), length.out = count))]
      kept <- kept[as.integer(sample$domain[kept]) %in% domains]
    }
  }
  keys <- c(list(as.integer(sample$domain)),
            unname(as.data.frame(cbind(columns_by_value(sample$X), task$Y, task$costs))))
  kept <- kept[do.call(order, lapply(keys, `[`, kept))]
  if (length(kept) <= most) kept else kept[round(seq(1, length(kept), length.out = most))]
}

compared_rows <- 10L

# list(best: the number of the share, domains: its errors by domain, weight of each, slope)
try_penalties <- function(space, sample, task, args) {
  largest <- max(task$costs)
  task$costs <- task$costs / largest
  lambdas <- sum(task$costs) * penalty_shares
  predicted <- quietly(left_out_predictions(space, sample, task, args, lambdas),
                       "domgen_warning_ridge")
  scored <- !unknown_elsewhere(sample$levels, sample$left_out)
  residuals <- (predicted - c(task$Y))[scored, , , drop = FALSE]
  share <- task$costs[scored] / sum(task$costs[scored])
  errors <- apply(residuals, 3L, function(r) sum(share * r^2))
  errors[is.nan(errors)] <- Inf
  best <- simplest_best(errors)
  left <- lambda_values(residuals, best)
  # of the indicators of several classes that of the row's own
  size <- if (ncol(left) > 1L) 2 * left[cbind(seq_along(share), max.col(task$Y[scored, ], "first"))]
          else left
  slope <- sum(share * abs(size))
  list(best = best, error = errors[best], slope = if (is.finite(slope)) slope else 1,
       domains = c(rowsum(share * rowSums(left^2), as.integer(sample$domain[scored]))))
}

# The number of the best of errors by lambda, in order; the simplest, if all are equally good.
simplest_best <- function(errors) {
  # a deviance of nothing is a little less than 0 where numbers are large
  max(which(errors <= min(errors) + 1e-6 * abs(min(errors))))
}

# The widest kernel between domains whose error is larger than the smallest by no more than
# `penalty_margin` standard errors of the sum over domains: what a narrower one gains by chance is
# lost on new domains.
widest_good <- function(tried) {
  errors <- vapply(tried, `[[`, numeric(1), "error")
  least <- tried[[which.min(errors)]]$domains
  good <- vapply(tried, function(one) {
    worse <- one$domains - least
    sum(worse) <= penalty_margin * sqrt(length(worse)) * stats::sd(worse)
  }, NA)
  max(which(good | errors == min(errors)))
}

# `lambda` or `cost` of a fitted model: as given, or as chosen.
penalty_of <- function(object, name) {
  given <- object$spec$args[[name]]
  if (is.null(given)) object[[name]] else given
}

# With the cost at which the loss pulls at residuals of the usual size as the square of the ridge
# regression does, sum_i c_i r_i^2 / (2 lambda) beside |f|^2 / 2: mean |r| / lambda for a loss of
# slope 1, whose pull does not depend on r. A loss that has a curvature at f = 0 gets that of the
# ridge regression there: 1 / (2 lambda) squared ones, 4 / lambda the logistic one.
# chosen: that regression's, see choose_penalty().
choose_cost <- function(args, loss, chosen) {
  args$domain_kernel <- chosen$domain_kernel
  # of fixed steps, so that what the closed form leaves to tolerance does not show
  par <- par_of_loss(loss, args)
  tube <- if ("class" %in% loss$kinds) args$epsilon
          else if (!is.null(loss$tube)) loss$tube(1, 1, par)$epsilon
  slope <- 10^(round(4 * log10(max(chosen$slope, tube, 1e-3))) / 4)
  inside <- replace(par, names(par) == "epsilon", 0)
  bent <- if (loss$kinks == 0L) loss$smooth(1, 0, inside, kink_width)$curvature
  # a straight arm that is not of slope 1, as Huber's
  pull <- if (loss$kinks == 0L && !isTRUE(bent > 0)) {
    abs(loss$smooth(1, 0, par, kink_width)$slope)
  } else 1
  args$cost <- (if (isTRUE(bent > 0)) 1 / bent else slope / pull) / chosen$lambda
  args
}

# How a penalty that was not given was found, in words.
chosen_by <- function(object) {
  # fits to sums do not know the domain of each row
  if (is.null(object$rows$sizes) && length(object$y) && nlevels(object$domain) < 2L) {
    "the default: no domain can be held out"
  } else "chosen on held-out domains"
}

penalty_facts <- function(x, name) {
  args <- x$spec$args
  list(fact(name, penalty_of(x, name), how = if (is.null(args[[name]])) chosen_by(x) else "given"),
       fact("domain weights", args$domain_weights))
}

# Unpenalised, one per submodel.
intercept_fact <- function(x) {
  fact("intercept", if (!x$spec$args$intercept) "none"
                    else if (length(x$intercept) == 1L) unname(x$intercept)
                    else paste(format(rounded(x$intercept, 4L), trim = TRUE), collapse = ", "))
}
