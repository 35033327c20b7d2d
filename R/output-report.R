#' Report of a validation
#'
#' @description
#' Gives the sentences of a report on a [dg_validate()], numbers in words, and its results by site.
#'
#' @details
#' A document that uses all of it comes with the package and knits into HTML and Word:
#' `rmarkdown::draft("report.Rmd", template = "validation-by-site", package = "domgen")`.
#' Replace the data and the model in its first chunk and the marks `[author]` in its text. It ends
#' with the 19 items of the TRIPOD-Cluster checklist in short, in which the items that the data
#' answer are filled in. Check it against the published one, which explains them.
#'
#' @param object The result of [dg_validate()].
#' @param data Data frame that was validated, before rows with missing values are dropped. Default
#'   `NULL`: the report has no numbers of missing values.
#' @param formula The model's formula, with the domain after the bar: only its variables are counted
#'   in `data`, and the text names the predictors. Default `NULL`: all variables of `data`.
#' @param method Name of a method, of the validation of a [dg_compare()]. Default `NULL`: the first.
#' @param site,row Words for a domain and for a row of the data, such as `"hospital"` and
#'   `"patient"`, or with the plural where it is irregular: `c("woman", "women")`.
#' @return An object of class `dg_report`, a list with
#'   \item{text}{named list of sentences: `summary`, `data`, `predictors`, `missing`, `validation`,
#'     `performance`, `calibration`, `ranking`, `target`, `small` (sites and rows without a value,
#'     failed folds), `comparison`, `regression`, `methods`, and the vector `references` in
#'     markdown; without those that do not apply. Documents show names in them as they are, without
#'     markup}
#'   \item{sites}{results by site; printed, and a table in documents}
#'
#'   [tidy()] turns the results by site into a data frame.
#' @section Errors:
#' `formula` that is no formula or has a variable that is not in `data`; `data` with fewer rows than
#' were validated.
#' @references
#' Debray, T. P. A. and others (2023). Transparent reporting of multivariable prediction models
#' developed or validated using clustered data: TRIPOD-Cluster checklist. *BMJ* 380, e071018.
#' @seealso [dg_validate()], `vignette("validation")`
#' @examples
#' toy <- simulate_dcm(domains = 8, n = 60, seed = 1)
#' cv <- dg_cv(dg_glm(lambda = 1), y ~ . | domain, data = toy)
#' report <- dg_report(dg_validate(cv), data = toy, site = "hospital", row = "patient")
#' report
#' report$sites
#' @export
dg_report <- function(object, data = NULL, formula = NULL, method = NULL, site = "site",
                      row = "row") {
  enter_session()
  check_given(object, "object")
  if (!inherits(object, "dg_validate")) {
    abort("argument", "`object` must be the result of dg_validate(), not ", describe(object), ".")
  }
  if (object$kind == "censored") {
    abort("argument", "`object` must not be a validation of censored times, for which there are ",
          "no sentences: use its print(), tidy() and plot().")
  }
  methods <- object$methods
  method <- if (is.null(method)) methods[1L] else check_choice(method, "method", methods)
  words <- as.list(c(read_word(site, "site"), read_word(row, "row")))
  of_method <- function(table) table[table$method == method, ]
  x <- object
  x[c("summary", "domains", "rows")] <- lapply(object[c("summary", "domains", "rows")], of_method)
  x$method <- method
  if (!is.null(x$regression)) x$regression <- of_method(x$regression)
  if (!is.null(data) && !is.data.frame(data)) {
    abort("argument", "`data` must be a data frame, not ", describe(data), ".")
  }
  variables <- report_variables(formula, data, x)
  sites <- count_sites(x, data, variables)
  # sentences have the words for a domain
  x$labels[names(words_of_table)] <- words[words_of_table]
  text <- report_text(x, sites, words, variables$predictors)
  structure(list(text = text, sites = new_sites(x, sites, words)), class = "dg_report")
}

# Labels of tables, and the words that they have in a report.
words_of_table <- c(domain = "site", domains = "sites", row = "row", rows = "rows")

