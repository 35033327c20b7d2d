# A projection in ggplot2.

gg_scores <- function(frame) {
  page <- gg_page()
  place <- score_places(frame)
  rows <- data.frame(x = place$x, y = place$y, key = frame$key)
  panels <- levels(droplevels(frame$panel))
  titles <- ifelse(panels == "training domains", panels, paste("unseen:", shorten(panels, 24)))
  rows$panel <- factor(titles[match(frame$panel, panels)], titles)
  plot <- ggplot2::ggplot(rows, gg_columns(x = "x", y = "y")) +
    ggplot2::facet_wrap(gg_facets("panel"), nrow = 1L) +
    ggplot2::theme(panel.spacing = ggplot2::unit(1, "lines")) +
    ggplot2::labs(title = attr(frame, "title"), y = place$title,
                  x = paste("component", attr(frame, "components")[1L]))
  if (panels[1L] == "training domains") {
    ground <- data.frame(panel = factor(titles[1L], titles))
    plot <- plot + ggplot2::geom_rect(data = ground, xmin = -Inf, xmax = Inf, ymin = -Inf,
                                      ymax = Inf, fill = shade(page, 0.06), inherit.aes = FALSE)
  }
  if (length(titles) > 1L && any(frame$seen)) {
    plot <- plot + ggplot2::geom_point(data = under_unseen(rows, frame, titles), size = 0.6,
                                       colour = shade(page, 0.2))
  }
  if (!place$axis) {
    plot <- plot + ggplot2::scale_y_continuous(breaks = place$at,
                                               labels = shorten(place$strips, 16))
  }
  gg_key(plot, rows$key, key_title(frame), page)
}

# The training rows again, in each panel of an unseen domain.
under_unseen <- function(rows, frame, titles) {
  under <- rows[background_rows(frame), c("x", "y")]
  unseen <- titles[-1L]
  data.frame(under[rep(seq_len(nrow(under)), length(unseen)), ],
             panel = factor(rep(unseen, each = nrow(under)), titles))
}

# Points with a shape and colour for each class or a shade for numbers.
gg_key <- function(plot, key, title, page) {
  if (all(is.na(key))) {
    return(plot + ggplot2::geom_point(shape = 1L, colour = shade(page, 0.55)))
  }
  plain <- shade(page, 0.55)
  if (is.factor(key)) {
    m <- nlevels(key)
    values <- function(of) stats::setNames(of, levels(key))
    short <- function(labels) shorten(labels, 22)
    return(plot + ggplot2::geom_point(gg_columns(colour = "key", shape = "key")) +
             ggplot2::scale_colour_manual(title, values = values(colour_scale(page, m)),
                                          labels = short, na.value = plain,
                                          na.translate = anyNA(key)) +
             ggplot2::scale_shape_manual(title, values = values(class_shapes(m)), labels = short,
                                         na.value = 1L, na.translate = anyNA(key)))
  }
  plot + ggplot2::geom_point(gg_columns(colour = "key")) +
    ggplot2::scale_colour_gradientn(shorten(title, 22), colours = colour_scale(page, 16L),
                                    na.value = plain)
}

gg_values <- function(x) {
  page <- gg_page()
  ggplot2::ggplot(values_frame(x), gg_columns(x = "component", y = "value")) +
    ggplot2::geom_segment(gg_columns(xend = "component"), yend = 0, colour = shade(page, 0.4)) +
    ggplot2::geom_point(colour = page$ink, size = 2) +
    ggplot2::scale_x_continuous(breaks = function(limits) {
      whole <- pretty(limits)
      whole[whole == round(whole) & whole >= 1]
    }) +
    ggplot2::expand_limits(y = 0) +
    ggplot2::labs(title = values_title(x), subtitle = values_note(x), y = "eigenvalue")
}
