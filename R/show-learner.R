#' Plot how a fitted model predicts domains that it has not seen
#'
#' @description
#' *Numbers*: observed against predicted, a panel a domain from the worst to the best root mean
#' squared error, over all other rows in pale; of more than `max_panels` domains those that are
#' spread evenly from the worst to the best. On the broken line a prediction is right. A model with
#' [dg_gp()]'s posterior has its 95 % prediction interval of each row.
#'
#' *Classes*: the share of each domain's rows that is predicted right, with Wilson's 95 % interval,
#' and a coloured mark for the share among its rows of each class. [dg_calibration()] draws
#' predicted probabilities.
#'
#' Without `newdata` each training domain is predicted from the others, in closed form, as [lodo()]
#' does; parameters that were chosen by all domains stay as they are. The line under the title says
#' which of both it is. See [plot.dg_projection()] on colours, and [plot.dg_cv()] for the scores of
#' a model that is fitted again without each domain.
#'
#' @param x,object A fitted model.
#' @param newdata Rows of domains that the model has not seen, with the response; `NULL` for the
#'   training domains, each left out, of [dg_ridge()], [dg_gp()] (no feature map), [dg_ensemble()]
#'   and [dg_auto()].
#' @param domain,y Domain and response of each row of `newdata`, when they are not columns of it.
#' @param max_panels At most so many domains have a panel.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A model that does not leave domains out in closed form without `newdata`; `newdata` without the
#' response; those of [lodo()] and [predict.dg_learner()].
#' @examples
#' toy <- simulate_dica(domains = 6, rows = 40, seed = 1)
#' plot(dg_ridge(y ~ . | domain, data = toy))
#' new <- toy$domain %in% levels(toy$domain)[5:6]
#' plot(dg_svm(y ~ . | domain, data = toy[!new, ]), newdata = toy[new, ])
#' @export
plot.dg_learner <- function(x, newdata = NULL, domain = NULL, y = NULL, max_panels = 6, ...) {
  show_picture(x, newdata, domain, y, max_panels, ...)
}

#' @rdname plot.dg_learner
#' @exportS3Method ggplot2::autoplot
autoplot.dg_learner <- function(object, newdata = NULL, domain = NULL, y = NULL, max_panels = 6,
                                ...) {
  as_ggplot(picture(object, newdata, domain, y, max_panels, ...))
}

#' @exportS3Method
picture.dg_learner <- function(x, newdata = NULL, domain = NULL, y = NULL, max_panels = 6, ...) {
  check_no_dots(list(...), c("newdata", "domain", "y", "max_panels"))
  max_panels <- check_count(max_panels, "max_panels")
  frame <- learner_frame(x, newdata, domain, y)
  note <- if (is.null(newdata)) "each domain predicted from the others (closed form)"
          else "new rows, which the model has not seen"
  title <- x$spec$parts$title
  if (is.null(title)) title <- class(x)[1L]
  labels <- variable_names(x$blueprint)
  if (is.factor(frame$truth)) return(right_picture(frame, labels, title, note))
  observed_picture(frame, labels, title, note, max_panels)
}

# One line a row that has both: domain (factor), truth, predicted, lower, upper.
learner_frame <- function(x, newdata, domain, y) {
  frame <- if (is.null(newdata)) left_out_frame(x) else new_frame(x, newdata, domain, y)
  frame <- frame[!is.na(frame$truth) & !is.na(frame$predicted) & !is.na(frame$domain), ]
  if (nrow(frame) == 0L) abort("data", "No row has both a response and a prediction.")
  frame$domain <- droplevels(frame$domain)
  frame
}

left_out_frame <- function(x) UseMethod("left_out_frame")

#' @exportS3Method
left_out_frame.default <- function(x) {
  abort("argument", "`newdata` must be given, rows of other domains with their response: only ",
        "`dg_ridge()`, `dg_gp()`, `dg_ensemble()` and `dg_auto()` leave their training domains ",
        "out in closed form. plot(dg_cv()) shows how well ", describe(x),
        " does when it is fitted again.")
}

#' @exportS3Method
left_out_frame.dg_ridge <- function(x) {
  rows <- lodo(x)$predictions
  if (is.null(rows)) {
    abort("argument", "`newdata` must be given: a model of a source keeps no rows.")
  }
  data.frame(domain = rows$domain, truth = rows$truth, predicted = rows$prediction,
             lower = NA_real_, upper = NA_real_)
}

#' @exportS3Method
left_out_frame.dg_ensemble <- left_out_frame.dg_ridge

#' @exportS3Method
left_out_frame.dg_gp <- function(x) {
  if (!is.null(x$product$features)) {
    abort("argument", "`newdata` must be given: a Gaussian process with features keeps no rows.")
  }
  rows <- exact_left_out(x)
  half <- stats::qnorm(0.975) * rows$sd
  data.frame(domain = rows$domain, truth = rows$truth, predicted = rows$fit,
             lower = rows$fit - half, upper = rows$fit + half)
}

