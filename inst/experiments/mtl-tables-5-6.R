# MTL paper, tables 5 and 6 and figure 5: which of two satellites that were launched together sent a
# signal, learned from N other launches with n measurements each. The simulated measurements of
# Sharma and Cutler (2015) are not public: this is a stand-in of our own, so that its errors are not
# the paper's; what can be compared is what N, n and the kernel between launches do.
#
# A launch passes over a flat network of four ground stations on a straight line at the speed of a
# circular orbit. Random are its height, heading, distance from the network and the time of the
# pass; the second satellite flies behind the first and beside it, both at random. A measurement is
# the time on the ground's clock and the Doppler shift of a 437 MHz carrier at each station, with
# noise. At a given time, what a shift says of the satellite depends on the launch, which its
# unlabelled measurements tell. The distributions are plausible, not fitted to anything.
#
# As published otherwise: ten of 50 launches for testing, Gaussian kernels, random Fourier features
# (a hundred in each stage, beside the product map of landmarks), five folds of launches, grids that
# extend. `rows = 100` stands beside the paper's line "all training data". The null model guesses:
# classes are balanced.

simulate_launches <- function(launches = 50, rows = 100) {
  stations <- rbind(c(0, 0), c(150, 40), c(-60, 170), c(-120, -110)) # km
  one_launch <- function(g) {
    height <- stats::runif(1, 400, 700) # km
    speed <- sqrt(398600 / (6371 + height)) # km/s: mu / radius
    heading <- stats::rnorm(1, 0, 20 * pi / 180)
    along <- c(cos(heading), sin(heading))
    across <- c(-along[2L], along[1L])
    start <- c(stats::rnorm(1, 0, 3), 0) # s: when the first one is nearest
    start[2L] <- start[1L] + stats::runif(1, 3, 9)
    beside <- stats::rnorm(1, 0, 150) + c(0, stats::rnorm(1, 0, 10)) # km
    y <- sample(rep_len(1:2, rows))
    time <- stats::runif(rows, -60, 60)
    place <- outer(speed * (time - start[y]), along) + outer(beside[y], across)
    shift <- apply(stations, 1L, function(station) {
      away <- sweep(place, 2L, station)
      # range rate times frequency over the speed of light, in Hz
      -drop(away %*% along) * speed / sqrt(rowSums(away^2) + height^2) * 437e6 / 299792
    })
    shift <- shift + stats::rnorm(length(shift), 0, 100)
    data.frame(domain = sprintf("launch%02d", g), y = factor(y), time = time, shift = shift / 1000)
  }
  d <- do.call(rbind, lapply(seq_len(launches), one_launch))
  d$domain <- factor(d$domain)
  d
}

launches <- c(10, 20, 30, 40)
rows <- c(5, 15, 30, 45, 100)
published <- list(
  mtl = matrix(c(8.62, 6.21, 6.61, 5.61, 5.36, 7.61, 5.90, 5.33, 5.19, 4.91, 8.25, 5.85, 5.37, 4.71,
                 3.86, 7.17, 5.43, 5.35, 4.70, 4.08), 5, dimnames = list(rows, launches)),
  pooling = matrix(c(8.13, 6.55, 6.06, 5.58, 5.37, 7.54, 5.81, 5.36, 5.12, 4.98, 7.94, 5.79, 5.56,
                     5.30, 5.32, 6.96, 5.57, 5.31, 4.99, 5.14), 5, dimnames = list(rows, launches))
)

experiment(
  paper = "MTL", item = "tables 5-6, figure 5",
  title = "Two satellites told apart, simulated stand-in: pooled and between launches",
  draws = c(quick = 1, normal = 5, full = 20), minutes = c(quick = 0.2, normal = 22, full = 100),
  tolerance = c(error = 0.3),
  cells = function(size) {
    switch(size,
      quick = data.frame(domains = 10, rows = 15),
      normal = rbind(expand.grid(domains = c(10, 40), rows = c(5, 15, 45, 100)),
                     expand.grid(domains = c(20, 30), rows = c(15, 45))),
      full = expand.grid(domains = launches, rows = rows)
    )
  },
  run = function(cell, draw, data) {
    split <- split_domains(simulate_launches(), 40, 10)
    train <- draw_rows(some_domains(split$train, cell$domains), cell$rows, by = "y")
    marginal_methods(train, percent_wrong(split$test), marginal_machines(marginal_grids),
                     published_cell(published, cell), cv = accuracy_to_error)
  }
)
