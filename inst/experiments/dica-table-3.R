# DICA paper, table 3 and figure 3: Gaussian process regression of the motor and the total score of
# patients with Parkinson's disease who are not among the 30 that were learned from; on the voice
# measures and on the scores of four projections, pooled and with the kernel between domains.
#
# As published, but for three things. The projections' parameters are chosen by leaving out patients
# in five groups with a ridge regression in place of the Gaussian process, of which it is the
# mean at a given noise: a hundred times cheaper. Patients have at most `rows` rows for learning
# (full: all). COIR and DICA see the score that is predicted, with the bandwidth of the kernel on it
# at the median score, as the paper says. The null model, the mean of the training patients, is
# what the paper left out; `predictors = all` adds age, sex and time.
#
# "DICA (both scores)" is DICA to the letter: supervised by the motor and the total score at once
# (section 3.3, "to fully account for the affinity structure of the output variable"), with the
# bandwidth at the median of all of them, and an independent Gaussian process for each on its
# components.
#
# The paper chooses parameters by "10-fold cross validation" and does not say of what. "By row folds"
# is that with folds of rows, in which each patient is in training too, from the voice, pooled and on
# the input: the kernel ridge regression, the process's mean, with bandwidth and noise chosen so; "on
# all rows" on all rows of the training patients, with five folds and 300 landmarks. "By patient
# folds" is the same regression with the folds of patients.

methods <- c("Input", "KPCA", "UDICA", "COIR", "DICA")
published <- array(
  c(9.58, 8.54, 8.67, 9.25, 8.40, 12.67, 11.20, 11.36, 12.41, 11.05,
    8.57, 8.50, 8.75, 9.23, 8.35, 11.50, 11.22, 11.55, 11.97, 10.02),
  c(5, 2, 2), list(methods, c("motor", "total"), names(domain_kernels))
)
least_squares <- c(motor = 8.82, total = 11.80)

# Pooled, on the input, with `folds` of `train`; `name`: what they are of; `paper`: its value.
regression_by_folds <- function(name, train, folds, score, paper, features = features_exact()) {
  specs <- list(list(
    spec = dg_ridge(domain_kernel = domain_pooled(), feature_map = features),
    grid = list(bandwidth_factor = 2^(-3:2), lambda = 10^(-4:2)), paper = paper
  ))
  names(specs) <- paste0("Input by ", name, ", pooling")
  method_lines(train, score, specs, folds = folds)[-1L, ] # without the null model
}

# DICA by both scores, `data` having the row names of `train`. The learner's response is one of them:
# made different in each row, by less than anybody sees, it is the id by which the kernel on the two
# is looked up. `settings`, `grid`: fewer in the quick run.
both_scores_lines <- function(train, score, data, folds, paper, ncomp,
                              settings = names(domain_kernels), grid = projection_grids$DICA) {
  Y <- as.matrix(data[rownames(train), c("y", "y2")])
  train$y <- train$y + seq_len(nrow(train)) * 1e-9
  L <- kernel_matrix(kernel_rbf(stats::median(Y)), Y)
  dimnames(L) <- rep(list(domgen:::value_labels(train$y)), 2L)
  dica <- dg_dica(ncomp = ncomp[1L], kernel_y = kernel_precomputed(L))
  methods <- lapply(settings, function(setting) {
    kernel <- domain_kernels[[setting]]()
    list(spec = in_chain(dica, dg_gp(domain_kernel = kernel, restarts = 1)),
         chooser = in_chain(dica, dg_ridge(domain_kernel = kernel)),
         grid = c(grid, list(dica.ncomp = ncomp)), paper = paper("DICA", setting))
  })
  names(methods) <- paste("DICA (both scores)", settings, sep = ", ")
  method_lines(train, score, methods, folds = folds)[-1L, ] # without the null model
}

experiment(
  paper = "DICA", item = "table 3, figure 3",
  title = "Parkinson's: pooled and distributional Gaussian processes on input and projections",
  data = "parkinsons",
  draws = c(quick = 1, normal = 4, full = 20), minutes = c(quick = 0.5, normal = 45, full = 800),
  tolerance = c(rmse = 0.01),
  cells = function(size) {
    if (size == "quick") return(data.frame(outcome = "motor", predictors = "voice", rows = 10))
    data.frame(outcome = c("motor", "total", "motor", "total"),
               predictors = rep(c("voice", "all"), each = 2),
               rows = if (size == "full") 200 else 30)
  },
  run = function(cell, draw, data) {
    d <- parkinsons_rows(data$parkinsons, cell$outcome, cell$predictors)
    set.seed(draw)
    split <- split_domains(d, 30)
    train <- draw_rows(split$train, cell$rows)
    score <- rmse_score(split$test)
    set.seed(draw)
    folds <- domain_folds(train$domain, 5)
    ncomp <- c(1, 2, 4, 8)
    paper <- function(method, setting) c(rmse = published[method, cell$outcome, setting])
    found <- list(
      projections_and_learners(
        train, score, learner = function(kernel) dg_gp(domain_kernel = kernel, restarts = 1),
        chooser = function(kernel) dg_ridge(domain_kernel = kernel), grid = list(), paper = paper,
        folds = folds, kernel_y = kernel_rbf(stats::median(train$y)), ncomp = ncomp
      ),
      fitted_lines("least squares", dg_lm(), train, score,
                   paper = c(rmse = least_squares[[cell$outcome]]))
    )
    if (cell$predictors == "voice") {
      set.seed(draw)
      by_rows <- row_folds(train$domain, if (cell$rows < 30) 3 else 10) # 3: of the quick run
      found <- c(found, list(
        regression_by_folds("row folds", train, by_rows, score, paper("Input", "pooling")),
        regression_by_folds("patient folds", train, folds, score, paper("Input", "pooling"))
      ))
    }
    if (cell$predictors == "voice") {
      set.seed(draw)
      found <- c(found, list(if (cell$rows < 30) {
        both_scores_lines(train, score, data$parkinsons, folds, paper, 1, "pooling", list())
      } else both_scores_lines(train, score, data$parkinsons, folds, paper, ncomp)))
    }
    if (cell$predictors == "voice" && cell$rows == 30) {
      set.seed(draw)
      by_rows <- row_folds(split$train$domain, 5)
      found <- c(found, list(
        regression_by_folds("row folds on all rows", split$train, by_rows, score,
                            paper("Input", "pooling"), features_nystrom(300))
      ))
    }
    bind(found)
  }
)
