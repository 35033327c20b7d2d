# One fit without the domains of a fold, then all permutations of a predictor in one prediction.
# Domains that take the values of others get new names, so that each is described separately.

# A separate function, so that nothing else is sent to workers.
importance_worker <- function(plan) {
  force(plan)
  function(piece) {
    held <- unique(as.character(plan$task$domain[piece$split$held]))
    result <- attempt(held, permute_fold(plan, piece$split))
    if (has_failed(result)) failed_piece(result) else result
  }
}

# list(scores, moved), data frames.
permute_fold <- function(plan, split) {
  task <- plan$task
  fold <- list(model = fit_split(plan$specs[[1L]], task, split), metric = plan$metric[[1L]],
               rows = split$held, train = split$train,
               domain = droplevels(factor(task$domain[split$held])), y = task$y,
               among = split(seq_along(task$y), task$domain, drop = TRUE))
  check_row_by_row(fold$model)
  data <- as_newdata(task$input)
  if (!is.data.frame(data)) {
    data <- as.matrix(data)
    colnames(data) <- task$predictors
  } else if (is.null(fold$model$blueprint$before)) {
    # the columns that the model uses, by name
    data <- data[unique(c(task$predictors, predictor_columns(fold$model$blueprint)))]
  }
  fold$data <- data
  before <- score_blocks(fold, list(list(label = as.character(fold$domain))))
  domains <- levels(fold$domain)
  moved <- lapply(names(plan$groups), function(name) {
    draws <- permute_group(fold, plan, plan$groups[[name]], before)
    base <- unname(before)[match(draws$domain, names(before))]
    change <- losses(draws$score - base, fold$metric$better)
    # sums of the same rows in another order differ by rounding: no increase
    draws$increase <- ifelse(abs(change) <= 1e-12 * abs(base), 0, change)
    data.frame(predictor = name, draws)
  })
  list(scores = data.frame(domain = domains, rows = tabulate(fold$domain),
                           score = unname(before)), moved = do.call(rbind, moved))
}

# Maximum number of rows in one prediction.
rows_together <- 50000L

# A row per domain, kind and draw: domain, kind, draw, donor, score. before: scores by domain.
permute_group <- function(fold, plan, group, before) {
  uses_others <- uses_other_rows(fold$model)
  # otherwise the model has no description of a domain
  kinds <- if (uses_others) plan$kinds else setdiff(plan$kinds, "context")
  draws <- seq_len(plan$permutations)
  size <- max(1L, rows_together %/% (length(fold$rows) * max(length(kinds), 1L)))
  tables <- lapply(split(draws, (draws - 1L) %/% size), function(some) {
    permute_draws(fold, plan$donors, kinds, group, some, uses_others)
  })
  if (!uses_others && "context" %in% plan$kinds) {
    domains <- names(before)
    tables <- c(tables, list(data.frame(domain = domains, kind = "context", draw = 1L,
                                        donor = donor_of(plan$donors, domains, 1L),
                                        score = unname(before))))
  }
  do.call(rbind, unname(tables))
}

donor_of <- function(donors, domains, draw) donors[cbind(match(domains, rownames(donors)), draw)]

permute_draws <- function(fold, donors, kinds, group, draws, uses_others) {
  if (length(kinds) == 0L) return(NULL)
  domain <- as.character(fold$domain)
  same <- rep(list(fold$rows), length(group))
  blocks <- described <- list()
  for (draw in draws) {
    turn <- other_rows(domain)
    moved <- lapply(group, function(name) moved_rows(fold, name, donors[, draw]))
    made <- paste(domain, draw, sep = "\r")
    described <- c(described, list(list(from = moved, label = made)))
    blocks <- c(blocks, lapply(kinds, function(kind) {
      from <- switch(kind, within = lapply(same, `[`, turn), between = moved,
                     both = lapply(moved, `[`, turn), context = same)
      list(from = from, label = if (kind == "within") domain else made, kind = kind, draw = draw)
    }))
  }
  described <- c(described, list(list(from = same, label = domain)))
  scores <- score_blocks(fold, blocks, group, if (uses_others) described)
  domains <- levels(fold$domain)
  each <- function(name) rep(unlist(lapply(blocks, `[[`, name)), each = length(domains))
  lines <- data.frame(domain = rep(domains, length(blocks)), kind = each("kind"),
                      draw = each("draw"), score = unname(scores))
  lines$donor <- donor_of(donors, lines$domain, lines$draw)
  lines
}

