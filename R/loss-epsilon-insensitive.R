loss_epsilon_insensitive <- function() new_loss("number", even_tube, "max(0, |y - f| - epsilon)")

loss_squared_epsilon_insensitive <- function() {
  new_loss("number", even_tube, "its square", squared = TRUE)
}

even_tube <- function(y, costs, args) list(low = -costs, high = costs, epsilon = args$epsilon)
