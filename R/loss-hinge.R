loss_hinge <- function() new_loss("class", hinge_tube, "max(0, 1 - y f)")

loss_squared_hinge <- function() {
  new_loss("class", hinge_tube, "its square", squared = TRUE)
}

hinge_tube <- function(y, costs, args) {
  list(low = ifelse(y > 0, 0, -costs), high = ifelse(y < 0, 0, costs), epsilon = 0)
}
