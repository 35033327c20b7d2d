# What a picture of a projection shows, as numbers: see dica-figure-2.R.
projected_shift <- function(model, train, test) {
  own <- quietly(predict(model, train))
  new <- quietly(predict(model, test))
  kernel <- kernel_rbf(median_bandwidth(own))
  off <- function(scores) {
    both <- rbind(own, scores)
    mmd(both, rep(c("all", "one"), c(nrow(own), nrow(scores))), kernel)$squared[1L, 2L]
  }
  by_domain <- function(scores, domain) {
    mean(vapply(split(seq_along(domain), droplevels(domain)), function(i) {
      off(scores[i, , drop = FALSE])
    }, 0))
  }
  values <- c(shift = by_domain(new, test$domain), training = by_domain(own, train$domain))
  if (is.factor(train$y)) return(values)
  ridge <- quietly(dg_ridge(own, train$y, train$domain, domain_kernel = domain_pooled()))
  error <- mean((predict(ridge, new, domain = test$domain) - test$y)^2)
  c(values, r2 = 1 - error / mean((test$y - mean(train$y))^2))
}
