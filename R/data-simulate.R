# The papers' generators of synthetic domains.

#' Simulate domains as in the papers
#'
#' @description
#' `simulate_dica()` (DICA paper, section 3.1): each domain has Poisson(`n`) rows from a Gaussian
#' distribution with mean 0, whose covariance is drawn from the Wishart distribution
#' \eqn{W(\eta I, 10)}{W(eta I, 10)}. The response is
#' \deqn{y = \mathrm{sign}(b_1'x + \epsilon_1)\,\log|b_2'x + c + \epsilon_2|}{
#'   y = sign(b1'x + e1) log|b2'x + c + e2|}
#' with standard normal errors.
#'
#' `simulate_dcm()` (DCM paper, section 5.1): the same with ten predictors; the class is the sign of
#' that response.
#'
#' `simulate_ellipses()` (MTL paper, algorithm 1): each domain is an ellipse rotated by an angle
#' from a uniform distribution on (pi/4, 3 pi/4). A point to the right of the major axis has class
#' 1, one to the left class -1. The class of a point thus depends on the shape of its domain.
#'
#' @details
#' The papers do not give b1, b2 and c. Here b1 and b2 are drawn from N(0, I), once for all domains,
#' and c = 0. To draw further domains from the same model, pass b1 and b2 of the first draw. With
#' more than 10 predictors the Wishart distribution has `p` degrees of freedom.
#'
#' The semi-axes of the ellipses are 1 and 0.2, as in the authors' program. `sampling = "program"`
#' also draws points as that program does, which is not uniform on the ellipse: the long coordinate
#' is uniform, the short one uniform given the long one, and classes are exactly balanced.
#'
#' @param domains Number of domains. Default 10; 16 ellipses.
#' @param n Rows per domain. Default 200 for `simulate_dica()` and 100 for `simulate_dcm()`, the
#'   mean of a Poisson distribution (values below 2 are set to 2); exactly 256 for
#'   `simulate_ellipses()`.
#' @param p Number of predictors. Default 5; 10 for `simulate_dcm()`.
#' @param eta Scale of the Wishart distribution: larger values give larger differences between
#'   domains. Default 0.2; 0.1 for `simulate_dcm()`.
#' @param b1,b2 Numeric vectors of length `p`. If `NULL` (default), drawn from N(0, I).
#' @param c Constant in the logarithm; default 0.
#' @param seed Number for reproducible draws, which leave R's random number generator unchanged. If
#'   `NULL` (default), R's generator is used.
#' @param ... Not used; an unknown argument is an error.
#' @return A data frame with `domain` (factor), `y` (numeric, or factor with levels -1 and 1) and
#'   predictors `x1`, `x2`, ... `simulate_dica()` and `simulate_dcm()` have the attributes `b1` and
#'   `b2`, `simulate_ellipses()` the `angle` of each domain.
#' @examples
#' toy <- simulate_dica(domains = 3, n = 20, seed = 1)
#' head(toy)
#' table(simulate_dcm(domains = 3, n = 20, seed = 1)$y)
#' plot(x2 ~ x1, simulate_ellipses(domains = 1, n = 200, seed = 1), col = y, asp = 1)
#' @export
simulate_dica <- function(domains = 10, n = 200, p = 5, eta = 0.2, b1 = NULL, b2 = NULL,
                          c = 0, seed = NULL, ...) {
  check_no_dots(list(...), names(formals(simulate_dica)))
  p <- check_count(p, "p")
  size <- check_simulation(domains, n, seed, p)
  eta <- check_number(eta, "eta")
  c <- check_number(c, "c", "finite")
  with_seed(seed, {
    b1 <- draw_direction(b1, "b1", p)
    b2 <- draw_direction(b2, "b2", p)
    n <- pmax(stats::rpois(size$domains, size$n), 2L)
    X <- do.call(rbind, lapply(n, function(m) gaussian_domain(m, p, eta)))
    y <- sign(X %*% b1 + stats::rnorm(nrow(X))) * log(abs(X %*% b2 + c + stats::rnorm(nrow(X))))
    toy <- data.frame(domain = domain_names(n), y = drop(y), X)
    attr(toy, "b1") <- b1
    attr(toy, "b2") <- b2
    toy
  })
}

