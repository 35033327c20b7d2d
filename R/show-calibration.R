#' Are predicted probabilities right?
#'
#' @description
#' Rows are put into bins by the probability that was predicted for a class; in each, the mean of
#' what was predicted stands beside the share of rows that are of that class. Of a model that knows
#' how sure it is the two are the same. Take rows that the model has not seen: those of held-out
#' domains of a [dg_cv()], or of new domains.
#'
#' The picture (`plot()`, `autoplot()`) is the reliability diagram: a point a bin with its interval,
#' the diagonal where predicted is observed, and the number of rows as bars at the bottom. With
#' more than two classes each has a panel.
#'
#' @param object A [dg_cv()] with a metric that needs probabilities (`"log_loss"` or `"brier"`), or
#'   a fitted model with probabilities (as `type = "prob"` of [predict.dg_learner()] lists them).
#' @param newdata For a model: rows with the response among their columns, or `y`.
#' @param domain,y Domain and response of each row of `newdata`, when they are not columns of it.
#' @param bins Number of bins of equal width.
#' @param class Classes to look at; `NULL`: the second of two, else all.
#' @return An object of class `dg_calibration`, a list with
#'   \item{table}{data frame, one line per class and bin that has rows: `class`, `low`, `high` (the
#'     bin), `rows`, `predicted` (mean), `observed` (share), and `lower`, `upper`, Wilson's 95 %
#'     interval of the share}
#'   \item{error}{expected calibration error of each class, \eqn{\sum_b (n_b/n)
#'     |\mathrm{observed}_b - \mathrm{predicted}_b|}{sum_b (n_b/n) |observed_b - predicted_b|}}
#'   \item{rows, domains, labels}{how many there were, and the names of the variables}
#'   Rows of a domain resemble each other, which the intervals do not know: with few domains they
#'   are too narrow.
#' @section Errors:
#' A model or cross-validation without probabilities, rows beside a cross-validation, a response
#' that is missing or has other classes, and those of [predict.dg_learner()].
#' @references
#' Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
#' *Journal of the American Statistical Association* 22(158), 209-212.
#' @examples
#' toy <- simulate_dcm(domains = 8, rows = 40, seed = 1)
#' cv <- dg_cv(dg_lm(), y ~ . | domain, data = toy, metric = "log_loss")
#' calibration <- dg_calibration(cv, bins = 5)
#' calibration
#' plot(calibration)
#' @export
dg_calibration <- function(object, newdata = NULL, domain = NULL, y = NULL, bins = 10,
                           class = NULL) {
  check_given(object, "object")
  bins <- check_count(bins, "bins", at_least = 2L)
  held <- held_probabilities(object, newdata, domain, y)
  levels <- colnames(held$prob)
  class <- read_class(class, levels)
  rows <- !is.na(held$truth) & !is.na(rowSums(held$prob))
  if (!any(rows)) abort("data", "No row has both a class and a probability.")
  truth <- as.character(held$truth)[rows]
  tables <- lapply(stats::setNames(class, class), function(name) {
    bin_probabilities(name, held$prob[rows, name], truth == name, bins)
  })
  table <- do.call(rbind, unname(tables))
  table$class <- factor(table$class, class)
  error <- vapply(tables, function(t) sum(t$rows * abs(t$observed - t$predicted)), 0) / sum(rows)
  structure(list(table = table, error = error, rows = sum(rows),
                 domains = length(unique(held$domain[rows])), labels = held$labels),
            class = "dg_calibration")
}

# list(prob [rows x classes], truth, domain, labels)
held_probabilities <- function(object, newdata, domain, y) UseMethod("held_probabilities")

#' @exportS3Method
held_probabilities.default <- function(object, newdata, domain, y) {
  abort("argument", "`object` must be a fitted model or the result of dg_cv(), not ",
        describe(object), ".")
}

#' @exportS3Method
held_probabilities.dg_cv <- function(object, newdata, domain, y) {
  if (!is.null(newdata) || !is.null(domain) || !is.null(y)) {
    abort("argument", "`newdata`, `domain` and `y` must not be given with the result of dg_cv(), ",
          "which has held-out rows of its own.")
  }
  rows <- object$predictions
  if (is.null(rows$prob)) {
    abort("argument", "`object` has no probabilities: use `dg_cv(metric = \"log_loss\")` or ",
          "\"brier\", with a model that gives them.")
  }
  list(prob = `colnames<-`(rows$prob, levels(rows$truth)), truth = rows$truth,
       domain = rows$domain, labels = object$labels)
}

