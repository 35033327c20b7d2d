#' Plot distances between domains
#'
#' @description
#' `type = "heatmap"`: the squared MMD of each pair of domains, shaded and, for up to 12 domains,
#' written; similar domains stand next to each other (average linkage), unseen ones last and with an
#' asterisk. With a permutation test pairs with p < 0.05 (for each pair by itself) have a dot.
#'
#' `type = "map"`: the domains in the plane, by classical scaling, so that distances are as near
#' to the MMD as two coordinates allow; the title says how near. Unseen domains are triangles.
#'
#' Names that do not fit are shortened or left out. See [plot.dg_projection()] on colours.
#'
#' @param x,object The result of [mmd()] or [domain_map()].
#' @param type Which picture; of [domain_map()] the map, else the heat map, if `NULL`.
#' @param unseen Names of domains to mark as unseen; known already to a [domain_map()].
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A name in `unseen` that is no domain, and for a map unknown distances.
#' @examples
#' toy <- simulate_ellipses(domains = 8, rows = 40, seed = 1)
#' distances <- mmd(as.matrix(toy[c("x1", "x2")]), toy$domain)
#' plot(distances)
#' plot(distances, type = "map", unseen = levels(toy$domain)[7:8])
#' @export
plot.domgen_mmd <- function(x, type = NULL, unseen = NULL, ...) {
  check_no_dots(list(...), c("type", "unseen"))
  unseen <- read_unseen(unseen, x)
  if (read_map_type(type, x) == "map") draw_map(map_frame(x, unseen)) else {
    draw_heatmap(heatmap_frame(x, unseen))
  }
  invisible(x)
}

#' @rdname plot.domgen_mmd
#' @exportS3Method ggplot2::autoplot
autoplot.domgen_mmd <- function(object, type = NULL, unseen = NULL, ...) {
  check_no_dots(list(...), c("type", "unseen"))
  unseen <- read_unseen(unseen, object)
  if (read_map_type(type, object) == "map") return(gg_map(map_frame(object, unseen)))
  frame <- heatmap_frame(object, unseen)
  gg_tiles(frame, heatmap_title, heatmap_label(frame), "", "squared MMD") +
    ggplot2::geom_point(data = frame[which(frame$dot), ], size = 0.8,
                        colour = tile_ink(gg_page(), frame$value)[which(frame$dot)],
                        position = ggplot2::position_nudge(y = -0.32)) +
    ggplot2::coord_equal() +
    ggplot2::theme(axis.text.x = ggplot2::element_text(angle = 90, hjust = 1, vjust = 0.5))
}

read_map_type <- function(type, x) {
  if (is.null(type)) return(if (inherits(x, "dg_domain_map")) "map" else "heatmap")
  check_choice(type, "type", c("heatmap", "map"))
}

read_unseen <- function(unseen, x) {
  if (is.null(unseen)) return(x$unseen)
  other <- setdiff(as.character(unseen), rownames(x$squared))
  if (length(other)) {
    abort("argument", "`unseen` must be names of domains (", enumerate(rownames(x$squared),
          quote = "\""), "), not ", enumerate(other, quote = "\""), ".")
  }
  as.character(unseen)
}

heatmap_title <- "squared MMD between domains"

# column, row (factors of domains), value, text, mark, dot (p < 0.05). Attributes: labels, unseen,
# tested.
heatmap_frame <- function(x, unseen) {
  order <- similar_order(x$squared)
  # by place: a domain may be called ""
  order <- order[order(rownames(x$squared)[order] %in% unseen)]
  names <- rownames(x$squared)[order]
  squared <- x$squared[order, order, drop = FALSE]
  label <- paste0(names, ifelse(names %in% unseen, " *", ""))
  frame <- data.frame(column = factor(label[col(squared)], label),
                      row = factor(label[row(squared)], rev(label)), value = c(squared))
  few <- length(names) <= 12L
  empty <- !few | is.na(frame$value) | frame$value == 0
  frame$text <- ifelse(empty, "", short_number(frame$value))
  frame$mark <- FALSE
  frame$dot <- if (is.null(x$p_value)) FALSE else c(x$p_value[order, order] < 0.05) %in% TRUE
  structure(frame, labels = if (is.null(x$labels)) variable_names(NULL) else x$labels,
            unseen = length(unseen) > 0L, tested = !is.null(x$p_value))
}

# Two digits, without the zero before the point.
short_number <- function(value) {
  text <- vapply(signif(value, 2), format, "")
  sub("^(-?)0\\.", "\\1.", text)
}

similar_order <- function(squared) {
  if (nrow(squared) < 3L || anyNA(squared)) return(seq_len(nrow(squared)))
  stats::hclust(stats::as.dist(pmax(squared, 0)), "average")$order
}

