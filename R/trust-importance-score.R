# One fit without the domains of a fold, then all permutations of a predictor in one prediction.
# Domains that take the values of others come under names of their own, so that each is described
# apart.

# plan: of dg_importance().
measure_importance <- function(plan) {
  domains <- levels(droplevels(plan$task$domain))
  plan$donors <- stored("donors", draw_donors(domains, plan$permutations))
  splits <- c(plan$splits, plan$pairs$splits)
  seeds <- stored("seeds", draw_seeds(length(splits)))
  pieces <- lapply(seq_along(splits), function(k) {
    list(key = paste("fold", k), split = splits[[k]], seed = seeds[k],
         label = plan$specs[[1L]]$parts$title)
  })
  new_importance(plan, run_pieces(pieces, importance_worker(plan), plan$progress))
}

# In a function of its own, so that workers are sent no more than this.
importance_worker <- function(plan) {
  force(plan)
  function(piece) {
    held <- unique(as.character(plan$task$domain[piece$split$held]))
    start <- proc.time()[["elapsed"]]
    found <- with_warnings(on_error(holding_out(held, permute_fold(plan, piece$split)),
                                    function(e) list(error = drop_call(e))))
    found <- c(found$value, list(seconds = proc.time()[["elapsed"]] - start,
                                 warnings = unique(found$warnings)))
    if (has_failed(found)) failed_piece(found) else found
  }
}

# list(scores, moved), data frames.
permute_fold <- function(plan, split) {
  task <- plan$task
  fold <- list(model = split_fits(plan$specs, task, split)[[1L]](), metric = plan$metric[[1L]],
               rows = split$held, domain = droplevels(factor(task$domain[split$held])), y = task$y,
               among = split(seq_along(task$y), task$domain, drop = TRUE))
  fold$data <- permuted_data(as_newdata(task$input), task$predictors, fold$model)
  before <- score_blocks(fold, list(list(label = as.character(fold$domain))))
  domains <- levels(fold$domain)
  moved <- lapply(names(plan$groups), function(name) {
    found <- permute_group(fold, plan, plan$groups[[name]], before)
    own <- unname(before)[match(found$domain, names(before))]
    found$increase <- increases(found$score, own, fold$metric$better)
    data.frame(predictor = name, found)
  })
  list(scores = data.frame(domain = domains, rows = tabulate(fold$domain),
                           score = unname(before)), moved = do.call(rbind, moved))
}

# Sums of the same rows in another order differ by rounding, which is no increase.
increases <- function(score, before, better) {
  change <- losses(score - before, better)
  ifelse(abs(change) <= 1e-12 * abs(before), 0, change)
}

# The columns that the model reads, by name.
permuted_data <- function(data, names, model) {
  if (is.data.frame(data)) return(data[unique(c(names, predictor_columns(model$blueprint)))])
  data <- as.matrix(data)
  `colnames<-`(data, names)
}

# Most rows of one prediction.
rows_together <- 50000L

# A line per domain, kind and draw: domain, kind, draw, donor, score. before: scores by domain.
permute_group <- function(fold, plan, group, before) {
  judges <- judges_other_rows(fold$model)
  # else nothing describes a domain
  kinds <- if (judges) plan$kinds else setdiff(plan$kinds, "context")
  draws <- seq_len(plan$permutations)
  size <- max(1L, rows_together %/% (length(fold$rows) * max(length(kinds), 1L)))
  found <- lapply(split(draws, (draws - 1L) %/% size), function(some) {
    permute_draws(fold, plan$donors, kinds, group, some, judges)
  })
  if (!judges && "context" %in% plan$kinds) {
    domains <- names(before)
    found <- c(found, list(data.frame(domain = domains, kind = "context", draw = 1L,
                                      donor = donor_of(plan$donors, domains, 1L),
                                      score = unname(before))))
  }
  do.call(rbind, unname(found))
}

donor_of <- function(donors, domains, draw) donors[cbind(match(domains, rownames(donors)), draw)]

permute_draws <- function(fold, donors, kinds, group, draws, judges) {
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
  scores <- score_blocks(fold, blocks, group, if (judges) described)
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
    decide(fold$model, new$data, new$label, reference$data, reference$label)
  }
  # of domains that are made up nobody needs to hear
  values <- if (length(group)) quietly(decided()) else decided()
  times <- length(blocks)
  d <- judged_rows(list(truth = rep(fold$y[fold$rows], times)), fold$model, values,
                   levels(fold$y), fold$metric$needs)
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
