#' Plot a projection
#'
#' @description
#' `which = "scores"`: the training rows and each unseen domain side by side on two components, on
#' common axes, with a colour and a shape for each class or a shade for the number that is the
#' response (as figure 2 of the DICA paper), or for each training domain; the training rows lie in
#' pale grey under each unseen domain, and many panels stand in several rows. A projection that
#' generalises gives the unseen domains the shape of the training domains. With one component the
#' response is on the other axis, a strip for each class.
#'
#' `which = "values"`: the eigenvalues of the components, and how many there are (the rank).
#'
#' `plot()` draws with base graphics in the colours of the page (`par("fg")` on `par("bg")`),
#' `autoplot()` with ggplot2 in those of the current theme ([ggplot2::theme_set()]): both are
#' readable in grey and on a dark page. Up to eight classes have the colours of Okabe and Ito
#' (2008), which colour-blind readers tell apart, and a shape each; numbers and more classes have a
#' scale from dark to light. A dark theme is best set before: one that is added to the plot does
#' not change the colours of classes.
#'
#' @param x,object A projection.
#' @param newdata New rows to show, one panel per domain; see
#'   [predict.dg_projection()]. They are coloured by the response where `newdata`
#'   has it, or `y` is given.
#' @param components Two (or one) components to show.
#' @param domain,y Domain and response of each row of `newdata`, when they are not
#'   columns of it.
#' @param max_panels Unseen domains beyond this number are not shown; the title says so.
#' @param colour What colours tell: the response, or the domain of the training rows; the response,
#'   where there is one, if `NULL`.
#' @param which What to show.
#' @param ... For `plot()` further arguments of [graphics::points()], such as `cex`; else none.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A component that there is not, `newdata` that cannot be projected, `newdata` missing for a
#' model that was fitted to sums and has no rows to show, and `colour = "response"` without a
#' response.
#' @references
#' Okabe, M. and Ito, K. (2008). Color Universal Design (CUD): How to make figures and presentations
#' that are friendly to colorblind people.
#' @examples
#' toy <- simulate_dica(domains = 6, n = 60, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:4])
#' model <- dg_udica(y ~ . | domain, data = train)
#' plot(model, newdata = subset(toy, !domain %in% levels(domain)[1:4]))
#' plot(model, which = "values")
#' @export
plot.dg_projection <- function(x, newdata = NULL, components = 1:2, domain = NULL, y = NULL,
                               max_panels = 5, which = c("scores", "values"), ...,
                               colour = NULL) {
  # colour comes last, for `col` is an argument of points()
  check_no_dots(list(...), c(setdiff(names(formals(plot.dg_projection)), "x"), style_arguments),
                style_arguments)
  p <- picture(x, newdata, components, domain, y, max_panels, which, colour)
  drawn(draw_picture(p, list(...)))
  invisible(x)
}

style_arguments <- c("type", "pch", "col", "bg", "cex", "lwd", "lty", "font", "family", "xpd")

# Colours and shapes that are none are told by graphics in words of its own.
drawn <- function(code) {
  refuse <- function(e) {
    if (inherits(e, c("domgen_error", "domgen_warning")) || ends_call(e)) return()
    abort("argument", "The picture cannot be drawn: ", conditionMessage(e), ".")
  }
  withCallingHandlers(code, error = refuse, warning = refuse)
}

#' @rdname plot.dg_projection
#' @exportS3Method ggplot2::autoplot
autoplot.dg_projection <- function(object, newdata = NULL, components = 1:2, domain = NULL,
                                   y = NULL, max_panels = 5, which = c("scores", "values"),
                                   colour = NULL, ...) {
  as_ggplot(picture(object, newdata, components, domain, y, max_panels, which, colour,
                    ...))
}

#' @exportS3Method
picture.dg_projection <- function(x, newdata = NULL, components = 1:2, domain = NULL, y = NULL,
                                  max_panels = 5, which = "scores", colour = NULL, ...) {
  check_no_dots(list(...), setdiff(names(formals(plot.dg_projection)), "x"))
  which <- check_choice(which, "which", c("scores", "values"))
  if (which == "values") return(values_picture(x))
  scores_picture(scores_frame(x, newdata, components, domain, y, max_panels, colour))
}

# "response", "domain" or "none".
read_colour <- function(colour, known, domains) {
  if (!is.null(colour)) colour <- check_choice(colour, "colour", c("response", "domain"))
  if (!known && identical(colour, "response")) {
    abort("argument", "`colour` must be \"domain\": neither the model nor `newdata` has a ",
          "response.")
  }
  if (!is.null(colour)) return(colour)
  if (known) "response" else if (domains %in% 2:8) "domain" else "none"
}

