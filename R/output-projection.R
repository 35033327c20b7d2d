#' Plot a projection
#'
#' @description
#' `which = "scores"`: the training rows and each new domain side by side on two components, on
#' common axes, with a colour and a shape for each class or a shade for the number that is the
#' response (as figure 2 of the DICA paper), or for each training domain; the training rows lie in
#' pale grey under each new domain. A projection that
#' generalises gives the new domains the shape of the training domains. With one component the
#' response is on the other axis, a strip for each class.
#'
#' `which = "values"`: the eigenvalues of the components, and how many there are (the rank).
#'
#' Up to eight classes have the colours of Okabe and Ito (2008), safe for colour-blind readers,
#' and a shape each; numbers and more classes have a scale from dark to light.
#'
#' All plots of the package are ggplot2 objects, to which themes, labels and scales can be added;
#' `ggplot2::autoplot()` returns the same object. In a script, a loop or a function `print()` draws
#' it. Titles and captions are broken into lines that fit a width of 4.5 inches.
#'
#' @param x A projection.
#' @param newdata New rows to show, one panel per domain; see
#'   [predict.dg_projection()]. They are coloured by the response where `newdata`
#'   has it, or `y` is given.
#' @param components Two (or one) components to show.
#' @param domain,y Domain and response of each row of `newdata`, when they are not
#'   columns of it.
#' @param max_panels Maximum number of new domains that are shown; the subtitle says if there are
#'   more.
#' @param which Type of plot, see above.
#' @param colour Meaning of the colours: `"response"`, or the `"domain"` of the training rows; if
#'   `NULL` the response, where there is one.
#' @param ... Must be empty.
#' @return A ggplot2 object.
#' @section Errors:
#' A component that there is not, `newdata` that cannot be projected, `newdata` missing for a
#' model that was fitted to sums and has no rows to show, `colour = "response"` without a
#' response, and for all plots ggplot2 that is not installed.
#' @references
#' Okabe, M. and Ito, K. (2008). Color Universal Design (CUD): How to make figures and presentations
#' that are friendly to colorblind people.
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' toy <- simulate_dica(domains = 6, n = 60, seed = 1)
#' train <- subset(toy, domain %in% levels(domain)[1:4])
#' model <- dg_udica(y ~ . | domain, data = train)
#' plot(model, newdata = subset(toy, !domain %in% levels(domain)[1:4]))
#' plot(model, which = "values") + ggplot2::theme_minimal()
#' @export
plot.dg_projection <- function(x, newdata = NULL, components = 1:2, domain = NULL, y = NULL,
                               max_panels = 5, which = c("scores", "values"), colour = NULL, ...) {
  enter_session()
  check_no_dots(list(...), setdiff(names(formals(plot.dg_projection)), "x"))
  which <- check_choice(which, "which", c("scores", "values"))
  if (which == "values") return(plot_values(x))
  plot_scores(scores_frame(x, newdata, components, domain, y, max_panels, colour))
}

