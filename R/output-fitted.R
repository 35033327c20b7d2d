#' Plot a fitted learner
#'
#' @description
#' How near a model's predictions come to the responses, domain by domain. For a number: observed
#' against predicted with the identity line (dashed), on which rows lie that are predicted without
#' error. For classes: what the row's own class was given, a strip for each observed class: its
#' probability where the model has them, else its decision value less the largest of the other
#' classes, positive where the prediction is right.
#'
#' Up to eight domains share one panel and have a colour and a shape each. With more, the worst,
#' the median and the best have a panel each, by their root mean squared error or their accuracy,
#' with the rows of all domains in pale grey below.
#'
#' @details
#' The caption says which predictions these are. With `newdata` they are those of new rows. Else
#' each domain is predicted without its own responses where a closed form has that (see
#' [closed_form]): for [dg_ridge()], [dg_gp()] (with a Gram matrix; its parameters have seen the
#' domain), ensembles with stacked weights and [dg_auto()]. All other models are shown on their
#' training rows: new domains are predicted less well. `plot(dg_cv(model))` has the scores of any
#' model on held-out domains.
#'
#' With more than 4000 rows, every second, third, ... is drawn; scores use all rows.
#'
#' @param x A fitted learner, pipeline or ensemble.
#' @param newdata New rows with their response; `NULL` for the rows in training.
#' @param domain,y Domain and response of each row of `newdata`, when they are not columns of it.
#' @param max_panels Maximum number of panels where there are more than eight domains.
#' @param ... Must be empty.
#' @inherit plot.dg_projection return
#' @section Errors:
#' `newdata` without a response, or that cannot be predicted, and no `newdata` for a model that
#' keeps nothing of its training rows.
#' @seealso [dg_cv()], [dg_calibration()], [domain_map()]
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' pupils <- nlme::MathAchieve
#' some <- pupils$School %in% levels(pupils$School)[1:20]
#' model <- dg_ridge(MathAch ~ SES + Sex | School, data = droplevels(pupils[some, ]), lambda = 1)
#' plot(model)
#' plot(model, newdata = droplevels(pupils[pupils$School %in% levels(pupils$School)[21:24], ]))
#' @export
plot.dg_learner <- function(x, newdata = NULL, domain = NULL, y = NULL, max_panels = 6, ...) {
  enter_session()
  check_no_dots(list(...), setdiff(names(formals(plot.dg_learner)), "x"))
  check_sealed(x)
  max_panels <- check_count(max_panels, "max_panels")
  if (x$response$kind == "censored") {
    abort("argument", "`plot()` of a model shows numbers or classes beside what is predicted, not ",
          "censored times; `plot(dg_cv(model))` shows the concordance of domains.")
  }
  scored <- if (is.null(newdata)) seen_or_left_out(x) else newdata_rows(x, newdata, domain, y)
  plot_fitted(fitted_frame(scored, x), max_panels)
}

# The rows of a plot are list(truth, domain, predicted: response; value: of classes, a matrix, or
# numbers for the second of two; kind: "prob" or "decision"; source).
newdata_rows <- function(x, newdata, domain, y) {
  predicted <- predict(x, newdata, domain = domain)
  n <- NROW(predicted)
  if (n == 0L) abort("data", "`newdata` must have at least 1 row.")
  truth <- given_response(x, newdata, y, n)
  if (x$response$kind == "number" && !is.numeric(truth)) {
    abort("data", "The response must be numeric as in training, not ", describe(truth), ".")
  }
  c(list(truth = truth, predicted = predicted, source = "New rows",
         domain = new_domain(x$blueprint, newdata, domain, n, FALSE, "newdata")),
    class_values(x, function(type) predict(x, newdata, domain = domain, type = type)))
}

# Values for rows left out in closed form, or else for the rows as they were fitted.
seen_or_left_out <- function(x) {
  left <- on_error(quietly(left_out_rows(x)), function(e) NULL)
  if (!is.null(left)) return(c(left, source = "Held-out domains"))
  if (is.null(x$y) || !is.null(x$rows$n)) {
    abort("argument", "`newdata` must be given: the model keeps nothing of its training rows.")
  }
  domain <- if (is.null(x$domain)) rep("all", length(x$y)) else x$domain
  kept <- function(type) {
    value <- predict(x, type = type)
    if (is.null(x$rows$padded)) value else take(value, x$rows$kept)
  }
  c(list(truth = x$y, domain = domain, predicted = kept("response"),
         source = "Training rows, seen by the model"), class_values(x, kept))
}

# A pipeline and an adapted model have no closed form.
left_out_rows <- function(x) UseMethod("left_out_rows")

#' @exportS3Method
left_out_rows.default <- function(x) NULL

#' @exportS3Method
left_out_rows.dg_ridge <- function(x) {
  if (is.null(x$rows$sizes)) scored_rows(closed_cv(x)$predictions)
}

#' @exportS3Method
left_out_rows.dg_ensemble <- function(x) {
  if (!is.null(x$held_out$values)) scored_rows(closed_cv(x)$predictions)
}

#' @exportS3Method
left_out_rows.dg_gp <- left_out_rows.dg_ridge

scored_rows <- function(predictions) {
  list(truth = predictions$truth, domain = predictions$domain, predicted = predictions$prediction,
       value = predictions$decision, kind = "decision")
}

# For classes: probabilities where the model has them, or else decision values.
class_values <- function(x, predicted) {
  if (x$response$kind != "class") return(NULL)
  prob <- tryCatch(quietly(predicted("prob")), domgen_error_argument = function(e) NULL)
  if (!is.null(prob)) return(list(value = prob, kind = "prob"))
  list(value = predicted("decision"), kind = "decision")
}

