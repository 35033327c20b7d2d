# Stored results in a vignette: tables and pictures.

# For all pages. A chunk with `of = "dica-table-1"` is left out where those results are not stored;
# one of {said, of = } is text, evaluated and shown there only.
prepare_page <- function(...) {
  options(domgen.progress = FALSE, knitr.kable.NA = "")
  knitr::opts_chunk$set(fig.width = 7, dpi = 96, ...)
  knitr::opts_hooks$set(of = function(options) {
    if (!is_stored(options$of)) options[c("eval", "echo")] <- FALSE
    options
  })
  knitr::knit_engines$set(said = function(options) {
    if (isTRUE(options$eval)) knitr::knit_child(text = options$code, quiet = TRUE) else ""
  })
}

# Ours with its standard error beside the paper's: a line per method, the combinations of `cells`
# side by side ("measure" may be one of them).
results_table <- function(lines, measure, cells = NULL, digits = 2) {
  table <- summarise_results(lines[lines$measure %in% measure, ])
  ours <- in_brackets(table$mean, table$se, digits)
  paper <- ifelse(is.na(table$paper), "", number(table$paper, digits))
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

# The same without the names of the cells beside their values.
short_names <- function(table, cells) {
  for (cell in cells) names(table) <- gsub(paste0(cell, " "), "", names(table), fixed = TRUE)
  table
}

# A line for each combination of `cells`: our methods, then what the paper has for the methods that
# `paper` names. `table` is of summarise_results().
cells_table <- function(table, cells, methods, paper = NULL, digits = 1) {
  id <- function(d) key(d, cells)
  wide <- unique(table[cells])
  wide <- wide[do.call(order, unname(as.list(wide))), , drop = FALSE]
  column <- function(method, values) {
    own <- table$method == method
    values[own][match(id(wide), id(table[own, ]))]
  }
  for (m in intersect(methods, table$method)) {
    wide[[m]] <- column(m, in_brackets(table$mean, table$se, digits))
  }
  for (header in names(paper)) {
    published <- ifelse(is.na(table$paper), NA, number(table$paper, digits))
    wide[[paste("paper:", header)]] <- column(paper[[header]], published)
  }
  wide
}

# Differences of `pairs`, list(c(a, b), ...), with their intervals and what they could have detected
# (add_intervals()), line by line; the combinations of `cells` side by side. `shared`: for all pairs, or
# one by one.
contrast_table <- function(lines, pairs, measure, cells, digits = 2, shared = 0) {
  line <- function(pair, shared) {
    d <- paired(lines, pair[1L], pair[2L], measure, shared)
    values <- as.list(c(rbind(interval(d, digits), number(d$detectable, digits))))
    names(values) <- c(rbind(cell_names(d, cells), paste("detectable,", cell_names(d, cells))))
    data.frame(pair = paste(pair[1L], "less", pair[2L]), values, check.names = FALSE)
  }
  bind(Map(line, pairs, shared))
}

# A table on a page: text to the left, as many columns as there are of it, and numbers to the right.
shown <- function(table, text = 1L, ...) {
  align <- rep(c("l", "r"), c(text, ncol(table) - text))
  knitr::kable(table, row.names = FALSE, align = align, ...)
}

# A panel for each combination of `cells`: points with bars of two standard errors, crosses for the
# paper, a dotted line for the method `null`, or at `zero` where differences are shown.
results_plot <- function(lines, measure, cells = NULL, xlab = measure, null = "null", zero = NULL) {
  table <- summarise_results(lines[lines$measure == measure, ])
  group <- cell_names(table, cells)
  panels <- unique(group)
  range <- range(table$mean, table$paper, table$mean + 2 * table$se, table$mean - 2 * table$se,
                 zero, na.rm = TRUE)
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
    graphics::abline(v = if (is.null(zero)) here$mean[length(y) + 1L] else zero, lty = 3)
  }
  invisible(table)
}

method_colours <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

