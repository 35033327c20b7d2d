#' Report of a validation
#'
#' @description
#' Gives the sentences and tables of a report on a [dg_validate()]: numbers in words, results by
#' site, and the TRIPOD-Cluster checklist with the items that the data answer.
#'
#' @details
#' A document that uses all of it comes with the package and knits into HTML and Word:
#' `rmarkdown::draft("report.Rmd", template = "validation-by-site", package = "domgen")`.
#' Replace the data and the model in its first chunk and the marks `[author]` in its text.
#'
#' The checklist names the 19 items of TRIPOD-Cluster in short. Check it against the published one,
#' which explains them.
#'
#' @param object The result of [dg_validate()].
#' @param data Data frame that was validated, before rows with missing values are dropped. Default
#'   `NULL`: the report has no numbers of missing values.
#' @param formula The model's formula: only its variables in `data` are counted, and the checklist
#'   names the predictors. Default `NULL`: all variables of `data`.
#' @param method Name of a method, of the validation of a [dg_compare()]. Default `NULL`: the first.
#' @param site,row Words for a domain and for a row of the data, such as `"hospital"` and
#'   `"patient"`, or with the plural if it does not end in s: `c("woman", "women")`.
#' @return An object of class `dg_report`, a list with
#'   \item{text}{named list of sentences: `data`, `missing`, `validation`, `performance`,
#'     `calibration`, `ranking`, `target`, `small`, `comparison`, `regression`, `methods`, and the
#'     vector `references`; without those that do not apply}
#'   \item{sites}{results by site; printed, and a table in documents}
#'   \item{checklist}{the TRIPOD-Cluster checklist, likewise}
#'
#'   [tidy()] turns the tables into data frames.
#' @references
#' Debray, T. P. A. and others (2023). Transparent reporting of multivariable prediction models
#' developed or validated using clustered data: TRIPOD-Cluster checklist. *BMJ* 380, e071018.
#' @seealso [dg_validate()], `vignette("validation")`
#' @examplesIf requireNamespace("metafor", quietly = TRUE)
#' toy <- simulate_dcm(domains = 8, n = 60, seed = 1)
#' cv <- dg_cv(dg_glm(lambda = 1), y ~ . | domain, data = toy)
#' report <- dg_report(dg_validate(cv), data = toy, site = "hospital", row = "patient")
#' report
#' report$sites
#' @export
dg_report <- function(object, data = NULL, formula = NULL, method = NULL, site = "site",
                      row = "row") {
  check_given(object, "object")
  if (!inherits(object, "dg_validate")) {
    abort("argument", "`object` must be the result of dg_validate(), not ", describe(object), ".")
  }
  methods <- unique(object$summary$method)
  method <- if (is.null(method)) methods[1L] else check_choice(method, "method", methods)
  words <- as.list(c(read_word(site, "site"), read_word(row, "row")))
  own <- function(table) table[table$method == method, ]
  x <- object
  x[c("summary", "domains", "rows")] <- lapply(object[c("summary", "domains", "rows")], own)
  x$method <- method
  if (!is.null(x$regression)) x$regression <- own(x$regression)
  sites <- count_sites(x, data, formula)
  text <- report_text(x, sites, words)
  predictors <- report_predictors(data, formula, x)
  structure(list(text = text, sites = new_sites(x, sites, words),
                 checklist = new_checklist(x, text, words, predictors)), class = "dg_report")
}

# The word and its plural, which may be given, by the argument's name and that with an s.
read_word <- function(value, arg) {
  if (!is.character(value) || !length(value) %in% 1:2 || anyNA(value) || !all(nzchar(value))) {
    abort("argument", "`", arg, "` must be one word, or two with its plural, not ",
          describe(value), ".")
  }
  many <- if (length(value) == 2L) value[2L] else sub("([^aeiou])ys$", "\\1ies", paste0(value, "s"))
  stats::setNames(c(value[1L], many), paste0(arg, c("", "s")))
}

#' @export
print.dg_report <- function(x, ...) {
  text <- x$text[setdiff(names(x$text), c("methods", "references"))]
  cat_line(unlist(text))
  cat_line("")
  cat_line("Also `$text$methods`, `$text$references`, `$sites` and `$checklist`.")
  invisible(x)
}

# ---- the data ---------------------------------------------------------------------------------

