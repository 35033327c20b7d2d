loss_hinge <- function() new_loss(
  kinds = "class", kinks = 1L, tube = hinge_tube, help = "max(0, 1 - y f)",
  smooth = function(y, f, par, width) {
    kink <- rounded_kink(1 - y * f, width)
    list(value = kink$value, slope = -y * kink$slope, curvature = y^2 * kink$curvature)
  }
)

loss_squared_hinge <- function() new_loss(
  kinds = "class", tube = hinge_tube, squared = TRUE, help = "max(0, 1 - y f)^2",
  smooth = function(y, f, par, width) {
    left <- pmax(1 - y * f, 0)
    list(value = left^2, slope = -2 * y * left, curvature = 2 * y^2 * (left > 0))
  }
)

hinge_tube <- function(y, costs, par) {
  list(low = ifelse(y > 0, 0, -costs), high = ifelse(y < 0, 0, costs), epsilon = 0)
}
