# A tube of width 0: its two kinks are in one place.
loss_absolute <- function() new_loss(
  kinds = "number", kinks = 2L, help = "|y - f|, which predicts medians",
  tube = function(y, costs, par) even_tube(y, costs, list(epsilon = 0)),
  smooth = function(y, f, par, width) rounded_tube(y, f, list(epsilon = 0), width)
)