# The word and its plural by the argument's name and that with an s.
read_word <- function(value, arg) {
  if (!is.character(value) || !length(value) %in% 1:2 || anyNA(value) || !all(nzchar(value))) {
    abort("argument", "`", arg, "` must be one word, or two with its plural, not ",
          describe(value), ".")
  }
  many <- if (length(value) == 2L) value[2L] else plural_of(value)
  stats::setNames(c(value[1L], many), paste0(arg, c("", "s")))
}

#' @export
plot.dg_report <- function(x, ...) {
  abort("argument", "`x`, a report, has no plot: plot what dg_validate() gave.")
}

#' @export
print.dg_report <- function(x, ...) {
  text <- x$text[setdiff(names(x$text), c("summary", "methods", "references"))]
  cat_line(unlist(text))
  cat_line("")
  cat_line("Also `$text$summary`, `$text$methods`, `$text$references` and `$sites`.")
  invisible(x)
}

# Plain text on the console; documents have knit_print().
#' @export
print.dg_sentences <- function(x, ...) {
  cat_line(unclass(x))
  invisible(x)
}

# ---- the data ---------------------------------------------------------------------------------

# Names of variables in the data, list(predictors, domain, all); all of the data without a formula.
report_variables <- function(formula, data, x) {
  if (is.null(formula)) return(list(all = names(data)))
  if (!inherits(formula, "formula")) {
    abort("argument", "`formula` must be a formula, as in `y ~ x1 + x2 | domain`, not ",
          describe(formula), ".")
  }
  parts <- split_formula(formula)
  unknown <- if (!is.null(data)) setdiff(variables_of(formula), c(".", names(data)))
  if (length(unknown)) {
    abort("argument", "`formula` must have variables of `data`, not ", enumerate(unknown), ".")
  }
  domain <- union(variables_of(parts$domain), x$labels$domain)
  if (is.null(data) && "." %in% variables_of(parts$bare)) {
    return(list(domain = variables_of(parts$domain)))
  }
  terms <- terms_of(parts$bare, data[setdiff(names(data), domain)])
  of_terms <- c(predictor_labels(terms), offset_names(terms))
  predictors <- unlist(lapply(of_terms, function(term) variables_of(str2lang(term))))
  predictors <- setdiff(predictors, c(domain, variables_of(parts$response)))
  domain <- variables_of(parts$domain)
  list(predictors = predictors, domain = domain,
       all = c(variables_of(parts$response), predictors, domain))
}

# A row for each site: domain, rows, events, and with data the rows that they had and how many of
# these lack a value.
count_sites <- function(x, data, variables) {
  first <- x$domains$measure == x$domains$measure[1L]
  sites <- x$domains[first, c("domain", "rows", "events")]
  if (is.null(data)) return(sites)
  validated <- length(unique(x$rows$row))
  if (nrow(data) < validated) {
    abort("data", "`data` has ", plural(nrow(data), "row"), ", fewer than the ", validated,
          " that were validated: give all, with those that have missing values.")
  }
  attr(sites, "incomplete") <- incomplete <- !complete_rows(data[variables$all], nrow(data))
  column <- intersect(c(if (length(variables$domain) == 1L) variables$domain, x$labels$domain),
                      names(data))[1L]
  if (is.na(column)) return(sites)
  labels <- value_labels(data[[column]])
  if (!all(sites$domain %in% labels)) return(sites)
  site <- factor(labels, sites$domain)
  sites$all <- tabulate(site, nrow(sites))
  sites$incomplete <- tabulate(site[incomplete], nrow(sites))
  sites
}

# ---- sentences --------------------------------------------------------------------------------

# Elements that are NULL are left out.
report_text <- function(x, sites, words, predictors) {
  text <- list(
    summary = text_of_summary(x, sites, words), data = text_of_data(x, sites, words),
    predictors = if (length(predictors)) {
      paste0("Predicted from ", listed(predictors), ".")
    },
    missing = text_of_missing(sites, words), validation = text_of_validation(x, words),
    performance = text_of_performance(x, words), calibration = text_of_calibration(x, words),
    ranking = text_of_ranking(x, words), target = text_of_target(x, words),
    small = text_of_small(x, words), comparison = text_of_comparison(x, words),
    regression = text_of_regression(x, words), methods = text_of_methods(x, words)
  )
  text <- lapply(Filter(Negate(is.null), text), structure, class = "dg_sentences")
  c(text, list(references = report_references(text$methods)))
}

