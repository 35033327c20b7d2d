# Tables of what was scored, chosen or measured.

#' @rdname tidy.domgen
#' @export
tidy.dg_tuned <- alone(function(x) {
  cbind(x$tuning$table, chosen = seq_len(nrow(x$tuning$table)) == x$tuning$chosen)
})

#' @rdname tidy.domgen
#' @export
glance.dg_tuned <- alone(function(x) {
  tuning <- x$tuning
  chosen <- tuning$table[tuning$chosen, ]
  data.frame(chosen[names(tuning$best)], metric = tuning$metric$title, mean = chosen$mean,
             se = chosen$se, choices = nrow(tuning$table), failed = sum(!is.na(tuning$table$error)),
             seconds = sum(tuning$table$seconds), row.names = NULL, check.names = FALSE)
})

#' @rdname tidy.domgen
#' @export
tidy.dg_cv <- alone(function(x) x$domains)

#' @rdname tidy.domgen
#' @export
glance.dg_cv <- alone(function(x) {
  interval <- mean_interval(x$mean, x$errors[[1L]])
  data.frame(metric = x$metrics[[1L]]$title, mean = x$mean, se = x$se, lower = interval[1L],
             upper = interval[2L], overall = x$overall, domains = nrow(x$domains),
             fits = nrow(x$fits), seconds = sum(x$fits$seconds))
})

#' @rdname tidy.domgen
#' @export
augment.dg_cv <- alone(function(x) {
  if (is.null(x$predictions)) {
    abort("argument", "`x` must be made from rows in memory: of a source no row is kept.")
  }
  rows <- x$predictions
  prob <- rows$prob
  if (is.null(prob)) return(rows)
  colnames(prob) <- paste0(".prob_", levels(rows$truth))
  cbind(rows[setdiff(names(rows), "prob")], prob)
})

#' @rdname tidy.domgen
#' @export
tidy.dg_compare <- alone(function(x) x$table)

#' @rdname tidy.domgen
#' @export
glance.dg_compare <- alone(function(x) {
  test <- x$friedman
  if (is.null(test)) test <- list(statistic = NA_real_, df = NA_real_, p = NA_real_)
  data.frame(metric = x$metrics[[1L]]$title, against = x$against, methods = nrow(x$table),
             domains = nrow(x$scores), statistic = test$statistic, df = test$df,
             p.value = test$p)
})

#' @rdname tidy.domgen
#' @export
tidy.domgen_mmd <- alone(function(x) {
  names <- rownames(x$squared)
  pairs <- which(upper.tri(x$squared), arr.ind = TRUE)
  frame <- data.frame(first = names[pairs[, 1L]], second = names[pairs[, 2L]],
                      squared = x$squared[pairs])
  if (!is.null(x$p_value)) frame$p.value <- x$p_value[pairs]
  frame
})

#' @rdname tidy.domgen
#' @export
tidy.dg_calibration <- alone(function(x) x$table)

#' @rdname tidy.domgen
#' @export
tidy.dg_diagnose <- alone(function(x) {
  columns <- c("difference", "lower", "upper", "p")
  rows <- rbind(c(x$shift$variance - x$shift$level, NA, NA, x$shift$p),
                as.matrix(x$room[columns]), as.matrix(x$gain[columns]))
  data.frame(what = c("shift", "room", "gain"), estimate = rows[, 1L], lower = rows[, 2L],
             upper = rows[, 3L], p.value = rows[, 4L], row.names = NULL)
})

#' @rdname tidy.domgen
#' @export
tidy.dg_auto <- alone(function(x) x$choice$table)

#' @rdname tidy.domgen
#' @export
tidy.dg_cost <- alone(function(x) x$passes)

#' @rdname tidy.domgen
#' @export
tidy.dg_novelty <- alone(function(x) x$domains)
