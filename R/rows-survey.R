# The first pass over a source: what is learned from all rows before any of them can be used (rows
# by domain, moments, classes), and a random sample of rows, from which bandwidths, landmarks and
# ranks come. The sample of a source with few rows has all of them.

sample_rows <- 20000

# The survey: list(source, reader, n, lost, domains: names; sizes, weights: by domain; weighted: do
# rows differ in weight? moments: list(count, mean, square) of the columns in the reader's units, by
# domain [G x p]; response; sample: as read_sample() gives it, not scaled).
survey_source <- function(input, needs) {
  source <- input$source
  reader <- block_reader(input, needs)
  drop_numbers(source)
  n <- sum(source$ctx$counts)
  chosen <- if (n <= sample_rows) seq_len(n) else sort(sample.int(n, sample_rows))
  starts <- row_starts(source)
  sums <- run_pass(source, number_walk(reader), survey_work(reader, chosen, starts), "survey")
  if (sums$n == 0) abort("data", "Every row of the source has missing values.")
  n <- sums$n + sums$lost
  # once, where methods are compared on the same rows
  if (sums$lost > 0 && first_said(source$ctx, paste("lost", sums$lost, n))) {
    warn_left_out(sums$lost, n)
  }
  order <- match(group_levels(sums$domains), sums$domains)
  survey <- list(source = source, reader = reader, formula = input$x, n = sums$n,
                 domains = sums$domains[order], sizes = sums$moments$count[order],
                 weights = sums$weighed[order, 1L],
                 positive = sums$weighed[order, 2L], logs = sums$weighed[order, 3L],
                 heaviest = sums$heaviest, weighted = have_weights(c(sums$lightest, sums$heaviest)),
                 moments = lapply(sums$moments, take, order))
  if (all(survey$weights == 0)) abort("data", "`weights` must not all be zero.")
  if (reader$kind == "class") {
    # those that occur, in the order of the declared levels, or of their names
    occurring <- colnames(sums$response$classes)
    declared <- intersect(reader$levels, occurring)
    survey$classes <- c(declared, text_levels(setdiff(occurring, declared)))
  }
  survey$response <- lapply(sums$response, take, order)
  check_response_size(survey$response, sums$values)
  survey$values <- sums$values
  survey$sample <- survey_sample(survey, sums$rows)
  survey
}

# Squares of numbers beyond 1e150 or below 1e-150 are lost. values: some of the response.
check_response_size <- function(moments, values) {
  if (is.null(moments$square) || length(values) < 2L) return(invisible())
  pooled <- pool_moments(moments)
  variance <- pooled$square / pooled$count
  if (isTRUE(variance > 1e-300 && is.finite(pooled$square))) return(invisible())
  abort("data", "The squares of the response must be finite and not vanish, and those of ",
        enumerate(values, quote = ""), " are not; use other units.")
}

# chosen: numbers of the sampled rows, ascending; starts: see row_starts(). Values, and no
# environment of the call, go to the workers.
survey_work <- function(reader, chosen, starts) {
  add <- adding(add_surveys)
  pass_work(add = add, block = function(sums, block, at) {
    surveyed <- survey_block(reader, block)
    place <- starts[at$number] + at$first - 1 + block$kept
    picked <- which(place %in% chosen_within(chosen, starts[at$number] + at$first, at$size))
    sampled <- c(block[c("X", "y", "domain", "weights")], list(place = place))
    surveyed$rows <- list(lapply(sampled, take, picked))
    surveyed$lost <- block$lost
    add(sums, surveyed)
  })
}

chosen_within <- function(chosen, first, n) {
  ends <- findInterval(c(first - 0.5, first + n - 0.5), chosen)
  chosen[seq_len(ends[2L] - ends[1L]) + ends[1L]]
}

survey_block <- function(reader, block) {
  names <- levels(block$domain)
  code <- as.integer(block$domain)
  by_domain <- function(values) unname(rowsum(values, code, reorder = TRUE))
  weights <- block$weights
  positive <- weights > 0
  sums <- list(n = length(code), domains = names,
               # [G x 3]: sums of weights, rows with one, sums of logarithms
               weighed = by_domain(cbind(weights, positive, ifelse(positive, log(weights), 0))),
               heaviest = max(weights, 0), lightest = min(weights, Inf),
               moments = group_squares_(block$X, reader$unit, rep(1, length(code)), code,
                                        length(names)))
  if (reader$kind == "number") {
    sums$response <- group_squares_(matrix(block$y), 1, weights, code, length(names))
    sums$values <- utils::head(unique(block$y), 3L)
  } else if (reader$kind == "class") {
    sums$response <- list(classes = table_of(block$y, weights, code, length(names)))
  }
  sums
}

