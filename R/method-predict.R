# predict() of every fit: new rows are read, their domains described, and block by block values of
# the model's functions become what was asked for. A frame is one block, see predict_block(); a
# source has many: the call is predict_source(), the walk over its blocks is in
# method-predict-blocks.R.

# of: list(domain, reference, reference_domain, new_levels) of the user's call; asked: list(type,
# "scores" of a projection, or as in predict.dg_learner(); interval; level; se, sd: are standard
# deviations of f to be given, or needed? env: where the user is, in which the data of the model's
# call are looked for); dots: further arguments; allowed: the names of the others.
predict_rows <- function(object, newdata, of, asked, dots, allowed) {
  over_source <- !missing(newdata) && inherits(newdata, "dg_source")
  where <- read_where(dots, allowed, over_source)
  of$new_levels <- check_choice(of$new_levels, "new_levels", new_level_choices)
  advising(if (over_source) predict_source(object, newdata, of, asked, where) else {
    within_memory(predict_block(object, newdata, of, asked),
                  "Predict fewer rows at a time, or those of a `row_source()`.")
  }, asked$env)
}

# Predictions of rows that come with all that describes their domains, or whose domains the model
# knows; without newdata those of the training rows.
predict_block <- function(object, newdata, of, asked) {
  new <- if (!missing(newdata)) {
    c(read_new(object, newdata, of$domain, of$reference, of$reference_domain, of$new_levels),
      list(groups = function() given_domain(object$blueprint, newdata, of$domain)))
  }
  type <- asked$type
  if (type == "scores") return(if (is.null(new)) fitted(object) else decide_rows(object, new))
  if (type == "similarity") {
    check_given(newdata, "newdata")
    return(drop(decide_rows(object, new, similarity)))
  }
  if (type == "survival") {
    check_given(newdata, "newdata")
    survival <- decide_rows(object, new, function(object, points) {
      survival_at(object, points, asked$times)
    })
    return(structure(survival, dimnames = list(NULL, horizon_names(asked$times))))
  }
  if (type == "set") return(prediction_set(object, new, asked))
  if (asked$interval %in% prediction_kinds[-1L]) return(prediction_interval(object, new, asked))
  values_of <- if (asked$sd) mean_and_variance else decision
  values <- if (!is.null(new)) decide_rows(object, new, values_of)
            else pad_rows(if (asked$sd) values_of(object, NULL) else object$decision, object)
  if (!asked$sd) return(respond(targets_of(object, type), values, type))
  fit <- respond(targets_of(object, type), values[, 1L, drop = FALSE], type)
  with_deviations(learner_of(object), fit, sqrt(values[, 2L]), asked)
}

# Values of the model's functions [rows x columns], NA where a row has missing values. values_of:
# decision, or another function of the model and rows.
decide_rows <- function(object, new, values_of = decision) {
  values <- warned_of_domains(values_of(object, new[c("X", "domain", "reference")]))
  full <- matrix(NA_real_, length(new$ok), ncol(values), dimnames = list(NULL, colnames(values)))
  full[new$ok, ] <- values
  full
}

# Each part of a pipeline or an ensemble describes the domains, and may warn of the same ones.
warned_of_domains <- function(code) {
  once(code, "domgen_warning_far_domain")
}

new_level_choices <- c("na", "error")

# New rows as the model sees them, with the further rows that describe their domains: list(X,
# domain, ok, reference, moments and own: of scaling and imputation by domain).
read_new <- function(object, newdata, domain, reference, reference_domain, new_levels = "na") {
  if (is.null(reference) && !is.null(reference_domain)) {
    abort("argument", "`reference` must be given where `reference_domain` is.")
  }
  check_new(object, newdata, domain, reference, reference_domain)
  uses_others <- uses_other_rows(object)
  reference <- if (uses_others) read_reference(object, reference, reference_domain, new_levels)
  new <- replay(object$blueprint, newdata, domain, uses_others, new_levels = new_levels,
                described = if (is.list(reference)) reference$own else reference,
                reads_domain = reads_domain(object))
  if (described_by_rows(object)) {
    warn_few_rows(object, describing_sizes(object, new$domain, reference))
  }
  scaled <- scale_new(object$blueprint$scaling, new$X, new$domain, reference)
  if (identical(reference, "training") && describes_domain(object)) {
    scaled$reference <- training_rows(object)
  }
  warn_no_reference(levels(new$domain), scaled$reference$domain)
  list(X = scaled$X, domain = new$domain, ok = new$ok, reference = scaled$reference,
       moments = scaled$moments, own = new$own)
}

# described: the domains of the reference, NULL where there is none.
warn_no_reference <- function(domains, described) {
  if (is.null(described) || !length(domains) || any(domains %in% described)) return(invisible())
  warn("reference", "No domain of `newdata` is in `reference`: each is described by its own rows.")
}

# list(X not yet scaled, domain, own), "training" or NULL. arg: what the user calls it.
read_reference <- function(object, reference, reference_domain, new_levels, arg = "reference") {
  if (is.null(reference)) return(NULL)
  if (is.character(reference) && is.null(dim(reference))) {
    return(check_choice(reference, arg, "training"))
  }
  replay(object$blueprint, reference, reference_domain, needs_domain = uses_other_rows(object),
         arg = arg, new_levels = new_levels,
         reads_domain = reads_domain(object))[c("X", "domain", "own")]
}
