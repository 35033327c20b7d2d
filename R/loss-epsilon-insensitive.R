loss_epsilon_insensitive <- function() {
  new_loss("number", even_tube, rounded_tube, "max(0, |y - f| - epsilon)", kinks = 2L)
}

loss_squared_epsilon_insensitive <- function() {
  new_loss("number", even_tube, smooth_squared_tube, "its square", squared = TRUE)
}

even_tube <- function(y, costs, args) list(low = -costs, high = costs, epsilon = args$epsilon)

# The sum of two kinks, max(0, y - f - epsilon) + max(0, f - y - epsilon).
rounded_tube <- function(y, f, args, width) {
  below <- rounded_kink(y - f - args$epsilon, width)
  above <- rounded_kink(f - y - args$epsilon, width)
  list(value = below$value + above$value, slope = above$slope - below$slope,
       curvature = above$curvature + below$curvature)
}

smooth_squared_tube <- function(y, f, args, width) {
  left <- pmax(abs(f - y) - args$epsilon, 0)
  list(value = left^2, slope = 2 * sign(f - y) * left, curvature = 2 * (left > 0))
}