# A row for each site: domain, rows, events, and with data the rows that they had and how many of
# these lack a value.
count_sites <- function(x, data, formula) {
  first <- x$domains$measure == x$domains$measure[1L]
  sites <- x$domains[first, c("domain", "rows", "events")]
  if (is.null(data)) return(sites)
  if (!is.data.frame(data)) {
    abort("argument", "`data` must be a data frame, not ", describe(data), ".")
  }
  used <- used_columns(data, formula)
  attr(sites, "incomplete") <- incomplete <- !stats::complete.cases(data[used])
  if (!x$labels$domain %in% names(data)) return(sites)
  own <- factor(value_labels(data[[x$labels$domain]]), sites$domain)
  sites$all <- tabulate(own, nrow(sites))
  sites$incomplete <- tabulate(own[incomplete], nrow(sites))
  sites
}

used_columns <- function(data, formula) {
  names <- all.vars(formula)
  if (is.null(formula) || "." %in% names) names(data) else intersect(names, names(data))
}

report_predictors <- function(data, formula, x) {
  if (is.null(formula)) return(NULL)
  names <- if (is.null(data)) setdiff(all.vars(formula), ".") else used_columns(data, formula)
  setdiff(names, c(all.vars(formula)[1L], x$labels$domain))
}

# ---- sentences --------------------------------------------------------------------------------

# Elements that are NULL are left out.
report_text <- function(x, sites, words) {
  text <- list(
    data = text_of_data(x, sites, words), missing = text_of_missing(sites, words),
    validation = text_of_validation(x, words), performance = text_of_performance(x, words),
    calibration = text_of_calibration(x, words), ranking = text_of_ranking(x, words),
    target = text_of_target(x, words), small = with_word(small_site_words(x), words),
    comparison = text_of_comparison(x), regression = text_of_regression(x, words),
    methods = text_of_methods(x, words), references = report_references(x)
  )
  Filter(Negate(is.null), text)
}

say <- function(value, digits = 3) trimws(format(rounded(value, digits), scientific = FALSE))
say_range <- function(lower, upper, digits = 3) {
  paste(say(lower, digits), "to", say(upper, digits))
}
say_percent <- function(share) paste(formatC(100 * share, digits = 0, format = "f"), "%")
level_words <- function(x) paste0(100 * x$level, " %")

# Sentences on results speak of domains.
with_word <- function(text, words) {
  if (is.null(text)) return(NULL)
  gsub("\\bdomain\\b", words$site, gsub("\\bdomains\\b", words$sites, text))
}

text_of_data <- function(x, sites, words) {
  y <- split(x$rows$y, factor(x$rows$domain, sites$domain))
  means <- vapply(y, mean, 0)
  counts <- paste0("The data have ", plural(sum(sites$rows), words$row, words$rows), " of ",
                   plural(nrow(sites), words$site, words$sites), " (",
                   say_range(min(sites$rows), max(sites$rows), 6), " per ", words$site,
                   ", median ", say(stats::median(sites$rows), 6), ").")
  response <- x$labels$response
  paste(counts, switch(
    x$kind,
    class = paste0("The event (", response, " = ", x$class, ") occurred in ", sum(sites$events),
                   " (", say_percent(sum(sites$events) / sum(sites$rows)), "), by ", words$site,
                   " in ", say_percent(min(means)), " to ", say_percent(max(means)), "."),
    number = paste0("The mean of ", response, " is ", say(mean(x$rows$y)),
                    " (standard deviation ", say(stats::sd(x$rows$y)), "), by ", words$site, " ",
                    say_range(min(means), max(means)), "."),
    count = paste0("The sum of ", response, " is ", say(sum(x$rows$y), 7), ", the mean per ",
                   words$row, " ", say(mean(x$rows$y)), ", by ", words$site, " ",
                   say_range(min(means), max(means)), "."),
    ordinal = paste0("The response is ", response, ".")
  ))
}

text_of_missing <- function(sites, words) {
  incomplete <- attr(sites, "incomplete")
  if (is.null(incomplete)) return(NULL)
  if (!any(incomplete)) return("No value is missing.")
  text <- paste0("Of ", plural(length(incomplete), words$row, words$rows), ", ", sum(incomplete),
                 " (", say_percent(mean(incomplete)), ") lack a value")
  if (!is.null(sites$all)) {
    share <- sites$incomplete / pmax(sites$all, 1)
    text <- paste0(text, ", by ", words$site, " ", say_percent(min(share)), " to ",
                   say_percent(max(share)))
  }
  paste0(text, "; ", plural(sum(sites$rows), words$row, words$rows), " could be validated.")
}