new_frame <- function(x, newdata, domain, y) {
  predicted <- predict(x, newdata, domain = domain)
  n <- NROW(predicted)
  truth <- if (is.null(y)) response_of(x, newdata) else read_vector(y, n, "y")
  if (is.null(truth)) abort("data", "`newdata` must have the response, or `y` must be given.")
  if (is.factor(predicted)) truth <- factor(truth, levels(predicted))
  domain <- new_domain(x$blueprint, newdata, domain, n, FALSE, "newdata")
  bounds <- if (has_posterior(x) && !is.factor(predicted)) {
    as.matrix(predict(x, newdata, domain = domain, interval = "prediction"))[, 2:3, drop = FALSE]
  } else matrix(NA_real_, n, 2L)
  data.frame(domain = factor(domain), truth = truth, predicted = predicted, lower = bounds[, 1L],
             upper = bounds[, 2L], row.names = NULL)
}

# Root mean squared errors by domain, the worst first.
worst_first <- function(frame) {
  error <- vapply(split(frame$truth - frame$predicted, frame$domain),
                  function(e) sqrt(mean(e^2)), 0)
  error[order(-error)]
}

# The broken line, pale rows of all domains, intervals and rows of the panel's.
observed_picture <- function(frame, labels, title, note, max_panels) {
  error <- worst_first(frame)
  n <- length(error)
  named <- names(error)[unique(round(seq(1, n, length.out = min(n, max_panels))))]
  panel <- match(frame$domain, named)
  own <- which(!is.na(panel))
  under <- thin(nrow(frame), 400L)
  ends <- range(frame$truth, frame$predicted)
  interval <- any(!is.na(frame$lower))
  if (length(named) < n) {
    note <- c(note, paste0(length(named), " of ", n, " domains, from the worst to the best"))
  }
  note <- c(note, if (interval) "bars: 95 % prediction intervals")
  new_picture(
    frame, equal = FALSE, title = title, note = note, panels = paste0(
      shorten(named, 20), "\nRMSE ", plain_number(error[named], 3)),
    x = picture_axis(paste("predicted", labels$response)),
    y = picture_axis(paste("observed", labels$response)),
    layers = list(
      layer("point", rep(frame$predicted[under], length(named)),
            rep(frame$truth[under], length(named)), panel = rep(seq_along(named),
                                                                each = length(under)),
            ink = 0.2, size = 0.4),
      layer("segment", ends[1L], ends[1L], xend = ends[2L], yend = ends[2L], dash = 2,
            panel = seq_along(named)),
      layer("segment", frame$lower[own], frame$truth[own], xend = frame$upper[own],
            panel = panel[own], ink = 0.4, width = 0.8),
      layer("point", frame$predicted[own], frame$truth[own], panel = panel[own], size = 0.8,
            key = factor(rep("a", length(own))))
    ), key = picture_key("domain", "a", 16, shown = FALSE))
}

# One line a domain (class NA) and one a domain and class: rows, right (share), lower, upper.
right_frame <- function(frame) {
  right <- frame$predicted == frame$truth
  count <- function(group, class) {
    hits <- tapply(right, group, sum)
    n <- tapply(right, group, length)
    data.frame(domain = names(n), class = class, rows = c(n), right = c(hits / n))
  }
  whole <- count(frame$domain, NA_character_)
  bounds <- wilson_interval(whole$right * whole$rows, whole$rows)
  whole[c("lower", "upper")] <- bounds[c("lower", "upper")]
  classes <- lapply(split(seq_along(right), frame$truth, drop = TRUE), function(i) {
    n <- tapply(right[i], droplevels(frame$domain[i]), length)
    data.frame(domain = names(n), class = as.character(frame$truth[i[1L]]), rows = c(n),
               right = c(tapply(right[i], droplevels(frame$domain[i]), mean)), lower = NA_real_,
               upper = NA_real_)
  })
  table <- rbind(whole, do.call(rbind, classes))
  table$domain <- factor(table$domain, whole$domain[order(whole$right)])
  table$class <- factor(table$class, levels(frame$truth))
  rownames(table) <- NULL
  table
}

right_picture <- function(frame, labels, title, note) {
  table <- right_frame(frame)
  at <- as.integer(table$domain)
  whole <- which(is.na(table$class))
  part <- which(!is.na(table$class))
  n <- nlevels(table$domain)
  named <- thin(n, 40L)
  levels <- levels(table$class)
  shapes <- class_shapes(length(levels))
  # classes beside each other under their domain
  beside <- at[part] - 0.12 - 0.16 * as.integer(table$class[part]) / length(levels)
  new_picture(
    table, title = title, note = c(note, "lines: 95 % intervals"), domains = n,
    x = picture_axis("share predicted right"),
    y = picture_axis(labels$domain, named, levels(table$domain)[named], pad = 0.6),
    key = picture_key(labels$response, levels, shapes),
    layers = list(
      layer("segment", mean(frame$predicted == frame$truth), -Inf, yend = Inf, dash = 2),
      layer("segment", table$lower[whole], at[whole], xend = table$upper[whole], width = 2),
      if (n <= 40L) layer("point", table$right[part], beside, key = table$class[part],
                          shape = shapes[as.integer(table$class[part])], size = 0.8),
      layer("point", table$right[whole], at[whole], size = if (n > 60L) 0.6 else 1)
    ))
}
