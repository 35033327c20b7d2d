# The rows of the DCM paper's tables: a support vector machine on the input, and on the scores of
# COIR, DICA and DCM or of their fast forms.
#
# What the paper leaves open is the same in all tables. Machines have cost 1 (libsvm's default), an
# offset, and weigh rows alike. On scores their kernel is linear, the rule of the DICA paper; a
# chain brings scores to a mean square of 1 first. Equation 12 and algorithm 1, exact DCM, have no
# ridge on the coefficients, and without one new rows cannot be projected: it is 0.1, the default of
# dg_coir() and dg_dica(), and in rows of its own n/10, the default of dg_dcm(), for all three, so
# that a method is not taken for its ridge. FastDCM's equations 17 and 18 do have a term, n epsilon
# I after the product with K: dcm-ridges.R has that form, and curves over the ridge. M, which goes
# with FastDCM (2 for 4,600 rows, 5 for 9,000, 20 for 30,000), is read as a divisor: M = 5 has a
# landmark for each five rows. The paper's times agree with those of N/M columns, (N/M)^2 N, within
# a factor of three, but neither with M columns nor with M %: with M = 2 FastDCM took 356 s on 4,600
# rows, exact DCM 65 s on 1,800.

# The paper's gamma = 1/(2 sigma^2).
kernel_gamma <- function(gamma) kernel_rbf(sqrt(1 / (2 * gamma)))

# `n`: training rows; `ridge`: values of lambda, named by what they add to a method's name.
dcm_projections <- function(kernel, epsilon, n, ncomp = 1,
                            ridge = stats::setNames(c(0.1, n / 10), c("", ", ridge n/10"))) {
  make <- function(method, lambda) {
    method(ncomp = ncomp, epsilon = epsilon, kernel = kernel, lambda = lambda, scale = "none")
  }
  methods <- list(COIR = dg_coir, DICA = dg_dica, DCM = dg_dcm)
  specs <- lapply(ridge, function(lambda) lapply(methods, make, lambda))
  stats::setNames(unlist(unname(specs), recursive = FALSE),
                  paste0(names(methods), rep(names(ridge), each = length(methods))))
}

# The same on Nystrom features, without DICA, whose fast form the paper does not show.
fast_projections <- function(projections, landmarks) {
  on_landmarks(projections[!startsWith(names(projections), "DICA")], landmarks)
}

# What the paper names beside them and does not show (section 4): KPCA and DICA.
unshown_fast_projections <- function(projections, landmarks, kernel) {
  on_landmarks(c(list(KPCA = dg_kpca(ncomp = 1, kernel = kernel, scale = "none")),
                 projections[startsWith(names(projections), "DICA")]), landmarks)
}

on_landmarks <- function(projections, landmarks) {
  features <- features_nystrom(max(landmarks, 2), sampling = "uniform")
  fast <- lapply(projections, stats::update, feature_map = features)
  stats::setNames(fast, paste0("Fast", names(projections)))
}

dcm_machine <- function(kernel = NULL, ...) {
  dg_svm(cost = 1, intercept = TRUE, kernel = kernel, domain_kernel = domain_pooled(),
         domain_weights = "size", scale = "none", ...)
}

# Predictors by the mean and spread of the training rows; the specifications above then leave them
# as they are.
standardise <- function(split) {
  columns <- setdiff(names(split$train), c("domain", "y"))
  x <- scale(as.matrix(split$train[columns]))
  split$train[columns] <- x
  split$test[columns] <- scale(as.matrix(split$test[columns]), attr(x, "scaled:center"),
                               attr(x, "scaled:scale"))
  split
}

# The splits of tables 4 to 6, list(train, test): patients (at most `rows` rows of each train),
# samples with `rows` cells, and fields with at most `rows` rows, mines in a field's own proportion.
voices_split <- function(data, outcome, rows) {
  split <- split_domains(parkinsons_rows(data, outcome), 29)
  split$train <- draw_rows(split$train, rows)
  standardise(split)
}

cells_split <- function(data, rows, train) {
  d <- draw_rows(gvhd_cells(data), rows, by = "y")
  d[-(1:2)] <- d[-(1:2)] / 1023
  split_domains(d, train)
}

mines_split <- function(data, rows) {
  data$y <- factor(data$y, labels = c("clutter", "mine"))
  standardise(lapply(split_domains(data, 9), draw_rows, rows, by = "y"))
}

# Lines of the null model, of `machine` on the input (named `input`) and of chains with
# `projections`. `score(model)` gives the measures; `paper`: published ones, a table [methods x
# measures]. time: seconds of a whole fit; time_ratio: as a multiple of the machine's on the input
# in the same run. `suffix` goes to the names of a variant, which has no null model of its own.
# `...`: weights of the rows, if they have any.
dcm_rows <- function(train, score, machine, projections, paper = NULL, input = "SVM", suffix = "",
                     ...) {
  # a short fit is done again, as the first of its kind in a session takes longer, and what is drawn
  # at random afterwards does not depend on that
  timed <- function(spec) {
    first <- fit_timed(spec, train, ...)
    if (first$seconds > 1) return(first)
    state <- get(".Random.seed", globalenv())
    again <- fit_timed(spec, train, ...)$seconds
    assign(".Random.seed", state, globalenv())
    list(model = first$model, seconds = min(first$seconds, again))
  }
  alone <- timed(machine)
  base <- max(alone$seconds, 1e-3)
  row <- function(method, fitted) {
    values <- c(score(fitted$model), time = fitted$seconds, time_ratio = fitted$seconds / base)
    published <- if (method %in% rownames(paper)) {
      stats::setNames(paper[method, ], colnames(paper))
    }
    result_lines(paste0(method, suffix), values, published, seconds = fitted$seconds)
  }
  chained <- lapply(projections, function(p) timed(dg_pipeline(p, dcm_machine())))
  bind(c(if (suffix == "") list(null_lines(train, score)), list(row(input, alone)),
         Map(row, names(projections), chained)))
}

# Lines of COIR and DCM in the form of equation 17, printed_fast_scores(), with an SVM on the first
# direction. `measure` makes the score of the test rows; `paper`: a table [methods x measures].
printed_rows <- function(split, kernel, epsilon, measure, paper) {
  bind(lapply(c("COIR", "DCM"), function(method) {
    scores <- printed_fast_scores(method, split, kernel, epsilon)
    fitted_lines(paste0(method, ", eq. 17"), dcm_machine(), scores$train, measure(scores$test),
                 stats::setNames(paper[method, ], colnames(paper)))
  }))
}

# Weights with which both classes cost the same.
class_weights <- function(y) as.vector((length(y) / nlevels(y) / table(y))[as.character(y)])

# Logistic regression on the input: cut at 1/2, fitted with classes that weigh the same, or cut at
# the share of the second class among the training rows.
logistic_rows <- function(train, test) {
  columns <- setdiff(names(train), c("domain", "y"))
  fit_logistic <- function(weights) {
    train$weights <- weights
    stats::glm(stats::reformulate(columns, "y"), stats::quasibinomial(), train, weights = weights)
  }
  row <- function(method, model, cut) {
    p <- stats::predict(model, test, type = "response")
    class <- factor(levels(test$y)[1 + (p > cut)], levels(test$y))
    result_lines(method, two_class_scores(test$y, class, p))
  }
  plain <- fit_logistic(rep(1, nrow(train)))
  weighted <- fit_logistic(class_weights(train$y))
  rbind(row("logistic regression", plain, 0.5),
        row("logistic regression, weighted", weighted, 0.5),
        row("logistic regression, cut at prevalence", plain, mean(plain$y)))
}
