#' Plot a comparison of methods
#'
#' Two panels: the score of each unseen domain under each method (grey points, with
#' the mean), and the paired difference of each method from the one compared with,
#' with its 95 % interval. An interval that does not cross zero is a difference.
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
  measure <- metrics[[x$metric]]
  direction <- if (measure$better == "low") "lower is better" else "higher is better"
  widest <- max(nchar(methods))
  old <- graphics::par(mfrow = c(1L, 2L), mar = c(4.2, 1, 3, 1), oma = c(0, 0.48 * widest, 0, 0))
  on.exit(graphics::par(old))
  plot_scores(x, methods, paste0(measure$title, " (", direction, ")"))
  plot_differences(x, methods, paste0("difference in ", measure$title, " (", direction, ")"))
  invisible(x)
}

plot_scores <- function(x, methods, label) {
  scores <- x$scores[, methods, drop = FALSE]
  rows <- seq_along(methods)
  graphics::plot(range(scores, na.rm = TRUE), c(0.5, length(methods) + 0.5), type = "n", yaxt = "n",
                 ylab = "", xlab = label, main = "each unseen domain, and the mean",
                 font.main = 1L, cex.main = 1)
  graphics::axis(2L, at = rows, labels = methods, las = 1L, tick = FALSE)
  spread <- (seq_len(nrow(scores)) * 0.618034) %% 1 - 0.5
  for (i in rows) {
    graphics::points(scores[, i], i + 0.5 * spread, pch = 16, cex = 0.6, col = "grey65")
  }
  graphics::points(colMeans(scores, na.rm = TRUE), rows, pch = 23, bg = "black", cex = 1.3)
}

plot_differences <- function(x, methods, label) {
  table <- x$table[match(methods, x$table$method), ]
  rows <- seq_along(methods)
  limits <- range(0, table$difference, table$lower, table$upper, na.rm = TRUE)
  graphics::plot(limits, c(0.5, length(methods) + 0.5), type = "n", yaxt = "n", ylab = "",
                 xlab = label, main = paste("difference from", x$against), font.main = 1L,
                 cex.main = 1)
  graphics::abline(v = 0, lty = 2L)
  other <- table$method != x$against
  graphics::segments(table$lower[other], rows[other], table$upper[other], rows[other], lwd = 2)
  graphics::points(table$difference, rows, pch = ifelse(other, 16, 1), cex = 1.2)
}

#' Plot a cross-validation
#'
#' The score of each held-out domain, sorted, with the mean over domains.
#'
#' @param x The result of [dg_cv()].
#' @param max_labels Domain names are written for up to this many domains.
#' @param ... Ignored.
#' @return `x`, invisibly.
#' @examples
#' toy <- simulate_dcm(domains = 5, rows = 30, seed = 1)
#' plot(dg_cv(dg_lm(), y ~ . | domain, data = toy))
#' @export
plot.dg_cv <- function(x, max_labels = 40, ...) {
  domains <- x$domains[order(x$domains$score), ]
  rows <- seq_len(nrow(domains))
  labelled <- nrow(domains) <= check_count(max_labels, "max_labels")
  widest <- if (labelled) max(nchar(domains$domain)) else 0
  old <- graphics::par(mar = c(4.2, 0.55 * widest + 2, 3, 1))
  on.exit(graphics::par(old))
  graphics::plot(domains$score, rows, pch = 16, yaxt = "n", ylab = "",
                 xlab = metrics[[x$metric]]$title,
                 main = paste(x$spec$parts$title, "on unseen domains"), font.main = 1L, cex.main = 1)
  if (labelled) graphics::axis(2L, at = rows, labels = domains$domain, las = 1L, tick = FALSE)
  graphics::abline(v = x$mean, lty = 2L)
  graphics::mtext(paste("mean", signif(x$mean, 3)), side = 3L, at = x$mean, line = 0.1, cex = 0.8)
  invisible(x)
}
