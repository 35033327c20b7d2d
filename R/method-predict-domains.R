# The domains of rows that come in blocks, described by passes over them, see
# method-known-domains.R.

# The model that knows them.
know_domains <- function(work, source, of) {
  object <- work$model
  check_new(object, NULL, NULL, of$reference, of$reference_domain)
  # described before the call
  if (!work$judges || is_fixed(object)) return(object)
  known <- read_reference(object, of$reference, of$reference_domain, of$new_levels)
  told <- described <- character()
  object <- describe_domains(object, known, function(model, questions, reference) {
    work$model <- model
    described <<- unique(as.character(reference$domain))
    found <- run_pass(source, work$prototype, asking_work(work, questions, described), "domains")
    if (is.null(found)) return(NULL)
    told <<- unique(c(told, found$names))
    extra <- reference_part(reference, found$names)
    lapply(seq_along(questions), function(q) {
      both <- c(found$answers[q], if (!is.null(extra)) list(questions[[q]]$ask(extra)))
      Reduce(questions[[q]]$add, both)
    })
  })
  if (!is.null(known) && length(told) && length(described) && !any(told %in% described)) {
    warn("reference", "No domain of `newdata` is in `reference`: each is judged by its own rows.")
  }
  seal(object)
}

# The rows of a reference, or those of training as they are stored: scaled, but for ensembles.
known_reference <- function(object, known) {
  if (is.null(known)) return(NULL)
  if (is.list(known)) return(list(X = known$X, domain = known$domain, scaled = FALSE))
  if (!judges_domain(object)) return(NULL)
  c(training_rows(object)[c("X", "domain")], list(scaled = is.null(object$members)))
}

# Of the domains that the source has.
reference_part <- function(reference, names) {
  some <- which(reference$domain %in% names)
  if (length(some) == 0L) return(NULL)
  rows <- rows_at(reference, some)
  rows$domain <- droplevels(factor(rows$domain))
  rows
}

# What imputes by domain needs all of a domain's rows together.
know_imputation <- function(object, known) {
  if (!imputes_by_domain(object$blueprint)) return(object)
  own <- if (is.list(known)) known$own else if (!is.null(known)) object$blueprint$impute$own
  if (is.null(own)) {
    abort("argument", "`newdata` must be a data frame, or `reference` be given: the model imputes ",
          "the median of a row's domain, for which the domain's rows must be together.")
  }
  object$blueprint$impute$known <- own
  object
}

# For run_pass(): the names of the domains, and the answers to the questions by the rows of those
# that the reference does not describe.
asking_work <- function(work, questions, described) {
  force(work); force(questions); force(described)
  add <- adding(function(a, b) add_answers(a, b, questions))
  list(start = function() NULL, add = add, block = function(sums, data, at) {
    # those without missing values, not scaled
    rows <- at_rows(at, nrow(data), function(i) {
      quietly(replay(work$model$blueprint, data[i, , drop = FALSE], work$of$domain, TRUE,
                     new_levels = work$of$new_levels))[c("X", "domain")]
    })
    found <- list(names = levels(rows$domain))
    rows$place <- at
    own <- which(!rows$domain %in% described)
    if (length(own)) {
      rows <- rows_at(rows, own)
      rows$domain <- droplevels(rows$domain)
      found$answers <- lapply(questions, function(question) question$ask(rows))
    }
    add(sums, found)
  })
}

add_answers <- function(a, b, questions) {
  answers <- if (is.null(a$answers)) b$answers else if (is.null(b$answers)) a$answers
             else Map(function(x, y, question) question$add(x, y), a$answers, b$answers, questions)
  list(names = union(a$names, b$names), answers = answers)
}
