loss_epsilon_insensitive <- function() new_loss(
  kinds = "number", smooth = rounded_tube, kinks = 2L, tube = even_tube, parameters = "epsilon",
  help = "max(0, |y - f| - epsilon)"
)

loss_squared_epsilon_insensitive <- function() new_loss(
  kinds = "number", tube = even_tube, squared = TRUE, parameters = "epsilon",
  help = "max(0, |y - f| - epsilon)^2",
  smooth = function(y, f, par, width) {
    left <- pmax(abs(f - y) - par$epsilon, 0)
    list(value = left^2, slope = 2 * sign(f - y) * left, curvature = 2 * (left > 0))
  }
)

even_tube <- function(y, costs, par) list(low = -costs, high = costs, epsilon = par$epsilon)

# The sum of two kinks, max(0, y - f - epsilon) + max(0, f - y - epsilon).
rounded_tube <- function(y, f, par, width) {
  below <- rounded_kink(y - f - par$epsilon, width)
  above <- rounded_kink(f - y - par$epsilon, width)
  list(value = below$value + above$value, slope = above$slope - below$slope,
       curvature = above$curvature + below$curvature)
}
