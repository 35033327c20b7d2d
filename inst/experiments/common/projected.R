# How far domains lie from the training rows in a projection: the squared mean discrepancy
# (dg_mmd(), biased) between the scores of each and those of all training rows.
shift_from_training <- function(training, scores, domain, kernel) {
  groups <- c(rep("training", nrow(training)), as.character(domain))
  dg_mmd(rbind(training, scores), groups, kernel)$squared["training", unique(as.character(domain))]
}

# What a picture of a projection shows, as numbers: see dica-figure-2.R.
projected_shift <- function(model, train, test) {
  own <- predict(model, train)
  new <- predict(model, test)
  values <- shifts(own, new, train, test)
  if (is.factor(train$y)) return(values)
  ridge <- dg_ridge(own, train$y, train$domain, domain_kernel = domain_pooled())
  c(values, r2 = r_squared(predict(ridge, new, domain = test$domain), train, test))
}

# The same of predictions, which are their own projection.
predicted_shift <- function(model, train, test) {
  new <- predict(model, test)
  c(shifts(cbind(predict(model, train)), cbind(new), train, test), r2 = r_squared(new, train, test))
}

# own, new: scores of the training and of the unseen rows.
shifts <- function(own, new, train, test) {
  kernel <- kernel_rbf(median_bandwidth(own))
  off <- function(scores, domain) mean(shift_from_training(own, scores, domain, kernel))
  c(shift = off(new, test$domain), training = off(own, train$domain))
}

r_squared <- function(predicted, train, test) {
  1 - mean((predicted - test$y)^2) / mean((test$y - mean(train$y))^2)
}