# What the report says of a measure, by kind of response, in this order; a measure without a row is
# in the tables alone. part: the paragraph; above, below: the sentence if the interval of the mean
# lies on this side of the value of perfect calibration; title: for sentences, where that of the
# measure is for tables; uses: methods, as names of citations.
report_measures <- list(
  class = list(
    auc = list(part = "performance", uses = c("delong", "newcombe")),
    scaled_brier = list(part = "performance"),
    sensitivity = list(part = "performance", uses = "stijnen"),
    specificity = list(part = "performance", uses = "stijnen"),
    oe = list(part = "calibration", uses = "stijnen", title = "observed/expected ratio",
              above = "On average, more events occurred than predicted.",
              below = "On average, fewer events occurred than predicted."),
    intercept = list(uses = c("stijnen", "firth")),
    slope = list(part = "calibration", uses = c("davison", "firth"),
                 above = "On average, predictions were too similar to each other (slope above 1).",
                 below = "On average, predictions were too extreme (slope below 1).")
  ),
  number = list(
    rmse = list(part = "performance"), r2 = list(part = "performance"),
    bias = list(part = "calibration", above = "On average, predictions were too high.",
                below = "On average, predictions were too low."),
    slope = list(part = "calibration",
                 above = "On average, predictions were too similar to each other (slope above 1).",
                 below = "On average, predictions were too extreme (slope below 1).")
  ),
  count = list(
    deviance = list(part = "performance"),
    oe = list(part = "calibration", uses = "stijnen", title = "observed/expected ratio",
              above = "On average, counts were higher than predicted.",
              below = "On average, counts were lower than predicted."),
    slope = list(part = "calibration", uses = "stijnen",
                 above = "On average, predictions were too similar to each other (slope above 1).",
                 below = "On average, predictions were too extreme (slope below 1).")
  ),
  ordinal = list(
    concordance = list(part = "performance", uses = c("delong", "newcombe")),
    rps = list(part = "performance")
  )
)

# Names of the measures of the validation that are in a part, or use a method.
measures_of_part <- function(x, part) {
  of <- report_measures[[x$kind]]
  intersect(names(Filter(function(row) identical(row$part, part), of)), names(x$measures))
}

measures_that_use <- function(x, method) {
  of <- report_measures[[x$kind]]
  intersect(names(x$measures), names(Filter(function(row) method %in% row$uses, of)))
}

say <- function(value, digits = 3) trimws(format(rounded(value, digits), scientific = FALSE))
say_range <- function(lower, upper, digits = 3) {
  text <- c(say(lower, digits), say(upper, digits))
  paste(unique(text), collapse = " to ")
}
say_percent <- function(share) paste(formatC(100 * share, digits = 0, format = "f"), "%")
say_percents <- function(shares) {
  paste(unique(c(say_percent(min(shares)), say_percent(max(shares)))), collapse = " to ")
}

# A value and the ends of its intervals, all with the decimals that suit the value and the first
# interval: c("0.71", "0.59", "0.81").
say_together <- function(values, measure, decimals = 2L) {
  size <- stats::median(abs(utils::head(values, 3L)), na.rm = TRUE)
  vapply(values, measured, "", measure, decimals, like = size, USE.NAMES = FALSE)
}

# "0.71 (95 % CI 0.59 to 0.81; new hospital 0.51 to 0.86)"; without an interval that is missing.
say_estimate <- function(values, measure, level, further = NULL, decimals = 2L) {
  cells <- say_together(values, measure, decimals)
  parts <- c(if (nzchar(cells[2L])) {
               paste0(level_words(level), " CI ", cells[2L], " to ", cells[3L])
             },
             if (length(cells) == 5L && nzchar(cells[4L])) {
               paste0(further, " ", cells[4L], " to ", cells[5L])
             })
  paste0(cells[1L], if (length(parts)) paste0(" (", paste(parts, collapse = "; "), ")"))
}

of_summary <- c("mean", "lower", "upper", "new_lower", "new_upper")

# "mean AUC"; of a single site its value.
say_title <- function(x, name, row) {
  title <- report_measures[[x$kind]][[name]]$title
  if (is.null(title)) title <- x$measures[[name]]$title
  if (isTRUE(row$domains > 1L)) paste("mean", title) else title
}

