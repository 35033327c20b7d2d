# max(0, 1 - y f), and its square.
loss_hinge <- function() new_loss("class", hinge_tube)

loss_squared_hinge <- function() new_loss("class", hinge_tube, squared = TRUE)

hinge_tube <- function(y, costs, args) {
  list(low = ifelse(y > 0, 0, -costs), high = ifelse(y < 0, 0, costs), epsilon = 0)
}
