# One comparison for each data set: the null model, pooled, domain-scaled and distributional ridge
# regressions, and ridge regressions on the scores of DICA and DCM, on unseen domains. lambda is
# chosen inside each training set, by domain.
#   score        mean over domains, by the metric of the cell
#   difference   from pooling, paired by domain, with se (dg_compare()'s, which knows that training
#                sets overlap) and p

compared_sets <- data.frame(
  data = c("gvhd_flowcap1", "landmine", "parkinsons", "har66", "heart_disease", "school_ilea"),
  metric = c("accuracy", "auc", "rmse", "accuracy", "accuracy", "rmse"),
  rows = c(1200, 1500, 1200, 1200, 920, 1500)
)
most_domains <- 60
not_predictors <- list(gvhd_flowcap1 = "gate", heart_disease = "y2",
                       parkinsons = c("y2", "age", "sex", "test_time"))

# At most `rows` rows, as many from each domain, and not of all domains where there are many.
compared_rows <- function(d, cell) {
  d <- d[setdiff(names(d), not_predictors[[cell$data]])]
  d <- stats::na.omit(d[vapply(d, function(column) mean(is.na(column)) < 0.1, NA)])
  if (cell$metric != "rmse") d$y <- factor(d$y)
  kept <- sample(levels(d$domain), min(most_domains, nlevels(d$domain)))
  droplevels(draw_rows(d[d$domain %in% kept, ], ceiling(cell$rows / length(kept))))
}

compared_methods <- function(n, ncomp, folds) {
  lambdas <- n * 10^(-5:0)
  ridge <- function(...) dg_ridge(..., intercept = TRUE)
  tuned <- function(spec, name = "lambda") {
    dg_tune(spec, grid = stats::setNames(list(lambdas), name), folds = folds)
  }
  pooled <- domain_pooled()
  list(
    pooled = tuned(ridge(domain_kernel = pooled)),
    `domain-scaled` = tuned(ridge(domain_kernel = pooled, scale = "domain")),
    distributional = tuned(ridge()),
    DICA = tuned(dg_pipeline(dg_dica(ncomp = ncomp), ridge(domain_kernel = pooled)),
                 "ridge.lambda"),
    DCM = tuned(dg_pipeline(dg_dcm(ncomp = ncomp), ridge(domain_kernel = pooled)), "ridge.lambda")
  )
}

experiment(
  paper = "domgen", item = "vignette choosing",
  title = "Pooling against scaling by domain, the kernel between domains, DICA and DCM on six sets",
  data = compared_sets$data,
  draws = c(quick = 1, normal = 1, full = 5), minutes = c(quick = 0.2, normal = 12, full = 60),
  tolerance = c(score = 0.0125, difference = 0.0125),
  cells = function(size) {
    if (size == "quick") transform(compared_sets[1L, ], rows = 120) else compared_sets
  },
  run = function(cell, draw, data) {
    d <- compared_rows(data[[cell$data]], cell)
    ncomp <- if (cell$data == "har66") 5 else 3 # of six classes
    specs <- compared_methods(nrow(d), ncomp, if (nlevels(d$domain) > 7) 5)
    table <- dg_compare(specs, y ~ . | domain, data = d, metric = cell$metric,
                        folds = min(6, nlevels(d$domain)), progress = FALSE)$table
    values <- c(score = "mean", difference = "difference", se = "se", p = "p")
    bind(lapply(seq_len(nrow(table)), function(i) {
      result_lines(table$method[i], vapply(values, function(name) table[[name]][i], 0),
                   seconds = table$seconds[i])
    }))
  }
)