#' @exportS3Method
held_probabilities.dg_learner <- function(object, newdata, domain, y) {
  if (is.null(newdata)) {
    abort("argument", "`newdata` must be given: on its training rows a model looks too sure.")
  }
  prob <- predict(object, newdata, domain = domain, type = "prob")
  y <- if (is.null(y)) response_of(object, newdata) else read_vector(y, nrow(prob), "y")
  if (is.null(y)) abort("data", "`newdata` must have the response, or `y` must be given.")
  other <- setdiff(value_labels(y), c(colnames(prob), NA))
  if (length(other)) {
    abort("data", "The response must be of the classes in training (",
          enumerate(colnames(prob), quote = "\""), "), not ", enumerate(other, quote = "\""), ".")
  }
  list(prob = prob, truth = value_labels(y), labels = variable_names(object$blueprint),
       domain = new_domain(object$blueprint, newdata, domain, nrow(prob), FALSE, "newdata"))
}

bin_probabilities <- function(class, prob, positive, bins) {
  bin <- pmin(floor(prob * bins), bins - 1)
  rows <- split(seq_along(prob), bin)
  n <- lengths(rows)
  hits <- vapply(rows, function(i) sum(positive[i]), numeric(1))
  interval <- wilson_interval(hits, n)
  low <- as.numeric(names(rows)) / bins
  data.frame(class = class, low = low, high = low + 1 / bins, rows = n,
             predicted = vapply(rows, function(i) mean(prob[i]), 0),
             observed = hits / n, lower = interval$lower, upper = interval$upper,
             row.names = NULL)
}

# Wilson (1927), equation 4.
wilson_interval <- function(hits, n, level = 0.95) {
  z <- stats::qnorm((1 + level) / 2)
  share <- hits / n
  centre <- (share + z^2 / (2 * n)) / (1 + z^2 / n)
  half <- z / (1 + z^2 / n) * sqrt(share * (1 - share) / n + z^2 / (4 * n^2))
  list(lower = pmax(centre - half, 0), upper = pmin(centre + half, 1))
}

#' @export
print.dg_calibration <- function(x, digits = NULL, ...) {
  at_digits(if (!is.null(digits)) check_digits(digits) + 1L, describe_bins(x))
  invisible(x)
}

describe_bins <- function(x) {
  cat_line("Calibration of ", x$labels$response, ", ", plural(x$rows, "row"), " of ",
           plural(x$domains, "domain"))
  cat_line("  ", names(x$error), ": expected calibration error ", rounded(x$error, 2), "\n")
  cat_table(x$table, digits = max(getOption("digits") - 4L, 1L))
}

#' @rdname dg_calibration
#' @param x A result of `dg_calibration()`.
#' @param ... Must be empty.
#' @export
plot.dg_calibration <- function(x, ...) show_picture(x, ...)

#' @rdname dg_calibration
#' @exportS3Method ggplot2::autoplot
autoplot.dg_calibration <- function(object, ...) as_ggplot(picture(object, ...))

# Bars of counts reach 0.2 of the height.
#' @exportS3Method
picture.dg_calibration <- function(x, ...) {
  check_no_dots(list(...), character())
  table <- x$table
  panel <- as.integer(table$class)
  classes <- seq_len(nlevels(table$class))
  high <- 0.2 * table$rows / stats::ave(table$rows, panel, FUN = max)
  note <- paste0(plural(x$rows, "row"), " of ", plural(x$domains, "domain"))
  # the share of one row is 0 or 1
  drawn <- table[table$rows > 1L, ]
  alone <- nrow(table) - nrow(drawn)
  caption <- paste0(
    "Points: share of rows that are of the class, by bins of predicted probability, with 95 % ",
    "intervals. Dashed: what was predicted. Boxes and numbers: rows in each bin.",
    if (alone) paste0(" Without a point: ", plural(alone, "bin"), " of a single row.")
  )
  new_picture(
    table, x = picture_axis("predicted probability"), equal = TRUE,
    y = picture_axis("share of rows"), note = note, caption = caption,
    panels = paste0(shorten(x$labels$response, 16), " = ", shorten(levels(table$class), 16)),
    layers = list(
      layer("box", table$low, 0, xend = table$high, yend = high, panel = panel, fill = 0.15,
            ink = 0.3),
      layer("segment", 0, 0, xend = 1, yend = 1, dash = 2, panel = classes),
      layer("line", drawn$predicted, drawn$observed, panel = as.integer(drawn$class), ink = 0.5),
      layer("segment", drawn$predicted, drawn$lower, yend = drawn$upper,
            panel = as.integer(drawn$class), width = 2),
      layer("point", drawn$predicted, drawn$observed, panel = as.integer(drawn$class), shape = 21,
            size = 1.2, fill = 0),
      # few enough to be read
      if (max(table(panel)) <= 12L) {
        layer("text", (table$low + table$high) / 2, -0.05, label = table$rows, panel = panel,
              ink = 0.65)
      }
    ))
}
