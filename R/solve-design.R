# Linear predictors without a penalty: Newton's method for the coefficients of a design matrix, of
# the same losses and families as the functions on kernels. problem: as of solve_newton(), with
# data = list(design [n x p]) and the constant among the columns. Of several classes the first has
# the coefficients 0, beside which those of the others stand.
solve_design <- function(problem) {
  Z <- problem$data$design
  m <- ncol(problem$start)
  limits <- newton_limits(problem$args$tolerance, 0)
  state_at <- function(B) {
    f <- problem$start + Z %*% B
    list(B = B, f = f, value = sum_losses(problem$loss, problem$par, problem$Y, f, problem$costs))
  }
  now <- state_at(if (is.null(problem$alpha)) matrix(0, ncol(Z), m)
                  else as.matrix(problem$alpha[[1L]]))
  converged <- FALSE
  for (iteration in seq_len(limits$most)) {
    step <- design_step(problem, Z, now$f)
    ahead <- state_at(now$B + step$change)
    # one step leads to the least of a parabola, whatever overflows there
    converged <- problem$loss$quadratic ||
      is_last_step(step$decrement, now$value, sum(problem$costs), limits)
    t <- 1
    while (!problem$loss$quadratic && t > 1e-10 &&
           !isTRUE(ahead$value <= now$value * (1 + 1e-13))) {
      t <- t / 2
      ahead <- state_at(now$B + t * step$change)
    }
    # where rounding decides no step goes on
    if (t <= 1e-10) break
    now <- ahead
    if (converged) break
  }
  list(coefficients = now$B, intercept = numeric(m), decision = now$f - problem$start,
       converged = converged, iterations = iteration, par = problem$par)
}

# A step of Newton's method (McCullagh and Nelder, 1989, section 2.5): with slope s and curvature W
# of the loss at f = Z B and costs C, change = -(Z'C W Z)^-1 Z'C s.
# list(change [p x m], decrement: twice what the step gains of the quadratic approximation at f).
design_step <- function(problem, Z, f) {
  used <- problem$costs > 0
  Z <- Z[used, , drop = FALSE]
  costs <- problem$costs[used]
  at <- problem$loss$smooth(problem$Y[used, , drop = FALSE], f[used, , drop = FALSE], problem$par,
                            0)
  gradient <- crossprod(Z, costs * at$slope)
  change <- 0 * gradient
  if (ncol(f) == 1L) {
    bent <- at$curvature[, 1L]
    some <- which(costs * bent > 1e-300)
    change[] <- stats::lm.wfit(Z[some, , drop = FALSE], -at$slope[some, 1L] / bent[some],
                               (costs * bent)[some])$coefficients
  } else {
    # the curvature diag(p) - p p' of each row, without the first class
    p <- (at$slope + problem$Y[used, , drop = FALSE])[, -1L, drop = FALSE]
    blocks <- lapply(seq_len(ncol(p)), function(a) {
      do.call(cbind, lapply(seq_len(ncol(p)), function(b) {
        crossprod(Z, costs * p[, a] * ((a == b) - p[, b]) * Z)
      }))
    })
    change[, -1L] <- -qr.coef(qr(do.call(rbind, blocks), tol = 1e-14), c(gradient[, -1L]))
  }
  # what rows with a weight do not tell apart
  change[is.na(change)] <- 0
  list(change = change, decrement = abs(sum(gradient * change)))
}
