loss_absolute <- function() {
  new_loss("number", absolute_tube, rounded_absolute, "|y - f|, whose machine predicts medians",
           kinks = 2L)
}

absolute_tube <- function(y, costs, args) list(low = -costs, high = costs, epsilon = 0)

# A tube of width 0: its two kinks are in one place.
rounded_absolute <- function(y, f, args, width) rounded_tube(y, f, list(epsilon = 0), width)
