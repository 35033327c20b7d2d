#' Plot a projection
#'
#' @description
#' `which = "scores"`: the training rows and each unseen domain side by side on two components, on
#' common axes, with a colour and a shape for each class or a shade for the number that is the
#' response (as figure 2 of the DICA paper); the training rows lie in pale grey under each unseen
#' domain. A projection that generalises gives the unseen domains the shape of the training
#' domains. With one component the response is on the other axis, a strip for each class. Without a
#' response up to eight training domains have a colour and shape each.
#'
#' `which = "values"`: the eigenvalues of the components, and how many there are (the rank).
#'
#' `plot()` draws with base graphics in the colours of the page (`par("fg")` on `par("bg")`),
#' `autoplot()` with ggplot2 in those of the current theme ([ggplot2::theme_set()]): both are
#' readable in grey and on a dark page.
#'
#' @param x,object A projection.
#' @param newdata New rows to show, one panel per domain; see
#'   [predict.dg_projection()]. They are coloured by the response where `newdata`
#'   has it, or `y` is given.
#' @param components Two (or one) components to show.
#' @param domain,y Domain and response of each row of `newdata`, when they are not
#'   columns of it.
#' @param max_panels Unseen domains beyond this number are not shown; the title says so.
#' @param which What to show.
#' @param ... For `plot()` further arguments of [graphics::points()], such as `cex`; else none.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A component that there is not, `newdata` that cannot be projected, and `newdata` missing for a
#' model that was fitted to sums and has no rows to show.
#' @examples
#' toy <- simulate_dica(domains = 6, rows = 60, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:4])
#' model <- udica(y ~ . | domain, data = train)
#' plot(model, newdata = subset(toy, !domain %in% levels(domain)[1:4]))
#' plot(model, which = "values")
#' @export
plot.dg_projection <- function(x, newdata = NULL, components = 1:2, domain = NULL, y = NULL,
                               max_panels = 5, which = c("scores", "values"), ...) {
  check_no_dots(list(...), c(setdiff(names(formals(plot.dg_projection)), "x"), style_arguments),
                style_arguments)
  which <- check_choice(which, "which", c("scores", "values"))
  if (which == "values") drawn(draw_values(x, list(...))) else {
    if (!missing(components)) check_components(components, x)
    frame <- scores_frame(x, newdata, components, domain, y, max_panels)
    drawn(draw_scores(frame, list(...)))
  }
  invisible(x)
}

style_arguments <- c("type", "pch", "col", "bg", "cex", "lwd", "lty", "font", "family", "xpd")

# Colours and shapes that are none are told by graphics in words of its own.
drawn <- function(code) {
  refuse <- function(e) {
    if (inherits(e, c("domgen_error", "domgen_warning")) || is_time_limit(e)) return()
    abort("argument", "The picture cannot be drawn: ", conditionMessage(e), ".")
  }
  withCallingHandlers(code, error = refuse, warning = refuse)
}

#' @rdname plot.dg_projection
#' @exportS3Method ggplot2::autoplot
autoplot.dg_projection <- function(object, newdata = NULL, components = 1:2, domain = NULL,
                                   y = NULL, max_panels = 5, which = c("scores", "values"), ...) {
  check_no_dots(list(...), setdiff(names(formals(autoplot.dg_projection)), "object"))
  which <- check_choice(which, "which", c("scores", "values"))
  if (which == "values") return(gg_values(object))
  gg_scores(scores_frame(object, newdata, components, domain, y, max_panels))
}

read_components <- function(components, x) {
  m <- length(x$values)
  if (identical(components, 1:2)) return(seq_len(min(2L, m)))
  check_components(components, x)
}

check_components <- function(components, x) {
  m <- length(x$values)
  if (identical(components, 1:2) && m == 1L) return(1L)
  fine <- is.numeric(components) && length(components) %in% 1:2 && all(components %in% seq_len(m))
  if (!fine) {
    abort("argument", "`components` must be one or two numbers from 1 to ", m, ", not ",
          describe(components), ".")
  }
  components
}

