# A result as a table for a report, in no markup: list(table: data frame of text, headers, caption,
# notes below, align: "l" or "r" a column). What knitr and flextable show is made from it.
report_table <- function(x) UseMethod("report_table")

new_report <- function(table, headers, caption, notes = character(), text = 1L) {
  align <- replace(rep("r", ncol(table)), text, "l")
  table[text] <- lapply(table[text], function(column) one_line(as.character(column)))
  list(table = in_words(table, 4), headers = headers, caption = caption, align = align,
       notes = trimws(gsub("[ \n]+", " ", notes)))
}

direction_words <- function(measure) {
  if (measure$better == "low") "lower is better" else "higher is better"
}

#' @exportS3Method
report_table.dg_compare <- function(x) {
  cells <- comparison_cells(x)
  measure <- x$metrics[[1L]]
  headers <- c("Method", names(cells)[2L], paste("Difference from", x$against),
               names(cells)[-(1:3)])
  new_report(cells, headers,
             paste0(measure$title, ", ", x$runs[[1L]]$held, " (", direction_words(measure), ")"),
             c(x$runs[[1L]]$novelty, missing_words(x), capital(inference_words(x)),
               comparison_verdicts(x), comparison_notes(x)))
}

#' @exportS3Method
report_table.dg_cv <- function(x) {
  columns <- c("score", names(x$metrics)[-1L])
  titles <- vapply(x$metrics, `[[`, "", "title")
  means <- vapply(columns, function(name) known_mean(x$domains[[name]]), 0)
  intervals <- Map(mean_interval, means, x$errors)
  shown <- utils::head(x$domains[c("domain", "rows", columns)], cv_domains)
  new_report(shown, c("Domain", "Rows", unname(titles)),
             paste0(x$spec$parts$title, ", ", x$held),
             c(rows_left(x$domains, cv_domains, "domain"), x$novelty,
               paste0(titles, ": mean over domains ", vapply(rounded(means, 4), format, ""),
                      vapply(intervals, mean_words, "")),
               if (!is.na(x$se)) paste("intervals are", same_domains),
               paste0(titles[1L], " over all rows ", format(rounded(x$overall, 4))), cv_notes(x),
               if (!is.null(x$shots)) shots_notes(x)))
}

# A note for each number of labels.
shots_notes <- function(x) {
  cells <- shots_cells(x)
  changed <- ifelse(cells$change == "", "", paste0(", change ", cells$change, " (standard error ",
                                                   cells$`se of change`, ")"))
  labels <- ifelse(cells$labels == "1", " label", " labels")
  c(shots_title(x), paste0(cells$labels, labels, ": mean ", cells$mean, " (95 % interval ",
                           cells$lower, " to ", cells$upper, ")", changed))
}

#' @exportS3Method
report_table.dg_tuned <- function(x) {
  tuning <- x$tuning
  names <- names(tuning$best)
  table <- tuning$table[is.na(tuning$table$error), ]
  order <- utils::head(order(losses(table$mean, tuning$metric$better)), 10L)
  chosen <- vapply(tuning$best, format_value, "")
  new_report(table[order, c(names, "mean", "se")],
             c(names, paste("Mean", tuning$metric$title), "Standard error"),
             paste0("The best of ", plural(nrow(tuning$table), "combination"), ", ", tuning$held),
             c(paste0("Chosen: ", paste(names, "=", chosen, collapse = ", "),
                      if (tuning$rule == "one_se") ", the simplest within one standard error"),
               "On new domains expect somewhat worse.", tuning_notes(tuning),
               rows_left(table, 10L, "combination", "`$tuning$table`")), text = integer())
}

