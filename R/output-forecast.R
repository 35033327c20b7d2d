#' @rdname plot.dg_novelty
#' @export
plot.dg_forecast <- function(x, ...) {
  check_no_dots(list(...), character())
  frame <- forecast_frame(x)
  if (nrow(frame) == 0L) abort_nothing_to_plot()
  new <- frame[frame$kind == "new", ]
  training <- frame[frame$kind == "training", ]
  # forecasts that hardly differ are not to be a line
  across <- range(frame$forecast)
  up <- range(frame$score, frame$forecast)
  across <- mean(across) + c(-1, 1) * max(diff(across), diff(up) / 3) / 2
  few <- nrow(training) <= 60L
  new_plot(
    frame, c(x = "forecast", y = "score", colour = "kind", shape = "kind"),
    paste0("Forecast of ", x$title, " by ", x$labels$domain),
    if (x$can) skill_words(x) else paste0("Cannot be forecast: ", why_not(x)),
    x = paste("Forecast of", x$title), y = paste(capital(x$title), "of held-out rows"),
    caption = c(
      if (nrow(training)) "Points: training domains, forecast without their own score.",
      if (nrow(new)) {
        paste("Triangles: new domains,",
              if (any(new$labelled)) "at their score." else "on the line.")
      },
      if (few && nrow(training)) {
        paste("Bars:", level_words(x$level), "intervals of the forecast.")
      },
      if (!x$can && nrow(training)) {
        "The regression is drawn, but the forecast of new domains is the mean."
      }
    )
  ) +
    ggplot2::geom_abline(slope = 1, intercept = 0, linetype = 2, colour = pale) +
    (if (few) {
      ggplot2::geom_linerange(columns(xmin = "lower", xmax = "upper"), training, alpha = 0.35,
                              show.legend = FALSE)
    }) +
    ggplot2::geom_point(data = training, size = 1.6) +
    ggplot2::geom_point(data = new, size = 2.6) +
    ggplot2::coord_cartesian(xlim = across, ylim = up) +
    ggplot2::scale_colour_manual(values = c(training = "black", new = accent), guide = "none") +
    ggplot2::scale_shape_manual(values = c(training = 16, new = 17), guide = "none")
}

# domain, forecast, score, lower, upper, kind, labelled.
forecast_frame <- function(x) {
  training <- x$left_out[is.finite(x$left_out$forecast), ]
  point <- function(table, score, kind, labelled) {
    data.frame(domain = table$domain, forecast = table$forecast, score = score,
               lower = table$lower, upper = table$upper,
               kind = factor(rep(kind, nrow(table)), c("training", "new")),
               labelled = labelled)
  }
  sites <- x$sites[is.finite(x$sites$forecast), ]
  scores <- if (is.null(sites$found)) rep(NA_real_, nrow(sites)) else sites$found
  frame <- rbind(point(training, training$score, "training", rep(TRUE, nrow(training))),
                 point(sites, ifelse(is.na(scores), sites$forecast, scores), "new", !is.na(scores)))
  frame[is.finite(frame$score), ]
}

# ---- table ------------------------------------------------------------------------------------