# One line a row: panel (factor; "training domains", then the unseen ones), seen, domain, first,
# second (NA with one component), key: what colours and shapes tell. Attributes: components,
# title, labels (names of the variables) and of (what the key is: "response", "domain", "none").
scores_frame <- function(x, newdata, components, domain, y, max_panels) {
  components <- read_components(components, x)
  max_panels <- check_count(max_panels, "max_panels")
  title <- x$spec$parts$title
  training <- if (!is.null(x$scores)) score_rows(x$scores, components, x$domain, x$y, TRUE)
  new <- if (!is.null(newdata)) new_scores(x, newdata, components, domain, y)
  if (is.null(training) && is.null(new)) {
    abort("argument", "`newdata` must be given: the model was fitted to sums over rows and has ",
          "no rows to show.")
  }
  unseen <- unique(new$domain)
  if (length(unseen) > max_panels) {
    title <- paste0(title, " (", max_panels, " of ", length(unseen), " unseen domains)")
    unseen <- utils::head(unseen, max_panels)
    new <- new[new$domain %in% unseen, ]
  }
  frame <- rbind(training, new)
  frame$panel <- factor(ifelse(frame$seen, 1L, 1L + match(frame$domain, unseen)),
                        seq_len(1L + length(unseen)), c("training domains", unseen))
  few <- length(unique(training$domain)) %in% 2:8
  of <- if (any(!is.na(frame$key))) "response" else if (few) "domain" else "none"
  if (of == "domain") frame$key <- factor(ifelse(frame$seen, frame$domain, NA))
  if (of == "response" && is.factor(x$y)) frame$key <- factor(frame$key, levels(x$y))
  # a model of sums has no response to go by
  if (of == "response" && is.character(frame$key)) frame$key <- factor(frame$key)
  structure(frame[is.finite(frame$first), ], components = components, title = title, of = of,
            labels = variable_names(x$blueprint))
}

score_rows <- function(scores, components, domain, y, seen) {
  n <- nrow(scores)
  data.frame(seen = rep(seen, n), domain = as.character(domain), first = scores[, components[1L]],
             second = if (length(components) == 2L) scores[, components[2L]] else rep(NA_real_, n),
             key = if (is.null(y)) rep(NA, n) else if (is.factor(y)) as.character(y) else y,
             stringsAsFactors = FALSE, row.names = NULL)
}

# Of complete rows, in the order of their domains.
new_scores <- function(x, newdata, components, domain, y) {
  scores <- predict.dg_projection(x, newdata, domain = domain)
  domain <- factor(new_domain(x$blueprint, newdata, domain, nrow(scores), FALSE, "newdata"))
  y <- if (is.null(y)) response_of(x, newdata) else read_vector(y, nrow(scores), "y")
  if (is.numeric(x$y) && !is.null(y) && !is.numeric(y)) {
    abort("data", "`y` must be numeric as in training, not ", describe(y), ".")
  }
  complete <- order(domain)
  complete <- complete[!is.na(scores[complete, 1L]) & !is.na(domain[complete])]
  score_rows(scores[complete, , drop = FALSE], components, domain[complete], y[complete], FALSE)
}

# The response of new rows where the formula finds it, else NULL.
response_of <- function(x, newdata) {
  if (is.null(x$formula) || length(x$formula) < 3L) return(NULL)
  if (!all(all.vars(x$formula[[2L]]) %in% names(newdata))) return(NULL)
  eval(x$formula[[2L]], newdata, environment(x$blueprint$terms))
}

# Where points are, and what is on the second axis: list(x, y, at and labels of strips or NULL,
# title, axis: are there numbers on it?).
score_places <- function(frame) {
  components <- attr(frame, "components")
  labels <- attr(frame, "labels")
  place <- list(x = frame$first, y = frame$second, axis = TRUE)
  if (length(components) == 2L) return(c(place, list(title = paste("component", components[2L]))))
  if (is.numeric(frame$key)) {
    place$y <- frame$key
    return(c(place, list(title = labels$response)))
  }
  strips <- if (is.factor(frame$key)) levels(frame$key)
  code <- if (is.null(strips)) rep(1L, nrow(frame)) else as.integer(frame$key)
  # unseen rows without a response are on a strip of their own
  code[is.na(code)] <- 0L
  place$y <- code + 0.6 * spread_out(nrow(frame))
  place$axis <- FALSE
  c(place, list(at = seq_along(strips), strips = strips, title = key_title(frame)))
}

key_title <- function(frame) {
  switch(attr(frame, "of"), response = attr(frame, "labels")$response,
         domain = attr(frame, "labels")$domain, none = "")
}

# At most 400 training rows to lie under the unseen domains.
background_rows <- function(frame) {
  rows <- which(frame$seen)
  rows[thin(length(rows), 400L)]
}

