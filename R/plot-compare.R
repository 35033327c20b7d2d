#' Plot a comparison of methods
#'
#' Two panels: the score of each unseen domain under each method (grey points, with
#' the mean), and the paired difference of each method from the one compared with,
#' with its 95 % interval. An interval that does not cross zero is a difference.
#' Long names are broken, and shortened if need be.
#'
#' @param x The result of [dg_compare()].
#' @param ... Ignored.
#' @return `x`, invisibly.
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 30, seed = 1)
#' result <- dg_compare(list(pooled = dg_svm(domain_kernel = domain_pooled()),
#'                           distributional = dg_svm()), y ~ . | domain, data = toy, folds = 4)
#' plot(result)
#' @export
plot.dg_compare <- function(x, ...) {
  methods <- rev(x$table$method)
  old <- graphics::par(no.readonly = TRUE)
  on.exit(graphics::par(old))
  size <- graphics::par("din")
  space <- (size[2L] - 2) / (length(methods) * graphics::par("cin")[2L])
  names <- fit_text(methods, characters_in(0.3 * size[1L]), lines = if (space >= 2) 2L else 1L)
  graphics::par(mfrow = c(1L, 2L), mar = c(5.2, 1, 3.2, 1), oma = c(0, 0.5 * widest(names), 0, 0),
                cex = 1)
  plot_scores(x, methods, names)
  plot_differences(x, methods)
  invisible(x)
}

# An empty panel, one line a method.
method_panel <- function(values, methods, title, metric, prefix = "") {
  width <- characters_in(graphics::par("pin")[1L])
  graphics::plot(range(values, na.rm = TRUE), c(0.5, length(methods) + 0.5), type = "n",
                 yaxt = "n", xlab = "", ylab = "", main = fit_text(title, width, lines = 2L),
                 font.main = 1L, cex.main = 1)
  label <- score_label(metric, width, prefix)
  graphics::title(xlab = label, line = 2 + number_of_lines(label))
}

plot_scores <- function(x, methods, names) {
  scores <- x$scores[, methods, drop = FALSE]
  rows <- seq_along(methods)
  method_panel(scores, methods, "each unseen domain, and the mean", x$metrics[[1L]])
  graphics::axis(2L, at = rows, labels = names, las = 1L, tick = FALSE, gap.axis = -1)
  spread <- (seq_len(nrow(scores)) * 0.618034) %% 1 - 0.5
  for (i in rows) {
    graphics::points(scores[, i], i + 0.5 * spread, pch = 16, cex = 0.6, col = "grey65")
  }
  graphics::points(colMeans(scores, na.rm = TRUE), rows, pch = 23, bg = "black", cex = 1.3)
}

plot_differences <- function(x, methods) {
  table <- x$table[match(methods, x$table$method), ]
  rows <- seq_along(methods)
  method_panel(c(0, table$difference, table$lower, table$upper), methods,
               paste("difference from", x$against), x$metrics[[1L]], "difference in ")
  graphics::abline(v = 0, lty = 2L)
  other <- table$method != x$against
  graphics::segments(table$lower[other], rows[other], table$upper[other], rows[other], lwd = 2)
  graphics::points(table$difference, rows, pch = ifelse(other, 16, 1), cex = 1.2)
}

#' Plot a cross-validation
#'
#' The score of each held-out domain, sorted, with the mean over domains. Domains
#' without a score are left out.
#'
#' @param x The result of [dg_cv()].
#' @param max_labels Domain names are written for up to this many domains, as far as
#'   the height of the plot allows.
#' @param ... Ignored.
#' @return `x`, invisibly.
#' @examples
#' toy <- simulate_dcm(domains = 5, rows = 30, seed = 1)
#' plot(dg_cv(dg_lm(), y ~ . | domain, data = toy))
#' @export
plot.dg_cv <- function(x, max_labels = 40, ...) {
  max_labels <- check_count(max_labels, "max_labels")
  domains <- x$domains[order(x$domains$score, na.last = NA), ]
  if (nrow(domains) == 0L) abort("data", "No domain has a score: there is nothing to plot.")
  rows <- seq_len(nrow(domains))
  size <- graphics::par("din")
  # names shrink with the space for a line, down to half their size
  cex <- min(1, (size[2L] - 1.6) / (length(rows) * graphics::par("cin")[2L]))
  labelled <- length(rows) <= max_labels && cex >= 0.5
  names <- if (labelled) shorten(domains$domain, characters_in(0.4 * size[1L], cex)) else ""
  old <- graphics::par(mar = c(4.2, if (labelled) 0.5 * cex * widest(names) + 2 else 3, 3.2, 1))
  on.exit(graphics::par(old))
  title <- paste(x$spec$parts$title, "on unseen domains")
  graphics::plot(domains$score, rows, pch = 16, yaxt = "n",
                 xlab = score_label(x$metrics[[1L]], Inf),
                 ylab = "", main = fit_text(title, characters_in(graphics::par("pin")[1L])),
                 font.main = 1L, cex.main = 1)
  if (labelled) {
    graphics::axis(2L, at = rows, labels = names, las = 1L, tick = FALSE, cex.axis = cex,
                   gap.axis = -1)
  } else graphics::mtext(paste(length(rows), "domains, sorted"), side = 2L, line = 1)
  graphics::abline(v = x$mean, lty = 2L)
  graphics::mtext(paste("mean", signif(x$mean, 3)), side = 3L, at = x$mean, line = 0.1, cex = 0.8)
  invisible(x)
}
