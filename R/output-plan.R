#' @rdname plot.dg_novelty
#' @export
plot.dg_plan <- function(x, ...) {
  check_no_dots(list(...), character())
  sites <- plan_curve_frame(x)
  labels <- plan_label_frame(x)
  names <- c(sites = "Training sites", labels = "Labelled rows of the new site")
  present <- c(if (!is.null(sites)) "sites", if (!is.null(labels)) "labels")
  panel <- function(frame, which) {
    if (!is.null(frame)) frame$panel <- factor(names[[which]], names[present])
    frame
  }
  sites <- panel(sites, "sites")
  labels <- panel(labels, "labels")
  both <- rbind(sites[c("panel", "at", "mean")], labels[c("panel", "at", "mean")])
  end <- max(x$sites$sites[x$sites$measured], -Inf)
  new_plot(
    both, c(x = "at", y = "mean"), paste0(x$title, ": ", x$metric$title, " on new sites"),
    x = if (length(present) > 1L) "Number (logarithmic)" else paste(names[present],
                                                                     "(logarithmic)"),
    y = capital(score_label(x$metric)), caption = plan_caption(x)
  ) +
    (if (!is.null(sites)) {
      list(
        ggplot2::geom_ribbon(columns(ymin = "lower", ymax = "upper"), sites, fill = mean_colour,
                             alpha = 0.15),
        ggplot2::geom_line(data = sites, colour = mean_colour),
        reference_line(x = end, data = sites[1L, "panel", drop = FALSE]),
        ggplot2::geom_point(columns(y = "score"), sites[!is.na(sites$score), ],
                            colour = mean_colour, size = 2)
      )
    }) +
    (if (!is.null(labels)) {
      list(
        ggplot2::geom_line(columns(colour = "update"), labels),
        ggplot2::geom_point(columns(colour = "update", shape = "update"), labels, size = 1.8),
        key_of_classes("way", levels(labels$update))
      )
    }) +
    # 0 has a place on it
    ggplot2::scale_x_continuous(trans = "pseudo_log", breaks = plan_breaks,
                                guide = ggplot2::guide_axis(check.overlap = TRUE)) +
    panels(both$panel, "free_x")
}

plan_caption <- function(x) {
  c(if (!is.null(x$sites)) {
    paste0("The band is the ", level_words(x$level), " band of the mean over ",
           if (is.finite(x$new_sites)) x$new_sites else "all", " new sites; right of the dashed ",
           "line it is extrapolated.")
  }, if (!is.null(x$labels)) {
    "With labels, points are means over sites; the level of the external model is that without."
  })
}

# at, score, mean, lower, upper; NULL without a curve.
plan_curve_frame <- function(x) {
  if (is.null(x$sites)) return(NULL)
  data.frame(at = x$sites$sites, x$sites[c("score", "mean", "lower", "upper")])
}

# 0, 1, 2, 5, 10, ...
plan_breaks <- function(limits) {
  at <- c(0, outer(c(1, 2, 5), 10^(0:9)))
  at <- at[at >= limits[1L] * (1 - 1e-9) & at <= limits[2L] * (1 + 1e-9)]
  if (length(at) < 2L) pretty(limits, 3L) else at
}

# The lines of updates, and the external model, which is the same at all numbers of labels.
plan_label_frame <- function(x) {
  if (is.null(x$labels)) return(NULL)
  updates <- shot_lines(x$labels)
  labels <- unique(x$labels$shots)
  data.frame(at = c(labels, as.numeric(as.character(updates$shots))),
             mean = c(rep(x$labels$mean[1L], length(labels)), updates$mean),
             update = factor(c(rep("external", length(labels)), as.character(updates$update)),
                             c("external", levels(updates$update))))
}

#' @exportS3Method
describe_result.dg_plan <- function(x) {
  sites <- if (!is.null(x$sites)) describe_plan_sites(x)
  labels <- if (!is.null(x$labels)) describe_plan_labels(x)
  main <- if (is.null(sites)) labels else sites
  main$facts <- c(plan_left_out_words(x), plan_gain_words(x), plan_target_words(x),
                  plan_crossing_words(x))
  main$further <- if (!is.null(sites) && !is.null(labels)) list(labels)
  main$title <- with_weights_said(paste0("Plan for ", x$title, ": ", score_label(x$metric),
                                         " on new sites"), x$weighted)
  main$notes <- c(
    paste0("Intervals and bands are ", level_words(x$level), ", for ", scope_words("new"), "."),
    if (isTRUE(x$failed > 0L)) paste0(x$failed, " of ", x$fits, " fits failed."),
    if (!is.null(x$cv)) cv_notes(x$cv)
  )
  main$glance <- data.frame(
    metric = x$metric$title, n = x$n, level = x$level,
    score = if (is.null(x$sites)) NA_real_ else x$sites$mean[x$sites$measured][
      sum(x$sites$measured)],
    fits = if (is.null(x$fits)) 0L else x$fits
  )
  main
}

