# Writes the cheat sheet, one landscape page. From the root of the package:
# Rscript inst/scripts/cheat-sheet.R [file.pdf]
# Entries are code = what it does; a test holds the code against the package. Assumed are data
# frames train and test with response y, and domain, the vector of domains.

blocks <- list(
  "Data" = c(
    "f <- y ~ x1 + x2 | domain" = "predictors (or . for all others), then the domain",
    "dg_svm(f, data = train, scale = \"domain\")" =
      "scaled pooled, by domain, both, by ranks, or not at all",
    "dg_svm(f, data = train, na.action = na.impute)" = "keeps rows with missing predictors"
  ),
  "Ask first" = c(
    "dg_diagnose(f, data = train)" = "shift? headroom? gain on new domains?",
    "model <- dg_auto(f, data = train)" =
      "chosen by held-out domains; model$expected: estimated score"
  ),
  "Learners" = c(
    "model <- dg_svm(f, data = train)" = "uses the unlabelled rows of the new domain",
    "dg_ridge()" = "numbers and classes; lambda by held-out domains",
    "dg_gp()" = "numbers, with standard errors: predict(se.fit = TRUE)",
    "dg_glm(family = poisson())" = "counts, proportions, ordered classes (\"ordinal\")",
    "dg_lm(); dg_null()" = "baselines",
    "dg_forest(); dg_boost(); dg_net(); dg_mixed(); dg_gam()" =
      "ranger, xgboost, glmnet, lme4, mgcv; domain_means = TRUE",
    "learner_custom(fit, predict)" = "any model, by two functions",
    "dg_ensemble(list(a = dg_ridge(), b = dg_forest()), member_weights = \"stacked\")" =
      "weights by held-out domains"
  ),
  "Domain kernels" = c(
    "dg_svm(domain_kernel = domain_pooled())" = "one model for all domains",
    "dg_svm(domain_kernel = domain_multitask(0.5))" = "known domains share to a degree",
    "dg_svm(domain_kernel = domain_distribution())" = "similar rows, similar model (default)",
    "y ~ x1 | school / class; y ~ x1 | patient + device" = "nested and crossed domains",
    "dg_svm(domain_kernel = domain_factors())" = "a kernel per factor",
    "plot(dg_mmd(x, domain, permutations = 999))" = "distances, with a permutation test",
    "plot(domain_map(model, test))" = "map of training and new domains"
  ),
  "Kernels" = c(
    "kernel_rbf(bandwidth = 2) + kernel_linear()" = "sums and products",
    "kernel_mixed()" = "numeric, nominal and ordered predictors",
    "kernel_precomputed(K)" = "strings, graphs, images: by their matrix",
    "kernel_custom(function(x, z) x %*% t(z))" = "one of your own"
  ),
  "Predict on new domains" = c(
    "predict(model, newdata = test)" = "give whole domains: their rows describe them",
    "predict(model, test, type = \"prob\")" = "calibrated: dg_svm(calibration = \"platt\")",
    "predict(model, test, type = \"similarity\")" = "from 0 to 1: similarity to training rows",
    "dg_adapt(model, test, labels)" =
      "a few labels of one new domain (else NA)"
  ),
  "Inference" = c(
    "predict(set_intervals(model), test, interval = \"prediction\")" =
      "a row of a new domain; \"domain_share\", \"domain_mean\"",
    "predict(model, test, type = \"set\")" = "prediction sets of classes",
    "plot(dg_novelty(model, test))" = "is a new domain unlike those of training?",
    "plot(dg_importance(model))" = "within domains and between them",
    "plot(dg_effect(model, type = \"context\"))" =
      "effects of a domain's composition; \"pdp\", \"ale\""
  ),
  "Projections" = c(
    "z <- predict(dg_dica(f, data = train), test)" =
      "keeps the response, removes domain differences",
    "dg_udica(); dg_tca()" = "no response needed",
    "dg_coir(); dg_kfd()" = "no domains needed",
    "dg_dcm(); dg_sca(); dg_mda(); dg_cidg()" = "relatives: vignette(\"which-method\")",
    "dg_pipeline(dg_dica(ncomp = 2), dg_svm())" = "a projection, then a learner"
  ),
  "Choose and evaluate" = c(
    "dg_tune(dg_svm(), f, data = train, grid = list(cost = 10^(-1:2)))" =
      "by held-out domains; max_seconds limits the time",
    "dg_cv(dg_svm(), f, data = train)" = "each domain held out; a search inside is nested",
    "dg_compare(list(pooled = dg_lm(), forest = dg_forest()), f, data = train)" =
      "paired by domain; corrected for overlapping training sets",
    "dg_cv(dg_lm(), y ~ x1 | school / class, data = train, hold_out = \"class\")" =
      "new to what? metric = \"coverage\" for intervals",
    "plot(dg_cv(dg_ridge(), f, data = train, shots = c(1, 5)))" = "gain from 1 and 5 labelled rows",
    "domain_folds(domain, folds = 5, repeats = 3)" = "whole domains in a fold; time = : later ones",
    "dg_cv(dg_ridge(f, data = train))" = "leave-one-domain-out in closed form",
    "dg_plan(dg_lm(), f, data = train)" = "how many domains, or labels, are enough?"
  ),
  "Validate and publish" = c(
    "v <- dg_validate(model, newdata = test)" = "each domain, their mean, a new one; dg_cv() too",
    "plot(v); plot(dg_calibration(v)); plot(dg_net_benefit(v))" =
      "forest; are probabilities right? do they help to decide?",
    "dg_forecast(model, test)" = "the score of a new domain before its labels come",
    "dg_report(v, site = \"hospital\", row = \"patient\")" = "sentences, methods, references",
    "dg_coefficients(dg_lm(f, data = train))" = "errors that allow for domains",
    "dg_incidence(list(relapse = m1, death = m2), test)" = "competing events"
  ),
  "Large data" = c(
    "dg_ridge(f, data = train, feature_map = features_nystrom(500))" = "no n x n matrix",
    "rows <- row_source(\"folder/of/csv\")" = "files, a database, a function",
    "model <- dg_ridge(f, data = rows, feature_map = features_product())" = "read in blocks",
    "predict(model, rows, to = \"predictions.csv\")" = "written in blocks, as a whole or not at all",
    "future::plan(\"multisession\")" = "workers: processes, computers, Slurm"
  ),
  "Integrations" = c(
    "recipe(y ~ ., train) |> step_domain(x1, x2, domain = \"domain\")" = "tidymodels; also tunable",
    "mlr3::lrn(\"classif.domgen_svm\"); mlr3::rsmp(\"domain_cv\")" = "mlr3",
    "set_reference(model, train)" = "before pdp, DALEX, iml",
    "as_rsample(domain_folds(domain), train, domain)" = "domain folds in rsample"
  ),
  "Results" = c(
    "tidy(model); glance(model); augment(model, test)" = "data frames",
    "plot(result) + ggplot2::theme_bw()" = "a ggplot2 object, of models and of results"
  )
)
columns <- list(c(1:3, 13), c(4, 6, 10), c(5, 8, 9), c(7, 11, 12))