# "response", "domain" or "none".
read_colour <- function(colour, has_response, domains) {
  if (!is.null(colour)) colour <- check_choice(colour, "colour", c("response", "domain"))
  if (!has_response && identical(colour, "response")) {
    abort("argument", "`colour` must be \"domain\": neither the model nor `newdata` has a ",
          "response.")
  }
  if (!is.null(colour)) return(colour)
  if (has_response) "response" else if (domains %in% 2:8) "domain" else "none"
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

# One line a row: panel (factor; "Training domains", then the new ones), seen, domain, first,
# second (NA with one component), key: what colours and shapes tell. Attributes: components,
# title, subtitle, labels (names of the variables) and of (what the key is: "response", "domain",
# "none").
scores_frame <- function(x, newdata, components, domain, y, max_panels, colour = NULL) {
  components <- read_components(components, x)
  max_panels <- check_count(max_panels, "max_panels")
  subtitle <- NULL
  training <- if (!is.null(x$scores)) score_rows(x$scores, components, x$domain, x$y, TRUE)
  new <- if (!is.null(newdata)) new_scores(x, newdata, components, domain, y)
  if (is.null(training) && is.null(new)) {
    abort("argument", "`newdata` must be given: the model was fitted to sums over rows and has ",
          "no rows to show.")
  }
  unseen <- unique(new$domain)
  if (length(unseen) > max_panels) {
    subtitle <- paste(max_panels, "of", length(unseen), "new domains")
    unseen <- utils::head(unseen, max_panels)
    new <- new[new$domain %in% unseen, ]
  }
  frame <- rbind(training, new)
  frame$panel <- factor(ifelse(frame$seen, 1L, 1L + match(frame$domain, unseen)),
                        seq_len(1L + length(unseen)),
                        c("Training domains",
                          paste("New:", shorten_names(unseen, 24L), recycle0 = TRUE)))
  of <- read_colour(colour, any(!is.na(frame$key)), length(unique(training$domain)))
  if (of == "domain") frame$key <- factor(ifelse(frame$seen, frame$domain, NA))
  # a model of sums has no response to go by
  if (of == "response" && !is.numeric(frame$key)) {
    frame$key <- factor(frame$key, if (is.factor(x$y)) levels(x$y) else sort(unique(frame$key)))
  }
  structure(frame[is.finite(frame$first), ], components = components, of = of, subtitle = subtitle,
            title = method_of(x$spec)$title, labels = variable_names(x$blueprint))
}

score_rows <- function(scores, components, domain, y, seen) {
  n <- nrow(scores)
  # several responses are no colour
  if (is.matrix(y)) y <- NULL
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
  score_rows(scores[complete, , drop = FALSE], components, domain[complete],
             take(y, complete), FALSE)
}

# NULL where colours tell nothing.
key_title <- function(frame) attr(frame, "labels")[[attr(frame, "of")]]

# On common axes, the training rows pale under new ones. With one component the other axis is the
# response, with a strip for each class.
plot_scores <- function(frame) {
  components <- attr(frame, "components")
  title <- key_title(frame)
  numbers <- is.numeric(frame$key)
  strips <- length(components) == 1L && !numbers
  # new rows without a response are on a strip of their own
  if (length(components) == 1L) frame$second <- if (is.null(title)) factor("") else frame$key
  # a number that is not known has no place on the axis
  unplaced <- !strips & is.na(frame$second)
  frame <- frame[!unplaced, ]
  frame$panel <- droplevels(frame$panel)
  beside <- if (strips) ggplot2::position_jitter(0, 0.3, seed = 1L)
            else ggplot2::position_identity()
  each <- max(table(frame$panel))
  mapping <- if (numbers) columns(colour = "key")
             else if (length(title)) columns(colour = "key", shape = "key")
  under <- frame[frame$seen, c("first", "second")]
  under <- under[thin(nrow(under), 400L), ]
  new <- any(!frame$seen)
  # strips have their names on the axis
  legend <- length(mapping) > 0L && !strips && (numbers || nlevels(frame$key) <= 16L)
  key <- if (legend) key_width(title, if (numbers) "0.00" else levels(frame$key)) else 0
  new_plot(
    frame, c(x = "first", y = "second"), paste("Projection:", attr(frame, "title")),
    attr(frame, "subtitle"), x = paste("Component", components[1L]),
    y = if (length(components) == 2L) paste("Component", components[2L]) else title,
    caption = c("Each point is a row.", if (new && nrow(under)) {
      "Grey points are the rows of the training domains, under those of new domains."
    }, if (any(unplaced)) "Rows without a response are not drawn.",
    if (length(mapping) && !strips && anyNA(frame$key)) {
      paste0(if (numbers) "Dark grey points" else "Open circles", " are rows ",
             if (attr(frame, "of") == "domain") "of new domains." else "without a response.")
    }, if (length(mapping) && !legend && !strips) {
      paste0("Shades are the ", nlevels(frame$key), " values of ", title, ".")
    }, if (strips) "Points are moved up and down at random, to be seen apart."), key = key
  ) +
    panels(frame$panel, beside = key + width_beside(frame$second)) +
    few_numbers(frame$panel) +
    (if (new) ggplot2::geom_point(data = under, colour = "grey80", size = 0.5, position = beside)) +
    (if (is.null(mapping)) {
      ggplot2::geom_point(colour = mean_colour, size = point_size(each), position = beside,
                          alpha = point_alpha(each))
    } else {
      ggplot2::geom_point(mapping, size = point_size(each), alpha = point_alpha(each),
                          position = beside)
    }) +
    (if (is.null(mapping)) NULL else if (numbers) key_of_numbers(title)
     else key_of_classes(title, levels(frame$key), legend)) +
    (if (strips) names_on("y"))
}

# component (number), value.
values_frame <- function(x) {
  data.frame(component = seq_along(x$values), value = unname(x$values))
}

plot_values <- function(x) {
  asked <- x$spec$args$ncomp
  # the rank is found among the components asked for
  new_plot(
    values_frame(x), c(x = "component", y = "value"),
    paste("Eigenvalues:", method_of(x$spec)$title),
    paste0("Rank ", if (x$rank < asked) "" else "at least ", x$rank, " (",
           plural(asked, "component"), " asked for)"),
    x = "Component", y = "Eigenvalue",
    caption = "A component with a larger eigenvalue has more of what the projection looks for."
  ) +
    ggplot2::geom_col(width = 0.6, fill = mean_colour) +
    ggplot2::scale_x_continuous(breaks = function(ends) {
      whole <- pretty(ends)
      whole[whole == round(whole) & whole >= 1]
    })
}
