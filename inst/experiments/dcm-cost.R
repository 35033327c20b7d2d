# What FastDCM and FastCOIR lose and save (DCM paper, section 4, tables 4 and 6): the exact
# projections against the same on Nystrom features, all rows of 9 fields of LandMine (20 unseen) and
# of 30 patients with Parkinson's disease (12 unseen), each followed by a support vector machine.
#
# The paper compares on different data; here the data are the same, and differences are paired:
# `difference` is the mean over unseen domains of the fast form's auc or rmse less the exact one's,
# difference_se its standard error over domains, time the seconds of the projection alone, and
# cost_ratio the exact one's over the fast one's. Landmarks by pivoted Cholesky, the package's
# default; ridge 1, one component for the classes and five for the number.

auc_of <- function(y, value) {
  if (length(unique(y)) < 2L) return(NA_real_) # a field of which no mine was kept
  two_class_scores(y, y, value)[["auc"]]
}

tasks <- list(
  landmine = function(data, rows) {
    d <- data$landmine
    d$y <- factor(d$y, labels = c("clutter", "mine"))
    split <- split_domains(draw_rows(d, rows, by = "y"), 9)
    c(split, list(measure = "auc", score = auc_of, ncomp = 1))
  },
  parkinsons = function(data, rows) {
    split <- split_domains(draw_rows(parkinsons_rows(data$parkinsons), rows), 30)
    rmse <- function(y, value) sqrt(mean((y - value)^2))
    c(split, list(measure = "rmse", score = rmse, ncomp = 5))
  }
)

compared <- function(name, method, task, landmarks) {
  evaluate <- function(features) {
    spec <- method(ncomp = task$ncomp, lambda = 1, features = features)
    seconds <- fit_timed(spec, y ~ . | domain, task$train)$seconds
    model <- fit_timed(chain(spec, dg_svm(cost = 1, domain_kernel = domain_pooled())),
                       y ~ . | domain, task$train)$model
    type <- if (is.factor(task$test$y)) "decision" else "response"
    value <- drop(predict(model, task$test, type = type))
    score <- vapply(split(seq_along(value), droplevels(task$test$domain)), function(i) {
      task$score(task$test$y[i], value[i])
    }, 0)
    list(score = score, seconds = seconds)
  }
  exact <- evaluate(features_exact())
  fast <- evaluate(features_nystrom(landmarks))
  difference <- stats::na.omit(fast$score - exact$score)
  row <- function(method, run, ...) {
    values <- c(mean(run$score, na.rm = TRUE), time = run$seconds, ...)
    names(values)[1L] <- task$measure
    result_lines(method, values, seconds = run$seconds)
  }
  rbind(row(name, exact),
        row(paste0("Fast", name), fast, difference = mean(difference),
            difference_se = stats::sd(difference) / sqrt(length(difference)),
            cost_ratio = exact$seconds / max(fast$seconds, 1e-3)))
}

experiment(
  paper = "DCM", item = "section 4",
  title = "What the fast forms of COIR and DCM lose and save: paired by unseen domain, with times",
  data = c("landmine", "parkinsons"),
  draws = c(quick = 1, normal = 3, full = 10), minutes = c(quick = 0.2, normal = 5, full = 20),
  tolerance = c(auc = 0.03, rmse = 0.15, difference = 0.03),
  cells = function(size) {
    if (size == "quick") {
      return(data.frame(task = names(tasks), landmarks = 50, rows = c(80, 20)))
    }
    expand.grid(task = names(tasks), landmarks = c(200, 50), rows = 700, stringsAsFactors = FALSE)
  },
  run = function(cell, draw, data) {
    task <- tasks[[cell$task]](data, cell$rows)
    rbind(compared("COIR", coir, task, cell$landmarks), compared("DCM", dcm, task, cell$landmarks))
  }
)
