# The parameters of a Gaussian process: what is fitted, where it is in the
# kernels, between which bounds. A point is
#   list(signal, noise, kernel, domain_kernel)
# with every number filled in (see domain_start.domain_embedding() for the unit of
# one kind of them); a block names some of its numbers,
#   list(of, path, size), of: "signal", "noise", "kernel", "embedding", "outer", "tau".
# The optimiser sees the logarithms (logit of tau) of all blocks in one vector.

block <- function(of, path = integer(), size = 1L) list(of = of, path = path, size = size)

# What was not given is fitted. One domain says nothing about kappa.
free_blocks <- function(args, p, domains) {
  blocks <- c(
    if (is.null(args$signal)) list(block("signal")), if (is.null(args$noise)) list(block("noise")),
    lapply(free_bandwidths(args$kernel), function(path) {
      block("kernel", path,
            if (args$per_predictor) length(path_columns_of(args$kernel, path, p)) else 1L)
    })
  )
  if (domains < 2L) blocks else c(blocks, domain_blocks(args$domain_kernel))
}

# Of the kernel between domains; all: the given ones too.
domain_blocks <- function(kernel, all = FALSE) UseMethod("domain_blocks")

#' @exportS3Method
domain_blocks.domgen_domain_kernel <- function(kernel, all = FALSE) list()

#' @exportS3Method
domain_blocks.domain_multitask <- function(kernel, all = FALSE) {
  if (all || is.null(kernel$tau)) list(block("tau"))
}

#' @exportS3Method
domain_blocks.domain_embedding <- function(kernel, all = FALSE) {
  embedding <- if (all) free_bandwidths(kernel$kernel, all = TRUE) else free_embedding(kernel)
  c(kernel_blocks_of("embedding", kernel$kernel, embedding),
    kernel_blocks_of("outer", kernel$outer, free_bandwidths(kernel$outer, all = all)))
}

kernel_blocks_of <- function(of, kernel, paths) {
  lapply(paths, function(path) {
    block(of, path, max(length(get_bandwidth(kernel, path)), 1L))
  })
}

get_block <- function(point, block) {
  switch(block$of,
    signal = point$signal, noise = point$noise, tau = point$domain_kernel$tau,
    kernel = rep_len(get_bandwidth(point$kernel, block$path), block$size),
    embedding = get_bandwidth(point$domain_kernel$kernel, block$path),
    outer = get_bandwidth(point$domain_kernel$outer, block$path))
}

set_block <- function(point, block, value) {
  switch(block$of,
    signal = point$signal <- value, noise = point$noise <- value,
    tau = point$domain_kernel$tau <- value,
    kernel = point$kernel <- set_bandwidth(point$kernel, block$path, value),
    embedding = point$domain_kernel$kernel <-
      set_bandwidth(point$domain_kernel$kernel, block$path, value),
    outer = point$domain_kernel$outer <-
      set_bandwidth(point$domain_kernel$outer, block$path, value))
  point
}

# theta: the numbers of the blocks as the optimiser sees them.
point_theta <- function(point, blocks) {
  unlist(lapply(blocks, function(b) {
    value <- get_block(point, b)
    if (b$of == "tau") stats::qlogis(value) else log(value)
  }))
}

theta_point <- function(theta, point, blocks) {
  parts <- split_blocks(theta, blocks)
  for (i in seq_along(blocks)) {
    value <- if (blocks[[i]]$of == "tau") stats::plogis(parts[[i]]) else exp(parts[[i]])
    point <- set_block(point, blocks[[i]], value)
  }
  point
}

split_blocks <- function(theta, blocks) {
  sizes <- vapply(blocks, `[[`, integer(1), "size")
  unname(split(unname(theta), factor(rep(seq_along(blocks), sizes), seq_along(blocks))))
}

# Bounds around the first start: list(lower, upper) of theta.
theta_bounds <- function(point, blocks) {
  range <- function(b) {
    switch(b$of, tau = stats::qlogis(c(1e-4, 1 - 1e-4)), signal = log(point$signal * c(1e-3, 1e3)),
           # the noise starts at half of the response's size
           noise = log(2 * point$noise * c(1e-4, 10)),
           log(get_block(point, b)[1L] * c(1e-2, 1e3)))
  }
  list(lower = unlist(lapply(blocks, function(b) rep(range(b)[1L], b$size))),
       upper = unlist(lapply(blocks, function(b) rep(range(b)[2L], b$size))))
}

# By how much a start differs from the first: list(bandwidth, outer, noise).
start_factors <- function(start) {
  switch(min(start, 4L),
    list(bandwidth = 1, outer = 1, noise = 1), list(bandwidth = 1 / 3, outer = 3, noise = 0.4),
    list(bandwidth = 3, outer = 1 / 3, noise = 1.5),
    as.list(exp(stats::rnorm(3L, sd = c(1, 1, 0.7)))) |>
      stats::setNames(c("bandwidth", "outer", "noise")))
}

