# The response as solvers see it. Targets are list(
#   kind       "number", "class" or "censored"; levels: of classes
#   centre, scale   of numbers, whose targets are (y - centre) / scale
#   columns    what classes become: "each" (-1 and 1 of two; of more an indicator each),
#              "one_vs_one" or "one_vs_rest" (-1, 1, or 0 where a row takes no part, for each pair)
#   pairs      [m x 2] the classes of the negative and the positive side, 0 for the rest; NULL for
#              numbers and, with "each", for two classes)
# They are learned from rows of any kind, and code any block of rows.

# standardise: are numbers centred and scaled?
new_targets <- function(rows, standardise, columns = "each") {
  facts <- response_facts(rows, standardise)
  if (facts$kind == "censored") return(facts)
  if (facts$kind == "class") {
    levels <- facts$levels
    check_several_classes(factor(levels))
    targets <- list(kind = "class", levels = levels, centre = 0, scale = 1, columns = columns)
    # two classes need one submodel, or none where each is to have its own
    two <- length(levels) == 2L
    targets$pairs <- if (columns == "one_vs_one" || two && columns != "each") {
      t(utils::combn(length(levels), 2L))
    } else if (!two) each_class(levels)
    return(targets)
  }
  if (length(facts$values) == 2L) {
    warn("two_values", "The response has only the values ", min(facts$values), " and ",
         max(facts$values), " and is treated as numeric; use a factor to predict classes.")
  }
  list(kind = "number", centre = facts$mean,
       scale = if (facts$spread > 0) facts$spread else 1)
}

# The facts that targets are made of: list(kind, levels) for classes; list(kind, values: where there
# are two, mean and spread: 0 and 1 unless they are wanted) for numbers; censored_response() for
# times.
response_facts <- function(rows, standardise) UseMethod("response_facts")

#' @exportS3Method
response_facts.rows_frame <- function(rows, standardise) {
  y <- rows$sample$y
  weights <- rows$sample$weights
  if (is.factor(y)) return(list(kind = "class", levels = levels(y)))
  if (is_censored(y)) return(censored_response(y))
  # weighted, so that weight k is k copies of a row
  mean <- if (standardise) weighted_mean(y, weights) else 0
  list(kind = "number", values = if (length(y) > 2L) unique(y), mean = mean,
       spread = if (standardise) weighted_sd(y - mean, weights) else 1)
}

#' @exportS3Method
response_facts.rows_source <- function(rows, standardise) {
  survey <- rows$survey
  if (survey$reader$kind == "class") return(list(kind = "class", levels = survey$classes))
  moments <- pool_moments(survey$response)
  list(kind = "number", values = if (survey$n > 2) survey$values,
       mean = if (standardise) moments$mean else 0,
       spread = if (standardise) sqrt(moments$square / moments$count) else 1)
}

check_several_classes <- function(y) {
  if (is.factor(y) && nlevels(y) < 2L) abort_one_class(y)
}

# The largest of as many values as classes decides, see class_scores().
each_class <- function(levels) cbind(0L, seq_along(levels))

# [n x m]
code_rows <- function(targets, y) {
  if (targets$kind == "number") return(matrix((y - targets$centre) / targets$scale))
  code <- as.integer(y)
  pairs <- targets$pairs
  if (is.null(pairs)) return(matrix(2 * (code == 2L) - 1))
  if (targets$columns == "each") return(outer(code, seq_along(targets$levels), "==") + 0)
  coded <- vapply(seq_len(nrow(pairs)), function(m) {
    positive <- code == pairs[m, 2L]
    negative <- if (pairs[m, 1L] == 0L) !positive else code == pairs[m, 1L]
    positive - negative
  }, numeric(length(code)))
  matrix(coded, length(code))
}

target_count <- function(targets) max(NROW(targets$pairs), 1L)

# ---- costs ------------------------------------------------------------------------------------

# Factors of the weights of each domain's rows: n / (G n_g) for equal domains (MTL paper, equation
# 7, with cost = 1 / (lambda n)), else 1. sums: of weights by domain, so that weight k is k copies
# of a row.
domain_costs <- function(sums, domain_weights, total = sum(sums)) {
  if (domain_weights == "size") return(rep(1, length(sums)))
  present <- !is.na(sums) & sums > 0
  ifelse(present, total / (sum(present) * sums), 0)
}

# The same of each column of the targets [G x m], of the rows that take part in it.
column_costs <- function(rows, targets, domain_weights) UseMethod("column_costs")

#' @exportS3Method
column_costs.rows_frame <- function(rows, targets, domain_weights) {
  sample <- rows$sample
  of <- function(weights) costs_of_domains(weights, sample$domain, domain_weights)
  if (takes_all(targets)) return(matrix(of(sample$weights)))
  part <- code_rows(targets, sample$y) != 0
  G <- nlevels(sample$domain)
  matrix(vapply(seq_len(ncol(part)), function(m) of(sample$weights * part[, m]), numeric(G)), G)
}

costs_of_domains <- function(weights, domain, domain_weights) {
  # sums of shares, because sums of weights of 1e308 overflow
  share <- weights / max(weights)
  domain_costs(unname(c(tapply(share, domain, sum))), domain_weights, sum(share))
}

#' @exportS3Method
column_costs.rows_source <- function(rows, targets, domain_weights) {
  survey <- rows$survey
  if (takes_all(targets)) return(matrix(domain_costs(survey$weights, domain_weights)))
  table <- survey$response$classes
  # by place: no column is found by the name ""
  table <- table[, match(targets$levels, colnames(table)), drop = FALSE]
  classes <- seq_along(targets$levels)
  costs <- vapply(seq_len(nrow(targets$pairs)), function(m) {
    pair <- targets$pairs[m, ]
    part <- if (pair[1L] == 0L) classes else pair
    domain_costs(rowSums(table[, part, drop = FALSE]), domain_weights)
  }, numeric(nrow(table)))
  matrix(costs, nrow(table))
}

# Does each row take part in each column?
takes_all <- function(targets) targets$kind == "number" || targets$columns == "each"

# c_i = cost w_i times its domain's of column_costs(), [n x m]. part: which rows take part in which
# column, NULL: all.
code_costs <- function(costs, cost, weights, domain, part = NULL) {
  costs <- cost * weights * costs[as.integer(domain), , drop = FALSE]
  if (!is.null(part)) costs[!part] <- 0
  if (any(!is.finite(costs))) {
    abort("argument", "`cost` times `weights` must be finite; they reach ", format(cost), " times ",
          format(max(weights)), ".")
  }
  costs
}

# The same of rows in memory, of which all take part: [n].
row_costs <- function(cost, weights, domain, domain_weights) {
  costs <- matrix(costs_of_domains(weights, domain, domain_weights))
  drop(code_costs(costs, cost, weights, domain))
}
