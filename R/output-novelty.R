#' Plots of novelty, forecasts and learning curves
#'
#' The distances of a [dg_novelty()], the forecasts of a [dg_forecast()], and the curves of a
#' [dg_plan()].
#'
#' @param x The result of [dg_novelty()], [dg_forecast()] or [dg_plan()].
#' @param max_domains Maximum number of new domains that are drawn, the farthest ones. Default 30.
#' @param ... Must be empty.
#' @return A ggplot2 object, see [plot.dg_projection()]; also by `ggplot2::autoplot()`.
#' @section Novelty:
#' A row for each new domain, the farthest at the top: its own distance (see [dg_novelty()]) as a
#' triangle, those of the training domains, each held out in turn, as points. Points of training
#' domains that are at least as far are dark: they are what the rank p behind the name counts.
#' Distances stand on a logarithmic axis, those below 0.1 at its end.
#' @section Forecasts: A point for each training site, its held-out score against the forecast of
#' the regression without it, with the interval of the forecast; the dashed line is where both are
#' equal. New sites stand on it at their own forecast, or at their score if `newdata` has labels.
#' @section Learning curves:
#' A panel each for the number of training sites (points are measured means over sites, the line and
#' its band are the curve; the dashed line is where extrapolation begins) and for the number of
#' labelled rows (means over sites by way).
#' @seealso [dg_novelty()], [dg_forecast()], [dg_plan()]
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' pupils <- as.data.frame(nlme::MathAchieve)
#' schools <- levels(pupils$School)
#' train <- subset(pupils, School %in% schools[seq(1, 160, 8)])
#' model <- dg_lm(MathAch ~ SES + Sex + Minority | School, data = train)
#' new <- subset(pupils, School %in% schools[c(2, 50, 100)])
#' plot(dg_novelty(model, new))
#' plot(dg_forecast(model, new, permutations = 19))
#' @export
plot.dg_novelty <- function(x, max_domains = 30, ...) {
  check_no_dots(list(...), "max_domains")
  frame <- novelty_frame(x, check_count(max_domains, "max_domains"))
  shown <- nlevels(frame$domain)
  few <- frame[!duplicated(frame$domain), ]
  frame$name <- frame$domain
  levels(frame$name) <- paste0(shorten_names(few$domain, 10L), " (p = ", signif(few$p, 2), ")")
  new_plot(
    frame, c(x = "place", y = "name", colour = "kind", shape = "kind"),
    "Distance of new domains from training", if (shown < nrow(x$domains)) {
      paste("The farthest", shown, "of", plural(nrow(x$domains), "new domain"))
    }, x = "Distance from the nearest training domains (larger: more unusual)",
    y = x$labels$domain, caption = c(
      paste0("Triangles are new domains. Points are the ", x$training, " training domains, each ",
             "held out in turn, dark if at least as far as the new one. p = (1 + dark points) / ",
             "(1 + all points)."),
      if (any(frame$distance < 0.1)) "Distances below 0.1 stand at 0.1."
    )
  ) +
    ggplot2::geom_point(data = frame[frame$kind != "new", ], size = 1.3, alpha = 0.7,
                        position = ggplot2::position_jitter(0, 0.15, seed = 1L)) +
    ggplot2::geom_point(data = frame[frame$kind == "new", ], size = 2.6) +
    ggplot2::scale_x_log10() +
    names_on("y", width = 24) +
    ggplot2::scale_colour_manual(values = c(nearer = pale, farther = "black", new = accent),
                                 guide = "none") +
    ggplot2::scale_shape_manual(values = c(nearer = 16, farther = 16, new = 17), guide = "none")
}

# The farthest first.
#' @exportS3Method
describe_result.dg_novelty <- function(x) {
  domains <- x$domains
  new_result(
    paste0("Novelty of ", plural(nrow(domains), "domain"), " compared with ",
           plural(x$training, "training domain")),
    domains,
    list(column("domain"), column("rows"),
         column("distance", format = as_number(3), tidy = "statistic"),
         column("median", format = as_number(3), values = apply(x$left_out, 1L, stats::median)),
         column("farthest", format = as_number(3)),
         column("p", format = as_number(3), report = "p"),
         column("resembles",
                values = vapply(domains$domain, resembled_words, "", x$resembles))),
    shown = order(domains$p, -domains$distance), most = 12L, unit = "domain",
    where = "`$domains`, nearer", notes = novelty_words(x),
    glance = data.frame(domains = nrow(domains), training = x$training, p = min(domains$p))
  )
}

novelty_words <- function(x) {
  G <- x$training
  least <- 1 / (G + 1)
  last <- x$domains$domain[x$domains$p < 1.5 * least]
  c(if (length(last)) {
    paste0("Farther than every held-out training domain (p = ", signif(least, 2), "): ",
           enumerate(last, quote = "\""), ".")
  } else if (any(x$domains$distance > 0, x$left_out > 0)) {
    "No domain is farther than every held-out training domain."
  } else "All distances are 0: domains do not differ in what the kernel sees of the predictors.",
  if (is.null(x$rows)) {
    paste0("The training rows are not available, so that p is exact only where numbers of rows ",
           "are equal, or rows of a domain are independent.")
  },
  paste0(
    "median, farthest: distances of the training domains, each held out in turn (with as many ",
    "rows as the new domain, if sizes differ). p: proportion of training domains, with the new ",
    "one, that are at least as far; uniform for exchangeable domains",
    if (G < 19L) paste0(", and with ", G, " training domains at least ", signif(least, 2)), ".",
    if (any(x$resembles$weight > 0)) {
      paste0(" resembles: weights by the domain kernel; they sum to 100 % however far the domain ",
             "is, and are ", rounded(100 / G, 2), " % each if none is nearer than another.")
    }))
}

# The three largest weights of at least 1 %, in percent.
resembled_words <- function(domain, resembles) {
  largest <- utils::head(resembles[resembles$domain == domain, ], 3L)
  largest <- largest[round(100 * largest$weight) >= 1, ]
  if (nrow(largest) == 0L) return("none")
  paste0(shorten(largest$training, 24), " (", round(100 * largest$weight), " %)", collapse = ", ")
}

# domain (factor, the farthest last), kind (new, or of training: farther, nearer), distance, place
# (on the axis), p: a row for each new domain and each of training beside it. As many are farther
# as p counted, which were drawn from domains of other sizes.
novelty_frame <- function(x, most) {
  order <- rev(utils::head(order(x$domains$p, -x$domains$distance), most))
  names <- factor(x$domains$domain[order], x$domains$domain[order])
  others <- x$left_out[order, , drop = FALSE]
  p <- x$domains$p[order]
  farther <- round(p * (x$training + 1)) - 1
  rank <- t(apply(-others, 1L, rank, ties.method = "first"))
  frame <- rbind(
    data.frame(domain = rep(names, ncol(others)), distance = c(others), p = rep(p, ncol(others)),
               kind = ifelse(c(rank) <= rep(farther, ncol(others)), "farther", "nearer")),
    data.frame(domain = names, distance = x$domains$distance[order], p = p, kind = "new")
  )
  frame$kind <- factor(frame$kind, c("nearer", "farther", "new"))
  frame$place <- pmax(frame$distance, 0.1)
  frame
}