#' @exportS3Method
report_table.dg_auto <- function(x) {
  choice <- x$choice
  table <- choice$table
  shown <- c(which(table$member %in% TRUE), if (!choice$few) best_others(table))
  weight <- table$weight[shown]
  cells <- data.frame(candidate = describe_candidates(table[shown, ]), score = table$mean[shown],
                      weight = ifelse(is.na(weight), "", formatC(weight, 2L, format = "f")))
  expected <- choice$expected
  scored <- paste(choice$metric$title, "on left-out", if (choice$few) "rows" else "domains")
  new_report(cells, c("Candidate", scored, "Weight"),
             paste0("Members of the ensemble and the best of the others", describe_formula(x)),
             c(if (!is.na(expected$mean)) {
               paste0(choice$metric$title, " expected on a new domain: ", rounded(expected$mean, 4),
                      mean_words(c(expected$lower, expected$upper)))
             }, if (!is.na(expected$se)) paste("the interval is", same_domains), null_words(choice),
             budget_words(choice$budget)))
}

#' @exportS3Method
report_table.dg_diagnose <- function(x) {
  table <- as.data.frame(x)
  words <- function(v) vapply(v, function(one) if (is.na(one)) "" else format(rounded(one, 3)), "")
  cells <- data.frame(
    question = c("Shift: variance of the predictors between domains, beyond chance",
                 paste("Room: gain of", x$metric$title, "in known domains, told the domain"),
                 paste("Gain: gain of", x$metric$title, "in unseen domains, from unlabelled rows")),
    estimate = words(table$estimate),
    interval = interval_cells(words(table$lower), words(table$upper)),
    p = vapply(table$p.value, format_p, "")
  )
  new_report(cells, c("Question", "Estimate", "Approximate 95 % interval", "p"),
             paste0("What is there to gain from domains? (", plural(nrow(x$domains), "domain"),
                    ", ", plural(x$rows, "row"), ")"), c(p_decides(x), x$verdict))
}

#' @exportS3Method
report_table.dg_calibration <- function(x) {
  t <- x$table
  words <- function(v) formatC(v, max(getOption("digits") - 5L, 1L), format = "f")
  cells <- data.frame(class = as.character(t$class),
                      bin = paste(format(t$low), "to", format(t$high)), rows = t$rows,
                      predicted = words(t$predicted), observed = words(t$observed),
                      interval = interval_cells(words(t$lower), words(t$upper)))
  new_report(cells, c("Class", "Predicted between", "Rows", "Mean prediction", "Observed share",
                      "95 % interval"),
             paste0("Calibration of ", x$labels$response, ", ", plural(x$rows, "row"), " of ",
                    plural(x$domains, "domain")),
             trimws(calibration_words(x)),
             text = 1:2)
}

#' @exportS3Method
report_table.domgen_mmd <- function(x) {
  pairs <- as.data.frame(x)
  table <- utils::head(pairs[order(-pairs$squared), ], mmd_domains)
  if (!is.null(table$p.value)) table$p.value <- vapply(table$p.value, format_p, "")
  new_report(table, c("Domain", "and domain", "Squared MMD", if (ncol(table) > 3L) "p"),
             paste0("Squared MMD between domains (", if (x$unbiased) "unbiased" else "biased", ")"),
             c(rows_left(pairs, mmd_domains, "pair", "as.data.frame(), less distant"),
               paste0("k(x, z) = ", format_bandwidth(x$kernel)), if (!is.null(x$p_value)) {
               paste0(permutation_words(x), ", p not adjusted for several pairs")
             }), text = 1:2)
}

#' @exportS3Method
report_table.dg_novelty <- function(x) {
  cells <- novelty_cells(x, novelty_lines)
  new_report(cells, c("Domain", "Rows", "Distance", "Median", "Farthest", "p", "Resembles"),
             paste0("Novelty of ", plural(nrow(x$domains), "domain"), " among ", x$training,
                    " of training"),
             c(rows_left(x$domains, novelty_lines, "domain", "`$domains`, nearer"),
               novelty_words(x)), text = c(1L, 7L))
}

#' @exportS3Method
report_table.dg_cost <- function(x) {
  size <- x$arguments
  new_report(cost_cells(x), c("Pass (times)", "Operations", "Read", "Sent by a worker", "Seconds"),
             paste0("Cost of ", x$title, ": ", in_full(size$rows), " rows, ",
                    plural(size$predictors, "predictor"), ", ", plural(size$domains, "domain"),
                    ", ", plural(size$workers, "worker")), cost_totals(x))
}
