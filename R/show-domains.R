#' Plot distances between domains
#'
#' @description
#' `type = "heatmap"`: the squared MMD of each pair of domains, shaded and, for up to 12 domains,
#' written; similar domains stand next to each other (average linkage), unseen ones last and with an
#' asterisk. With a permutation test pairs with p < 0.05 (for each pair by itself) have a dot.
#'
#' `type = "map"`: the domains in the plane, by classical scaling, so that distances are as near
#' to the MMD as two coordinates allow; the note says how near. Unseen domains are triangles in
#' a colour of their own.
#'
#' Names stand beside their points where they lie over no other; those for which there is no such
#' place are left out, and a note says how many. In ggplot2 they are moved further where the package
#' ggrepel is installed. See [plot.dg_projection()] on colours.
#'
#' @usage
#' # plot(x, type = NULL, unseen = NULL, ...)
#' # autoplot(object, type = NULL, unseen = NULL, ...)
#' @param x,object The result of [dg_mmd()] or [domain_map()].
#' @param type Which picture; of [domain_map()] the map, else the heat map, if `NULL`.
#' @param unseen Names of domains to mark as unseen; known already to a [domain_map()].
#' @param ... Must be empty.
#' @return `plot()`: `x`, invisibly. `autoplot()`: a ggplot.
#' @section Errors:
#' A name in `unseen` that is no domain, and for a map unknown distances.
#' @examples
#' toy <- simulate_ellipses(domains = 8, n = 40, seed = 1)
#' distances <- dg_mmd(as.matrix(toy[c("x1", "x2")]), toy$domain)
#' plot(distances)
#' plot(distances, type = "map", unseen = levels(toy$domain)[7:8])
#' @name plot.domgen_mmd
NULL

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

#' @exportS3Method
picture.domgen_mmd <- function(x, type = NULL, unseen = NULL, ...) {
  check_no_dots(list(...), c("type", "unseen"))
  unseen <- read_unseen(unseen, x)
  # a domain_map() has points
  if (is.null(type)) type <- if (is.null(x$points)) "heatmap" else "map"
  type <- check_choice(type, "type", c("heatmap", "map"))
  name <- (if (is.null(x$labels)) variable_names(NULL) else x$labels)$domain
  if (type == "map") return(map_picture(map_points(x$squared, unseen), name))
  notes <- c(if (length(unseen)) "* unseen", if (!is.null(x$p_value)) "dot: p < 0.05")
  if (length(notes)) name <- paste0(name, " (", paste(notes, collapse = ", "), ")")
  tile_picture(heatmap_frame(x, unseen), "squared MMD between domains", name, NULL, "squared MMD",
               equal = TRUE)
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
  few <- length(names) <= 12L
  empty <- !few | is.na(frame$value) | frame$value == 0
  # two digits, without the zero before the point
  text <- sub("^(-?)0\\.", "\\1.", vapply(signif(frame$value, 2), format, ""))
  frame$text <- ifelse(empty, "", text)
  frame$dot <- if (is.null(x$p_value)) FALSE else c(x$p_value[order, order] < 0.05) %in% TRUE
  frame
}

# Unseen domains are named first, without names that would lie over others.
map_picture <- function(map, name) {
  frame <- map$points[order(!map$points$unseen), ]
  key <- picture_key(name, c("training", "unseen"), c(16, 17), marked = TRUE,
                     shown = any(frame$unseen))
  kind <- factor(frame$unseen, c(FALSE, TRUE), key$levels)
  # the larger range is that of both axes
  wide <- vapply(frame[c("first", "second")], function(v) diff(range(v)), 0)
  pad <- 0.6 * max(wide, 1e-12) - wide / 2
  new_picture(
    frame,
    title = "distances between domains", note = paste0(round(100 * map$shown), " % of them shown"),
    x = picture_axis("first coordinate", pad = pad[[1L]]), equal = TRUE, domains = nrow(frame),
    y = picture_axis("second coordinate", pad = pad[[2L]]), key = key,
    layers = list(layer("point", frame$first, frame$second, key = kind, size = 1.2,
                        shape = key$shapes[kind]),
                  layer("text", frame$first, frame$second, clear = TRUE, ink = 0.8,
                        key = if (any(frame$unseen)) kind, label = shorten(frame$domain, 14))))
}
