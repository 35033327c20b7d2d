# Figure 2 of the DCM paper: what it shows, as scores and as a picture.

# Synthetic domains, projected: a list by method of list(train, test), data frames with domain, y
# and a column per component, mean square 1 in training.
figure_2_scores <- function(rows, gamma = 1, epsilon = 1e-3) {
  split <- split_domains(simulate_dcm(domains = 10, n = rows, p = 5), 7)
  kernel <- kernel_gamma(gamma)
  specs <- dcm_projections(kernel, epsilon, nrow(split$train), ridge = stats::setNames(0.1, ""))
  centred <- lapply(specs, function(spec) {
    model <- quietly(fit(spec, y ~ . | domain, data = split$train))
    unit <- sqrt(mean(model$scores^2))
    frame <- function(d, s) data.frame(d[c("domain", "y")], s1 = unname(s[, 1L]) / unit)
    list(train = frame(split$train, model$scores),
         test = frame(split$test, predict(model, split$test)))
  })
  printed <- lapply(names(specs), printed_scores, split, kernel, epsilon)
  names(printed) <- paste0(names(specs), ", not centred")
  lapply(c(centred, printed), orient)
}

# The second class to the right, or above, of the first, as signs of components are arbitrary.
orient <- function(scores) {
  for (s in setdiff(names(scores$train), c("domain", "y"))) {
    means <- tapply(scores$train[[s]], scores$train$y, mean)
    if (means[2L] < means[1L]) scores <- lapply(scores, function(d) replace(d, s, -d[[s]]))
  }
  scores
}

# Mean over unseen domains of the MMD between their scores and those of all training rows.
mmd_to_training <- function(train, test) {
  scores <- setdiff(names(train), c("domain", "y"))
  mean(sqrt(shift_from_training(train[scores], test[scores], test$domain, kernel_rbf(1))))
}

# One row of panels per method: training rows, then each unseen domain, on common axes within a row;
# classes by colour and shape. With one component the height is by class, spread at random.
draw_dcm_figure_2 <- function(scores, colours = c("#0072B2", "#D55E00"), rows = 400) {
  unseen <- levels(droplevels(factor(scores[[1L]]$test$domain)))
  old <- graphics::par(mfrow = c(length(scores), 1L + length(unseen)), mar = c(2, 2, 1.6, 0.4),
                       mgp = c(1.2, 0.4, 0), tcl = -0.2)
  on.exit(graphics::par(old))
  for (method in names(scores)) {
    all <- scores[[method]]
    two <- !is.null(all$train$s2)
    limits <- function(column) {
      stats::quantile(c(all$train[[column]], all$test[[column]]), c(0.002, 0.998), names = FALSE)
    }
    panel <- function(d, title) {
      d <- d[seq(1L, nrow(d), length.out = min(rows, nrow(d))), ]
      code <- as.integer(d$y)
      height <- if (two) d$s2 else code + stats::runif(nrow(d), -0.35, 0.35)
      graphics::plot(d$s1, height, col = colours[code], pch = c(1, 3)[code], cex = 0.5,
                     xlim = limits("s1"), ylim = if (two) limits("s2") else c(0.5, 2.5),
                     xlab = "", ylab = "", yaxt = if (two) "s" else "n", cex.axis = 0.8)
      graphics::title(title, cex.main = 0.9, font.main = 1, line = 0.4)
    }
    panel(all$train[sample.int(nrow(all$train)), ], paste0(method, ": training"))
    for (one in unseen) panel(all$test[all$test$domain == one, ], paste("unseen domain", one))
  }
  invisible(scores)
}

# dcm-ridges: COIR and DCM of one task over the ridge, with bars of two standard errors; dashed in
# their colours the paper's figures; to the right the form of equation 17; grey the SVM on the input,
# dotted the null model.
draw_ridges <- function(lines, task, measure, ylab, legend = NULL) {
  table <- summarise_results(lines[lines$task == task & lines$measure == measure, ])
  colour <- c(COIR = method_colours[2L], DCM = method_colours[1L])
  x <- sort(unique(table$ridge[!is.na(table$ridge)]))
  right <- max(x) * 10
  range <- range(table$mean + 2 * table$se, table$mean - 2 * table$se, table$paper, na.rm = TRUE)
  graphics::plot(NULL, xlim = c(min(x), right), ylim = range, log = "x", xaxt = "n", ylab = ylab,
                 xlab = "ridge", cex.axis = 0.8)
  graphics::axis(1, 10^(-3:3), c("0.001", "0.01", "0.1", "1", "10", "100", "1000"), cex.axis = 0.8)
  own <- function(method) table[table$method == method, ]
  graphics::abline(h = own("null")$mean, lty = 3)
  graphics::abline(h = own("SVM")$mean, col = "grey60")
  for (method in names(colour)) {
    curve <- own(method)
    printed <- own(paste0(method, ", eq. 17"))
    graphics::abline(h = curve$paper[1L], lty = 2, col = colour[[method]])
    graphics::lines(curve$ridge, curve$mean, col = colour[[method]])
    printed$ridge <- rep(right, nrow(printed))
    d <- rbind(curve, printed)
    graphics::segments(d$ridge, d$mean - 2 * d$se, y1 = d$mean + 2 * d$se, col = colour[[method]])
    graphics::points(d$ridge, d$mean, pch = ifelse(d$ridge == right, 17, 19), cex = 0.7,
                     col = colour[[method]])
  }
  if (is.null(legend)) return(invisible())
  graphics::legend(legend, c(names(colour), "eq. 17", "paper", "SVM on the input", "null"),
                   col = c(colour, "black", "black", "grey60", "black"),
                   lty = c(1, 1, NA, 2, 1, 3), pch = c(19, 19, 17, NA, NA, NA),
                   bty = "n", cex = 0.75)
}