#' @rdname simulate_dica
#' @export
simulate_dcm <- function(domains = 10, n = 100, p = 10, eta = 0.1, b1 = NULL, b2 = NULL,
                         c = 0, seed = NULL, ...) {
  toy <- simulate_dica(domains, n, p, eta, b1, b2, c, seed, ...)
  toy$y <- factor(ifelse(toy$y > 0, 1, -1), levels = c(-1, 1))
  toy
}

#' @rdname simulate_dica
#' @param sampling Distribution of the points: `"uniform"` (default), as in the paper, or
#'   `"program"`, as in the authors' program.
#' @export
simulate_ellipses <- function(domains = 16, n = 256, sampling = c("uniform", "program"),
                              seed = NULL, ...) {
  check_no_dots(list(...), names(formals(simulate_ellipses)))
  size <- check_simulation(domains, n, seed)
  sampling <- check_choice(sampling, "sampling", c("uniform", "program"))
  with_seed(seed, {
    angle <- stats::runif(size$domains, pi / 4, 3 * pi / 4)
    X <- do.call(rbind, lapply(angle, rotated_ellipse, n = size$n, sampling = sampling))
    a <- rep(angle, each = size$n)
    side <- X[, 1L] * sin(a) - X[, 2L] * cos(a)
    toy <- data.frame(domain = domain_names(rep(size$n, size$domains)),
                      y = factor(ifelse(side > 0, 1, -1), levels = c(-1, 1)),
                      x1 = X[, 1L], x2 = X[, 2L])
    attr(toy, "angle") <- stats::setNames(angle, levels(toy$domain))
    toy
  })
}

check_simulation <- function(domains, n, seed, p = 2) {
  if (!is.null(seed)) {
    check_seed(seed)
  }
  size <- list(domains = check_count(domains, "domains"), n = check_count(n, "n"))
  total <- as.numeric(size$domains) * size$n
  check_memory(total, p, what = paste("A table of", plural(total, "row")))
  check_memory(p, what = paste("The covariance of", plural(p, "predictor")))
  size
}

draw_direction <- function(b, arg, p) {
  if (is.null(b)) return(stats::rnorm(p))
  if (!is.numeric(b) || length(b) != p || any(!is.finite(b))) {
    abort("argument", "`", arg, "` must be ", p, " finite numbers, one per predictor, not ",
          describe(b), ".")
  }
  b
}

gaussian_domain <- function(n, p, eta) {
  covariance <- stats::rWishart(1L, max(10, p), diag(eta, p))[, , 1L]
  X <- matrix(stats::rnorm(n * p), n) %*% chol(covariance)
  colnames(X) <- paste0("x", seq_len(p))
  X
}

# Semi-axes 1 and 0.2; n points, rotated by angle.
rotated_ellipse <- function(angle, n, sampling) {
  if (sampling == "uniform") {
    radius <- sqrt(stats::runif(n))
    phase <- stats::runif(n, 0, 2 * pi)
    long <- radius * cos(phase)
    short <- 0.2 * radius * sin(phase)
  } else {
    long <- stats::runif(n, -1, 1)
    short <- 0.2 * sqrt(1 - long^2) * stats::runif(n) * rep_len(c(-1, 1), n)
  }
  cbind(long * cos(angle) - short * sin(angle), long * sin(angle) + short * cos(angle))
}

domain_names <- function(n) {
  width <- nchar(length(n))
  names <- sprintf(paste0("d%0", width, "d"), seq_along(n))
  factor(rep(names, n), levels = names)
}
