# Searches (median bandwidth, penalties) look at up to 1,000 rows, evenly spaced in the order of
# their columns. Is the order of columns_by_value(), which does not depend on how columns and levels
# stand, worse than the order in which they stand? For sets of packages of R and, with DOMGEN_DATA,
# of its files: scores of held-out domains (RMSE, or 1 - AUC of the most frequent class against the
# rest) with both, on the same rows and folds, for several draws of the rows. Printed are the mean
# paired difference over domains (by value - as they stand) with its standard error, as a percentage
# of the score, and the largest of a draw, in the same unit.
#   DOMGEN_DATA=... Rscript tests/bench/row-sample.R [sets] [learners] [draws]

suppressMessages(library(domgen))
options(domgen.threads = 1L)
source("tests/bench/defaults-data.R")

bench_sets <- c(bench_sets, list(
  gapminder = from_package("gapminder", "gapminder",
                           lifeExp ~ year + log(pop) + log(gdpPercap) | country),
  ScotsSec = from_package("mlmRev", "ScotsSec", attain ~ verbal + sex + social | second),
  egsingle = from_package("mlmRev", "egsingle",
                          math ~ year + grade + retained + female + black + hispanic | schoolid),
  guPrenat = from_package("mlmRev", "guPrenat", prenat ~ childAge + motherAge + birthOrd + indig +
                            momEd + husEd + husEmpl + toilet + TV + pcInd81 + ssDist | cluster,
                          stats::na.omit),
  ames = from_package("modeldata", "ames", log(Sale_Price) ~ log(Lot_Area) + log(Gr_Liv_Area) +
                        Year_Built + Full_Bath + Garage_Cars + MS_Zoning + Lot_Shape + Bldg_Type +
                        House_Style + Foundation + Heating_QC + Garage_Type | Neighborhood),
  GSSvocab = from_package("carData", "GSSvocab",
                          vocab ~ gender + nativeBorn + ageGroup + educGroup | year, stats::na.omit)
))

# Four fifths are training, of which a search looks at 1,000: sets with fewer rows are left out.
most_rows <- 1800L
least_rows <- 1300L

learners <- list(
  ridge = function(classes) dg_ridge(),
  svm = function(classes) dg_svm(),
  glm = function(classes) dg_glm(family = if (classes) "binomial" else "gaussian")
)

draw_rows <- function(set, domain, draw) {
  set.seed(draw)
  data <- thin_domains(set$data, domain, most_rows)
  y <- all.vars(set$formula[[2L]])
  if (is.factor(data[[y]])) {
    frequent <- names(which.max(table(data[[y]])))
    data[[y]] <- factor(ifelse(data[[y]] == frequent, "most", "rest"))
  }
  data
}

by_value <- getFromNamespace("columns_by_value", "domgen")
orders <- list(value = by_value, stand = function(X) X)

score <- function(spec, set, data, metric, draw, order) {
  utils::assignInNamespace("columns_by_value", orders[[order]], "domgen")
  on.exit(utils::assignInNamespace("columns_by_value", by_value, "domgen"))
  set.seed(draw)
  cv <- suppressMessages(suppressWarnings(
    dg_cv(spec, set$formula, data = data, folds = 5L, metric = metric, progress = FALSE)
  ))
  found <- stats::setNames(cv$domains$score, cv$domains$domain)
  if (metric == "auc") 1 - found else found
}

arguments <- commandArgs(trailingOnly = TRUE)
pick <- function(k, all) {
  if (length(arguments) < k || arguments[k] == "all") all else strsplit(arguments[k], ",")[[1L]]
}
draws <- seq_len(as.integer(pick(3L, "3")))
cat(sprintf("%-14s %-7s %-6s %9s   %s   %s\n", "set", "learner", "metric", "score",
            "by value - as they stand, % (standard error)", "largest of a draw, %"))
differences <- list()
for (name in pick(1L, names(bench_sets))) {
  set <- tryCatch(bench_sets[[name]](), error = function(e) NULL)
  if (is.null(set) || nrow(set$data) < least_rows) next
  # plain factors
  set$data <- data.frame(lapply(set$data, function(v) {
    if (is.factor(v)) factor(as.character(v), levels = levels(v)) else v
  }))
  domain <- all.vars(set$formula[[3L]][[3L]])
  if (nrow(draw_rows(set, domain, 1L)) < least_rows) next
  classes <- is.factor(set$data[[all.vars(set$formula[[2L]])]])
  metric <- if (classes) "auc" else "rmse"
  for (learner in pick(2L, names(learners))) {
    found <- lapply(draws, function(draw) {
      data <- draw_rows(set, domain, draw)
      scores <- lapply(names(orders), function(order) {
        score(learners[[learner]](classes), set, data, metric, draw, order)
      })
      data.frame(domain = names(scores[[1L]]), stand = scores[[2L]],
                 change = scores[[1L]] - scores[[2L]])
    })
    all <- do.call(rbind, found)
    level <- mean(all$stand, na.rm = TRUE)
    d <- 100 * c(tapply(all$change, all$domain, mean, na.rm = TRUE)) / level
    d <- d[is.finite(d)]
    largest <- max(abs(vapply(found, function(f) mean(f$change, na.rm = TRUE), 0)))
    differences[[paste(name, learner)]] <- c(mean(d), stats::sd(d) / sqrt(length(d)))
    cat(sprintf("%-14s %-7s %-6s %9.4f   %+8.3f (%.3f)   %.3f\n", name, learner, metric, level,
                mean(d), stats::sd(d) / sqrt(length(d)), 100 * largest / level))
  }
}
all <- do.call(rbind, differences)
of <- sub(".* ", "", rownames(all))
for (learner in c(unique(of), "all")) {
  own <- all[of == learner | learner == "all", , drop = FALSE]
  # the sets are independent, the learners are not
  sets <- tapply(own[, 1L], sub(" .*", "", rownames(own)), mean)
  cat(sprintf("%-7s mean difference %+.3f %% over %d sets (standard error over sets %.3f); ",
              learner, mean(sets), length(sets), stats::sd(sets) / sqrt(length(sets))))
  cat(sprintf("better by two standard errors on %d of %d, worse on %d\n",
              sum(own[, 1L] < -2 * own[, 2L], na.rm = TRUE), nrow(own),
              sum(own[, 1L] > 2 * own[, 2L], na.rm = TRUE)))
}
