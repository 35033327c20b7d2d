#' Plot a comparison of methods
#'
#' Two panels: the score of each held-out domain under each method (pale points, with
#' the mean), and the paired difference of each method from the one compared with, in each domain
#' (pale points, of up to 40 domains) and on average, with its 95 % interval. An interval that
#' does not cross zero is a
#' difference. Long names are broken, and shortened if need be. See [plot.dg_projection()] on
#' colours.
#'
#' @param x,object The result of [dg_compare()].
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 30, seed = 1)
#' result <- dg_compare(list(pooled = dg_svm(domain_kernel = domain_pooled()),
#'                           distributional = dg_svm()), y ~ . | domain, data = toy, folds = 4)
#' plot(result)
#' @export
plot.dg_compare <- function(x, ...) show_picture(x, ...)

#' @rdname plot.dg_compare
#' @exportS3Method ggplot2::autoplot
autoplot.dg_compare <- function(object, ...) as_ggplot(picture(object, ...))

#' @exportS3Method
picture.dg_compare <- function(x, ...) {
  check_no_dots(list(...), character())
  frame <- compare_frame(x)
  frame$at <- as.integer(frame$method)
  frame$outside <- frame$method %in% far_methods(frame)
  outside <- beyond_scale(frame)
  frame <- frame[!frame$outside, ]
  panel <- as.integer(frame$panel)
  single <- frame$kind == "domain"
  spread <- frame$at[single] + 0.45 * spread_out(sum(single))
  measure <- x$metrics[[1L]]
  titles <- c(score_label(measure, 0),
              paste0("difference from ", shorten(x$against, 24), "\n(",
                     if (measure$better == "low") "below" else "above", " 0 is better)"))
  new_picture(
    frame, x = picture_axis(free = TRUE), rows = 1L, strip = "bottom", panels = titles,
    y = picture_axis(NULL, seq_len(nlevels(frame$method)), levels(frame$method), pad = 0.5),
    title = paste0("each ", x$runs[[1L]]$labels$domain, ", and the mean"),
    note = c("diamonds: means; bars: 95 % intervals of the mean difference", if (nrow(outside)) {
      "off the scale: the mean is written with an arrow"
    }),
    layers = list(
      layer("segment", 0, -Inf, yend = Inf, dash = 2, panel = 2L),
      layer("point", frame$value[single], spread, panel = panel[single], ink = 0.35, size = 0.6),
      layer("segment", frame$lower, frame$at, xend = frame$upper, panel = panel, width = 3),
      layer("point", frame$value[!single], frame$at[!single], panel = panel[!single], size = 1.3,
            shape = ifelse(frame$kind[!single] == "against", 1, 23)),
      layer("text", outside$at, as.integer(outside$method), label = outside$label,
            panel = as.integer(outside$panel), align = 1)
    ))
}

# A method that is so much worse than all others that the axis would show little else, such as the
# null model: does it, left out, more than halve the range of each panel? at least three methods.
far_methods <- function(frame) {
  far <- character()
  repeat {
    left <- setdiff(levels(frame$method), c(far, frame$method[frame$kind == "against"]))
    left <- as.character(left)
    if (nlevels(frame$method) - length(far) < 3L) return(far)
    share <- vapply(left, function(name) {
      spread <- function(rows) diff(range(rows$value, rows$lower, rows$upper, na.rm = TRUE))
      kept <- frame[!frame$method %in% far & frame$panel == "scores", ]
      rest <- kept[kept$method != name, ]
      if (spread(kept) == 0) 1 else spread(rest) / spread(kept)
    }, 0)
    if (length(share) == 0L || min(share) > 0.5) return(far)
    far <- c(far, left[which.min(share)])
  }
}

# The means of such methods, at the edge of what the others need: panel, method, at, label, align.
beyond_scale <- function(frame) {
  means <- frame[frame$outside & frame$kind != "domain", ]
  kept <- frame[!frame$outside, ]
  ends <- lapply(split(kept, kept$panel), function(rows) {
    range(rows$value, rows$lower, rows$upper, na.rm = TRUE)
  })
  over <- mapply(function(panel, value) value > mean(ends[[panel]]), as.character(means$panel),
                 means$value)
  means$at <- vapply(as.character(means$panel), function(panel) ends[[panel]][2L], 0)
  number <- vapply(means$value, plain_number, "", digits = 3)
  means$label <- if (nrow(means)) ifelse(over, paste(number, ">"), paste("<", number))
                 else character()
  means
}

# One line a domain and method (domain) and one a method (mean; domain NA), for each panel: panel
# ("scores", "differences"), method (factor, the last first), domain, value, lower, upper, kind
# ("domain", "mean", "against": the mean of the method compared with).
compare_frame <- function(x) {
  if (all(is.na(x$scores))) abort_nothing_to_plot()
  methods <- x$table$method
  differences <- x$scores - x$scores[, x$against]
  # of many domains the spread would hide the interval of the mean
  differences[, nrow(x$scores) > 40L | methods == x$against] <- NA
  single <- function(panel, values) {
    data.frame(panel = panel, method = methods[col(values)], domain = rownames(values)[row(values)],
               value = c(values), lower = NA_real_, upper = NA_real_, kind = "domain")
  }
  means <- function(panel, value, lower, upper, kind) {
    data.frame(panel = panel, method = methods, domain = NA_character_, value = value,
               lower = lower, upper = upper, kind = kind)
  }
  frame <- rbind(
    single("scores", x$scores), single("differences", differences),
    means("scores", colMeans(x$scores, na.rm = TRUE), NA_real_, NA_real_, "mean"),
    means("differences", x$table$difference, x$table$lower, x$table$upper,
          ifelse(methods == x$against, "against", "mean"))
  )
  frame$panel <- factor(frame$panel, c("scores", "differences"))
  frame$method <- factor(frame$method, rev(methods))
  frame <- frame[!is.na(frame$value), ]
  rownames(frame) <- NULL
  frame
}
