# DICA paper, table 2 and figure 4: accuracy on each sample when it is left out, pooled and with the
# kernel between domains, on the input and on the scores of four projections.
#
# The paper's 30 patients are not public; in their place the 12 samples of FlowCAP-I. Parameters are
# chosen anew without each sample, by leaving out the other samples one by one. The paper's +- is
# the standard deviation over patients, for which a line per sample (`domain`) is kept here. The
# kernel between domains is as in dica-table-1.R.

published <- cbind(pooling = c(92.03, 91.99, 92.40, 92.51, 92.72),
                   distributional = c(93.19, 93.11, 92.92, 92.74, 94.80))
rownames(published) <- c("Input", "KPCA", "COIR", "UDICA", "DICA")

experiment(
  paper = "DICA", item = "table 2, figure 4",
  title = "GvHD, one sample left out: pooling and distributional SVM on input and projections",
  data = "gvhd_flowcap1",
  draws = c(quick = 1, normal = 2, full = 10), minutes = c(quick = 0.5, normal = 40, full = 200),
  tolerance = c(accuracy = 0.075),
  cells = function(size) {
    data.frame(rows = if (size == "quick") 20 else 100,
               domain = if (size == "quick") 5 else seq_len(12))
  },
  run = function(cell, draw, data) {
    d <- gvhd_cells(data$gvhd_flowcap1)
    set.seed(draw)
    train <- draw_rows(droplevels(d[d$domain != cell$domain, ]), cell$rows, by = "y")
    test <- draw_rows(droplevels(d[d$domain == cell$domain, ]), 2000, by = "y")
    projections_and_learners(
      train, percent_right(test),
      learner = function(kernel) dg_svm(domain_kernel = kernel, intercept = TRUE),
      grid = list(cost = 10^(-1:2)),
      paper = function(method, setting) c(accuracy = published[method, setting]),
      folds = if (cell$rows < 100) 3 # of the quick run
    )
  }
)
