#' Plot a diagnosis
#'
#' Two panels. Shift: the distributional variance that was found beside what chance gives (mean
#' and 95 % range of the permutations). Room for gain and gain achieved: what each domain gains over
#' pooling (pale), with the mean over domains and its
#' approximate 95 % interval, on one axis; above zero is
#' better. See [plot.dg_projection()] on colours.
#'
#' @usage
#' # plot(x, ...)
#' # autoplot(object, ...)
#' @param x,object The result of [dg_diagnose()].
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' toy <- simulate_ellipses(domains = 10, n = 40, seed = 1)
#' plot(dg_diagnose(y ~ . | domain, data = toy))
#' @name plot.dg_diagnose
NULL

#' @exportS3Method
describe_result.dg_diagnose <- function(x) {
  means <- colMeans(x$domains[-(1:2)], na.rm = TRUE)
  score <- x$metric$title
  gains <- rbind(x$headroom, x$gain)
  table <- data.frame(what = c("shift", "headroom", "gain"),
                      estimate = c(x$shift$variance - x$shift$level, gains$difference),
                      lower = c(NA, gains$lower), upper = c(NA, gains$upper),
                      p = c(x$shift$p, gains$p))
  variances <- c(x$shift$level, if (same_predictors(x)) 0 else x$shift$variance)
  new_result(
    "What is there to gain from domains?",
    table,
    list(column("question",
                values = c("shift of predictors", "room, known domains", "gain, new domains")),
         column("baseline", format = as_each(), values = c(variances[1L], means[c(1L, 3L)])),
         column("found", format = as_each(), values = c(variances[2L], means[c(2L, 4L)])),
         column("estimate", "difference", as_each()),
         interval("approx. 95 % CI", as_each(), report = "Approximate 95 % CI"),
         column("p", format = as_p(), report = "p")),
    facts = paste0(score, ", ", plural(nrow(x$domains), "domain"), ", ", plural(x$rows, "row"),
                   if (!is.null(x$units)) paste(" of", plural(x$units, "unit")),
                   if (x$rows < x$available) paste(" of", in_full(x$available)), " used"),
    notes = c(paste0(
      "Shift: variance between domains; baseline: of permuted rows. Room: a machine that is told ",
      "the domain; gain: one with domain_distribution(); baseline: pooled; a difference above 0 ",
      "is better."
    ), p_decides(x), x$verdict),
    glance = data.frame(metric = score, domains = nrow(x$domains), rows = x$rows,
                        available = x$available, ratio = x$shift$ratio)
  )
}

# Interval and p are of two procedures; x: of dg_diagnose().
p_decides <- function(x) {
  if (all(is.na(c(x$headroom$p, x$gain$p)))) return(character())
  apart <- vapply(x[c("headroom", "gain")], function(row) {
    isTRUE((row$p <= 0.05) == (row$lower <= 0 && row$upper >= 0))
  }, NA)
  paste0("p decides whether there is a gain: it is from ", null_worlds, " simulated responses ",
         "without one, and that of room takes ", if (is.null(x$units)) "rows" else "units",
         " for independent. Intervals are of the mean gain over domains and approximate",
         if (any(apart)) paste0("; that of ", paste(names(apart)[apart], collapse = " and "),
                                if (sum(apart) > 1L) " disagree with their p"
                                else " disagrees with its p"),
         ".")
}

#' @exportS3Method
picture.dg_diagnose <- function(x, ...) {
  check_no_dots(list(...), character())
  frame <- diagnose_frame(x)
  at <- as.integer(frame$what)
  shift <- which(frame$panel == "shift")
  single <- which(!is.na(frame$domain))
  mean <- which(frame$panel == "gain" & is.na(frame$domain))
  title <- if (same_predictors(x)) "no shift: all domains have the same predictors" else {
    paste0("shift: ", signif(x$shift$ratio, 2), " times chance, p = ", format_p(x$shift$p))
  }
  new_picture(
    frame, rows = 1L, x = picture_axis(NULL, 1:4, diagnose_labels, pad = 0.5, free = TRUE),
    y = picture_axis(free = TRUE),
    panels = c(paste0("variance between domains\n", title),
               paste0("gain over pooling (", x$metric$title, ")\nabove 0 is better")),
    layers = list(
      layer("box", at[shift] - 0.3, 0, xend = at[shift] + 0.3, yend = frame$value[shift],
            fill = c(0.15, 0.5)),
      layer("segment", -Inf, 0, xend = Inf, dash = 2, panel = 2L),
      layer("point", at[single] + 0.5 * spread_out(length(single)), frame$value[single], panel = 2L,
            ink = 0.35, size = 0.7),
      layer("segment", at, frame$lower, yend = frame$upper, width = 2.5,
            panel = ifelse(frame$panel == "shift", 1L, 2L)),
      layer("point", at[mean], frame$value[mean], panel = 2L, shape = 23, size = 1.5)
    ), caption = diagnose_caption)
}

diagnose_caption <- paste(
  "Left: boxes are variances; the bar by chance holds 95 % of the permutations. Right: points are",
  "domains, diamonds their mean with its approximate 95 % interval."
)

diagnose_labels <- c("by chance", "found", "room: told the domain", "gain: unseen domains")

# panel ("shift", "gain"), what (factor), domain (NA for what sums up), value, lower, upper.
diagnose_frame <- function(x) {
  sign <- if (x$metric$better == "low") -1 else 1
  line <- function(panel, what, value, lower = NA_real_, upper = NA_real_, domain = NA_character_) {
    data.frame(panel = panel, what = what, domain = domain, value = value, lower = lower,
               upper = upper)
  }
  gain <- function(label, better, pooled, mean) {
    rbind(line("gain", label, sign * (better - pooled), domain = x$domains$domain),
          line("gain", label, mean$difference, mean$lower, mean$upper))
  }
  d <- x$domains
  frame <- rbind(
    line("shift", "by chance", x$shift$level, c(x$shift$lower, NA_real_)[1L],
         c(x$shift$upper, NA_real_)[1L]),
    line("shift", "found", x$shift$variance),
    gain(diagnose_labels[3L], d$known, d$pooled_known, x$headroom),
    gain(diagnose_labels[4L], d$distributional, d$pooled_unseen, x$gain)
  )
  frame$what <- factor(frame$what, diagnose_labels)
  frame[!is.na(frame$value), ]
}
