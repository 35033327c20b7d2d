#' Draw responses from a Gaussian process
#'
#' `simulate()` draws responses from the joint predictive distribution of the rows of `newdata`.
#' With a feature map, the variance that the features miss is drawn independently for each row.
#'
#' @param object A model of [dg_gp()].
#' @param nsim Number of draws.
#' @param seed Number for [set.seed()]; the generator is restored afterwards. `NULL`: the generator
#'   continues.
#' @param newdata,domain,reference,reference_domain New rows, their domain, and further unlabelled
#'   rows that describe their domains, as in [predict()][predict.dg_learner()]. Without `newdata`,
#'   the training rows.
#' @param ... Empty.
#' @return A data frame with one row per row of `newdata` and columns `sim_1`, `sim_2`, ...
#' @section Errors:
#' Those of `predict()`, and a joint covariance of the rows over the memory limit
#' ([domgen_options]).
#' @seealso [dg_gp()], [posterior]
#' @examples
#' trees <- dg_gp(circumference ~ age | Tree, data = subset(Orange, Tree != "4"), restarts = 1)
#' simulate(trees, nsim = 2, seed = 1, newdata = subset(Orange, Tree == "4"))
#' @importFrom stats simulate
#' @export
simulate.dg_gp <- function(object, nsim = 1, seed = NULL, newdata, domain = NULL,
                           reference = NULL, reference_domain = NULL, ...) {
  enter_session()
  check_no_dots(list(...), setdiff(names(formals(simulate.dg_gp)), "object"))
  check_sealed(object)
  nsim <- check_count(nsim, "nsim")
  if (!is.null(seed)) seed <- check_seed(seed)
  drawn <- function(object, new) posterior(object, new, nsim)$draws
  draws <- with_seed(seed, {
    if (missing(newdata)) pad_rows(drawn(object, NULL), object)
    else decide_rows(object, read_new(object, newdata, domain, reference, reference_domain), drawn)
  })
  draws <- as.data.frame(object$response$centre + object$response$scale * draws)
  names(draws) <- paste0("sim_", seq_len(nsim))
  draws
}

# Responses at rows made by new_rows(), [rows x draws].
gp_draws <- function(space, object, new, nsim) UseMethod("gp_draws")

#' @exportS3Method
gp_draws.gram_space <- function(space, object, new, nsim) {
  X <- new$X
  if (nrow(X) == 0L) return(matrix(0, 0L, nsim))
  check_memory(nrow(X), nrow(X), copies = 2)
  check_memory(nrow(X), sum(object$weights > 0), copies = 2)
  factor <- gp_factor(object)
  cross <- gp_cross(space, object, new)
  mean <- drop(crossprod(cross, factor$alpha))
  left <- backsolve(factor$A, cross, transpose = TRUE)
  among <- new$among
  if (!is.null(new$members)) {
    among <- domain_kappa(space$domain_kernel, new$members, among = TRUE)
  }
  new$threads <- space$threads
  covariance <- object$signal_sd^2 * (gram_matrix(space$kernel, new, among) - crossprod(left))
  diag(covariance) <- pmax(diag(covariance), 0) + object$noise_sd^2
  R <- on_error(chol(covariance), function(e) abort_indefinite(object))
  mean + crossprod(R, matrix(stats::rnorm(length(mean) * nsim), length(mean)))
}

#' @exportS3Method
gp_draws.feature_space <- function(space, object, new, nsim) {
  if (nrow(new$X) == 0L) return(matrix(0, 0L, nsim))
  beta <- object$coefficients +
    object$spread %*% matrix(stats::rnorm(space$dim * nsim), space$dim)
  parts <- lapply(blocks_of_rows(nrow(new$X), space$dim), function(i) {
    at <- feature_moments_at(space, object, rows_at(new, i))
    noise <- matrix(stats::rnorm(length(i) * nsim), length(i))
    at$Z %*% beta + sqrt(at$left + object$noise_sd^2) * noise
  })
  do.call(rbind, parts)
}
