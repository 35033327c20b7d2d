loss_absolute <- function() {
  new_loss("number", absolute_tube, "|y - f|, whose machine predicts medians")
}

absolute_tube <- function(y, costs, args) list(low = -costs, high = costs, epsilon = 0)
