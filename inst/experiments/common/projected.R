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
  kernel <- kernel_rbf(median_bandwidth(own))
  off <- function(scores, domain) mean(shift_from_training(own, scores, domain, kernel))
  values <- c(shift = off(new, test$domain), training = off(own, train$domain))
  if (is.factor(train$y)) return(values)
  ridge <- dg_ridge(own, train$y, train$domain, domain_kernel = domain_pooled())
  error <- mean((predict(ridge, new, domain = test$domain) - test$y)^2)
  c(values, r2 = 1 - error / mean((test$y - mean(train$y))^2))
}
