# What FastDCM and FastCOIR lose and save (DCM paper, section 4, tables 4 and 6): the exact
# projections against the same on Nystrom features, all rows of 9 fields of LandMine (20 unseen) and
# of 30 patients with Parkinson's disease (12 unseen), each followed by a support vector machine.
#
# The paper compares on different data; here the data are the same, and differences are paired:
# `difference` is the mean over unseen domains of the fast form's auc or rmse less the exact one's,
# difference_se its standard error over domains, time the seconds of the projection alone, and
# cost_ratio the exact one's over the fast one's. Landmarks by pivoted Cholesky, the package's
# default; ridge 1, one component for the classes and five for the number.

tasks <- list(
  landmine = function(data, rows) {
    d <- data$landmine
    d$y <- factor(d$y, labels = c("clutter", "mine"))
    c(split_domains(draw_rows(d, rows, by = "y"), 9), measure = "auc", ncomp = 1)
  },
  parkinsons = function(data, rows) {
    d <- parkinsons_rows(data$parkinsons)
    c(split_domains(draw_rows(d, rows), 30), measure = "rmse", ncomp = 5)
  }
)

compared <- function(name, method, task, landmarks) {
  evaluate <- function(features) {
    spec <- method(ncomp = task$ncomp, lambda = 1, feature_map = features)
    seconds <- fit_timed(spec, task$train)$seconds
    machine <- dg_pipeline(spec, dg_svm(cost = 1, domain_kernel = domain_pooled()))
    model <- fit(machine, y ~ . | domain, data = task$train)
    type <- if (task$measure == "auc") "decision" else "response"
    value <- drop(predict(model, task$test, type = type))
    # auc: NA for a field of which no mine was kept
    list(score = package_metric(task$measure, task$test$y, value, value, task$test$domain),
         seconds = seconds)
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
  tolerance = c(auc = 0.002, rmse = 0.02, difference = 0.0015),
  cells = function(size) {
    if (size == "quick") {
      return(data.frame(task = names(tasks), landmarks = 50, rows = c(80, 20)))
    }
    expand.grid(task = names(tasks), landmarks = c(200, 50), rows = 700, stringsAsFactors = FALSE)
  },
  run = function(cell, draw, data) {
    task <- tasks[[cell$task]](data, cell$rows)
    rbind(compared("COIR", dg_coir, task, cell$landmarks),
          compared("DCM", dg_dcm, task, cell$landmarks))
  }
)