read_components <- function(components, x) {
  m <- length(x$values)
  if (identical(components, 1:2)) return(seq_len(min(2L, m)))
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
scores_frame <- function(x, newdata, components, domain, y, max_panels, colour = NULL) {
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
  of <- read_colour(colour, any(!is.na(frame$key)), length(unique(training$domain)))
  if (of == "domain") frame$key <- factor(ifelse(frame$seen, frame$domain, NA))
  # a model of sums has no response to go by
  if (of == "response" && !is.numeric(frame$key)) {
    frame$key <- factor(frame$key, if (is.factor(x$y)) levels(x$y) else sort(unique(frame$key)))
  }
  structure(frame[is.finite(frame$first), ], components = components, title = title, of = of,
            labels = variable_names(x$blueprint))
}

score_rows <- function(scores, components, domain, y, seen) {
  n <- nrow(scores)
  data.frame(seen = rep(seen, n), domain = as.character(domain), first = scores[, components[1L]],
             second = if (length(components) == 2L) scores[, components[2L]] else rep(NA_real_, n),
             key = if (is.null(y)) rep(NA, n) else if (is.factor(y)) as.character(y) else y,
             row.names = NULL)
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

# The second axis, and where points are on it. With one component it is the response, with a strip
# for each class.
score_places <- function(frame) {
  components <- attr(frame, "components")
  if (length(components) == 2L) {
    return(list(y = frame$second, axis = picture_axis(paste("component", components[2L]))))
  }
  if (is.numeric(frame$key)) return(list(y = frame$key, axis = picture_axis(key_title(frame))))
  strips <- levels(frame$key)
  code <- if (is.null(strips)) rep(1L, nrow(frame)) else as.integer(frame$key)
  # unseen rows without a response are on a strip of their own
  code[is.na(code)] <- 0L
  list(y = code + 0.6 * spread_out(nrow(frame)),
       axis = picture_axis(key_title(frame), seq_along(strips), strips, pad = 0.3))
}

# NULL where colours tell nothing.
key_title <- function(frame) attr(frame, "labels")[[attr(frame, "of")]]

# Colours and shapes for classes, or shades for numbers. Of many domains no key is readable.
score_key <- function(frame) {
  if (is.null(key_title(frame))) return(NULL)
  levels <- levels(frame$key)
  shapes <- if (length(levels) > 8L) rep(16, length(levels)) else class_shapes(length(levels))
  picture_key(key_title(frame), levels, shapes,
              if (is.null(levels)) range(frame$key, na.rm = TRUE), shown = length(levels) <= 16L)
}

# Panels on common axes; the training domains first, on grey, and pale under the others.
scores_picture <- function(frame) {
  place <- score_places(frame)
  key <- score_key(frame)
  titles <- levels(droplevels(frame$panel))
  unseen <- which(titles != "training domains")
  seen <- which(frame$seen)
  under <- seen[thin(length(seen), 400L)]
  shape <- if (is.factor(frame$key)) key$shapes[frame$key] else 16
  points <- function(rows, ...) layer("point", frame$first[rows], place$y[rows], ...)
  layers <- list(
    if (length(seen)) layer("box", -Inf, -Inf, xend = Inf, yend = Inf, fill = 0.08, ink = NA_real_),
    points(rep(under, length(unseen)), panel = rep(unseen, each = length(under)), ink = 0.18,
           size = 0.4),
    points(TRUE, panel = match(frame$panel, titles), styled = TRUE, ink = 0.55,
           size = point_size(nrow(frame) / length(titles)),
           shape = ifelse(is.na(frame$key), 1, shape), key = if (length(key)) frame$key)
  )
  titles[unseen] <- paste("unseen:", shorten(titles[unseen], 24))
  new_picture(frame, layers, picture_axis(paste("component", attr(frame, "components")[1L])),
              place$axis, attr(frame, "title"), rows = NA, panels = titles, key = key)
}

# component (number), value.
values_frame <- function(x) {
  data.frame(component = seq_along(x$values), value = unname(x$values))
}

values_picture <- function(x) {
  frame <- values_frame(x)
  whole <- pretty(frame$component)
  asked <- x$spec$args$ncomp
  # the rank is found among the components asked for
  note <- paste0("rank ", if (x$rank < asked) "" else "at least ", x$rank, " (",
                 plural(asked, "component"), " asked for)")
  new_picture(frame, list(
    layer("segment", frame$component, 0, yend = frame$value, ink = 0.4, width = 2),
    layer("point", frame$component, frame$value, styled = TRUE)
  ), picture_axis("component", whole[whole %in% frame$component], pad = 0.3),
  picture_axis("eigenvalue"), paste0(x$spec$parts$title, ": eigenvalues"), note)
}