# Blocks of all rows of the fold, list(from: for each column of the group the numbers of the rows
# whose values are taken, label: names of domains): scores by block and domain. described: such
# blocks too.
score_blocks <- function(fold, blocks, group = character(), described = NULL) {
  new <- stacked_rows(fold, blocks, group)
  reference <- if (!is.null(described)) stacked_rows(fold, described, group)
  decided <- function() {
    decide_rows(fold$model, read_new(fold$model, new$data, new$label, reference$data,
                                     reference$label))
  }
  # warnings about artificial domains are dropped
  values <- if (length(group)) quietly(decided()) else decided()
  times <- length(blocks)
  d <- score_data(list(truth = rep(fold$y[fold$rows], times)), fold$model, values,
                   levels(fold$y), fold$metric$needs)
  d <- mark_lacking(d, lacking_classes(fold$y[fold$train]))
  G <- nlevels(fold$domain)
  block <- rep(seq_len(times) - 1L, each = length(fold$rows))
  cell <- rep(as.integer(fold$domain), times) + G * block
  stats::setNames(score_groups(d, factor(cell, seq_len(G * times)), fold$metric),
                  rep(levels(fold$domain), times))
}

stacked_rows <- function(fold, blocks, group) {
  data <- fold$data[rep(fold$rows, length(blocks)), , drop = FALSE]
  for (k in seq_along(group)) {
    from <- unlist(lapply(blocks, function(block) block$from[[k]]))
    data <- set_column(data, group[k], column_of(fold$data, group[k])[from])
  }
  list(data = data, label = unlist(lapply(blocks, `[[`, "label")))
}

# ---- which row's value each row gets when a predictor is permuted -----------------------------
#
# Numbers of rows, so that a column of any type follows.

# For each row another row of its domain, all with the same probability; a single row keeps its own.
other_rows <- function(domain) {
  source <- seq_along(domain)
  for (at in split(source, domain, drop = TRUE)) {
    order <- at[sample.int(length(at))]
    source[order] <- c(order[-1L], order[1L])
  }
  source
}

# For each domain the domains whose values it takes, [domains x draws]: all with the same
# probability, none twice while there are others, and each is taken equally often.
draw_donors <- function(domains, draws) {
  G <- length(domains)
  order <- sample.int(G)
  turns <- unlist(lapply(seq_len(ceiling(draws / (G - 1L))), function(k) sample.int(G - 1L)))
  place <- match(seq_len(G), order)
  donors <- vapply(turns[seq_len(draws)], function(turn) {
    order[(place + turn - 1L) %% G + 1L]
  }, integer(G))
  matrix(domains[donors], G, dimnames = list(domains, seq_len(draws)))
}

# Rows of `other`, one for each of the rows `at`, so that the domain has the other's values: at the
# same ranks, or for categories without an order with as few changes as possible.
transported <- function(column, at, other) {
  n <- length(at)
  # as many of each value as the other domain has, in order
  even <- ceiling((seq_len(n) - 0.5) / n * length(other))
  target <- other[order(column[other], stats::runif(length(other)))][even]
  if (is.ordered(column) || !(is.factor(column) || is.character(column))) {
    target[order(order(column[at], stats::runif(n)))]
  } else deal_categories(as.character(column), at, target)
}

# The first rows of a category, in random order, keep it, as far as there are targets of it.
deal_categories <- function(column, at, target) {
  shuffled <- sample.int(length(at))
  counted <- function(i) {
    value <- paste0("v", column[i])
    paste(stats::ave(seq_along(value), value, FUN = seq_along), value)
  }
  have <- counted(at[shuffled])
  want <- counted(target)
  place <- match(have, want)
  left <- setdiff(seq_along(want), place)
  place[is.na(place)] <- left[sample.int(length(left))]
  moved <- integer(length(at))
  moved[shuffled] <- target[place]
  moved
}

# For the rows of a fold, by domain: the rows of its donor whose values they take.
moved_rows <- function(fold, name, donors) {
  column <- column_of(fold$data, name)
  moved <- fold$rows
  # by position, because a domain may be called ""
  giving <- match(donors[match(levels(fold$domain), names(donors))], names(fold$among))
  for (g in seq_along(giving)) {
    at <- which(as.integer(fold$domain) == g)
    moved[at] <- transported(column, fold$rows[at], fold$among[[giving[g]]])
  }
  moved
}
