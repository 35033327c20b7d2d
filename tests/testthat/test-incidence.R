skip_on_cran() # fits

skip_if_not_installed("survival")

# Times of two kinds of events and censoring, with a hazard that depends on x.
competing_world <- function(seed, domains = 8, rows = 60) {
  set.seed(seed)
  n <- domains * rows
  world <- data.frame(g = factor(rep(seq_len(domains), each = rows)), x = rnorm(n), z = rnorm(n))
  first <- rexp(n, 0.1 * exp(world$x))
  second <- rexp(n, 0.05 * exp(-world$z))
  end <- runif(n, 0, 20)
  world$time <- pmin(first, second, end)
  world$kind <- ifelse(world$time == end, "none", ifelse(first < second, "a", "b"))
  world
}

causes_of <- function(world, method = dg_lm, ...) {
  list(a = method(survival::Surv(time, kind == "a") ~ x + z | g, data = world, ...),
       b = method(survival::Surv(time, kind == "b") ~ x + z | g, data = world, ...))
}

test_that("with constant hazards between events the sums are the integral", {
  hazards <- list(a = c(0, 0.3, 0.3, 1.1), b = c(0, 0.1, 0.6, 0.9))
  at <- 0:3
  rate <- function(h, t) diff(h)[findInterval(t, at, rightmost.closed = TRUE)]
  total <- function(t) stats::approx(at, hazards$a + hazards$b, t)$y
  state <- list(hazards = list(a = 0, b = 0), P = matrix(0, 1, 2))
  expected <- c(0, 0)
  for (k in 1:3) {
    state <- domgen:::incidence_step(state, lapply(hazards, `[`, k + 1L))
    expected <- expected + vapply(hazards, function(h) {
      stats::integrate(function(t) exp(-total(t)) * rate(h, k - 0.5), k - 1, k, rel.tol = 1e-10)$value
    }, 0)
    expect_equal(drop(state$P), unname(expected), tolerance = 1e-9)
  }
})

test_that("incidences are near the truth and add up to what is lost", {
  world <- competing_world(1, rows = 200)
  causes <- causes_of(world)
  new <- data.frame(x = c(-1, 0, 1), z = c(0, 0, 1), g = "new")
  found <- dg_incidence(causes, new, c(2, 8))
  expect_identical(dimnames(found)[2:3], list(c("2", "8"), c("a", "b")))
  a <- 0.1 * exp(new$x)
  b <- 0.05 * exp(-new$z)
  truth <- function(t) cbind(a, b) / (a + b) * (1 - exp(-(a + b) * t))
  expect_lt(max(abs(found[, "2", ] - truth(2))), 0.05)
  expect_lt(max(abs(found[, "8", ] - truth(8))), 0.1)
  left <- Reduce(`*`, lapply(causes, predict, new, type = "survival", times = c(2, 8)))
  expect_equal(apply(found, 1:2, sum), 1 - left, tolerance = 1e-12, ignore_attr = TRUE)
  # a few times at once, and in any order
  cells <- domgen:::incidence_cells
  on.exit(utils::assignInNamespace("incidence_cells", cells, "domgen"))
  utils::assignInNamespace("incidence_cells", 30, "domgen")
  in_parts <- dg_incidence(causes, new, c(8, 2))
  expect_equal(in_parts[, 2:1, ], found, tolerance = 1e-12)
  expect_identical(dim(dg_incidence(causes, new[0, ], c(2, 8))), c(0L, 2L, 2L))
})

test_that("survival's multi-state Cox models say the same", {
  world <- competing_world(2)
  world$state <- factor(world$kind, c("none", "a", "b"))
  world$id <- seq_len(nrow(world))
  reference <- survival::coxph(survival::Surv(time, state) ~ x + z, data = world, id = id)
  new <- world[c(1, 70, 300), ]
  found <- dg_incidence(causes_of(world), new, c(3, 10))
  other <- summary(survival::survfit(reference, newdata = new[c("x", "z")]), times = c(3, 10))
  for (kind in c("a", "b")) {
    # a product over events there, an integral here: they differ by half of the hazard of one event
    probabilities <- other$pstate[, , other$states == kind]
    expect_equal(unname(found[, , kind]), unname(t(probabilities)), tolerance = 0.01)
  }
})

test_that("models of any method are combined, and rows with missing values are missing", {
  world <- competing_world(3, domains = 4)
  causes <- list(a = causes_of(world, dg_glm, lambda = 10)$a, b = causes_of(world)$b)
  new <- world[1:3, ]
  new$x[2] <- NA
  expect_warning(found <- dg_incidence(causes, new, 5), class = "domgen_warning_missing")
  expect_identical(which(is.na(found[, 1, "a"])), c(`2` = 2L))
  expect_true(all(found[-2, , ] > 0 & found[-2, , ] < 1))
})

test_that("what are no competing events is refused", {
  world <- competing_world(4, domains = 3, rows = 20)
  causes <- causes_of(world)
  wrong <- function(causes, ...) expect_error(dg_incidence(causes, world, 5), ...)
  wrong(causes$a, "`objects` must be a list of two", class = "domgen_error_argument")
  wrong(unname(causes), "`objects` must be a list of two", class = "domgen_error_argument")
  wrong(list(a = causes$a, b = 1), "objects\\$b", class = "domgen_error_argument")
  wrong(list(a = causes$a, b = causes$a), "event of several", class = "domgen_error_argument")
  wrong(list(a = causes$a, b = causes_of(world[-1, ])$b), "same rows",
        class = "domgen_error_argument")
  wrong(list(a = causes$a, b = dg_lm(x ~ z | g, data = world)), "one of a number",
        class = "domgen_error_argument")
})