heatmap_label <- function(frame) {
  notes <- c(if (attr(frame, "unseen")) "* unseen", if (attr(frame, "tested")) "dot: p < 0.05")
  paste0(attr(frame, "labels")$domain,
         if (length(notes)) paste0(" (", paste(notes, collapse = ", "), ")"))
}

draw_heatmap <- function(frame) {
  page <- base_page()
  for (side in c("column", "row")) levels(frame[[side]]) <- shorten(levels(frame[[side]]), 16)
  names <- levels(frame$row)
  cex <- min(1, max(0.7, rows_in(graphics::par("din")[2L] - 2) / length(names)))
  side <- 0.5 * cex * widest(names) + 0.8
  with_page({
    draw_tiles(frame, heatmap_title, "", "", "MMD^2", cex)
    graphics::mtext(heatmap_label(frame), 1L, graphics::par("mar")[1L] - 1.2,
                    col = graphics::par("fg"))
    dots <- frame[which(frame$dot), ]
    graphics::points(as.integer(dots$column), as.integer(dots$row) - 0.32, pch = 16, cex = 0.5,
                     col = tile_ink(page, frame$value)[which(frame$dot)])
  }, mar = c(side + 1.5, side + 0.5, 2.5, if (any(nzchar(frame$text))) 1 else 7))
}

# domain, unseen, first, second. Attributes: title, labels.
map_frame <- function(x, unseen) {
  map <- map_points(x$squared, unseen)
  title <- paste0("distances between domains (", round(100 * map$shown),
                  " % of them shown)")
  structure(map$points, title = title,
            labels = if (is.null(x$labels)) variable_names(NULL) else x$labels)
}

# The larger range is that of both axes: distances must not be bent.
draw_map <- function(frame) {
  page <- base_page()
  any_unseen <- any(frame$unseen)
  with_page({
    empty_panel(stretch(frame$first), stretch(frame$second), attr(frame, "title"), lines = 1L,
                asp = 1, xlab = "first coordinate", ylab = "second coordinate")
    graphics::points(frame$first, frame$second, pch = ifelse(frame$unseen, 17, 1),
                     col = ifelse(frame$unseen, page$ink, shade(page, 0.6)), cex = 1.2)
    named <- write_clear(frame, page)
    graphics::mtext(note_unnamed(named, nrow(frame), attr(frame, "labels")$domain), 3L, 0.1,
                    adj = 0, cex = 0.8, col = page$ink)
    if (any_unseen) {
      graphics::legend("bottomright", c("training", "unseen"), pch = c(1, 17), bty = "n",
                       inset = c(0, 1), xpd = NA, horiz = TRUE, cex = 0.8,
                       col = c(shade(page, 0.6), page$ink))
    }
  }, mar = c(4.2, 4.2, 3.6, 1))
}

# Room for names.
stretch <- function(values) {
  range <- range(values)
  range + c(-0.05, 0.08) * max(diff(range), 1e-12)
}

# Names above their points, unseen domains first, without those that would lie over others;
# how many were written.
write_clear <- function(frame, page) {
  labels <- shorten(frame$domain, 14)
  wide <- graphics::strwidth(labels, cex = 0.8) / 2
  tall <- graphics::strheight("M", cex = 0.8)
  y <- frame$second + 1.3 * tall
  written <- integer()
  for (i in order(!frame$unseen)) {
    clash <- abs(frame$first[written] - frame$first[i]) < wide[written] + wide[i] &
      abs(y[written] - y[i]) < 1.5 * tall
    if (!any(clash)) written <- c(written, i)
  }
  graphics::text(frame$first[written], y[written], labels[written], cex = 0.8, xpd = NA,
                 col = page$ink)
  length(written)
}

gg_map <- function(frame) {
  page <- gg_page()
  name <- attr(frame, "labels")$domain
  title <- attr(frame, "title")
  frame <- frame[order(!frame$unseen), ]
  frame$kind <- factor(ifelse(frame$unseen, "unseen", "training"), c("training", "unseen"))
  frame$label <- shorten(frame$domain, 14)
  ggplot2::ggplot(frame, gg_columns(x = "first", y = "second")) +
    ggplot2::geom_point(gg_columns(shape = "kind", colour = "kind"), size = 2) +
    ggplot2::geom_text(gg_columns(label = "label"), vjust = -0.9, size = 3, colour = page$ink,
                       check_overlap = TRUE) +
    ggplot2::scale_shape_manual(name, values = c(training = 1, unseen = 17)) +
    ggplot2::scale_colour_manual(name, values = c(training = shade(page, 0.6),
                                                  unseen = page$ink)) +
    ggplot2::scale_x_continuous(expand = ggplot2::expansion(0.1)) +
    ggplot2::scale_y_continuous(expand = ggplot2::expansion(0.1)) + ggplot2::coord_equal() +
    ggplot2::labs(title = title, x = "first coordinate", y = "second coordinate")
}