text_of_validation <- function(x, words) {
  if (is_known(x$scope)) {
    paste0("Rows of each ", words$site, " were predicted by a model (", x$method, ") that was ",
           "fitted to other rows, also of that ", words$site, " (", with_word(x$held_out, words),
           "). Statements on a new ", words$site, " are for one with rows in training.")
  } else if (x$inflation > 1) {
    paste0("Each ", words$site, " was predicted by a model (", x$method, ") that was fitted ",
           "without it (", with_word(x$held_out, words), ").")
  } else if (x$held_out == "rows of new domains") {
    paste0("The model (", x$method, ") was fitted before and predicted these ", words$sites, ".")
  } else {
    paste0("The predictions were made elsewhere; their origin is not known here.")
  }
}

# "mean 0.71 (95 % CI 0.59 to 0.81), at a new hospital 0.51 to 0.86"
measure_words <- function(x, name, words, full = FALSE) {
  row <- x$summary[x$summary$measure == name, ]
  title <- measures[[x$kind]][[name]]$title
  if (nrow(row) == 0L || is.na(row$mean)) return(NULL)
  found <- paste0(capital(title), " is ", say(row$mean),
                  if (full) paste(" on average over", words$sites))
  if (is.na(row$lower)) return(paste0(found, "."))
  new <- if (full) paste0(". At a new ", words$site, " of the same kind it lies with ",
                          level_words(x), " probability at ")
         else paste0("; at a new ", words$site, " ")
  paste0(found, " (", level_words(x), " CI ", say_range(row$lower, row$upper), ")",
         if (is.na(row$new_lower)) "" else new,
         if (!is.na(row$new_lower)) say_range(row$new_lower, row$new_upper), ".")
}

# Which measures each paragraph has.
performance_measures <- list(class = c("auc", "scaled_brier", "sensitivity", "specificity"),
                             number = c("rmse", "r2"), count = "deviance",
                             ordinal = c("concordance", "rps"))
calibration_measures <- list(class = c("oe", "slope"), number = c("bias", "slope"),
                             count = c("oe", "slope"), ordinal = NULL)

text_of_performance <- function(x, words) {
  names <- intersect(performance_measures[[x$kind]], x$summary$measure)
  found <- lapply(names, function(name) measure_words(x, name, words, name == names[1L]))
  paste(unlist(found), collapse = " ")
}

text_of_calibration <- function(x, words) {
  names <- intersect(calibration_measures[[x$kind]], x$summary$measure)
  found <- lapply(names, function(name) {
    c(measure_words(x, name, words), calibration_reading(x, name, words))
  })
  text <- paste(unlist(found), collapse = " ")
  if (nzchar(text)) text
}

# What is said of a value whose interval excludes perfect calibration, or of one that includes it.
calibration_reading <- function(x, name, words) {
  row <- x$summary[x$summary$measure == name, ]
  if (nrow(row) == 0L || is.na(row$lower)) return(NULL)
  perfect <- measures[[x$kind]][[name]]$better
  side <- if (row$lower > perfect) 1L else if (row$upper < perfect) 2L else 3L
  average <- paste0("The interval of the mean includes ", perfect,
                    ", the value of perfect calibration.")
  most <- switch(
    name,
    oe = c("On average there are more events than predicted.",
           "On average there are fewer events than predicted.", average),
    slope = c("On average predictions are too similar to each other (slope above 1).",
              "On average predictions are too extreme (slope below 1).", average),
    bias = c("On average predictions are too high.", "On average predictions are too low.",
             average)
  )[side]
  if (x$kind == "count") most <- sub("more events", "more", sub("fewer events", "fewer", most))
  new <- if (name == "oe" && !is.na(row$new_lower)) {
    paste0("At a new ", words$site, " there may be ", change_words(row$new_lower), " to ",
           change_words(row$new_upper), if (x$kind == "class") " events", " than predicted.")
  }
  c(most, new)
}

change_words <- function(ratio) {
  paste(say_percent(abs(ratio - 1)), if (ratio < 1) "fewer" else "more")
}

text_of_ranking <- function(x, words) {
  name <- x$summary$measure[1L]
  rows <- x$domains[x$domains$measure == name & is.finite(x$domains$shrunk), ]
  if (nrow(rows) < 2L) return(NULL)
  low <- rows[which.min(rows$shrunk), ]
  high <- rows[which.max(rows$shrunk), ]
  cell <- function(row) {
    paste0(say(row$shrunk), " (", row$domain, "; ", say_range(row$shrunk_lower, row$shrunk_upper),
           ")")
  }
  paste0("With ", words$sites, " of few ", words$rows, " drawn to the mean, ",
         measures[[x$kind]][[name]]$title, " by ", words$site, " is between ", cell(low), " and ",
         cell(high), ".")
}

