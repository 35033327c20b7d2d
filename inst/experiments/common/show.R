# Stored results in a vignette: a table and a picture per experiment.

# Ours with its standard error beside the paper's, a line per method, cells side by side.
results_table <- function(lines, measure, cells = NULL, digits = 2) {
  table <- summarise_results(lines[lines$measure == measure, ])
  shown <- ifelse(is.na(table$se), formatC(table$mean, digits, format = "f"),
                  paste0(formatC(table$mean, digits, format = "f"), " (",
                         formatC(table$se, digits, format = "f"), ")"))
  paper <- ifelse(is.na(table$paper), "", formatC(table$paper, digits, format = "f"))
  if (is.null(cells)) {
    return(data.frame(method = table$method, ours = shown, paper = paper, check.names = FALSE))
  }
  group <- cell_names(table, cells)
  wide <- data.frame(method = unique(table$method))
  for (g in unique(group)) {
    at <- match(paste(wide$method, g), paste(table$method, group))
    wide[[g]] <- ifelse(is.na(at), "", shown[at])
    if (any(nzchar(paper[at]), na.rm = TRUE)) {
      wide[[paste0("(paper)", strrep(" ", ncol(wide)))]] <- ifelse(is.na(at), "", paper[at])
    }
  }
  wide
}

cell_names <- function(table, cells) {
  do.call(paste, c(lapply(cells, function(cell) paste(cell, "=", table[[cell]])), sep = ", "))
}

# Points with bars of two standard errors, crosses for the paper, a dotted line for `null`.
results_plot <- function(lines, measure, cells = NULL, xlab = measure, null = "null") {
  table <- summarise_results(lines[lines$measure == measure, ])
  group <- if (is.null(cells)) rep("", nrow(table)) else cell_names(table, cells)
  panels <- unique(group)
  range <- range(table$mean, table$paper, table$mean + 2 * table$se, table$mean - 2 * table$se,
                 na.rm = TRUE)
  widest <- max(graphics::strwidth(table$method, units = "inches", cex = 0.8))
  old <- graphics::par(mfrow = c(ceiling(length(panels) / 3), min(3L, length(panels))),
                       mai = c(0.6, widest + 0.15, 0.3, 0.1), mgp = c(1.8, 0.5, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  for (panel in panels) {
    here <- table[group == panel, ]
    methods <- rev(setdiff(here$method, null))
    here <- here[match(c(methods, null), here$method), ]
    y <- seq_along(methods)
    graphics::plot(here$mean[y], y, xlim = range, ylim = c(0.5, length(y) + 0.5), yaxt = "n",
                   xlab = xlab, ylab = "", main = panel, pch = 19, cex.main = 0.9, cex.axis = 0.8)
    graphics::axis(2, y, methods, las = 1, cex.axis = 0.8)
    bars <- y[!is.na(here$se[y]) & here$se[y] > 0]
    graphics::segments((here$mean - 2 * here$se)[bars], bars, (here$mean + 2 * here$se)[bars])
    graphics::points(here$paper[y], y, pch = 4, col = "firebrick")
    graphics::abline(v = here$mean[length(y) + 1L], lty = 3)
  }
  invisible(table)
}
