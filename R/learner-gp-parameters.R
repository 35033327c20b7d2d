# The parameters of a Gaussian process: what is fitted, where it is in the
# kernels, between which bounds. A point is
#   list(signal_sd, noise_sd, kernel, domain_kernel)
# with every number filled in (see domain_start.domain_embedding() for the unit of
# one kind of them); a block names some of its numbers,
#   list(of: "signal_sd", "noise_sd", "kernel" or "domain", path, size, name, meaning, link),
# of "domain" a domain_parameter(). The optimiser sees the logarithms (or logits) of all blocks
# in one vector.

block <- function(of, path = NULL, size = 1L, name = of, meaning = NULL) {
  list(of = of, path = path, size = size, name = name, meaning = meaning, link = "log")
}

signal_block <- function() block("signal_sd", meaning = "standard deviation of f")

noise_block <- function() block("noise_sd", meaning = "standard deviation of the noise")

kernel_block <- function(path, size) {
  block("kernel", path, size, "bandwidth", "bandwidth of the kernel on x")
}

# Parameters that were not given are fitted.
open_blocks <- function(args) {
  c(if (is.null(args$signal_sd)) list(signal_block()),
    if (is.null(args$noise_sd)) list(noise_block()))
}

# One domain says nothing about kappa.
free_blocks <- function(args, p, domains) {
  on_x <- lapply(free_bandwidths(args$kernel), function(path) {
    columns <- if (args$ard) path_columns_of(args$kernel, path, p)
    kernel_block(path, max(length(columns), 1L))
  })
  c(open_blocks(args), on_x, if (domains > 1L) free_parameters(args$domain_kernel))
}

# All parameters of a point, given or fitted.
all_blocks <- function(point) {
  c(list(signal_block(), noise_block()),
    lapply(free_bandwidths(point$kernel, all = TRUE), function(path) {
      kernel_block(path, length(get_bandwidth(point$kernel, path)))
    }),
    domain_parameters(point$domain_kernel))
}

get_block <- function(point, block) {
  switch(block$of,
    kernel = rep_len(get_bandwidth(point$kernel, block$path), block$size),
    domain = get_domain_parameter(point$domain_kernel, block), point[[block$of]])
}

set_block <- function(point, block, value) {
  switch(block$of,
    kernel = point$kernel <- set_bandwidth(point$kernel, block$path, value),
    domain = point$domain_kernel <- set_domain_parameter(point$domain_kernel, block, value),
    point[[block$of]] <- value)
  point
}

# As the optimiser sees a number, and back.
link_of <- function(block) if (block$link == "logit") stats::qlogis else log

inverse_link <- function(block) if (block$link == "logit") stats::plogis else exp

# theta: the numbers of the blocks as the optimiser sees them.
point_theta <- function(point, blocks) {
  unlist(lapply(blocks, function(b) link_of(b)(get_block(point, b))))
}

theta_point <- function(theta, point, blocks) {
  parts <- split_blocks(theta, blocks)
  for (i in seq_along(blocks)) {
    point <- set_block(point, blocks[[i]], inverse_link(blocks[[i]])(parts[[i]]))
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
    if (b$link == "logit") return(stats::qlogis(c(1e-4, 1 - 1e-4)))
    log(switch(b$of, signal_sd = point$signal_sd * c(1e-3, 1e3),
               # the noise starts at half of the response's size
               noise_sd = 2 * point$noise_sd * c(1e-4, 10), get_block(point, b)[1L] * c(1e-2, 1e3)))
  }
  list(lower = unlist(lapply(blocks, function(b) rep(range(b)[1L], b$size))),
       upper = unlist(lapply(blocks, function(b) rep(range(b)[2L], b$size))))
}

# By how much a start differs from the first: list(bandwidth, embedding_kernel, noise_sd).
start_factors <- function(start) {
  switch(min(start, 4L),
    list(bandwidth = 1, embedding_kernel = 1, noise_sd = 1),
    list(bandwidth = 1 / 3, embedding_kernel = 3, noise_sd = 0.4),
    list(bandwidth = 3, embedding_kernel = 1 / 3, noise_sd = 1.5),
    as.list(exp(stats::rnorm(3L, sd = c(1, 1, 0.7)))) |>
      stats::setNames(c("bandwidth", "embedding_kernel", "noise_sd")))
}

# sample: made by rows_of(); size: of the response.
start_point <- function(args, sample, size, factors) {
  # bandwidths that are fitted start at a multiple of the median
  kernel <- times_bandwidths(kernel_fit(args$kernel, sample$X), free_bandwidths(args$kernel),
                             factors$bandwidth)
  domain_kernel <- domain_start(args$domain_kernel, sample, factors)
  diagonal <- kernel_diag_(kernel_program(kernel, sample$X, sample$X), sample$X)
  check_overflow(diagonal, kernel)
  kappa <- domain_at(domain_kernel, sample)$kappa
  if (!is.null(kappa)) diagonal <- diagonal * diag(kappa)[as.integer(sample$domain)]
  largest <- if (mean(diagonal) > 0) sqrt(mean(diagonal)) else 1
  list(signal_sd = if (is.null(args$signal_sd)) size / largest else args$signal_sd,
       noise_sd = if (is.null(args$noise_sd)) factors$noise_sd * size / 2 else args$noise_sd,
       kernel = kernel, domain_kernel = domain_kernel)
}

# A point whose bandwidths are all in their own units.
absolute_point <- function(point, sample) {
  point$domain_kernel <- domain_at(point$domain_kernel, sample)$kernel
  point
}