text_of_summary <- function(x, sites, words) {
  names <- c(measures_of_part(x, "performance")[1L], measures_of_part(x, "calibration"))
  parts <- lapply(names, function(name) {
    row <- x$summary[x$summary$measure == name, ]
    if (nrow(row) == 0L || is.na(row$mean)) return(NULL)
    paste(say_title(x, name, row), "was",
          say_estimate(unlist(row[of_summary]), x$measures[[name]], x$level,
                       paste("new", words$site)))
  })
  counts <- c(plural(sum(sites$rows), words$row, words$rows),
              if (x$kind == "class") plural(sum(sites$events), "event"))
  paste0("In ", plural(nrow(sites), words$site, words$sites), " with ", listed(counts), ", ",
         listed(unlist(parts)), ".")
}

text_of_data <- function(x, sites, words) {
  y <- split(x$rows$y, factor(x$rows$domain, sites$domain))
  means <- vapply(y, mean, 0)
  one <- nrow(sites) == 1L
  each <- paste0(say_range(min(sites$rows), max(sites$rows), 6), " per ", words$site,
                 if (diff(range(sites$rows)) > 0) {
                   paste(", median", say(stats::median(sites$rows), 6))
                 })
  counts <- paste0("The data comprised ", plural(sum(sites$rows), words$row, words$rows), " of ",
                   plural(nrow(sites), words$site, words$sites), if (!one) paste0(" (", each, ")"),
                   ".")
  response <- x$labels$response
  by_site <- function(range) if (!one) paste0("; by ", words$site, " ", range)
  range <- say_range(min(means), max(means))
  paste(counts, switch(
    x$kind,
    class = paste0("The event (", response, " = ", x$class, ") occurred in ", sum(sites$events),
                   " (", say_percent(sum(sites$events) / sum(sites$rows)),
                   by_site(say_percents(means)), ")."),
    number = paste0("The mean of ", response, " was ", say(mean(x$rows$y)),
                    " (standard deviation ", say(stats::sd(x$rows$y)), by_site(range), ")."),
    count = paste0("The sum of ", response, " was ", say(sum(x$rows$y), 7), " and its mean per ",
                   words$row, " ", say(mean(x$rows$y)),
                   if (!one) paste0(" (by ", words$site, " ", range, ")"), "."),
    ordinal = paste0("The response was ", response, ".")
  ))
}

text_of_missing <- function(sites, words) {
  incomplete <- attr(sites, "incomplete")
  if (is.null(incomplete)) return(NULL)
  validated <- sum(sites$rows)
  if (!any(incomplete)) {
    lost <- length(incomplete) - validated
    return(if (lost <= 0) "No value was missing." else {
      paste0("No value of the variables was missing, but ", plural(lost, words$row, words$rows),
             " could not be validated, without a prediction.")
    })
  }
  n <- sum(incomplete)
  text <- paste0("Of ", plural(length(incomplete), words$row, words$rows), ", ", n, " (",
                 say_percent(mean(incomplete)), if (!is.null(sites$all)) {
                   paste0("; by ", words$site, " ",
                          say_percents(sites$incomplete / pmax(sites$all, 1)))
                 }, ") had a missing value")
  paste0(text, "; ", plural(validated, words$row, words$rows), " could be validated.")
}

text_of_validation <- function(x, words) {
  if (is_known(x$scope)) {
    domain <- domain_words(x$labels)
    paste0(capital(words$rows), " of each ", words$site, " were predicted by a model (", x$method,
           ") that was ",
           "fitted to other rows, also of that ", words$site, " (",
           in_domain_words(x$held_out, domain), "). Statements on a new ", words$site,
           " are for one with ", words$rows, " in training.")
  } else if (x$origin == "held_out") {
    paste0("Each ", words$site, " was predicted by a model (", x$method, ") that was fitted ",
           "without it (internal-external cross-validation: ",
           in_domain_words(x$held_out, domain_words(x$labels)), ").")
  } else if (x$origin == "fitted") {
    paste0("The model (", x$method, ") was fitted before and predicted these ", words$sites, ".")
  } else {
    "The predictions were made elsewhere [author: origin of the predictions]."
  }
}

