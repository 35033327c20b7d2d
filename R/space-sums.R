# Sums over rows in feature space, all that a projection needs to know of the
# rows: they are made in one pass, and those of two sets of rows add.

# What the engine calls "dg_sums": list(
#   n          rows
#   second     Z'Z [r x r]
#   sums       sums of z over the rows of each cell [r x cells]
#   cells      data frame: domain, class (text) and count of the cells that occur
#   response   list(map; levels: of classes; for numbers, with F the features of
#              the map: cross = Z'F, second = F'F, sums = F'1; where the map has an
#              origin also linear: the same, as vectors, for (y - origin) / unit)
#   labelled_second   Z' diag(labelled) Z, or NULL)
# sample: X [n x p] scaled, y, domain, see read_sample(); map: response_map() or NULL.
# table: of the domains, see domain_table().
accumulate <- function(space, sample, map, labelled = NULL,
                       table = own_table(space, sample[c("X", "domain")])) {
  check_feature_memory(space$dim)
  cells <- sample_cells(sample$domain, sample$y)
  points <- sample[c("X", "domain")]
  parts <- lapply(row_parts(nrow(sample$X), !is.null(map) && map$kind == "number"), function(i) {
    y <- take(sample$y, i)
    # the features of a numeric response and, last, the response itself
    F <- response_rows(map, y, space$threads)
    if (!is.null(map$origin)) F <- cbind(F, ifelse(is.na(y), 0, (y - map$origin) / map$unit))
    wanted <- list(cells = take(cells$code, i), n_cells = nrow(cells$table), second = TRUE,
                   response = F, labelled = take(labelled, i))
    moments_of(space, rows_at(points, i), table, wanted)
  })
  total <- Reduce(add_moments, parts)
  check_overflow(diag(total$second), space$kernel)
  cells$table$count <- total$counts
  structure(list(
    n = total$n, second = total$second, sums = total$sums, cells = cells$table,
    response = c(list(map = map, levels = levels(sample$y)), response_sums(total, map)),
    labelled_second = total$labelled_second
  ), class = "dg_sums")
}

response_sums <- function(total, map) {
  sums <- list(cross = total$cross, second = total$response_second, sums = total$response_sums)
  if (is.null(map$origin)) return(sums)
  last <- length(sums$sums)
  linear <- list(cross = sums$cross[, last], second = sums$second[last, last],
                 sum = sums$sums[last])
  c(list(cross = sums$cross[, -last, drop = FALSE],
         second = sums$second[-last, -last, drop = FALSE], sums = sums$sums[-last]),
    # squares overflow where a response is 1e154 times as large as in the first piece
    if (all(is.finite(unlist(linear)))) list(linear = linear))
}

# So many rows at a time when the response has features, which nobody keeps.
rows_at_once <- 65536L

# TRUE stands for all rows.
row_parts <- function(n, in_parts) {
  if (!in_parts || n <= rows_at_once) return(list(TRUE))
  lapply(seq(1, n, by = rows_at_once), function(first) {
    seq(first, min(first + rows_at_once - 1, n))
  })
}

# The pairs of domain and class that occur, with the number of its pair for each
# row. Without classes all rows are of the class "all". Rows without a response are
# of the class NA.
sample_cells <- function(domain, y) {
  classes <- c(if (is.factor(y)) levels(y) else "all", NA)
  class <- if (is.factor(y)) as.integer(y) else rep(1L, length(domain))
  if (anyNA(y)) class[is_missing(y)] <- length(classes)
  pair <- (as.integer(domain) - 1L) * length(classes) + class
  present <- which(tabulate(pair, nlevels(domain) * length(classes)) > 0L)
  table <- data.frame(domain = levels(domain)[(present - 1L) %/% length(classes) + 1L],
                      class = classes[(present - 1L) %% length(classes) + 1L])
  list(code = match(pair, present), table = table)
}

# Sums of the rows of `a` and of those of `b`: cells are matched by name.
add_sums <- function(a, b) {
  cells <- unique(rbind(a$cells, b$cells)[c("domain", "class")])
  rownames(cells) <- NULL
  cells$count <- spread_cells(t(a$cells$count), a$cells, cells)[1L, ] +
    spread_cells(t(b$cells$count), b$cells, cells)[1L, ]
  response <- list(map = a$response$map, levels = unique(c(a$response$levels, b$response$levels)))
  summed <- c("cross", "second", "sums")
  both <- !is.null(a$response$linear) && !is.null(b$response$linear)
  structure(list(
    n = a$n + b$n, second = a$second + b$second,
    sums = spread_cells(a$sums, a$cells, cells) + spread_cells(b$sums, b$cells, cells),
    cells = cells, response = c(response, add_moments(a$response[summed], b$response[summed]),
                                if (both) list(linear = add_moments(a$response$linear,
                                                                    b$response$linear))),
    labelled_second = if (!is.null(a$labelled_second)) a$labelled_second + b$labelled_second
  ), class = "dg_sums")
}

# Columns of `values`, one per row of `cells`, at the place of their cells in
# `wanted`; 0 for cells that do not occur.
spread_cells <- function(values, cells, wanted) {
  pair <- function(table) {
    (match(table$domain, wanted$domain) - 1) * nrow(wanted) + match(table$class, wanted$class)
  }
  spread <- matrix(0, nrow(values), nrow(wanted))
  spread[, match(pair(cells), pair(wanted))] <- values
  spread
}
