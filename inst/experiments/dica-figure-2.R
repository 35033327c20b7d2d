# DICA paper, figure 2: projections of synthetic domains onto two directions by KPCA, UDICA, COIR
# and DICA, fitted to ten domains and applied to three that are unseen.
#
# As published: bandwidths 1 of x and y, lambda = 0.1, epsilon = 1e-4. The paper gives neither the
# vectors b1 and b2 nor c: here N(0, I) and 0, drawn anew for each draw. What the picture shows to
# the eye, as numbers:
#   shift     how far unseen domains lie from the training rows in the projection: the squared mean
#             discrepancy (dg_mmd(), biased, median bandwidth), mean over the three
#   training  the same for training domains, each against all of them
#   r2        R squared on unseen domains of a kernel ridge regression of the response on the scores

figure_2_data <- function(rows = 200) {
  all <- simulate_dica(domains = 13, n = rows)
  unseen <- all$domain %in% utils::tail(levels(all$domain), 3L)
  list(train = droplevels(all[!unseen, ]), test = droplevels(all[unseen, ]))
}

figure_2_methods <- function() {
  rbf <- kernel_rbf(1)
  list(
    KPCA = dg_kpca(ncomp = 2, kernel = rbf, scale = "none"),
    UDICA = dg_udica(ncomp = 2, kernel = rbf, lambda = 0.1, scale = "none"),
    COIR = dg_coir(ncomp = 2, kernel = rbf, kernel_y = rbf, lambda = 0.1, epsilon = 1e-4,
                scale = "none"),
    DICA = dg_dica(ncomp = 2, kernel = rbf, kernel_y = rbf, lambda = 0.1, epsilon = 1e-4,
                scale = "none")
  )
}

experiment(
  paper = "DICA", item = "figure 2",
  title = "Synthetic domains projected by KPCA, UDICA, COIR and DICA: how far are unseen ones off?",
  draws = c(quick = 1, normal = 20, full = 100), minutes = c(quick = 0.1, normal = 1, full = 5),
  tolerance = c(shift = 1e-5, training = 1e-5, r2 = 1e-4),
  cells = function(size) data.frame(rows = if (size == "quick") 50 else 200),
  run = function(cell, draw, data) {
    parts <- figure_2_data(cell$rows)
    methods <- figure_2_methods()
    bind(lapply(names(methods), function(name) {
      fitted_lines(name, methods[[name]], parts$train, function(model) {
        projected_shift(model, parts$train, parts$test)
      })
    }))
  }
)
