# Members of an ensemble: each is fitted to the rows scaled as it asks, and gives values on the one
# scale on which they are averaged: a number in units of the response, 2p - 1 for two classes, a
# column of probabilities or least-squares values for more.

#' @exportS3Method
fit_sample.dg_ensemble_spec <- function(spec, sample) {
  check_several_classes(sample$y)
  args <- spec$args
  once({
    fits <- Map(function(member, name) {
      in_member_of(name, {
        # the ensemble takes what any member may
        if (is_censored(sample$y)) check_times(sample$y, spec_needs(member)$response)
        fit_member(member, sample)
      })
    }, args$members, names(args$members))
    weights <- args$member_weights
    held <- if (identical(weights, "stacked")) stacked(args$members, fits, sample)
    if (identical(weights, "equal")) weights <- rep(1, length(fits))
    if (!is.null(held)) weights <- held$weights
    new_ensemble(fits, weights / sum(weights), rows_frame(sample), held_out = held$held_out)
  }, "domgen_warning_two_values")
}

in_member_of <- function(name, code) {
  tryCatch(code, domgen_error = function(e) {
    abort("member", "Member \"", name, "\" of the ensemble: ", conditionMessage(e))
  })
}

# members: fitted; weights: of sum 1; X is kept while it is small, for reference = "training".
new_ensemble <- function(members, weights, rows, ..., class = character()) {
  sample <- rows$sample
  names(weights) <- names(members)
  values <- weighted_values(lapply(members, function(m) {
    common_values(targets_of(m), m$decision)
  }), weights)
  structure(list(
    members = members, coefficients = weights, decision = values, ...,
    X = if (nrow(sample$X) <= exact_rows) kept_values(rows, sample$X),
    y = kept_values(rows, sample$y), weights = kept_values(rows, sample$weights, numeric()),
    response = mixed_targets(members, rows_frame(sample), values)
  ), class = c(class, "dg_ensemble", "dg_learner", "dg_fit"))
}

# Targets of a mean of members with these values; a mean of log hazards has a baseline of its own.
mixed_targets <- function(members, rows, values = NULL) {
  targets <- new_targets(rows, standardise = FALSE)
  c(targets, if (all(vapply(members, gives_probabilities, NA))) list(means = "common"),
    if (targets$kind == "censored") {
      list(family = cox_family(rows$sample$y, drop(values), rows$sample$weights))
    })
}

# A fitted model like any other, from rows that are not scaled yet.
fit_member <- function(spec, sample) UseMethod("fit_member")

#' @exportS3Method
fit_member.dg_spec <- function(spec, sample) {
  scaled <- member_sample(spec, sample)
  check_probability(spec, scaled)
  placed <- place_spec(spec, member_layout(spec, scaled$blueprint))
  rows <- rows_frame(scaled)
  fitted <- fit_part(placed, rows)
  fitted <- calibrate(fitted, scaled)
  seal(fitted)
}

# A search reads its data itself, and so do its predictions; both begin with the sample's columns.
#' @exportS3Method
fit_member.dg_tune_spec <- function(spec, sample) {
  input <- sample[c("y", "domain", if (takes_weights(spec)) "weights")]
  input$inside <- sample$inside
  blueprint <- sample$blueprint
  blueprint$seen <- without_reference(search_columns(spec, blueprint), spec, blueprint)
  X <- see_columns(sample$X, blueprint)
  data <- seen_data(X, blueprint)
  input <- read_input(c(list(x = data), input))
  # of a data frame the search makes columns itself
  if (is.matrix(data)) input$column_weights <- seen_weights(blueprint)
  fitted <- fit_input(spec, input)
  blueprint$within <- fitted$blueprint
  fitted$blueprint <- with_scaling(blueprint, fitted$blueprint$scaling)
  seal(fitted)
}

# Categories as they are, from which it makes its own dummy variables where it needs them.
search_columns <- function(spec, blueprint) {
  layout <- layout_of(blueprint)
  if (is.null(layout)) return(NULL)
  kinds <- wished_kinds(spec)
  if (any(c("factor", "category") %in% kinds)) {
    kinds <- c(setdiff(kinds, "dummy"), "factor", "category")
  }
  ids <- Filter(is.list, spec_needs(spec)$columns)
  which(layout$kind %in% kinds | layout$wish %in% ids)
}

# What scaling warns of is told once, by whoever read the sample.
member_sample <- function(spec, sample) {
  # of columns that were made for other members; kernels find theirs themselves
  layout <- layout_of(sample$blueprint)
  seen <- if (!is.null(layout) && !finds_columns(spec)) {
    # dummy variables where nobody wished factors
    which(layout$kind %in% c(wished_kinds(spec), if (!any(layout$kind == "factor")) "dummy",
                             if (isTRUE(method_of(spec)$offset)) "offset"))
  }
  sample$blueprint$seen <- without_reference(seen, spec, sample$blueprint)
  sample$X <- see_columns(sample$X, sample$blueprint)
  quietly(scale_sample(sample, spec_scale(spec)))
}