#' @exportS3Method
describe_result.dg_forecast <- function(x) {
  percent <- level_words(x$level)
  sites <- x$sites
  labelled <- !is.null(sites$found)
  number <- as_number(3)
  new_result(
    paste0("Forecast of ", x$title, " in ", plural(nrow(sites), "new domain"), ": ",
           if (x$can) "skill " else "cannot be forecast",
           if (x$can) paste0(rounded(x$skill$skill, 2), ", ", p_words(x$skill$p))),
    sites,
    c(list(column("domain"), column("rows"),
           column("forecast", format = number, tidy = "estimate"),
           interval(paste(percent, "interval"), number),
           column("expected", format = number), column("distance", format = number)),
      if (labelled) list(column("found", format = number),
                         column("found_se", "se", format = number))),
    facts = c(
      if (x$can) skill_words(x)
      else c(paste0(capital(why_not(x)), "."),
             "The forecast is the mean over domains, with the interval of any new domain."),
      paste0(x$model, ", ", x$held_out, ": mean ", x$title, " ", rounded(x$mean$mean, 3),
             " (on the scale of the ", x$scale, "; ", percent, " of new domains: ",
             rounded(x$mean$new_lower, 3), " to ", rounded(x$mean$new_upper, 3), ")")
    ),
    shown = order(sites$forecast * if (x$better == "low") -1 else 1), most = 12L, unit = "domain",
    where = "`$sites`",
    notes = c(
      paste0("expected: by the model's own ", if (x$kind == "class") "probabilities" else
             "errors, as they depend on the predictors", ". distance: from the nearest training ",
             "domains, see ?dg_novelty.",
             if (labelled) {
               paste(" found: the score by the labels of the rows. Intervals are for the score of",
                     "many such rows; that of few scatters more.")
             }),
      far_notes(x)
    ),
    further = if (!is.null(x$parts)) list(describe_parts(x)),
    glance = data.frame(domains = nrow(sites), training = x$skill$domains,
                        metric = x$metric, mean = x$mean$mean, skill = x$skill$skill,
                        p = x$skill$p, can = x$can)
  )
}

skill_words <- function(x) {
  explained <- round(100 * x$skill$skill)
  paste0("Held-out forecasts explain ", if (explained < 100) paste(explained, "%") else "all",
         " of the variance between domains", if (explained >= 100) " that their rows can show",
         " (", p_words(x$skill$p), ", ", plural(x$skill$domains, "domain"), ").")
}

far_notes <- function(x) {
  most <- x$farthest
  if (!is.finite(most)) return(NULL)
  name <- function(far) enumerate(x$sites$domain[which(far)], quote = "\"")
  none <- x$sites$distance > forecast_farthest * most
  far <- x$sites$distance > most & !none
  c(if (isTRUE(any(none))) {
    paste0("No forecast for ", name(none), ": more than twice as far from the training domains as ",
           "any of these from the others.")
  }, if (isTRUE(any(far))) {
    paste0("Farther than every training domain, so that none shows what to expect: ", name(far),
           ".")
  })
}

why_not <- function(x) {
  skill <- x$skill
  if (skill$domains < forecast_least) {
    paste0("only ", plural(skill$domains, "domain"), " with a score, at least ", forecast_least,
           " are needed")
  } else if (skill$descriptions == 0L) {
    "domains do not differ in what is known without labels"
  } else if (is.na(skill$skill)) {
    "domains differ no more than their rows explain by chance"
  } else if (skill$skill < forecast_worth) {
    paste0("held-out forecasts are ", if (skill$skill < 0) "no" else "hardly",
           " better than the mean (skill ", rounded(skill$skill, 2), ", ",
           plural(skill$domains, "domain"), ")")
  } else {
    paste0("held-out forecasts explain ", round(100 * skill$skill), " % of the variance between ",
           "domains, which may be chance (", p_words(skill$p), ")")
  }
}

describe_parts <- function(x) {
  number <- as_number(3)
  parts <- x$parts
  new_result(
    paste0("Where the ", x$loss, " differs from that of held-out training rows"), parts,
    list(column("domain"), column("training", format = number), column("site", format = number),
         column("difference", format = number), column("difference_se", "se", format = number),
         column("covariates", format = number), column("covariates_se", "se", format = number),
         column("relation", format = number), column("relation_se", "se", format = number)),
    most = 12L, unit = "domain", where = "`$parts`", notes = paste0(
      "difference = covariates (other predictors) + relation (other responses of rows with the ",
      "same predictors).",
      if (any(parts$overlap < 0.3)) {
        paste0(" Few rows are shared with training: ",
               enumerate(parts$domain[parts$overlap < 0.3], quote = "\""), ".")
      }
    )
  )
}
