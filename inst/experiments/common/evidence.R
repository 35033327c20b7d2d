# The stored results as the guides show them: tables and functions of vignette("which-method") and
# vignette("evidence"), as the environment of one call.
collect_evidence <- function() {
  stored <- sub("[.]csv([.]gz)?$", "", list.files(results_folder(), "[.]csv([.]gz)?$"))
  found <- sapply(stored, read_results, simplify = FALSE)

  # What is evaluated where its results are there only.
  with_results <- function(name, expression) if (!is.null(found[[name]])) expression
  there <- function(results) Filter(Negate(is.null), results)

  clear <- function(d, sign) sum(is_apart(d) & sign * d$mean > 0)
  counted <- function(comparisons, sign, digits) {
    row <- function(d, name) {
      apart <- function(s) if (all(is.na(d$p))) "too few draws" else clear(d, s * sign)
      data.frame(result = name, draws = max(d$draws), compared = nrow(d),
                 differences = span(d$mean, digits, signed), `better, p < 0.05` = apart(1),
                 `worse, p < 0.05` = apart(-1), check.names = FALSE)
    }
    shown(do.call(rbind, Map(row, comparisons, names(comparisons))))
  }

  # Everything against the null model, on voices.
  against_null <- function(name) with_results(name, {
    lines <- found[[name]]
    if ("predictors" %in% names(lines)) lines <- lines[lines$predictors == "voice", ]
    # without what was tried to find the papers' figures
    lines <- lines[!grepl(" by |liblinear", lines$method), ]
    paired(lines, NULL, "null", "rmse", shared(name))[c("method", "mean", "p", "draws")]
  })
  voices <- c("dica-table-3", "mtl-tables-3-4", "dcm-table-4")
  voices <- there(sapply(voices, against_null, simplify = FALSE))
  all_voices <- do.call(rbind, voices)

  # Cells with a gate, as elsewhere.
  found[["dica-table-1"]] <- with_results("dica-table-1", {
    found[["dica-table-1"]][found[["dica-table-1"]]$others == "gated", ]
  })
  # Table 2 of the DICA paper: samples in place of draws, each its mean over draws.
  found[["dica-table-2"]] <- with_results("dica-table-2", domains_as_draws(found[["dica-table-2"]]))

  # Projections against the learner on the input with the same settings (same end of the name).
  words <- c(", pooling", ", distributional", ", weighted", ", median bandwidth", ", chosen")
  matched <- function(name, learner, measure, variants = "") with_results(name, {
    all <- methods_like(found[[name]], "KPCA|COIR|DICA|DCM")
    all <- all[!grepl("eq. 17", all, fixed = TRUE)] # no method of the package
    each <- lapply(variants, function(v) {
      plain <- !grepl(paste(words, collapse = "|"), all)
      own <- all[if (nzchar(v)) endsWith(all, v) else plain]
      d <- paired(found[[name]], own, paste0(learner, v), measure)
      add_intervals(d, shared(name, d$form))[c("method", "mean", "p", "draws")]
    })
    do.call(rbind, each)
  })
  projections <- there(list(
    `dica-table-1` = matched("dica-table-1", "Input", "accuracy", ", pooling"),
    `dica-table-2` = matched("dica-table-2", "Input", "accuracy", ", pooling"),
    `dcm-table-3` = matched("dcm-table-3", "SVM", "accuracy"),
    `dcm-table-5` = matched("dcm-table-5", "SVM", "auc", c("", ", median bandwidth")),
    `dcm-table-6` = matched("dcm-table-6", "SVM", "auc", c("", ", weighted")),
    `dcm-table-7` = matched("dcm-table-7", "SVM", "auc", c("", ", weighted"))
  ))
  all_projections <- do.call(rbind, projections)
  won <- all_projections$method[is_apart(all_projections) & all_projections$mean > 0]

  sets <- with_results("domgen-comparisons", {
    lines <- found[["domgen-comparisons"]][c("data", "metric", "method", "measure", "value")]
    wide <- stats::reshape(lines, idvar = c("data", "metric", "method"), timevar = "measure",
                           direction = "wide")
    names(wide) <- sub("value.", "", names(wide), fixed = TRUE)
    wide$gain <- ifelse(wide$metric == "rmse", -1, 1) * wide$difference
    wide
  })
  rivals <- sets[!sets$method %in% c("null", "pooled"), ]
  of_set <- function(data, method, what = "difference") {
    sets[[what]][sets$data == data & sets$method == method]
  }
  apart_on <- function(sign) {
    d <- rivals[rivals$p < 0.05 & sign * rivals$gain > 0, ]
    each <- paste0(d$method, " on ", d$data, " (p = ", formatC(d$p, 2, format = "g"), ")")
    if (nrow(d)) paste(each, collapse = ", ") else "nothing"
  }

  ellipses <- found[["mtl-tables-1-2"]]
  product_error <- function(domains) {
    d <- ellipses[ellipses$method == "product" & ellipses$domains == domains, ]
    span(summarise_results(d[d$measure == "error", ])$mean, 1)
  }
  error_of <- function(name, method, digits, ...) {
    number(mean_of(found[[name]], method, "error", ...), digits)
  }
  mines <- found[["dcm-table-6"]]
  mines <- mines[mines$form == "exact", ]
  fast <- with_results("dcm-cost", fast_and_exact(found[["dcm-cost"]]))
  most <- fast[fast$landmarks == max(0, fast$landmarks), ]
  cover <- with_results("domgen-gp-coverage", summarise_results(found[["domgen-gp-coverage"]]))
  # Percent of new domains' rows in 90 % intervals, where finite; means over sets, scenarios.
  conformal <- with_results("domgen-conformal", {
    d <- found[["domgen-conformal"]]
    infinite <- unique(d$data[d$measure == "infinite" & d$value > 0])
    d <- d[d$measure == "coverage" & !d$data %in% infinite, ]
    d$kind <- ifelse(is.na(d$domains), "real sets", paste("simulated,", d$domains, "domains"))
    d
  })
  covered <- with_results("domgen-conformal", {
    all <- tapply(conformal$value, list(conformal$kind, conformal$method), mean)
    all[, c("lm", "mixed", "ridge", "forest", "gp"), drop = FALSE]
  })
  by_set <- with_results("domgen-conformal", {
    all <- tapply(conformal$value, conformal[c("data", "method", "kind")], mean)
    span(range(all[, colnames(covered), ], na.rm = TRUE), 0)
  })
  class_sets <- with_results("domgen-sets", {
    d <- found[["domgen-sets"]]
    tapply(d$value, list(d$measure, d$method), mean)[c("coverage", "classes"), ]
  })
  class_sets_of <- length(unique(found[["domgen-sets"]]$data))
  new_domains <- with_results("domgen-coverage", {
    d <- found[["domgen-coverage"]]
    d[d$measure == "coverage", ]
  })
  conformal_sets <- length(unique(conformal$data[conformal$kind == "real sets"]))
  loss <- with_results("domgen-calibration", {
    d <- found[["domgen-calibration"]]
    d$method[d$method == "domains"] <- "platt"
    d <- d[d$measure == "log_loss", ]
    tapply(d$value, list(d$task, factor(d$method, unique(d$method))), mean)
  })
  expected <- function(domains, world, column) {
    d <- found[["auto-score"]]
    mean(d[[column]][d$domains == domains & d$world == world & !d$thinned])
  }
  # distributional less pooled, by data set
  described <- with_results("domgen-descriptions", {
    d <- found[["domgen-descriptions"]]
    d <- d[d$method == "pooled", ]
    tapply(d$value, list(d$data, d$measure), mean)
  })
  # A reader's own models: a method's score on a set, or its difference from another.
  models <- found[["domgen-own-models"]]
  of_model <- function(data, method, measure = "score", against = "") {
    d <- models[models$data == data & models$measure == measure & models$against == against, ]
    d$value[match(method, d$method)]
  }
  own <- methods_like(models, "^(ranger|xgboost|lme4)")
  best_own <- function(data, of = own) of[which.min(of_model(data, of))]
  # "-0.11 (0.03)*": a method less another; the star is one of text
  less <- function(data, method, against) {
    value <- function(measure) of_model(data, method, measure, against)
    paste0(signed(value("difference")), " (", number(value("se")), ")",
           if (isTRUE(value("p") < 0.05)) "\\*")
  }
  less_best <- function(data) less(data, "dg_auto()", best_own(data))
  scenarios <- with_results("diagnose", {
    d <- found[["diagnose"]][found[["diagnose"]]$question == "gain", ]
    d$domains <- ifelse(d$domains >= 30, "30 to 1,000", d$domains)
    d
  })
  advised <- function(d) number(100 * sum(d$advice * d$replications) / sum(d$replications), 0)
  many <- function(truth) {
    advised(scenarios[scenarios$truth == truth & scenarios$domains == "30 to 1,000", ])
  }
  environment()
}