describe_plan_sites <- function(x) {
  new_result(
    "", x$sites,
    list(column("sites", "training sites"),
         column("score", "measured", as_number(3), at = x$sites$measured),
         column("mean", "curve", as_number(3), tidy = "estimate"),
         interval(paste(level_words(x$level), "band")))
  )
}

describe_plan_labels <- function(x) {
  new_result(
    paste0(capital(x$metric$title), " with labelled rows of the new site, on its other rows"),
    x$labels,
    list(column("update", once = TRUE), column("shots", "labels"),
         column("mean", format = as_number(3), tidy = "estimate"),
         interval(paste(level_words(x$level), "CI")),
         column("difference", "change", as_number(3), at = x$labels$shots > 0L)),
    notes = if (!is.null(x$sites)) {
      "Scores with labels are of other rows than those of the curve, at sites with enough of them."
    }
  )
}

# ---- sentences --------------------------------------------------------------------------------

plan_left_out_words <- function(x) {
  if (!any(x$left_out > 0L)) return(NULL)
  left <- x$left_out[["sites"]]
  sizes <- x$left_out[["sizes"]]
  paste0("The curve is of ", dim(x$scores)[1L], " of ", plural(x$n, "site"), if (left) {
    "; the others lack a score at some number of training sites"
  }, if (sizes) paste0("; ", plural(sizes, "number"), " of training sites without scores left out"),
  ".")
}

plan_gain_words <- function(x) {
  if (is.null(x$gains)) return(NULL)
  g <- x$gains
  values <- function(row) {
    cells <- column_words(unlist(row[c("change", "lower", "upper")]), 2)
    paste0(cells[1L], " (", level_words(x$level), " interval ", cells[2L], " to ", cells[3L], ")")
  }
  start <- paste0("From ", g$from[1L], " to ", g$to[1L], " training sites ")
  if (x$gain_probability < 0.9) {
    most <- g[1L, if (x$metric$better == "low") "lower" else "upper"]
    return(paste0(start, "no change of the mean ", x$metric$title, " can be shown (at most ",
                  column_words(most, 2), ")."))
  }
  c(paste0(start, "the mean ", x$metric$title, " changes by ", values(g[1L, ]), "."),
    paste0("From ", g$from[2L], " to ", g$to[2L], " sites it is expected to change by ",
           values(g[2L, ]), "."))
}

plan_target_words <- function(x) {
  if (is.null(x$targets)) return(NULL)
  measured <- max(x$sites$sites[x$sites$measured])
  vapply(seq_len(nrow(x$targets)), function(i) {
    row <- x$targets[i, ]
    goal <- paste0("Mean ", x$metric$title, " ", format(row$target), ": ")
    range <- paste0(level_words(x$level), " interval ", row$lower, " to ",
                    if (is.finite(row$upper)) row$upper else paste("more than", x$far))
    paste0(goal, if (is.infinite(row$lower)) {
      paste0("not reached with ", x$far, " sites (probability ", format_share(row$ever), ").")
    } else if (row$upper <= measured) {
      paste0("reached with ", plural(row$sites, "site"), " (", range, ").")
    } else if (is.finite(row$upper)) {
      paste0("about ", plural(row$sites, "site"), " (", range, ").")
    } else {
      paste0("the number of sites cannot be determined (", range, "; with ", x$n,
             " sites the probability is ", format_share(row$now), ", with ", x$far, " ",
             format_share(row$ever), ").")
    })
  }, "")
}

format_share <- function(p) if (p < 0.01) "below 0.01" else format(round(p, 2))

plan_crossing_words <- function(x) {
  if (is.null(x$crossings)) return(NULL)
  most <- max(x$labels$shots)
  names <- c(external = "the model without labels", adapt = "the adapted model",
             intercept = "the model with updated intercept",
             slope = "the model with updated intercept and slope", local = "the local model")
  vapply(seq_len(nrow(x$crossings)), function(i) {
    row <- x$crossings[i, ]
    who <- paste(capital(names[[row$update]]), "and", names[[row$other]])
    labels <- function(value) plural(ceiling(value), "label")
    if (is.infinite(row$lower)) {
      return(paste0(capital(names[[row$update]]), " is not better than ", names[[row$other]],
                    " with up to ", labels(most), "."))
    }
    if (is.infinite(row$upper)) {
      return(paste0(who, ": the data do not show which is better with ", labels(most),
                    " (probability ", format_share(row$better), ")."))
    }
    from <- if (row$labels == 0) " with any number of labels"
            else paste(" from", labels(row$labels), "on")
    paste0(capital(names[[row$update]]), " is better than ", names[[row$other]], from,
           if (row$upper > 0) {
             paste0(" (", level_words(x$level), " interval ",
                    if (row$lower == 0) "any number" else ceiling(row$lower), " to ",
                    ceiling(row$upper), ")")
           }, ".")
  }, "")
}
