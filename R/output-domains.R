#' Plots of distances between domains
#'
#' A heat map of the distances of a [dg_mmd()], or a map of its domains or of those of a
#' [domain_map()].
#'
#' @param x The result of [dg_mmd()] or [domain_map()].
#' @param type `"heatmap"` or `"map"`. Default `NULL`: the map for a [domain_map()], else the heat
#'   map.
#' @param unseen Names of domains to mark as new; known already to a [domain_map()].
#' @param ... Must be empty.
#' @return A ggplot2 object, see [plot.dg_projection()].
#' @section Types:
#' `type = "heatmap"`: the squared MMD of each pair of domains, shaded and, for up to 12 domains (8
#' with a permutation test), written; similar domains stand next to each other (average linkage),
#' new ones last and with an asterisk. With a permutation test pairs with p < 0.05 (for each pair
#' separately) have a dot.
#'
#' `type = "map"`: the domains in the plane, by classical scaling, so that distances are as near
#' to the MMD as two coordinates allow; the subtitle says how near. New domains are triangles in
#' a colour of their own. Domains so far away that all others would overlap are drawn at the
#' edge and named in the caption.
#'
#' Names that would lie over others are left out; where the package ggrepel is installed, they are
#' moved.
#' @section Errors:
#' A name in `unseen` that is no domain, and for a map unknown distances.
#' @seealso [dg_mmd()], [domain_map()]
#' @examplesIf requireNamespace("ggplot2", quietly = TRUE)
#' # distances of chicks on four diets
#' plot(dg_mmd(~ weight + Time | Diet, data = ChickWeight, scale = "pooled"))
#'
#' toy <- simulate_ellipses(domains = 8, n = 40, seed = 1)
#' distances <- dg_mmd(as.matrix(toy[c("x1", "x2")]), toy$domain)
#' plot(distances)
#' plot(distances, type = "map", unseen = levels(toy$domain)[7:8])
#' @export
plot.domgen_mmd <- function(x, type = NULL, unseen = NULL, ...) {
  check_no_dots(list(...), c("type", "unseen"))
  unseen <- read_unseen(unseen, x)
  # a domain_map() has points
  if (is.null(type)) type <- if (is.null(x$points)) "heatmap" else "map"
  type <- check_choice(type, "type", c("heatmap", "map"))
  name <- (if (is.null(x$labels)) variable_names(NULL) else x$labels)$domain
  if (type == "map") return(plot_map(map_points(x$squared, unseen), name))
  tiles <- heatmap_frame(x, unseen)
  named <- levels(tiles$column)[thin(nlevels(tiles$column), 15L)]
  tile_plot(tiles, "Squared MMD between domains", name, name, "Squared MMD", caption = c(
    "Darker squares are pairs of domains whose rows differ more.",
    if (length(unseen)) "An asterisk marks new domains.",
    if (!is.null(x$p_value)) {
      paste(if (any(tiles$dot)) "A dot marks pairs with" else "No pair has",
            "p < 0.05 in the permutation test.")
    },
    if (any(tiles$value < 0, na.rm = TRUE)) "Unbiased estimates can be below 0."
  )) +
    ggplot2::scale_x_discrete(breaks = named, labels = function(names) shorten(names, 16),
                              guide = ggplot2::guide_axis(angle = 90)) +
    names_on("y", named)
}

# Printed as matrices, in tables as pairs, the most distant first.
#' @exportS3Method
describe_result.domgen_mmd <- function(x) {
  names <- rownames(x$squared)
  pairs <- which(upper.tri(x$squared), arr.ind = TRUE)
  table <- data.frame(first = names[pairs[, 1L]], second = names[pairs[, 2L]],
                      squared = x$squared[pairs])
  if (!is.null(x$p_value)) table$p <- x$p_value[pairs]
  said <- if (!is.null(x$p_value)) {
    paste0(x$permutations, " permutations",
           if (!is.null(x$units)) paste(" of", plural(x$units, "unit")))
  }
  new_result(
    paste0("Squared MMD between domains (", if (x$unbiased) "unbiased" else "biased", ")"), table,
    c(list(column("first", "domain", print = FALSE),
           column("second", "and domain", print = FALSE),
           column("squared", "squared MMD", tidy = "estimate", print = FALSE)),
      if (!is.null(said)) list(column("p", format = as_p(), print = FALSE, report = "p"))),
    facts = paste0("k(x, z) = ", format_bandwidth(x$kernel)),
    notes = if (!is.null(said)) paste0("p: ", said, ", not adjusted for multiple testing."),
    shown = order(-table$squared), most = 12L, unit = "pair",
    where = "as.data.frame(), less distant",
    further = c(list(distance_matrix(x$squared, NULL, as_number(3))),
                if (!is.null(said)) list(distance_matrix(x$p_value, "p", as_each()))),
    glance = data.frame(domains = length(names), unbiased = x$unbiased,
                        permutations = x$permutations)
  )
}

distance_matrix <- function(values, title, format, most = 12L) {
  names <- utils::head(rownames(values), most)
  shown <- seq_along(names)
  table <- data.frame(names, values[shown, shown, drop = FALSE], check.names = FALSE)
  more <- nrow(values) - length(shown)
  short <- c("", shorten_names(names, 16L))
  columns <- lapply(seq_along(table), function(j) {
    column(j, short[j], if (j > 1L) format)
  })
  new_result(title, table, columns, report = FALSE, notes = if (more > 0L) {
    paste0("  and ", plural(more, "more domain"), "; all pairs are in tidy()")
  })
}