# full: with the interval of a new site in words
measure_words <- function(x, name, words, full = FALSE) {
  row <- x$summary[x$summary$measure == name, ]
  measure <- x$measures[[name]]
  if (nrow(row) == 0L || is.na(row$mean)) return(NULL)
  values <- unlist(row[of_summary])
  new <- full && !is.na(row$new_lower)
  cells <- say_together(values, measure)
  paste0(capital(say_title(x, name, row)), " was ",
         say_estimate(if (new) values[1:3] else values, measure, x$level, paste("new", words$site)),
         if (new) paste0("; the ", level_words(x$level), " prediction interval for a new ",
                         words$site, " of the same kind was ", cells[4L], " to ", cells[5L]), ".")
}

text_of_performance <- function(x, words) {
  names <- measures_of_part(x, "performance")
  sentences <- lapply(names, function(name) measure_words(x, name, words, name == names[1L]))
  if (length(unlist(sentences))) paste(unlist(sentences), collapse = " ")
}

text_of_calibration <- function(x, words) {
  sentences <- lapply(measures_of_part(x, "calibration"), function(name) {
    c(measure_words(x, name, words), calibration_reading(x, name))
  })
  if (length(unlist(sentences))) paste(unlist(sentences), collapse = " ")
}

# What is said of a value whose interval excludes perfect calibration, or of one that includes it.
calibration_reading <- function(x, name) {
  row <- x$summary[x$summary$measure == name, ]
  if (nrow(row) == 0L || is.na(row$lower)) return(NULL)
  of <- report_measures[[x$kind]][[name]]
  perfect <- x$measures[[name]]$better
  if (row$lower > perfect) of$above
  else if (row$upper < perfect) of$below
  else paste0("The CI included ", perfect, " (perfect calibration).")
}

text_of_ranking <- function(x, words) {
  name <- x$summary$measure[1L]
  sites <- x$domains[x$domains$measure == name & is.finite(x$domains$shrunk), ]
  if (nrow(sites) < 2L) return(NULL)
  low <- sites[which.min(sites$shrunk), ]
  high <- sites[which.max(sites$shrunk), ]
  measure <- x$measures[[name]]
  cell <- function(row) {
    values <- unlist(row[c("shrunk", "shrunk_lower", "shrunk_upper")])
    paste0(say_estimate(values, measure, x$level), " at ", words$site, " ", row$domain)
  }
  paste0("After shrinkage towards the mean, ", measure$title, " ranged from ", cell(low), " to ",
         cell(high), ".")
}

text_of_target <- function(x, words) {
  if (is.null(x$target)) return(NULL)
  pass <- x$summary[match(names(x$target), x$summary$measure), ]
  estimated <- !is.na(pass$pass)
  if (!any(estimated)) return(NULL)
  pass <- pass[estimated, ]
  percent <- function(name) vapply(pass[[name]], say_percent, "")
  paste0("The probability that a new ", words$site, " has ",
         paste0(target_words(x)[estimated], " was ", percent("pass"), " (", level_words(x$level),
                " CI of the proportion of such ", words$sites, " ", percent("pass_lower"), " to ",
                percent("pass_upper"), ")", collapse = "; that it has "), ".")
}

# Sites and rows without a value, failed folds.
text_of_small <- function(x, words) {
  sentences <- c(small_site_words(x), weighted_words(x, x$summary),
                 capital(sub("[.]*$", ".", table_notes(noted_words(x)))))
  if (length(sentences)) paste(sentences, collapse = " ")
}

text_of_comparison <- function(x, words) {
  if (is.null(x$differences)) return(NULL)
  pairs <- exact_differences(x)
  pairs <- pairs[pairs$measure == x$summary$measure[1L] & !is.na(pairs$difference), ]
  if (nrow(pairs) == 0L) return(NULL)
  measure <- x$measures[[pairs$measure[1L]]]
  parts <- vapply(seq_len(nrow(pairs)), function(i) {
    row <- pairs[i, ]
    if (row$same) return(paste0(row$method, " 0 in each ", words$site))
    values <- unlist(row[c("difference", "lower", "upper")])
    paste(row$method, say_estimate(values, measure, x$level, decimals = 3L))
  }, "")
  paste0(capital(measure$title), " minus that of ", x$baseline, ", on the same ", words$rows, ": ",
         paste(parts, collapse = "; "), ".")
}

