# Holding out domains of a generalised linear model: one Newton step from the fit to all rows, in
# closed form, because it is a ridge regression of the working responses.

# So many domains, the largest, are fitted again, to say how far off the step is.
compared_domains <- 2L

#' @exportS3Method
closed_cv.dg_glm <- function(object, metric = NULL, env = parent.frame()) {
  metrics <- read_metrics(metric, object$y)
  start <- proc.time()[["elapsed"]]
  sample <- lodo_sample(object, env)
  task <- glm_task(object$family, sample, object$spec$args, object$known)
  task$costs <- object$costs
  values <- glm_solver(task$loss)$without(object, sample, task)
  failed <- attr(values, "failed")
  attr(values, "failed") <- NULL
  values[unknown_elsewhere(sample$levels, sample$domain), ] <- NA
  cv <- cv_of_values(object, values, metrics, start, failed)
  cv$one_step <- compare_refits(object, sample, task, values, compared_domains)
  cv
}

# A row for each of the largest domains that have values: root mean square difference of decision
# values of the step and of the fit to all rows from the fit without the domain.
compare_refits <- function(object, sample, task, values, refits) {
  usable <- tapply(ifelse(is.na(values[, 1L]), 0, sample$weights), sample$domain, max) > 0
  sizes <- table(sample$domain) * usable
  largest <- utils::head(names(sort(sizes[sizes > 0], decreasing = TRUE)), refits)
  lines <- lapply(largest, function(name) {
    held <- sample$domain == name
    refitted <- refit_without(object, sample, task, held)
    size <- function(all) sqrt(known_mean((all[held, , drop = FALSE] - refitted)^2))
    data.frame(domain = name, rows = sum(held), difference = size(values),
               change = size(as.matrix(object$decision)), stringsAsFactors = FALSE)
  })
  do.call(rbind, lines)
}

# Scores of the held rows by the fit to the others, with the same kernel and costs.
refit_without <- function(object, sample, task, held) {
  rest <- rows_at(sample[c("X", "domain")], !held)
  left <- task_of_rows(task, held)
  task <- task_of_rows(task, !held)
  space <- object$space
  if (!is.null(space$X)) space[c("X", "domain")] <- rest
  # levels without a row describe nothing
  rest$domain <- droplevels(rest$domain)
  solved <- train_glm(newton_data(space, rest), task, penalised_args(object))
  new <- rows_at(sample[c("X", "domain")], held)
  new$domain <- droplevels(new$domain)
  values <- add_intercept(space_expansion(space, new, solved$coefficients), solved$intercept)
  task$loss$scores(add_offset(values, left$offset), solved$par)
}