ink <- "#111111"
pale <- "#444444"
accent <- "#A34700"
text_cex <- 0.64
code_cex <- 0.62
leading <- 0.127   # inches from line to line

# Breaks a text where the column ends; code goes on after a comma or a space.
wrapped <- function(text, width, cex, family) {
  words <- strsplit(text, " ")[[1L]]
  lines <- character()
  for (word in words) {
    last <- length(lines)
    longer <- if (last) paste(lines[last], word) else word
    fits <- graphics::strwidth(longer, "inches", cex = cex, family = family) <= width
    if (last && fits) lines[last] <- longer
    if (!last || !fits) lines <- c(lines, if (last) paste0("  ", word) else word)
  }
  lines
}
put <- function(lines, x, y, cex, family, colour) {
  for (line in lines) {
    graphics::text(x, y, line, adj = c(0, 1), cex = cex, family = family, col = colour)
    y <- y - leading
  }
  y
}
draw_block <- function(title, x, y, width) {
  graphics::rect(x, y - 0.2, x + width, y, col = accent, border = NA)
  graphics::text(x + 0.06, y - 0.1, title, adj = c(0, 0.5), cex = 0.72, font = 2, col = "white")
  y <- y - 0.26
  for (code in names(blocks[[title]])) {
    y <- put(wrapped(code, width - 0.1, code_cex, "Courier"), x + 0.05, y, code_cex, "Courier", ink)
    about <- wrapped(blocks[[title]][[code]], width - 0.2, text_cex, "Helvetica")
    y <- put(about, x + 0.15, y, text_cex, "Helvetica", pale)
    y <- y - 0.05
  }
  y - 0.09
}
draw_sheet <- function(version) {
  graphics::par(mar = rep(0, 4), xaxs = "i", yaxs = "i")
  graphics::plot.new()
  graphics::plot.window(c(0, 11.69), c(0, 8.27))
  graphics::text(0.35, 7.92, "domgen", adj = c(0, 0.5), cex = 1.8, font = 2, col = accent)
  graphics::text(1.75, 7.9, adj = c(0, 0.5), cex = 0.95, col = ink, paste(
    "Predict on new domains: learn from labelled patients, schools, instruments, fields"
  ))
  graphics::text(11.34, 7.9, paste("version", version), adj = c(1, 0.5), cex = 0.7, col = pale)
  width <- 2.62
  ends <- vapply(seq_along(columns), function(column) {
    y <- 7.6
    left <- 0.35 + (column - 1) * 2.79
    for (title in names(blocks)[columns[[column]]]) y <- draw_block(title, left, y, width)
    y
  }, 0)
  graphics::text(0.35, 0.22, adj = c(0, 0.5), cex = 0.6, col = pale, paste0(
    "Every method without data is a specification: what chains, searches, cross-validation and ",
    "comparisons take. Start at ?domgen and vignette(\"domgen\"); cite with citation(\"domgen\")."
  ))
  stopifnot("a column is longer than the page" = min(ends) > 0.3)
}

write_sheet <- function(file) {
  version <- read.dcf("DESCRIPTION")[1L, "Version"]
  grDevices::pdf(file, width = 11.69, height = 8.27, title = "domgen cheat sheet",
                 useDingbats = FALSE)
  on.exit(grDevices::dev.off())
  draw_sheet(version)
}
given <- commandArgs(trailingOnly = TRUE)
if (!identical(given, "--no-file")) {
  write_sheet(if (length(given)) given[1L] else file.path("inst", "cheatsheet", "domgen.pdf"))
}