text_of_regression <- function(x, words) {
  if (is.null(x$regression)) return(NULL)
  name <- x$summary$measure[1L]
  terms <- x$regression[x$regression$measure == name & x$regression$term != "(intercept)", ]
  if (nrow(terms) == 0L) return(NULL)
  scale <- x$measures[[name]]$scale
  scale <- if (scale != "identity") paste0(" (", scales[[scale]]$title, ")")
  paste0("Meta-regression of ", x$measures[[name]]$title, scale, " on covariates of ",
         words$sites, ": ",
         paste0(terms$term, " ", vapply(terms$estimate, say, ""), " (", level_words(x$level),
                " CI ", mapply(say_range, terms$lower, terms$upper), ", ",
                vapply(terms$p, p_words, ""), ")", collapse = "; "), ".")
}

# ---- methods ----------------------------------------------------------------------------------

text_of_methods <- function(x, words) {
  site <- words$site
  using <- function(method) measure_titles(x, measures_that_use(x, method))
  # what follows if some measure uses the method
  if_used <- function(method, ...) if (length(using(method))) paste0(...)
  software <- paste0(" Analyses used domgen ", utils::packageVersion("domgen"), " and R ",
                     getRversion(), ".")
  of_sites <- paste0(
    text_of_validation(x, words),
    " In each ", site, " we estimated ", listed(unique(measure_titles(x, x$summary$measure))),
    " with standard errors for other ", words$rows, " of the same ", site,
    if_used("delong", " (of ", listed(using("delong")), " by DeLong and others, 1988)"), ".",
    if (length(c(using("newcombe"), using("firth")))) paste0(
      " With fewer than ", few_events, " events or non-events, ",
      paste(c(if_used("newcombe", "the standard error of ", listed(using("newcombe")),
                      " was that of Newcombe (2006)"),
              if_used("firth", listed(using("firth")), " had the penalty of Firth (1993)")),
            collapse = ", and "), "."
    )
  )
  # of a single site there is no mean
  if (length(unique(x$rows$domain)) == 1L) return(paste0(of_sites, software))
  paste0(
    of_sites,
    " Values of ", words$sites, " were summarised by random effects (Debray and others, 2017) on ",
    "the scale on which they are nearly normal (", listed(scale_of_measures(x)), "). In means, ",
    "which were transformed back, each ", site, " counted once; their confidence intervals (CI) ",
    "were Student's (Ibragimov and M\u00fcller, 2010)",
    if (x$inflation > 1) paste0(", widened by the factor ", say(sqrt(x$inflation)),
                                " as training sets overlap (Nadeau and Bengio, 2003)"), ".",
    if (length(c(using("stijnen"), using("davison")))) paste0(
      " Where some ", words$sites, " have fewer than ", some_events, " events",
      if (x$kind == "class") " or non-events", ", the summary used ",
      paste(c(if_used("stijnen", "the likelihood of the events for ", listed(using("stijnen")),
                      " (Stijnen and others, 2010)"),
              if_used("davison", "an approximately conditional likelihood for ",
                      listed(using("davison")), " (Davison, 1988)")), collapse = ", and "), "."
    ),
    " The prediction interval of a new ", site, " is the ", level_words(x$level),
    " interval of the posterior ",
    "predictive distribution of its value, with a flat prior of the mean and a half-normal prior ",
    "of the standard deviation between ", words$sites, ". It assumes that ", words$sites,
    " are independent and that the new ", site,
    " is of the same kind, and describes the value with many ", words$rows, ".", software
  )
}

# "AUC and Brier score: logit"
scale_of_measures <- function(x) {
  scale <- vapply(x$summary$measure, function(name) x$measures[[name]]$scale, "")
  titles <- measure_titles(x, x$summary$measure)
  groups <- split(titles, factor(scale, unique(scale)))
  paste0(vapply(groups, listed, ""), ": ", vapply(scales[names(groups)], `[[`, "", "title"))
}

# "a, b and c"; parts with an "and" are separated by semicolons.
listed <- function(words) {
  n <- length(words)
  if (n == 1L) words
  else if (any(grepl(" and |: ", words))) paste(words, collapse = "; ")
  else paste(paste(words[-n], collapse = ", "), "and", words[n])
}

