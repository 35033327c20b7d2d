# MTL paper, sections 5.1 and 5.2: the kernels between domains that it names and does not show.
#
# task = ellipses: error on ten new ellipses. The kernel (12) with G(t) = (1 + t)^2, "polynomial",
# and with G(t) = t, "linear", beside the Gaussian (11) of the tables; the multi-task kernel, 1 for
# the same domain and tau for two, which the paper calls "always outperformed by pooling" in new
# domains without showing it. All kernels are exact.
# task = angles: all rows of a domain have the same response, the angle of its ellipse, and k_X is
# constant: distributional regression. Beside it k_X as elsewhere; pooled, with a Gaussian k_X. Root
# mean squared error in degrees, by kernel ridge regression.
#
# Parameters are chosen by five folds of training domains, as in the other tables of this paper.

rows_grid <- list(bandwidth_factor = 2^(-2:2))
embedding_grid <- list(domain_kernel.kernel.bandwidth_factor = 2^(-2:2))
gaussian_grid <- list(domain_kernel.embedding_kernel.bandwidth_factor = 2^(-2:2))

kernels_between <- function() {
  inner <- function(embedding_kernel) domain_distribution(embedding_kernel = embedding_kernel)
  kernels <- list(
    pooled = list(domain_pooled()),
    `MTL, Gaussian` = list(domain_distribution(), c(embedding_grid, gaussian_grid)),
    `MTL, polynomial` = list(inner(kernel_poly(2)), embedding_grid),
    `MTL, linear` = list(inner(kernel_linear()), embedding_grid)
  )
  for (tau in c(0.9, 0.5, 0.1)) kernels[[paste("tau", tau)]] <- list(domain_multitask(tau))
  lapply(kernels, function(k) {
    list(spec = dg_svm(domain_kernel = k[[1L]], scale = "none"),
         grid = c(list(cost = 10^(-1:3)), rows_grid, unlist(k[-1L], recursive = FALSE)))
  })
}

# (0 t + 1)^2
constant <- kernel_poly(2, gamma = 0)

kernels_for_angles <- function() {
  lambda <- list(lambda = 10^(-4:1))
  between <- c(lambda, embedding_grid, gaussian_grid)
  list(
    pooled = list(spec = dg_ridge(domain_kernel = domain_pooled(), scale = "none"),
                  grid = c(lambda, rows_grid)),
    `MTL, constant k_X` = list(spec = dg_ridge(kernel = constant,
                                               domain_kernel = domain_distribution(),
                                               scale = "none"), grid = between),
    `MTL, Gaussian` = list(spec = dg_ridge(domain_kernel = domain_distribution(), scale = "none"),
                           grid = c(between, rows_grid))
  )
}

experiment(
  paper = "MTL", item = "sections 5.1-5.2",
  title = "Kernels between domains: Gaussian, polynomial, multi-task; distributional regression",
  draws = c(quick = 1, normal = 10, full = 50), minutes = c(quick = 0.2, normal = 6, full = 30),
  tolerance = c(error = 0.03, rmse = 0.01),
  cells = function(size) {
    table <- data.frame(task = c("ellipses", "angles"), domains = 32, rows = 16)
    if (size == "quick") transform(table, domains = 16, rows = 8) else table
  },
  run = function(cell, draw, data) {
    new <- 10
    d <- simulate_ellipses(cell$domains + new, 500, seed = draw)
    if (cell$task == "angles") d$y <- 180 / pi * unname(attr(d, "angle")[d$domain])
    names <- levels(d$domain)
    test <- droplevels(d[d$domain %in% utils::tail(names, new), ])
    train <- draw_rows(droplevels(d[!d$domain %in% utils::tail(names, new), ]), cell$rows)
    if (cell$task == "angles") {
      return(method_lines(train, rmse_score(test), kernels_for_angles(),
                          folds = domain_folds(train$domain, 5), seed = 1))
    }
    method_lines(train, percent_wrong(test), kernels_between(),
                 folds = domain_folds(train$domain, 5), seed = 1)
  }
)
