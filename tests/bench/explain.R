# What explanations cost, beside DALEX in the same session, and how often their intervals cover.
#
#   Rscript tests/bench/explain.R [cost|coverage]      (both; coverage takes some minutes)
#
# Cost: increases within domains by permutation, and effects, of the same models with the same
# number of predictions. DALEX is given set_reference(), without which it would move the domains.

library(domgen)
options(domgen.progress = FALSE)
asked <- commandArgs(TRUE)
if (length(asked) == 0L) asked <- c("cost", "coverage")

# y = a (x1 - m) + b m + x2 / 2, further predictors say nothing.
world <- function(domains, rows, a = 1, b = 2, p = 8, within = 1, between = 1.5, level = 0.5) {
  d <- data.frame(g = factor(rep(sprintf("d%03d", seq_len(domains)), each = rows)))
  n <- nrow(d)
  for (j in seq_len(p)) d[[paste0("x", j)]] <- stats::rnorm(n)
  d$x1 <- stats::rnorm(domains, sd = between)[d$g] + within * d$x1
  m <- stats::ave(d$x1, d$g)
  d$y <- a * (d$x1 - m) + b * m + (if (p > 1L) d$x2 / 2 else 0) +
    stats::rnorm(domains, sd = level)[d$g] + stats::rnorm(n, sd = 0.5)
  d
}

timed <- function(code) system.time(code)[["elapsed"]]

# The same by DALEX: a model without each domain, fixed to that domain's rows.
dalex_within <- function(spec, formula, data, permutations) {
  names <- attr(stats::terms(formula, data = data), "term.labels")
  lapply(levels(data$g), function(g) {
    held <- data[data$g == g, ]
    fixed <- set_reference(fit(spec, y ~ . | g, data = data[data$g != g, ]), held)
    explainer <- DALEX::explain(fixed, held[setdiff(names(held), c("y", "g"))], held$y,
                                verbose = FALSE, label = "ridge")
    parts <- DALEX::model_parts(explainer, B = permutations, type = "difference", N = NULL,
                                loss_function = DALEX::loss_root_mean_square)
    own <- parts[parts$permutation == 0 & parts$variable %in% paste0("x", 1:8), ]
    stats::setNames(own$dropout_loss, own$variable)
  })
}

cost <- function(spec, title, domains = 20L, rows = 50L) {
  set.seed(1)
  data <- world(domains, rows)
  cat("\n", title, ", ", domains, " domains of ", rows, " rows, 8 predictors\n", sep = "")
  line <- function(what, ours, theirs) {
    cat(sprintf("  %-44s %7.1f s %7.1f s %6.1f x\n", what, ours, theirs, theirs / ours))
  }
  cat(sprintf("  %-44s %9s %9s\n", "", "domgen", "DALEX"))
  fits <- timed(for (g in levels(data$g)) fit(spec, y ~ . | g, data = data[data$g != g, ]))
  ours <- timed(found <- dg_importance(spec, y ~ . | g, data = data, kind = "within",
                                       metric = "rmse"))
  theirs <- timed(other <- dalex_within(spec, y ~ . - g, data, 10))
  line("importance within domains, 10 permutations", ours, theirs)
  line("  without the fits", max(ours - fits, 0.05), theirs - fits)
  other <- rowMeans(vapply(other, function(v) v[paste0("x", 1:8)], numeric(8)))
  own <- found$table$increase[match(paste0("x", 1:8), found$table$predictor)]
  cat("  increase of RMSE, x1 and x2: ", paste(signif(own[1:2], 3), collapse = " "), "; DALEX ",
      paste(signif(other[1:2], 3), collapse = " "), "\n", sep = "")
  model <- fit(spec, y ~ . | g, data = data)
  fixed <- set_reference(model, data)
  explainer <- DALEX::explain(fixed, data[names(data) != "y"], data$y, verbose = FALSE,
                              label = "ridge")
  for (type in c("pdp", "ale")) {
    ours <- timed(dg_effect(model, newdata = data, type = type))
    theirs <- timed(suppressWarnings(DALEX::model_profile(
      explainer, paste0("x", 1:8), N = NULL, grid_points = 20, groups = "g",
      type = if (type == "pdp") "partial" else "accumulated"
    )))
    line(paste(type, "by domain, 20 values"), ours, theirs)
  }
}

if ("cost" %in% asked) {
  cat("R ", as.character(getRversion()), ", domgen ", as.character(packageVersion("domgen")),
      ", DALEX ", as.character(packageVersion("DALEX")), "\n", sep = "")
  cost(dg_lm(domain_means = TRUE), "dg_lm(domain_means = TRUE)")
  cost(dg_ridge(lambda = 1, domain_kernel = domain_distribution()), "dg_ridge(), distributional")
}

# Increases of squared error, against twice the variances of the world; effects of a right model
# against its coefficients.
coverage <- function(domains, draws, rows = 15L, a = 1, b = 2) {
  kinds <- c("within", "between", "both", "context")
  between <- 1.5^2 + 1 / rows
  truth <- c(within = 2 * a^2, between = 2 * b^2 * between,
             both = 2 * a^2 + 2 * b^2 * between, context = 2 * (b - a)^2 * between)
  set.seed(domains)
  found <- replicate(draws, {
    data <- world(domains, rows, a, b, p = 1L)
    table <- dg_importance(dg_lm(domain_means = TRUE), y ~ x1 | g, data = data, kind = kinds)$table
    table <- table[match(kinds, table$kind), ]
    effect <- function(model, type, at, refits) {
      t <- dg_effect(model, "x1", type = type, grid = list(x1 = at), refits = refits)$average
      c(t$lower[length(at)], t$upper[length(at)])
    }
    model <- dg_lm(y ~ x1 | g, data = data, domain_means = TRUE)
    context <- effect(model, "context", 1, TRUE)
    own <- effect(model, "ale", c(-10, 10), TRUE)
    # 10 from the mean, which is not 0
    slope <- own / (10 - mean(tapply(data$x1, data$g, mean)))
    rbind(estimate = c(table$increase, NA, NA),
          hit = c(table$lower <= truth & truth <= table$upper,
                  context[1] <= b - a && b - a <= context[2], slope[1] <= a && a <= slope[2]))
  })
  cat("\n", domains, " domains of ", rows, " rows, ", draws, " draws\n", sep = "")
  print(rbind(truth = c(truth, "dg_effect: context" = b - a, "dg_effect: slope" = a),
              estimate = rowMeans(found["estimate", , ]), coverage = rowMeans(found["hit", , ])),
        digits = 3)
}

if ("coverage" %in% asked) {
  coverage(4L, 200L)
  coverage(6L, 150L)
  coverage(8L, 300L)
  coverage(12L, 200L)
}