# By name, in markdown.
citations <- c(
  davison = paste("Davison, A. C. (1988). Approximate conditional inference in generalized linear",
                  "models. *Journal of the Royal Statistical Society B* 50, 445\u2013461."),
  debray2017 = paste("Debray, T. P. A. and others (2017). A guide to systematic review and",
                     "meta-analysis of prediction model performance. *BMJ* 356, i6460."),
  debray2023 = paste("Debray, T. P. A. and others (2023). Transparent reporting of multivariable",
                     "prediction models developed or validated using clustered data:",
                     "TRIPOD-Cluster checklist. *BMJ* 380, e071018."),
  delong = paste("DeLong, E. R., DeLong, D. M. and Clarke-Pearson, D. L. (1988). Comparing the",
                 "areas under two or more correlated receiver operating characteristic curves.",
                 "*Biometrics* 44, 837\u2013845."),
  firth = paste("Firth, D. (1993). Bias reduction of maximum likelihood estimates. *Biometrika*",
                "80, 27\u201338."),
  ibragimov = paste("Ibragimov, R. and M\u00fcller, U. K. (2010). t-statistic based correlation",
                    "and heterogeneity robust inference. *Journal of Business and Economic",
                    "Statistics* 28, 453\u2013468."),
  nadeau = paste("Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error.",
                 "*Machine Learning* 52, 239\u2013281."),
  newcombe = paste("Newcombe, R. G. (2006). Confidence intervals for an effect size measure based",
                   "on the Mann-Whitney statistic. Part 2: asymptotic methods and evaluation.",
                   "*Statistics in Medicine* 25, 559\u2013573."),
  stijnen = paste("Stijnen, T., Hamza, T. H. and Ozdemir, P. (2010). Random effects meta-analysis",
                  "of event outcome in the framework of the generalized linear mixed model with",
                  "applications in sparse data. *Statistics in Medicine* 29, 3046\u20133067.")
)

# Those that the methods cite by author and year, and that of the checklist.
report_references <- function(methods) {
  authors <- sub(",.*", "", citations)
  years <- sub(".*[(]([0-9]{4})[)].*", "\\1", citations)
  cited <- vapply(seq_along(citations), function(i) {
    grepl(authors[i], methods, fixed = TRUE) && grepl(years[i], methods, fixed = TRUE)
  }, NA)
  unname(citations[cited | names(citations) == "debray2023"])
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
  measures <- c(measures_of_part(validation, "performance")[1L],
                measures_of_part(validation, "calibration"))
  table <- x$counts
  attr(table, "incomplete") <- NULL
  table$all <- NULL
  for (name in measures) {
    domains <- validation$domains[validation$domains$measure == name, ]
    table[paste0(name, c("", "_lower", "_upper"))] <- domains[c("estimate", "lower", "upper")]
  }
  new_result(
    paste("Performance by", x$site), `rownames<-`(table, NULL),
    c(list(column("domain", x$site), column("rows", x$rows, format = as_number(9))),
      if (validation$kind == "class") list(column("events")),
      if (any(table$incomplete > 0)) list(column("incomplete")),
      lapply(measures, function(name) {
        measure <- validation$measures[[name]]
        column(name, measure$title, format = function(values, lines) {
          value_cells(values, lines[[paste0(name, "_lower")]], lines[[paste0(name, "_upper")]],
                      measure)
        })
      })),
    notes = c(paste0("In parentheses: ", level_words(validation$level), " intervals."),
              if (any(table$incomplete > 0)) {
                paste0("Incomplete: ", x$rows, " of the data that lack a value.")
              }),
    unit = x$site
  )
}

# "0.64 (0.50 to 0.76)"; decimals: those of the column, by its large values.
value_cells <- function(values, lower, upper, measure) {
  common <- on_common_scale(measure)
  typical <- stats::quantile(abs(values[is.finite(values) & values != 0]), 0.9, names = FALSE)
  decimals <- if (common || is.na(typical)) 2 else min(max(2 - floor(log10(typical)), 0), 9)
  cell <- as_decimals(decimals)
  text <- paste0(cell(values), " (", trimws(cell(lower)), " to ", trimws(cell(upper)), ")")
  ifelse(is.na(values), "", text)
}
