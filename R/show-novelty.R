#' Plot the novelty of domains
#'
#' A line for each new domain, the farthest at the top: its own distance (see [dg_novelty()]) as a
#' triangle, those of the training domains, each left out in turn, as points. The name has the rank
#' p behind it. Distances stand on a logarithmic axis, those below 0.1 at its end. See
#' [plot.dg_projection()] on colours.
#'
#' @usage
#' # plot(x, max_domains = 30, ...)
#' # autoplot(object, max_domains = 30, ...)
#' @param x,object The result of [dg_novelty()].
#' @param max_domains At most so many new domains are drawn, the farthest.
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @examples
#' train <- simulate_dica(domains = 20, n = 30, seed = 1)
#' new <- simulate_dica(domains = 4, n = 30, seed = 2)
#' new$x1 <- new$x1 + as.integer(new$domain)
#' plot(dg_novelty(dg_ridge(y ~ . | domain, data = train, lambda = 1), new))
#' @name plot.dg_novelty
NULL

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
  } else "No domain is farther than every held-out training domain.",
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
  own <- utils::head(resembles[resembles$domain == domain, ], 3L)
  own <- own[round(100 * own$weight) >= 1, ]
  if (nrow(own) == 0L) return("none")
  paste0(own$training, " (", round(100 * own$weight), " %)", collapse = ", ")
}

#' @exportS3Method
picture.dg_novelty <- function(x, max_domains = 30, ...) {
  check_no_dots(list(...), "max_domains")
  max_domains <- check_count(max_domains, "max_domains")
  frame <- novelty_frame(x, max_domains)
  at <- as.integer(frame$domain)
  key <- picture_key(x$labels$domain, c("training", "new"), c(16, 17), marked = TRUE)
  kind <- factor(frame$new, c(FALSE, TRUE), key$levels)
  place <- log10(pmax(frame$distance, 0.1))
  breaks <- grDevices::axisTicks(range(place) + c(-0.05, 0.05), log = TRUE, nint = 4L)
  marks <- function(rows, size) {
    layer("point", place[rows], at[rows], key = kind[rows], shape = key$shapes[kind[rows]],
          size = size)
  }
  # names lie at the left, the farthest at the top
  one <- frame[frame$new, ]
  of <- nrow(x$domains)
  new_picture(
    frame, title = "how far new domains are from training", key = key,
    note = if (nlevels(frame$domain) < of) {
      paste("the farthest", nlevels(frame$domain), "of", plural(of, "domain"))
    },
    caption = paste0("Points: the ", x$training, " training domains, each left out in turn. p: ",
                     "the share of points and triangle that lie at the triangle or right of it."),
    x = picture_axis("distance from the nearest domains", log10(breaks),
                     vapply(breaks, format, "")),
    y = picture_axis(x$labels$domain, seq_len(nlevels(frame$domain)),
                     paste0(shorten(levels(one$domain), 14), " (p = ", signif(one$p, 2), ")"),
                     pad = 0.6),
    layers = list(marks(which(!frame$new), if (x$training > 60L) 0.5 else 0.7),
                  marks(which(frame$new), 1.3)))
}

# domain (factor, the farthest last), new, distance, p: a line for each new domain and each of
# training beside it.
novelty_frame <- function(x, most) {
  order <- rev(utils::head(order(x$domains$p, -x$domains$distance), most))
  names <- factor(x$domains$domain[order], x$domains$domain[order])
  known <- x$left_out[order, , drop = FALSE]
  rbind(
    data.frame(domain = names, new = TRUE, x$domains[order, c("distance", "p")], row.names = NULL),
    data.frame(domain = rep(names, ncol(known)), new = FALSE, distance = c(known), p = NA_real_)
  )
}
