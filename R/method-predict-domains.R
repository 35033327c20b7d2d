# The domains of rows that are read in chunks, described by passes over them: the model's questions,
# and what becomes of the answers, are in method-known-domains.R.

# The model with the domains of the source described.
know_domains <- function(work, source, of) {
  object <- work$model
  check_new(object, NULL, NULL, of$reference, of$reference_domain)
  # described before the call
  if (!work$uses_others || is_fixed(object)) return(object)
  reference <- read_reference(object, of$reference, of$reference_domain, of$new_levels)
  reported <- described <- NULL
  object <- describe_domains(object, reference, function(model, questions, describing) {
    work$model <- model
    described <<- if (!is.null(describing)) unique(as.character(describing$domain))
    result <- run_pass(source, column_walk(work$prototype), asking_work(work, questions, described),
                       "domains")
    if (is.null(result)) return(NULL)
    reported <<- unique(c(reported, result$names))
    # of the domains that the source has
    extra <- which(describing$domain %in% result$names)
    if (length(extra)) {
      describing <- rows_at(describing, extra)
      describing$domain <- droplevels(factor(describing$domain))
    }
    lapply(seq_along(questions), function(q) {
      both <- c(result$answers[q], if (length(extra)) list(questions[[q]]$ask(describing)))
      Reduce(questions[[q]]$add, both)
    })
  })
  warn_no_reference(reported, described)
  seal(object)
}

# For run_pass(): the names of all domains, and the answers from the rows of the domains that the
# reference does not describe.
asking_work <- function(work, questions, described) {
  force(work); force(questions); force(described)
  add <- adding(function(a, b) {
    sum <- function(x, y, question) question$add(x, y)
    answers <- if (is.null(a$answers)) b$answers else if (is.null(b$answers)) a$answers
               else Map(sum, a$answers, b$answers, questions)
    list(names = union(a$names, b$names), answers = answers)
  })
  pass_work(add = add, block = function(sums, data, at) {
    # those without missing values, not scaled
    block <- at_rows(at, nrow(data), function(i) {
      quietly(replay(work$model$blueprint, data[i, , drop = FALSE], work$of$domain, TRUE,
                     new_levels = work$of$new_levels))[c("X", "domain")]
    })
    part <- list(names = levels(block$domain))
    block$place <- at
    open <- which(!block$domain %in% described)
    if (length(open)) {
      block <- rows_at(block, open)
      block$domain <- droplevels(block$domain)
      part$answers <- lapply(questions, function(question) question$ask(block))
    }
    add(sums, part)
  })
}
