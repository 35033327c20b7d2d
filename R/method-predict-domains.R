# The domains of rows that come in blocks, described by passes over them, see
# method-known-domains.R.

know_domains <- function(object, source, reader, of) {
  check_open_reference(object, of$reference, of$reference_domain)
  # described before the call
  if (!reader$needs || is_fixed(object)) return(object)
  known <- read_reference(object, of$reference, of$reference_domain, reader$arguments$new_levels)
  object <- know_imputation(object, known)
  reader$blueprint <- object$blueprint
  reference <- known_reference(object, known)
  told <- character()
  while (length(questions <- scaled_questions(object))) {
    found <- run_pass(source, reader$prototype, asking_work(reader, questions, reference$domain),
                      "domains")
    if (is.null(found)) break
    told <- unique(c(told, found$names))
    answers <- lapply(seq_along(questions), function(q) {
      extra <- reference_part(reference, found$names)
      both <- c(found$answers[q], if (!is.null(extra)) list(questions[[q]]$ask(extra)))
      Reduce(questions[[q]]$add, both)
    })
    object <- once(scaled_answered(object, answers),
                   paste0("domgen_warning_", c("far_domain", "small_domain")))
  }
  if (!is.null(reference) && length(told) && !any(told %in% reference$domain)) {
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
asking_work <- function(reader, questions, described) {
  force(reader); force(questions)
  described <- unique(as.character(described))
  add <- adding(function(a, b) add_answers(a, b, questions))
  list(start = function() NULL, add = add, block = function(sums, data, at) {
    rows <- described_block(reader, data, at)
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