# Without the columns of reference levels where a method has these; members of an ensemble within
# the ensemble find theirs.
without_reference <- function(seen, spec, blueprint) {
  reference <- blueprint$whole$reference
  if (length(reference) == 0L || !isTRUE(spec_needs(spec)$reference) ||
        !is.null(spec$args$members)) return(seen)
  setdiff(if (is.null(seen)) seq_along(blueprint$columns) else seen, reference)
}

finds_columns <- function(spec) {
  "kernel" %in% names(innermost(spec)$args) || !is.null(spec$projection) ||
    !is.null(spec$args$members)
}

wished_kinds <- function(spec) {
  wishes <- spec_needs(spec)$columns
  if (is.null(wishes)) return(default_wish)
  kinds <- unlist(Filter(is.character, wishes))
  # codes serve who asks for factors and who asks for categories
  if ("factor" %in% kinds) c(kinds, "category") else kinds
}

# Codes that were made for factors are what a kernel calls categories.
member_layout <- function(spec, blueprint) {
  layout <- layout_of(blueprint)
  if (!is.null(layout) && finds_columns(spec)) {
    layout$kind[layout$kind == "factor"] <- "category"
  }
  layout
}

# Each member scales the rows itself. of: decision, or another function of a model and rows.
member_values <- function(member, new, of = decision) {
  blueprint <- member$blueprint
  reference <- new$reference
  if (is.list(reference)) reference$X <- see_columns(reference$X, blueprint)
  seen <- scale_new(blueprint$scaling, see_columns(new$X, blueprint), new$domain, reference)
  of(member, c(list(X = seen$X, domain = new$domain, reference = seen$reference), new["threads"]))
}

#' @exportS3Method
decision.dg_ensemble <- function(object, new) {
  weighted_values(lapply(object$members, function(member) {
    common_values(targets_of(member), member_values(member, new))
  }), object$coefficients)
}

# Each member asks of its columns, scaled in its way; one pass answers all that is open.
#' @exportS3Method
open_questions.dg_ensemble <- function(object) {
  unlist(unname(lapply(object$members, function(member) {
    lapply(scaled_questions(member), ask_after, function(new) {
      list(X = see_columns(new$X, member$blueprint), domain = new$domain)
    })
  })), recursive = FALSE)
}

#' @exportS3Method
answered.dg_ensemble <- function(object, answers) {
  counts <- lengths(lapply(object$members, scaled_questions))
  starts <- cumsum(counts) - counts
  for (m in which(counts > 0L)) {
    part <- answers[starts[m] + seq_len(counts[m])]
    object$members[[m]] <- seal(scaled_answered(object$members[[m]], part))
  }
  object
}

# The mean over members that have a kernel on their rows.
#' @exportS3Method
similarity.dg_ensemble <- function(object, new) {
  used <- object$members[object$coefficients > 0]
  values <- Filter(Negate(is.null), lapply(used, function(member) {
    if (has_similarity(member)) member_values(member, new, similarity)
  }))
  if (length(values) == 0L) return(similarity.default(object, new))
  Reduce(`+`, values) / length(values)
}

has_similarity <- function(object) {
  if (!is.null(object$learner)) return(has_similarity(object$learner))
  !is.null(object$space) || !is.null(object$members)
}

#' @exportS3Method
describes_domain.dg_ensemble <- function(object) any(vapply(object$members, describes_domain, NA))

#' @exportS3Method
reads_domain.dg_ensemble <- function(object) any(vapply(object$members, reads_domain, NA))

# The rows are those of the data, not scaled.
#' @exportS3Method
training_rows.dg_ensemble <- function(object) {
  if (is.null(object$X)) {
    abort("argument", "`reference` cannot be \"training\": a model of more than ", exact_rows,
          " rows, or one that was slimmed, keeps no rows. Give the rows.")
  }
  list(X = object$X, domain = object$domain)
}

#' @exportS3Method
describe_fit.dg_ensemble <- function(x) {
  choice <- x$choice
  held <- if (is.null(choice)) x$held_out else choice
  members <- data.frame(member = names(x$coefficients), weight = unname(x$coefficients))
  if (!is.null(choice)) {
    members <- choice$table[choice$table$member %in% TRUE, c("member", "weight", "mean")]
    members$member <- describe_candidates(choice$table[choice$table$member %in% TRUE, ])
  } else if (!is.null(held$scores)) members$mean <- unname(colMeans(held$scores, na.rm = TRUE))[-1L]
  scores <- if (is.null(choice)) held$scores[, 1L]
  list(
    if (length(scores)) {
      fact(held$metric$title, mean(scores, na.rm = TRUE),
           error_words(if (sum(!is.na(scores)) > 2L) mean_error(scores)$se else NA_real_),
           " on held-out domains, with weights from the other domains", only = "print")
    },
    fact(paste0("Members", if (!is.null(members$mean)) {
      paste(", and", held$metric$title, "on held-out", if (isTRUE(held$few)) "rows" else "domains")
    }), data.frame(members[setdiff(names(members), "member")], member = members$member,
                   row.names = NULL))
  )
}