text_of_target <- function(x, words) {
  if (is.null(x$target)) return(NULL)
  pass <- x$summary$pass[match(names(x$target), x$summary$measure)]
  known <- !is.na(pass)
  if (!any(known)) return(NULL)
  paste0("The probability that a new ", words$site, " reaches ",
         paste0(target_words(x)[known], " is ", vapply(pass[known], say_percent, ""),
                collapse = ", that it reaches "), ".")
}

text_of_comparison <- function(x) {
  if (is.null(x$differences)) return(NULL)
  rows <- x$differences[x$differences$measure == x$summary$measure[1L] &
                          !is.na(x$differences$difference), ]
  if (nrow(rows) == 0L) return(NULL)
  paste0(capital(measures[[x$kind]][[rows$measure[1L]]]$title), " less that of ", x$baseline,
         ", on the same rows: ", paste0(rows$method, " ", say(rows$difference), " (",
                                        level_words(x), " CI ", say_range(rows$lower, rows$upper),
                                        ")", collapse = "; "), ".")
}

text_of_regression <- function(x, words) {
  if (is.null(x$regression)) return(NULL)
  name <- x$summary$measure[1L]
  rows <- x$regression[x$regression$measure == name & x$regression$term != "(intercept)", ]
  if (nrow(rows) == 0L) return(NULL)
  scale <- measures[[x$kind]][[name]]$scale
  scale <- if (scale != "identity") paste0(" (", scales[[scale]]$title, ")")
  paste0("Meta-regression of ", measures[[x$kind]][[name]]$title, scale, " on properties of ",
         words$sites, ": ",
         paste0(rows$term, " ", vapply(rows$estimate, say, ""), " (", level_words(x), " CI ",
                mapply(say_range, rows$lower, rows$upper), ", ", vapply(rows$p, p_words, ""), ")",
                collapse = "; "), ".")
}

# ---- methods ----------------------------------------------------------------------------------

text_of_methods <- function(x, words) {
  titles <- measure_titles(x, x$summary$measure)
  site <- words$site
  paste(
    text_of_validation(x, words),
    paste0("In each ", site, " we estimated ", listed(titles), " with standard errors for other ",
           words$rows, " of the same ", site,
           if ("auc" %in% x$summary$measure) " (of the AUC by DeLong and others, 1988)", ".",
           if (x$kind == "class") paste0(
             " With fewer than 10 events or non-events the AUC's error is that of Hanley and ",
             "McNeil (1982), and intercept and slope have Firth's penalty (1993).")),
    paste0("Values of ", words$sites, " were summarised by random effects on the scale on which ",
           "they are nearly normal (", listed(scale_of_measures(x)), "), by restricted maximum ",
           "likelihood with intervals by Knapp and Hartung (2003)",
           if (x$inflation > 1) paste0(", widened by the factor ", say(sqrt(x$inflation)),
                                       " since training sets overlap (Nadeau and Bengio, 2003)"),
           ".",
           if (x$kind %in% c("class", "count")) paste0(
             " Where some ", words$sites, " have fewer than ", some_events, " events, the ",
             "summary of observed/expected", if (x$kind == "class") " and of the intercept",
             " uses the likelihood of the events (Stijnen and others, 2010)."
           )),
    paste0("The interval of a new ", site, " is the ", level_words(x), " interval of the posterior",
           " predictive distribution of its value, with a flat prior of the mean and a half-normal",
           " one of the standard deviation between ", words$sites, ". It assumes that the new ",
           site, " is of the same kind as these and describes the value with many ",
           words$rows, "."),
    paste0("Computed with domgen ", utils::packageVersion("domgen"), " and metafor ",
           utils::packageVersion("metafor"), " in ", R.version.string, ".")
  )
}

# "AUC and Brier score: logit"
scale_of_measures <- function(x) {
  scale <- vapply(x$summary$measure, function(name) measures[[x$kind]][[name]]$scale, "")
  titles <- measure_titles(x, x$summary$measure)
  found <- split(titles, factor(scale, unique(scale)))
  paste0(vapply(found, listed, ""), ": ", vapply(scales[names(found)], `[[`, "", "title"))
}