# Colour and shape of each row, and what is shown of them beside: list(col, pch, labels, colours,
# shapes).
score_key <- function(frame, page) {
  plain <- list(col = rep(shade(page, 0.55), nrow(frame)), pch = rep(1, nrow(frame)))
  if (attr(frame, "of") == "none") return(plain)
  known <- !is.na(frame$key)
  if (is.factor(frame$key)) {
    m <- nlevels(frame$key)
    key <- list(labels = levels(frame$key), colours = colour_scale(page, m),
                shapes = class_shapes(m))
    code <- as.integer(frame$key)[known]
    plain$pch[known] <- key$shapes[code]
  } else {
    breaks <- unique(stats::quantile(frame$key[known], seq(0, 1, length.out = 33), names = FALSE))
    colours <- colour_scale(page, max(length(breaks) - 1L, 1L))
    code <- if (length(breaks) < 2L) 1L
            else findInterval(frame$key[known], breaks, all.inside = TRUE)
    key <- list(labels = signif(stats::quantile(frame$key[known], c(1, 0.5, 0), names = FALSE), 3),
                colours = rev(colours)[c(1L, ceiling(length(colours) / 2), length(colours))],
                shapes = c(16, 16, 16))
    plain$pch[known] <- 16
    plain$col[known] <- colours[code]
    return(c(plain, key))
  }
  plain$col[known] <- key$colours[code]
  c(plain, key)
}

# One row of panels on common axes; the training domains first, on grey.
draw_scores <- function(frame, style) {
  page <- base_page()
  key <- score_key(frame, page)
  key$labels <- if (!is.null(key$labels)) shorten(as.character(key$labels), 22)
  key$title <- shorten(key_title(frame), 22)
  place <- score_places(frame)
  panels <- levels(droplevels(frame$panel))
  right <- if (is.null(key$labels)) 0.5 else 0.5 * widest(c(key$labels, key$title)) + 2.5
  # two panels or six: the same size of text
  with_page({
    for (i in seq_along(panels)) draw_score_panel(frame, panels[i], place, key, page, style, i)
    if (!is.null(key$labels)) {
      graphics::legend(graphics::grconvertX(0.995, "ndc"), graphics::grconvertY(0.55, "ndc"),
                       xjust = 1, yjust = 0.5, legend = key$labels, title = key$title,
                       col = if (is.null(style$col)) key$colours else style$col,
                       pch = if (is.null(style$pch)) key$shapes else style$pch, xpd = NA, bty = "n")
    }
    outer_text(paste("component", attr(frame, "components")[1L]), 1L, 0.4)
    outer_text(shorten(place$title, 30), 2L, 1.8)
    outer_text(attr(frame, "title"), 3L, 0.3, font = 2L, cex = 1)
  }, mfrow = c(1L, length(panels)), cex = 0.8, mar = c(2.5, 1, 3.2, 0.5), oma = c(1.8, 3, 2, right))
}

outer_text <- function(text, side, line, cex = 0.8, font = 1L) {
  graphics::mtext(text, side, line, outer = TRUE, cex = cex, font = font,
                  col = graphics::par("fg"))
}

draw_score_panel <- function(frame, panel, place, key, page, style, i) {
  width <- characters_in(graphics::par("pin")[1L], 0.8)
  training <- panel == "training domains"
  empty_panel(place$x, place$y, if (training) panel else paste("unseen:", panel), xlab = "",
              ylab = "", yaxt = if (i == 1L && place$axis) "s" else "n", width = width)
  if (training) {
    corner <- graphics::par("usr")
    graphics::rect(corner[1L], corner[3L], corner[2L], corner[4L], col = shade(page, 0.08),
                   border = NA)
    graphics::box()
  } else {
    under <- background_rows(frame)
    graphics::points(place$x[under], place$y[under], pch = 16, cex = 0.5, col = shade(page, 0.18))
  }
  if (i == 1L && !is.null(place$strips)) {
    graphics::axis(2L, at = place$at, labels = shorten(place$strips, 12))
  }
  rows <- which(frame$panel == panel)
  own <- utils::modifyList(list(col = key$col[rows], pch = key$pch[rows]), style)
  do.call(graphics::points, c(list(x = place$x[rows], y = place$y[rows]), own))
}

# component (number), value.
values_frame <- function(x) {
  data.frame(component = seq_along(x$values), value = unname(x$values))
}

values_title <- function(x) paste0(x$spec$parts$title, ": eigenvalues")

# The rank is found among the components asked for.
values_note <- function(x) {
  asked <- x$spec$args$ncomp
  paste0("rank ", if (x$rank < asked) "" else "at least ", x$rank, " (",
         plural(asked, "component"), " asked for)")
}

draw_values <- function(x, style) {
  frame <- values_frame(x)
  with_page({
    empty_panel(c(0.7, max(frame$component) + 0.3), c(0, frame$value), values_title(x),
                xlab = "component", ylab = "eigenvalue", xaxt = "n")
    whole <- pretty(frame$component)
    graphics::axis(1L, whole[whole %in% frame$component])
    graphics::segments(frame$component, 0, frame$component, frame$value, lwd = 2,
                       col = shade(base_page(), 0.4))
    style <- utils::modifyList(list(pch = 16), style)
    do.call(graphics::points, c(list(x = frame$component, y = frame$value), style))
    graphics::mtext(values_note(x), 3L, 0.2, cex = 0.8, col = graphics::par("fg"))
  })
}
