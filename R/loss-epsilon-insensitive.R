# max(0, |y - f| - epsilon), and its square.
loss_epsilon_insensitive <- function() new_loss("number", even_tube)

loss_squared_epsilon_insensitive <- function() new_loss("number", even_tube, squared = TRUE)

even_tube <- function(y, costs, args) list(low = -costs, high = costs, epsilon = args$epsilon)