# "a, b and c"; parts with an "and" are separated by semicolons.
listed <- function(words) {
  n <- length(words)
  if (n == 1L) words
  else if (any(grepl(" and |: ", words))) paste(words, collapse = "; ")
  else paste(paste(words[-n], collapse = ", "), "and", words[n])
}

report_references <- function(x) {
  auc <- "auc" %in% x$summary$measure
  c(if (auc) c(
      paste("DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the areas",
            "under two or more correlated receiver operating characteristic curves. *Biometrics*",
            "44, 837-845."),
      paste("Hanley, J. A. and McNeil, B. J. (1982). The meaning and use of the area under a",
            "receiver operating characteristic (ROC) curve. *Radiology* 143, 29-36.")),
    paste("Debray, T. P. A. and others (2017). A guide to systematic review and meta-analysis of",
          "prediction model performance. *BMJ* 356, i6460."),
    paste("Debray, T. P. A. and others (2023). Transparent reporting of multivariable prediction",
          "models developed or validated using clustered data: TRIPOD-Cluster checklist. *BMJ*",
          "380, e071018."),
    if (x$kind == "class") {
      "Firth, D. (1993). Bias reduction of maximum likelihood estimates. *Biometrika* 80, 27-38."
    },
    paste("Knapp, G. and Hartung, J. (2003). Improved tests for a random effects meta-regression",
          "with a single covariate. *Statistics in Medicine* 22, 2693-2710."),
    if (x$inflation > 1) {
      paste("Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. *Machine",
            "Learning* 52, 239-281.")
    },
    if (x$kind %in% c("class", "count")) {
      paste("Stijnen, T., Hamza, T. H. and Ozdemir, P. (2010). Random effects meta-analysis of",
            "event outcome in the framework of the generalized linear mixed model with",
            "applications in sparse data. *Statistics in Medicine* 29, 3046-3067.")
    },
    paste("Viechtbauer, W. (2010). Conducting meta-analyses in R with the metafor package.",
          "*Journal of Statistical Software* 36(3), 1-48."))
}

# ---- tables -----------------------------------------------------------------------------------

new_sites <- function(x, sites, words) {
  structure(c(list(validation = x, counts = sites), words), class = c("dg_report_sites",
                                                                       "dg_result"))
}

# A row for each site, with a column for each of the main measures.
#' @exportS3Method
describe_result.dg_report_sites <- function(x) {
  validation <- x$validation
  known <- intersect(c(performance_measures[[validation$kind]][1L],
                       calibration_measures[[validation$kind]]), validation$domains$measure)
  table <- x$counts
  attr(table, "incomplete") <- NULL
  table$all <- NULL
  for (name in known) {
    own <- validation$domains[validation$domains$measure == name, ]
    table[paste0(name, c("", "_lower", "_upper"))] <- own[c("estimate", "lower", "upper")]
  }
  new_result(
    paste("Performance by", x$site), `rownames<-`(table, NULL),
    c(list(column("domain", x$site), column("rows", x$rows, format = as_number(9))),
      if (validation$kind == "class") list(column("events")),
      if (any(table$incomplete > 0)) list(column("incomplete")),
      lapply(known, function(name) {
        measure <- measures[[validation$kind]][[name]]
        column(name, measure$title, format = function(values, rows) {
          value_cells(values, rows[[paste0(name, "_lower")]], rows[[paste0(name, "_upper")]],
                      cell_decimals(values, measure))
        })
      })),
    notes = c(paste0("In parentheses: ", level_words(validation), " intervals."),
              if (any(table$incomplete > 0)) {
                paste0("Incomplete: ", x$rows, " of the data that lack a value.")
              }),
    unit = x$site
  )
}

# Two decimals of a proportion, ratio or slope, three digits of other values.
cell_decimals <- function(values, measure) {
  typical <- stats::median(abs(values[is.finite(values) & values != 0]))
  if (measure$scale == "logit" || identical(measure$better, 1) || is.na(typical)) 2L
  else min(max(2 - floor(log10(typical)), 0), 9)
}

# "0.64 (0.50 to 0.76)"
value_cells <- function(values, lower, upper, decimals) {
  cell <- as_decimals(decimals)
  text <- paste0(cell(values), " (", trimws(cell(lower)), " to ", trimws(cell(upper)), ")")
  ifelse(is.na(values), "", text)
}

new_checklist <- function(x, text, words, predictors) {
  structure(list(items = checklist_items(x, text, words, predictors)),
            class = c("dg_report_checklist", "dg_result"))
}

