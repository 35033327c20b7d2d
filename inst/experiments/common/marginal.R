# The rows of the MTL paper's tables: a learner on all rows pooled, and with a kernel between the
# domains' mean embeddings, by several feature maps; beside them the model without predictors.

# What is searched, one parameter after the other from the middle of its values on, and beyond their
# ends: bandwidths from the package's default, the median distance.
marginal_grids <- list(
  cost = 10^(-1:3), domain_kernel.embedding_kernel.bandwidth_factor = 2^(-2:2),
  bandwidth_factor = 2^(-2:2),
  domain_kernel.kernel.bandwidth_factor = 2^(-2:2)
)

# Machines by the feature maps that the tables compare: landmarks and, as in the paper, random
# Fourier features, a hundred in each stage as in the authors' program. `grid`: names as above.
marginal_machines <- function(grid) {
  list(
    pooled = list(spec = dg_svm(domain_kernel = domain_pooled(),
                                feature_map = features_nystrom(100)),
                  grid = grid[c("cost", "bandwidth_factor")]),
    product = list(spec = dg_svm(
      feature_map = features_product(x = features_nystrom(50), rank = 8)),
                   grid = grid),
    fourier = list(spec = dg_svm(feature_map = features_product("fourier", n_features = 100,
                                                             embedding = features_rff(100))),
                   grid = grid)
  )
}

# Published values of a cell as function of the method. `published`: tables [rows x domains] with
# names, `pooling` and, with the kernel between domains, `mtl`. `measure`: what of ours they are
# compared with.
published_cell <- function(published, cell, measure = "error") {
  at <- as.character(c(cell$rows, cell$domains))
  function(method) {
    table <- published[[if (method == "pooled") "pooling" else "mtl"]]
    if (at[1L] %in% rownames(table)) {
      stats::setNames(rep(table[at[1L], at[2L]], length(measure)), measure)
    }
  }
}

# `methods`: as for method_lines(), with `paper(method)` beside them; the measure cv is the score in
# cross-validation, in the units that `cv` makes of it. Folds are drawn where they are first asked
# for, after the seed is set. It is the same in all draws: Fourier frequencies too are the same
# standard ones, so that standard errors are of data alone.
marginal_methods <- function(train, score, methods, paper, searched = train, cv = identity) {
  for (name in names(methods)) methods[[name]]$paper <- paper(name)
  method_lines(train, score, methods, searched, folds = domain_folds(searched$domain, 5), seed = 1,
               cv = cv)
}

accuracy_to_error <- function(accuracy) 100 * (1 - accuracy)