read_unseen <- function(unseen, x) {
  if (is.null(unseen)) return(x$unseen)
  unseen <- value_labels(unseen)
  other <- setdiff(unseen, rownames(x$squared))
  if (length(other)) {
    abort("argument", "`unseen` must be names of domains (", enumerate(rownames(x$squared),
          quote = "\""), "), not ", enumerate(other, quote = "\""), ".")
  }
  unseen
}

# column, row (factors of domains), value, text, dot (p < 0.05).
heatmap_frame <- function(x, unseen) {
  order <- seq_len(nrow(x$squared))
  if (length(order) >= 3L && !anyNA(x$squared)) {
    order <- stats::hclust(stats::as.dist(pmax(x$squared, 0)), "average")$order
  }
  # by place: a domain may be called ""
  order <- order[order(rownames(x$squared)[order] %in% unseen)]
  names <- rownames(x$squared)[order]
  squared <- x$squared[order, order, drop = FALSE]
  label <- paste0(names, ifelse(names %in% unseen, " *", ""))
  frame <- data.frame(column = factor(label[col(squared)], label),
                      row = factor(label[row(squared)], rev(label)), value = c(squared))
  # with dots in small squares numbers could not be read
  few <- length(names) <= if (is.null(x$p_value)) 12L else 8L
  empty <- !few | is.na(frame$value) | frame$value == 0
  # two digits, without the zero before the point
  text <- sub("^(-?)0\\.", "\\1.", vapply(signif(frame$value, 2), format, ""))
  frame$text <- ifelse(empty, "", text)
  frame$dot <- if (is.null(x$p_value)) FALSE else c(x$p_value[order, order] < 0.05) %in% TRUE
  frame
}

plot_map <- function(map, name) {
  # new domains are named first
  frame <- pull_in(map$points[order(!map$points$unseen), ])
  frame$kind <- factor(ifelse(frame$unseen, "new", "training"), c("training", "new"))
  far <- frame[frame$far, ]
  # the larger range is that of both axes
  wide <- vapply(frame[c("first", "second")], function(v) diff(range(v)), 0)
  ends <- lapply(frame[c("first", "second")], function(v) {
    mean(range(v)) + c(-0.58, 0.58) * max(wide, 1e-12)
  })
  new_plot(
    frame, c(x = "first", y = "second"), "Distances between domains",
    paste0("The plane shows ", round(100 * map$shown), " % of the MMD"),
    x = "First coordinate", y = "Second coordinate", caption = c(
      paste0("Each point is a domain", if (name != "domain") paste0(" (", name, ")"),
             ": near points have similar rows."),
      if (any(frame$unseen)) "Triangles are new domains.",
      if (nrow(far)) {
        paste0("Drawn nearer than they are (ringed): ", paste0(
          far$domain, " (at ", signif(far$first_true, 2), ", ", signif(far$second_true, 2), ")",
          collapse = ", "), ".")
      }
    # it is square
    ), key = 16
  ) +
    ggplot2::geom_point(columns(colour = "kind", shape = "kind"), size = 2) +
    ggplot2::geom_point(data = far, shape = 1, size = 4) +
    clear_names(frame) +
    ggplot2::scale_colour_manual(NULL, values = c(training = mean_colour, new = accent),
                                 guide = "none") +
    ggplot2::scale_shape_manual(NULL, values = c(training = 16, new = 17), guide = "none") +
    ggplot2::coord_equal(xlim = ends$first, ylim = ends$second, expand = FALSE)
}

# Names beside their points, none over another.
clear_names <- function(frame) {
  frame$name <- shorten_names(frame$domain, if (nrow(frame) > 8L) 10L else 14L)
  if (nrow(frame) > 20L || !can_repel()) {
    return(ggplot2::geom_text(columns(label = "name"), frame, size = 3, check_overlap = TRUE,
                              vjust = -0.9, hjust = "inward"))
  }
  ggrepel::geom_text_repel(columns(label = "name"), frame, size = 3, seed = 1L, max.overlaps = Inf,
                           min.segment.length = 0.2, box.padding = 0.2, segment.size = 0.2)
}

# One domain that is far from all others would squeeze these into a point: of at most a tenth of the
# domains, those farther from the middle than 3 times all others are put nearer to it, on the same
# side. Adds far, first_true, second_true.
pull_in <- function(frame) {
  middle <- vapply(frame[c("first", "second")], stats::median, 0)
  off <- sqrt((frame$first - middle[1L])^2 + (frame$second - middle[2L])^2)
  order <- order(off)
  # the last place after which there is a jump
  n <- length(off)
  places <- seq(max(ceiling(0.9 * n) - 1L, 1L), length.out = n - max(ceiling(0.9 * n) - 1L, 1L))
  jump <- places[off[order][places + 1L] > 3 * off[order][places]]
  near <- if (n >= 5L && length(jump)) off[order][jump[1L]] else Inf
  frame$far <- off > near & near > 0
  frame[c("first_true", "second_true")] <- frame[c("first", "second")]
  share <- ifelse(frame$far, 1.4 * near / off, 1)
  for (side in c("first", "second")) {
    frame[[side]] <- middle[[side]] + share * (frame[[side]] - middle[[side]])
  }
  frame
}