# A line a row: domain, observed, predicted: a number, or what the observed class was given, right.
# Attributes: kind ("number", "prob", "decision"), labels, source.
fitted_frame <- function(scored, x) {
  number <- x$response$kind == "number"
  levels <- if (is.factor(x$y)) levels(x$y) else x$response$levels
  observed <- if (number) as.vector(scored$truth) else factor(as.character(scored$truth), levels)
  frame <- data.frame(domain = as.character(scored$domain), observed = observed)
  frame$predicted <- if (number) as.vector(scored$predicted)
                     else own_class(scored$value, scored$kind, as.integer(observed), levels)
  frame$right <- if (number) NA else as.character(scored$predicted) == as.character(observed)
  frame <- frame[stats::complete.cases(frame[c("domain", "observed")]) &
                   is.finite(frame$predicted), ]
  if (nrow(frame) == 0L) abort("data", "No row has a response that could be compared.")
  structure(frame, kind = if (number) "number" else scored$kind, source = scored$source,
            labels = variable_names(x$blueprint))
}

# The value of each row's own class: its probability, or its lead over the best other class.
own_class <- function(value, kind, code, levels) {
  if (!is.matrix(value)) value <- cbind(-value, value) / 2
  else if (length(colnames(value))) value <- all_classes(value, levels, NA_real_)
  at <- cbind(seq_along(code), code)
  if (kind == "prob") return(value[at])
  observed <- value[at]
  value[at] <- -Inf
  value[is.na(value)] <- -Inf
  observed - apply(value, 1L, max)
}

# The score of each domain by its name, the worst first.
fitted_scores <- function(frame) {
  number <- attr(frame, "kind") == "number"
  each <- if (number) (frame$observed - frame$predicted)^2 else frame$right
  score <- tapply(each, frame$domain, mean)
  if (number) sort(sqrt(score), decreasing = TRUE) else sort(score)
}

# Places in an order: at most so many of the first, middle and last.
extremes <- function(n, most) {
  if (n <= most) return(stats::setNames(seq_len(n), rep("", n)))
  worst <- ceiling(most / 3)
  best <- ceiling((most - worst) / 2)
  middle <- most - worst - best
  at <- c(seq_len(worst), floor((n - middle) / 2) + seq_len(middle), seq(n - best + 1, n))
  stats::setNames(at, rep(c("Worst: ", "Median: ", "Best: "), c(worst, middle, best)))
}

plot_fitted <- function(frame, max_panels) {
  kind <- attr(frame, "kind")
  number <- kind == "number"
  labels <- attr(frame, "labels")
  score <- fitted_scores(frame)
  few <- length(score) <= 8L
  all <- frame
  if (!few) {
    at <- extremes(length(score), max_panels)
    # of each panel, as the caption says
    shown <- if (number) vapply(signif(score[at], 2), format, "")
             else paste(round(100 * score[at]), "%")
    titles <- paste0(names(at), shown, "\n", names(score)[at])
    frame$panel <- factor(titles[match(frame$domain, names(score)[at])], titles)
    frame <- frame[!is.na(frame$panel), ]
  }
  several <- few && length(score) > 1L
  # of more rows every second, third, ...
  frame <- frame[thin(nrow(frame), 4000L), ]
  each <- if (few) nrow(frame) else max(table(frame$panel))
  # strips of classes
  place <- if (number) ggplot2::position_identity()
           else ggplot2::position_jitter(0, 0.3, seed = 1L)
  wide <- if (few) name_width else 12
  beside <- min(width_beside(frame$observed), wide)
  points <- function(...) {
    ggplot2::geom_point(..., position = place, alpha = point_alpha(each),
                        size = point_size(each))
  }
  new_plot(
    frame, c(x = "predicted", y = "observed"),
    if (number) paste("Observed and predicted", labels$response)
    else paste("Predictions of", labels$response),
    paste0(attr(all, "source"), ", ", if (number) "mean RMSE " else "mean accuracy ",
           format(signif(mean(score), 3))),
    x = switch(kind, number = paste("Predicted", labels$response),
               prob = "Probability of the observed class",
               decision = "Margin of the observed class (above 0: right)"),
    y = paste("Observed", labels$response), caption = fitted_caption(all, few),
    beside = beside, key = if (several) key_width(labels$domain, names(score)) else 0
  ) +
    (if (!few) panels(frame$panel, beside = beside)) +
    few_numbers(frame$panel) +
    (if (!few) {
      ggplot2::geom_point(data = all[thin(nrow(all), 400L), ], colour = pale, size = 0.5,
                          alpha = 0.3, position = place)
    }) +
    fitted_line(kind) +
    (if (several) points(columns(colour = "domain", shape = "domain"))
     else points(colour = mean_colour)) +
    (if (several) key_of_classes(labels$domain, sort(names(score)))) +
    (if (!number) names_on("y", width = wide, lines = if (few) 2L else 1L))
}

fitted_caption <- function(frame, few) {
  source <- attr(frame, "source")
  c("Each point is a row.",
    switch(attr(frame, "kind"), number = "On the dashed line, observed equals predicted.",
           decision = "Predictions right of the dashed line are right."),
    if (!few) {
      c("Pale points are rows of all domains.",
        if (attr(frame, "kind") == "number") "Above each panel: the RMSE of its domain."
        else "Above each panel: how many of its rows are right.")
    },
    if (source == "Held-out domains") "Each domain is predicted without its own responses.",
    if (grepl("seen", source)) {
      "The model has seen these rows: new domains are predicted less well."
    })
}

# Identity; where a decision turns.
fitted_line <- function(kind) {
  switch(kind, number = ggplot2::geom_abline(linetype = 2, colour = pale),
         decision = reference_line(0))
}