# The same as curves over the number `x` (logarithmic): a panel for each value of `by`, a colour for
# each method; ours solid with bars of two standard errors, the paper's dashed, `null` dotted grey.
# What the paper has for several of the methods is drawn once, in the colour of the first.
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
    drawn <- character()
    for (method in methods) {
      d <- here[here$method == method, ]
      d <- d[order(d[[x]]), ]
      graphics::lines(d[[x]], d$mean, type = "b", pch = 19, cex = 0.7, col = colour[[method]])
      graphics::segments(d[[x]], d$mean - 2 * d$se, y1 = d$mean + 2 * d$se, col = colour[[method]])
      point <- paste(d[[x]], d$paper)
      published <- !is.na(d$paper) & !point %in% drawn
      drawn <- c(drawn, point)
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

# Errors relative to a reference, on a logarithmic axis with bars of two standard errors: a line for
# each `label` of the table (label, method, ratio, se), a colour for each of `methods`; the last of
# them is the null model, a cross, or an arrow head where it is off the page.
ratios_plot <- function(table, methods, xlab = "error relative to pooling") {
  rows <- rev(unique(table$label))
  limits <- c(min(0.5, 0.8 * table$ratio), 3)
  left <- max(graphics::strwidth(rows, "inches", cex = 0.75)) + 0.15
  old <- graphics::par(mai = c(0.55, left, 0.05, 0.1), mgp = c(1.8, 0.5, 0), tcl = -0.3)
  on.exit(graphics::par(old))
  graphics::plot(NULL, xlim = limits, ylim = c(0.6, length(rows) + 0.4), log = "x", yaxt = "n",
                 ylab = "", cex.axis = 0.8, xlab = xlab)
  graphics::abline(h = seq_along(rows) + 0.5, col = "grey92")
  graphics::abline(v = 1, col = "grey40")
  graphics::axis(2, seq_along(rows), rows, las = 1, cex.axis = 0.75)
  at <- match(table$method, methods)
  null <- at == length(methods)
  colours <- c(method_colours[seq_along(methods[-1L])], "grey50")
  y <- match(table$label, rows) + ifelse(null, 0, 0.15 * (length(methods) / 2 - at))
  inside <- function(x) pmax(pmin(x, limits[2L]), limits[1L])
  graphics::segments(inside(table$ratio - 2 * table$se), y, inside(table$ratio + 2 * table$se),
                     col = ifelse(null, NA, colours[at]))
  graphics::points(inside(table$ratio), y, cex = 0.8, col = colours[at],
                   pch = ifelse(null, ifelse(table$ratio > limits[2L], 62, 4), 19))
  graphics::legend(limits[1L], length(rows) - 2.5, methods, cex = 0.75, bty = "n", col = colours,
                   pch = rep(c(19, 4), c(length(methods) - 1L, 1L)))
}

# Differences from a method, which is the line at 0, with bars of two standard errors: a panel for
# each `panel` of the table (panel, method, kind, difference, se), a colour for each kind.
panels_plot <- function(table, xlab, kinds = unique(table$kind)) {
  panels <- unique(table$panel)
  methods <- rev(unique(table$method))
  widest <- max(graphics::strwidth(methods, "inches", cex = 0.75))
  old <- graphics::par(mfrow = c(ceiling(length(panels) / 2), 2L), mgp = c(1.5, 0.4, 0), tcl = -0.3,
                       mai = c(0.5, widest + 0.15, 0.35, 0.1), cex = 1)
  on.exit(graphics::par(old))
  for (panel in panels) {
    here <- table[table$panel == panel, ]
    y <- match(here$method, methods)
    ends <- cbind(here$difference - 2 * here$se, here$difference + 2 * here$se)
    graphics::plot(NULL, xlim = range(ends, 0), ylim = c(0.5, length(methods) + 0.5), yaxt = "n",
                   ylab = "", cex.axis = 0.75, cex.lab = 0.8, xlab = xlab)
    graphics::title(panel, cex.main = 0.85, line = 0.4)
    graphics::axis(2, seq_along(methods), methods, las = 1, cex.axis = 0.75)
    graphics::abline(v = 0, lty = 3, col = "grey40")
    colour <- method_colours[match(here$kind, kinds)]
    graphics::segments(ends[, 1L], y, ends[, 2L], col = colour)
    graphics::points(here$difference, y, pch = 19, cex = 0.8, col = colour)
  }
}
