loss_hinge <- function() {
  new_loss("class", hinge_tube, rounded_hinge, "max(0, 1 - y f)", kinks = 1L)
}

loss_squared_hinge <- function() {
  new_loss("class", hinge_tube, smooth_squared_hinge, "its square", squared = TRUE)
}

hinge_tube <- function(y, costs, args) {
  list(low = ifelse(y > 0, 0, -costs), high = ifelse(y < 0, 0, costs), epsilon = 0)
}

rounded_hinge <- function(y, f, args, width) {
  kink <- rounded_kink(1 - y * f, width)
  list(value = kink$value, slope = -y * kink$slope, curvature = y^2 * kink$curvature)
}

smooth_squared_hinge <- function(y, f, args, width) {
  left <- pmax(1 - y * f, 0)
  list(value = left^2, slope = -2 * y * left, curvature = 2 * y^2 * (left > 0))
}