# rows: list(X, domain), all training rows; size: of the response.
start_point <- function(args, rows, size, factors, threads) {
  # bandwidths that are fitted start at a multiple of the median
  kernel <- times_bandwidths(kernel_fit(args$kernel, rows$X), free_bandwidths(args$kernel),
                             factors$bandwidth)
  domain_kernel <- domain_start(args$domain_kernel, rows, factors, threads)
  own <- kernel_diag_(kernel_program(kernel, rows$X, rows$X), rows$X)
  check_overflow(own, kernel)
  kappa <- kappa_at(domain_kernel, rows, threads)$kappa
  if (!is.null(kappa)) own <- own * diag(kappa)[as.integer(rows$domain)]
  largest <- if (mean(own) > 0) sqrt(mean(own)) else 1
  list(signal = if (is.null(args$signal)) size / largest else args$signal,
       noise = if (is.null(args$noise)) factors$noise * size / 2 else args$noise,
       kernel = kernel, domain_kernel = domain_kernel)
}

# The domain kernel with every number filled in.
domain_start <- function(kernel, rows, factors, threads) UseMethod("domain_start")

#' @exportS3Method
domain_start.domgen_domain_kernel <- function(kernel, rows, factors, threads) kernel

#' @exportS3Method
domain_start.domain_multitask <- function(kernel, rows, factors, threads) {
  if (is.null(kernel$tau)) kernel$tau <- 0.5
  kernel
}

# Distances between embeddings shrink as their bandwidth grows, and the two
# bandwidths would have to move together: those of the outer kernel that are
# fitted, at the paths `relative`, are in units of the distance for as long.
#' @exportS3Method
domain_start.domain_embedding <- function(kernel, rows, factors, threads) {
  kernel$relative <- free_bandwidths(kernel$outer)
  kernel$kernel <- times_bandwidths(kernel_fit(kernel$kernel, rows$X), free_embedding(kernel),
                                    factors$bandwidth)
  inner <- embedding_gram(kernel$kernel, rows$X, rows$domain, threads)
  fitted <- fit_outer(kernel$outer, inner, tabulate(rows$domain, nlevels(rows$domain)),
                      mean(kernel_own(kernel$kernel, rows$X)))
  kernel$outer <- times_bandwidths(fitted, kernel$relative, factors$outer / embedding_distance(inner))
  kernel
}

times_bandwidths <- function(kernel, paths, factor) {
  for (path in paths) kernel <- set_bandwidth(kernel, path, factor * get_bandwidth(kernel, path))
  kernel
}

# Root mean square distance between embeddings; 1 where rounding tells none apart.
embedding_distance <- function(inner) {
  square <- mean_square_distance(inner)
  if (square > 0) sqrt(square) else 1
}

mean_square_distance <- function(inner) {
  square <- mean(squared_distances(inner, diag(inner), diag(inner)))
  if (square > embedding_rounding * max(diag(inner))) square else 0
}

# Its logarithm's derivative when the inner products change.
embedding_distance_slope <- function(inner, change) {
  square <- mean_square_distance(inner)
  moved <- 2 * (mean(diag(change)) - mean(change))
  if (square > 0) moved / (2 * square) else 0
}

# A point whose bandwidths are all in their own units.
absolute_point <- function(point, rows, threads) {
  kernel <- point$domain_kernel
  if (length(kernel$relative)) kernel$outer <- kappa_at(kernel, rows, threads)$outer
  kernel$relative <- NULL
  point$domain_kernel <- kernel
  point
}

# list(kappa [G x G] or NULL; inner, outer: what its derivative needs). `inner` is
# given again where it does not change.
kappa_at <- function(kernel, rows, threads, inner = NULL) UseMethod("kappa_at")

#' @exportS3Method
kappa_at.domgen_domain_kernel <- function(kernel, rows, threads, inner = NULL) {
  list(kappa = domain_kernel_fit(kernel, rows$X, rows$domain, threads)$kappa)
}

#' @exportS3Method
kappa_at.domain_embedding <- function(kernel, rows, threads, inner = NULL) {
  if (is.null(inner)) {
    inner <- unname(embedding_gram(kernel$kernel, rows$X, rows$domain, threads))
  }
  outer <- times_bandwidths(kernel$outer, kernel$relative, embedding_distance(inner))
  kappa <- kernel_profile(outer, inner, diag(inner), diag(inner))
  check_overflow(kappa, outer)
  list(kappa = kappa, inner = inner, outer = outer)
}

# d kappa [G x G] in the log of a bandwidth, or in tau.
kappa_slope <- function(kernel, block, kappa, rows, threads) {
  if (block$of == "tau") return(1 - diag(nrow(kappa$kappa)))
  if (block$of == "outer") return(bandwidth_profile_slope(kappa$outer, block$path, kappa$inner))
  program <- kernel_program(kernel$kernel, rows$X, rows$X)
  program <- slope_program(kernel$kernel, program, block$path, rows$X)
  codes <- as.integer(rows$domain)
  G <- nlevels(rows$domain)
  change <- kernel_means_(program, rows$X, codes, G, NULL, NULL, G, threads)
  slope <- kernel_profile_slope(kappa$outer, kappa$inner, change)
  moved <- embedding_distance_slope(kappa$inner, change)
  for (path in kernel$relative) {
    slope <- slope + moved * bandwidth_profile_slope(kappa$outer, path, kappa$inner)
  }
  slope
}
