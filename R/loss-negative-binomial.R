# Negative binomial counts with the link log, which dg_mixed() has: the variance grows with the
# square of the mean (nbinom2) or in proportion to it (nbinom1), as glmmTMB names them. Fits are
# those of glmmTMB; means alone are made here.
loss_nbinom2 <- function() negative_binomial_loss("nbinom2")

loss_nbinom1 <- function() negative_binomial_loss("nbinom1")

negative_binomial_loss <- function(name) {
  range <- list(low = 0, high = Inf, open = FALSE, words = "0 or more")
  new_loss(
    learner = "dg_mixed", kinds = "number", smooth = NULL,
    check = function(y) check_family_response(y, name, range), range = c(0, Inf),
    mean = function(values, par) {
      means <- exp(values)
      report_infinite_means(means, values)
    }
  )
}
