# Stored results in a vignette: a table and a picture per experiment.

# "1.23 (0.04)": mean and standard error; the mean alone where there is one draw.
in_brackets <- function(mean, se, digits) {
  number <- function(x) formatC(x, digits, format = "f")
  ifelse(is.na(se), number(mean), paste0(number(mean), " (", number(se), ")"))
}

# "domains 16, rows 8": the columns `cells` of a table as text, line by line.
cell_names <- function(table, cells) {
  if (is.null(cells)) return(rep("", nrow(table)))
  said <- function(cell) {
    if (cell == "measure") table$measure else paste(cell, table[[cell]])
  }
  do.call(paste, c(lapply(cells, said), sep = ", "))
}

# Ours with its standard error beside the paper's: a line per method, the combinations of `cells`
# side by side ("measure" may be one of them).
results_table <- function(lines, measure, cells = NULL, digits = 2) {
  table <- summarise_results(lines[lines$measure %in% measure, ])
  ours <- in_brackets(table$mean, table$se, digits)
  paper <- ifelse(is.na(table$paper), "", formatC(table$paper, digits, format = "f"))
  group <- cell_names(table, cells)
  wide <- list(method = unique(table$method))
  for (g in unique(group)) {
    at <- match(paste(wide$method, g), paste(table$method, group))
    filled <- function(column) ifelse(is.na(at), "", column[at])
    wide <- c(wide, stats::setNames(list(filled(ours)), if (nzchar(g)) g else "ours"))
    if (any(nzchar(filled(paper)))) wide <- c(wide, list("(paper)" = filled(paper)))
  }
  data.frame(wide, check.names = FALSE)
}

# "3 draws", or "1 to 3 draws" where cells have different numbers.
draws_in_words <- function(lines) {
  draws <- range(summarise_results(lines)$draws)
  if (draws[2L] == 1L) return("one draw")
  if (draws[1L] == draws[2L]) paste(draws[1L], "draws")
  else paste(draws[1L], "to", draws[2L], "draws")
}

# Differences to `reference` in the same draws, as results_table().
differences_table <- function(lines, reference, measure, cells = NULL, digits = 2) {
  results_table(subtract_reference(lines, reference, measure), measure, cells, digits)
}

# A panel for each combination of `cells`: points with bars of two standard errors, crosses for the
# paper, a dotted line for `null`.
results_plot <- function(lines, measure, cells = NULL, xlab = measure, null = "null") {
  table <- summarise_results(lines[lines$measure == measure, ])
  group <- cell_names(table, cells)
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

method_colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

# The same as curves over the number `x` (logarithmic): a panel for each value of `by`, a colour for
# each method; ours solid with bars of two standard errors, the paper's dashed, `null` dotted grey.
results_curves <- function(lines, measure, x, by, methods = NULL, ylab = measure, log = "x",
                           null = "null", legend = "topright") {
  table <- summarise_results(lines[lines$measure == measure, ])
  if (is.null(methods)) methods <- setdiff(unique(table$method), null)
  table <- table[table$method %in% c(methods, null), ]
  colour <- stats::setNames(method_colours[seq_along(methods)], methods)
  values <- c(table$mean, table$paper, table$mean + 2 * table$se)
  range <- range(values[is.finite(values) & (values > 0 | !grepl("y", log))])
  panels <- unique(table[[by]])
  old <- graphics::par(mfrow = c(1L, length(panels)), mar = c(3, 3, 1.6, 0.5), mgp = c(1.8, 0.5, 0),
                       tcl = -0.3)
  on.exit(graphics::par(old))
  for (panel in panels) {
    here <- table[table[[by]] == panel, ]
    graphics::plot(range(table[[x]]), range, type = "n", log = log, xlab = x, ylab = ylab,
                   main = paste(by, panel), cex.main = 0.9, cex.axis = 0.8)
    graphics::abline(h = mean(here$mean[here$method == null]), lty = 3, col = "grey40")
    for (method in methods) {
      d <- here[here$method == method, ]
      d <- d[order(d[[x]]), ]
      graphics::lines(d[[x]], d$mean, type = "b", pch = 19, cex = 0.7, col = colour[[method]])
      graphics::segments(d[[x]], d$mean - 2 * d$se, y1 = d$mean + 2 * d$se, col = colour[[method]])
      published <- !is.na(d$paper)
      graphics::lines(d[[x]][published], d$paper[published], type = "b", pch = 4, cex = 0.7,
                      lty = 2, col = colour[[method]])
    }
    if (panel == panels[1L]) {
      graphics::legend(legend, c(methods, "paper", null), col = c(colour, "black", "grey40"),
                       lty = c(rep(1, length(methods)), 2, 3), bty = "n", cex = 0.8)
    }
  }
  invisible(table)
}
