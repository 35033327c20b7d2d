# What a fit sees of its rows, class dg_rows. `sample` has all rows or a random part, scaled, as
# read_sample() gives them: X [m x p], y, domain, weights, blueprint, ... Of all rows speak:
#   pass(rows, work, label)               a sum over all rows
#   response_facts(), column_costs()      of the response and the domains' weights, see targets.R
#   described_rows(rows)                  the sample, with what describes its domains
#   domain_sums(rows)                     list(weights, positive, logs: by domain sums of weights,
#                                         rows with one, and logarithms; heaviest: weight)
#   rows_table(rows, space)               what the space must know of the domains
#   fit_origin(rows, fitted, input)       what a fit remembers of its rows
# Constructors are rows_frame(), rows_source() and rows_sums(), of sums that were made before and
# have a `space` already. A fit does not ask which of them it has.

# sample: made by read_sample().
rows_frame <- function(sample) {
  structure(list(sample = sample), class = c("rows_frame", "dg_rows"))
}

# work: see pass_work(); block(sums, block) gets X, y, domain and weights of some rows, and may
# change in place what start() made.
pass <- function(rows, work, label) UseMethod("pass")

#' @exportS3Method
pass.rows_frame <- function(rows, work, label) {
  sample <- rows$sample[c("X", "y", "domain", "weights")]
  sums <- work$start()
  for (i in row_parts(nrow(sample$X), TRUE)) sums <- work$block(sums, lapply(sample, take, i))
  sums
}

# Are only sums of all rows known, beside the sample?
only_sums <- function(rows) !inherits(rows, "rows_frame")

row_count <- function(rows) {
  if (!only_sums(rows)) nrow(rows$sample$X)
  else if (is.null(rows$survey)) rows$sums$sums$n else rows$survey$n
}

# Values of each row, for a model to keep; `none`, where only sums of the rows are known.
kept_values <- function(rows, values, none = NULL) if (only_sums(rows)) none else values

# For how many rows, by weight, one row of the sample stands.
stands_for <- function(rows) {
  if (only_sums(rows)) sum(rows$survey$weights) / sum(rows$sample$weights) else 1
}

described_rows <- function(rows) UseMethod("described_rows")

#' @exportS3Method
described_rows.rows_frame <- function(rows) rows$sample

domain_sums <- function(rows) UseMethod("domain_sums")

#' @exportS3Method
domain_sums.rows_frame <- function(rows) {
  weights <- rows$sample$weights
  positive <- weights > 0
  by_domain <- function(values) {
    unname(vapply(split(values, rows$sample$domain), sum, numeric(1)))
  }
  list(weights = by_domain(weights), positive = by_domain(positive),
       logs = by_domain(ifelse(positive, log(weights), 0)), heaviest = max(weights))
}

rows_table <- function(rows, space) UseMethod("rows_table")

#' @exportS3Method
rows_table.rows_frame <- function(rows, space) own_table(space, rows$sample)

# The representation of the kernels in args: kernels and maps are fitted to the sample, domains are
# described by all rows. shared: what fits to the same rows share, see new_shared().
space_of <- function(args, rows, shared = new_shared()) {
  if (!is.null(rows$space)) return(rows$space)
  sample <- described_rows(rows)
  key <- c(args[c("feature_map", "kernel", "domain_kernel")], sample[c("X", "domain")])
  space <- shared_value(shared, "space", key, represent_rows, key, sample, args$threads)
  if (uses_domain(space$domain_kernel)) {
    check_kappa_values(space$domain_kernel, space$domain_kernel$kappa, sample$domain,
                       nlevels(sample$domain), "domain_kernel_fit()")
  }
  check_varies(space, sample)
  if (!only_sums(rows)) return(space)
  check_described(space$domain_kernel)
  check_feature_memory(space$dim)
  # the sample's features: a pass reads its rows again, with all others
  without_seen(space)
}

check_described <- function(domain_kernel) {
  if (!needs_domain_rows(domain_kernel) || !is.null(describing_map(domain_kernel))) {
    return(invisible())
  }
  abort("argument", "`domain_kernel` must describe a domain by sums over its rows, as ",
        "`domain_distribution()` does; ", format(domain_kernel), " does not.")
}

# Values <z, W> + b of all rows where a model may keep them: [n x m], else of no row.
row_values <- function(rows, space, W, intercept, table) {
  if (only_sums(rows)) return(matrix(0, 0L, ncol(W)))
  add_intercept(expand_rows(space, rows$sample, table, W), intercept)
}

add_intercept <- function(values, intercept) {
  if (any(intercept != 0)) sweep(values, 2L, intercept, "+") else values
}

fit_origin <- function(rows, fitted, input) UseMethod("fit_origin")

# A model that could do without its rows keeps them up to this number.
exact_rows <- 5000L

# input: the data of the fit, NULL for a part of a model.
#' @exportS3Method
fit_origin.rows_frame <- function(rows, fitted, input) {
  sample <- rows$sample
  fitted$formula <- if (inherits(input$x, "formula")) free_formula(input$x)
  fitted$rows <- list(kept = sample$kept, padded = sample$padded)
  fitted$rows$levels <- sample$levels
  action <- read_na_action(input$na.action)
  if (!identical(action, "na.omit")) fitted$rows$action <- action
  # a model without a kernel, which keeps its rows: intervals refit it
  alone <- is.null(fitted$space) && is.null(fitted$members) && is.null(fitted$projection)
  if (alone && nrow(sample$X) <= exact_rows) fitted$rows$X <- sample$X
  # a fit inside of a call is not asked for its data again
  if (!is.null(input) && !isTRUE(input$inside)) {
    fitted$rows$origin <- row_origin(input, sample$blueprint)
    frame <- if (is.data.frame(input$data)) input$data else input$x
    if (is.character(attr(frame, "row.names"))) fitted$rows$labels <- row.names(frame)[sample$kept]
  }
  fitted$domain <- sample$domain
  fitted
}

# Adds what every fit carries, whatever its method.
finish_fit <- function(fitted, spec, rows, input = NULL) {
  fitted$spec <- place_spec(spec, NULL)
  # what the response makes of it, see with_title()
  fitted$spec$title <- fitted[["title"]]
  fitted$blueprint <- rows$sample$blueprint
  fitted$space <- without_seen(fitted$space)
  # whose environment has no values of columns
  if (!is.null(fitted$spec$args$terms)) {
    environment(fitted$spec$args$terms) <- environment(fitted$blueprint$terms)
  }
  fit_origin(rows, fitted, input)
}
