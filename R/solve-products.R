# Ridge regression of many rows without their Gram matrix: conjugate gradients need products with it
# alone.

# Predictions are then known to about 1e-8 standard deviations of the response.
product_error <- 1e-18

# As solve_gram(); NULL where there must be a matrix, also where 100 steps are not enough.
solve_products <- function(space, task, args) {
  if (!takes_products(space)) return(NULL)
  # kappa is the same for all rows of a domain
  order <- order(space$domain)
  space <- rows_in_order(space, order)
  task <- list(Y = task$Y[order, , drop = FALSE], costs = task$costs[order])
  K <- gram_products(space$kernel, space, space$domain_kernel$kappa)
  largest <- max(kernel_diag_(K$program, K$X)) * max(1, K$kappa)
  ridge <- row_ridges(args$lambda, task$costs, matrix(largest))
  solved <- solve_conjugate(K, product_root(space), largest, ridge, task, args, product_error, 100L)
  by_row <- c("coefficients", "decision")
  if (!is.null(solved)) solved[by_row] <- lapply(solved[by_row], take, order(order))
  solved
}
