# A simulated stand-in for the DCM paper's four oil fields, whose data are the operator's: wells
# that fail rarely, seen by sensors whose level and spread are the field's own.
#
# Eight sensors of a row are x = level_g + spread_g * (A u + noise), elementwise, with u the state
# of the well (3 numbers), A common to all fields, level_g ~ N(0, 1), log spread_g ~ N(0, 0.3^2)
# for each sensor. A failing row (1 to 3 % of a field) has its state moved by a common signature of
# length 3, and its sensors by the field's own signature of length 1.5, both times a severity
# that is uniform on (0.3, 1.3): weak failures look like anything else. Quantities are drawn anew in
# each draw.

simulate_oil_fields <- function(rows, fields = 4) {
  sensors <- 8
  direction <- function(length, p) {
    v <- stats::rnorm(p)
    length * v / sqrt(sum(v^2))
  }
  A <- matrix(stats::rnorm(3 * sensors), 3)
  common <- direction(3, 3)
  one_field <- function(g) {
    failing <- seq_len(rows) <= round(stats::runif(1, 0.01, 0.03) * rows)
    severity <- ifelse(failing, stats::runif(rows, 0.3, 1.3), 0)
    state <- matrix(stats::rnorm(3 * rows), rows) + outer(severity, common)
    x <- state %*% A + matrix(stats::rnorm(sensors * rows), rows) +
      outer(severity, direction(1.5, sensors))
    level <- stats::rnorm(sensors)
    spread <- exp(stats::rnorm(sensors, sd = 0.3))
    x <- sweep(sweep(x, 2L, spread, "*"), 2L, level, "+")
    colnames(x) <- paste0("sensor_", seq_len(sensors))
    data.frame(domain = paste0("field_", g), y = ifelse(failing, "failing", "normal"), x)
  }
  d <- do.call(rbind, lapply(seq_len(fields), one_field))
  d$domain <- factor(d$domain)
  d$y <- factor(d$y, c("normal", "failing"))
  d
}