#' @exportS3Method
describe_result.dg_report_checklist <- function(x) {
  new_result(
    "TRIPOD-Cluster checklist", x$items,
    list(column("section", once = TRUE, report = FALSE), column("item"), column("content"),
         column("reported")),
    notes = c(paste("Items in short, after Debray and others (2023): check against the published",
                    "checklist."),
              "[author]: to be filled in."),
    unit = "item"
  )
}

# The items, in words of our own, and what the data say to them.
checklist_items <- function(x, text, words, predictors) {
  author <- "[author]"
  also <- function(what) paste(what, author)
  titles <- listed(measure_titles(x, x$summary$measure))
  heterogeneity <- paste0(
    "Standard deviation between ", words$sites, ": ",
    paste0(measure_titles(x, x$summary$measure), " ", vapply(x$summary$tau, say, "", 2),
           collapse = ", "), " (each on its scale)."
  )
  subgroups <- if (!is.null(text$regression)) also(text$regression) else author
  item <- function(section, item, content, reported = author) {
    data.frame(section = section, item = item, content = content, reported = reported)
  }
  do.call(rbind, list(
    item("Title and abstract", "1", "Title: development or validation, population, outcome"),
    item("Title and abstract", "2", "Abstract: summary of aims, data, methods and results"),
    item("Introduction", "3a", "Medical context, existing models, advantages of the design"),
    item("Introduction", "3b", "Objectives",
         also(paste("Validation by", words$site, "of a model."))),
    item("Methods", "4a", "Eligibility of participants and data sets"),
    item("Methods", "4b", "Origin of the data, how they were identified and collected"),
    item("Methods", "5", "Sample size: how it was arrived at", also(text$data)),
    item("Methods", "6a", "Outcome: definition, how and when assessed",
         also(paste0(x$labels$response, if (!is.null(x$class)) paste(" =", x$class), "."))),
    item("Methods", "6b", "Predictors: definition, how and when measured",
         if (length(predictors)) also(paste0(paste(predictors, collapse = ", "), ".")) else author),
    item("Methods", "7a", "Data preparation: cleaning, harmonisation, linkage, quality"),
    item("Methods", "7b", "Risk of bias and applicability of clusters: how assessed"),
    item("Methods", "7c", "Differences of definitions and measurement from the development data"),
    item("Methods", "7d", "Missing data: how handled",
         if (is.null(text$missing)) author else also(text$missing)),
    item("Methods", "8a", "How predictors were handled"),
    item("Methods", "8b", "Type of model, how it was built, method of validation",
         also(text$validation)),
    item("Methods", "8c", "Heterogeneity of parameters between clusters: how handled"),
    item("Methods", "8d", "How predictions were calculated", also(text$validation)),
    item("Methods", "8e", "Measures of performance", paste0(capital(titles), ".")),
    item("Methods", "8f", "Heterogeneity of performance between clusters: how quantified",
         paste0("Random effects; interval of a new ", words$site, ": see Methods.")),
    item("Methods", "8g", "Updating of the model"),
    item("Methods", "9", "Subgroup and sensitivity analyses: how planned"),
    item("Results", "10a", "Numbers of clusters and participants, from identified to analysed",
         also(text$data)),
    item("Results", "10b", "Characteristics overall and by cluster, outcomes, missing data",
         also(paste0("Table of results by ", words$site, "."))),
    item("Results", "10c", "Comparison with the development data"),
    item("Results", "11", "Risk of bias: results by cluster"),
    item("Results", "12a", "Heterogeneity that changed the development of the model"),
    item("Results", "12b", "The final model and how to use it"),
    item("Results", "13a", "Performance with intervals, overall and by cluster",
         paste0(text$performance, " All measures and ", words$sites, ": tables and forest plot.")),
    item("Results", "13b", "Heterogeneity of performance between clusters", heterogeneity),
    item("Results", "14", "Results of updating"),
    item("Results", "15", "Results of subgroup and sensitivity analyses", subgroups),
    item("Discussion", "16a", "Interpretation, with heterogeneity between clusters"),
    item("Discussion", "16b", "Comparison with performance in development and earlier validations"),
    item("Discussion", "16c", "Strengths and limitations",
         if (is.null(text$small)) author else also(text$small)),
    item("Discussion", "17", "Potential use, and applicability to other settings"),
    item("Other information", "18", "Protocol, code and data: availability"),
    item("Other information", "19", "Funding")
  ))
}