# Sums of weights [G x classes], rows of no class first: named columns.
table_of <- function(y, weights, code, G) {
  classes <- levels(y)
  table <- matrix(0, G, length(classes), dimnames = list(NULL, classes))
  cell <- cbind(code, as.integer(y))
  total <- rowsum(weights, (cell[, 2L] - 1) * G + cell[, 1L])
  table[as.integer(rownames(total))] <- total
  table
}

# Surveys of two sets of rows; domains and classes are matched by name.
add_surveys <- function(a, b) {
  names <- union(a$domains, b$domains)
  at <- list(match(names, a$domains), match(names, b$domains))
  sum <- list(n = a$n + b$n, domains = names, lost = a$lost + b$lost, rows = c(a$rows, b$rows),
              weighed = filled(a$weighed, at[[1L]]) + filled(b$weighed, at[[2L]]),
              heaviest = max(a$heaviest, b$heaviest), lightest = min(a$lightest, b$lightest),
              moments = join_moments(a$moments, b$moments, at))
  if (!is.null(a$response$classes)) {
    sum$response <- list(classes = add_tables(a$response$classes, b$response$classes, at))
  } else if (!is.null(a$response)) {
    sum$response <- join_moments(a$response, b$response, at)
    sum$values <- utils::head(union(a$values, b$values), 3L)
  }
  sum
}

# The values at these places, 0 where there is none.
filled <- function(values, at) {
  value <- take(values, at)
  value[is.na(value)] <- 0
  value
}

# Chan, Golub and LeVeque (1979): with d the distance of the means, the sums of squares of both add
# to S = S_a + S_b + d^2 n_a n_b / (n_a + n_b).
join_moments <- function(a, b, at) {
  a <- lapply(a, filled, at[[1L]])
  b <- lapply(b, filled, at[[2L]])
  count <- a$count + b$count
  share <- ifelse(count > 0, b$count / count, 0)
  distance <- b$mean - a$mean
  # a mean of nothing is 0, and must not pull
  distance[a$count == 0 | b$count == 0, ] <- 0
  mean <- ifelse(matrix(a$count == 0, nrow(a$mean), ncol(a$mean)), b$mean,
                 a$mean + share * distance)
  list(count = count, mean = mean, square = a$square + b$square + share * a$count * distance^2)
}

add_tables <- function(a, b, at) {
  classes <- union(colnames(a), colnames(b))
  spread <- function(table, i) {
    columns <- match(classes, colnames(table))
    filled(table[i, , drop = FALSE][, columns, drop = FALSE], TRUE)
  }
  sum <- spread(a, at[[1L]]) + spread(b, at[[2L]])
  colnames(sum) <- classes
  sum
}

survey_sample <- function(survey, pieces) {
  part <- function(name) lapply(pieces, `[[`, name)
  order <- order(unlist(part("place")))
  y <- unlist(part("y"))[order]
  list(X = do.call(rbind, part("X"))[order, , drop = FALSE],
       y = if (is.null(survey$classes)) y else factor(y, survey$classes),
       domain = factor(unlist(part("domain"))[order], survey$domains),
       weights = unlist(part("weights"))[order], blueprint = survey$reader$blueprint)
}

# As learn_scaling() learns it from rows: means and standard deviations of all of them, ranks of the
# sample.
survey_scaling <- function(survey, scale) {
  blueprint <- survey$reader$blueprint
  coded <- length(seen_coding(blueprint)$coded)
  sample <- survey$sample
  scaling <- quietly(learn_scaling(sample$X, scale, sample$domain, coded, seen_weights(blueprint)),
                     "domgen_warning_constant")
  numbers <- seq_len(ncol(sample$X) - coded)
  moments <- survey$moments
  unit <- survey$reader$unit[numbers]
  if (by_domain(scale)) {
    scaling$domains <- stats::setNames(domain_spreads(moments, unit, numbers), survey$domains)
  }
  if (scale[1L] == "none") return(scaling)
  pooled <- pool_moments(moments)
  scaling[c("centre", "scale")] <- moments_of_sums(pooled$mean[numbers], pooled$square[numbers],
                                             pooled$count, unit)
  warn_constant(scaling$scale, colnames(sample$X)[numbers])
  scaling
}

# As column_moments().
moments_of_sums <- function(mean, square, count, unit) {
  spread <- sqrt(square / max(count - 1, 1))
  list(centre = unname(mean * unit),
       scale = unname(unit * sd_or_inf(spread, mean)))
}

# Of each domain, the columns `j`.
domain_spreads <- function(moments, unit, j = seq_along(unit)) {
  lapply(seq_along(moments$count), function(g) {
    moments_of_sums(moments$mean[g, j], moments$square[g, j], moments$count[g], unit)
  })
}

# Of all domains together.
pool_moments <- function(moments) {
  total <- sum(moments$count)
  mean <- colSums(moments$count * moments$mean) / total
  between <- colSums(moments$count * sweep(moments$mean, 2L, mean)^2)
  list(count = total, mean = mean, square = colSums(moments$square) + between)
}
