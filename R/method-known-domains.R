# A model that knows the domains of new rows before it predicts one of them. It asks their rows for
# sums by domain; each round of questions reads the blocks once.

# A question is list(ask, add): ask(block) gives sums by domain of list(X, domain: a factor,
# place: of the block), and add(a, b) joins those of two blocks. The questions of an object are
# about rows as its decision() sees them; NULL where nothing is open.
open_questions <- function(object) UseMethod("open_questions")

# The object with the answers to its questions.
answered <- function(object, answers) UseMethod("answered")

#' @exportS3Method
open_questions.default <- function(object) NULL

#' @exportS3Method
open_questions.dg_fit <- function(object) {
  kernel <- object$space$domain_kernel
  if (!needs_domain_rows(kernel)) return(NULL)
  map <- describing_map(kernel)
  list(if (is.null(map)) rows_question() else means_question(map))
}

#' @exportS3Method
answered.dg_fit <- function(object, answers) {
  kernel <- object$space$domain_kernel
  answer <- answers[[1L]]
  map <- describing_map(kernel)
  described <- if (is.null(map)) {
    # in the order of the source, so that rounding is that of predict() for a data frame
    parts <- answer$rows[order(vapply(answer$rows, `[[`, 0, "number"),
                               vapply(answer$rows, `[[`, 0, "first"))]
    X <- do.call(rbind, lapply(parts, `[[`, "X"))
    domain <- as_groups(unlist(lapply(parts, `[[`, "domain")))
    sizes <- tabulate(domain, nlevels(domain))
    list(X = X, domain = domain)
  } else {
    check_overflow(answer$sums, map$kernel)
    order <- match(group_levels(answer$domains), answer$domains)
    sizes <- answer$counts[order]
    list(domain = factor(answer$domains[order], answer$domains[order]),
         coordinates = answer$sums[order, , drop = FALSE] / sizes, sizes = sizes)
  }
  described$threads <- object$space$threads
  object$space$domain_kernel <- domain_known(kernel, described)
  object
}

#' @exportS3Method
open_questions.dg_pipeline <- function(object) {
  asked <- open_questions(object$projection)
  if (length(asked)) return(asked)
  lapply(open_questions(object$learner), ask_after, function(block) {
    learner_rows(object, block)[c("X", "domain")]
  })
}

#' @exportS3Method
answered.dg_pipeline <- function(object, answers) {
  part <- if (length(open_questions(object$projection))) "projection" else "learner"
  object[[part]] <- seal(answered(object[[part]], answers))
  object
}

# The question about rows after a function has changed them.
ask_after <- function(question, through) {
  force(question)
  force(through)
  list(ask = function(block) question$ask(c(through(block), list(place = block$place))),
       add = question$add)
}

# ---- with the scaling -------------------------------------------------------------------------

# The questions about rows that are not scaled yet, unless their element `scaled` is TRUE.
scaled_questions <- function(object) {
  scaling <- object$blueprint$scaling
  if (asks_moments(scaling)) return(list(moments_question(scaling)))
  lapply(open_questions(object), ask_after, function(block) {
    if (!isTRUE(block$scaled)) block$X <- scale_new(scaling, block$X, block$domain, NULL)$X
    block[c("X", "domain")]
  })
}

scaled_answered <- function(object, answers) {
  scaling <- object$blueprint$scaling
  if (!asks_moments(scaling)) return(answered(object, answers))
  sums <- answers[[1L]]
  # as domain_moments_of() gives them
  object$blueprint$scaling$known <- c(
    stats::setNames(domain_spreads(sums, moment_units(scaling)), sums$domains), sums$trained
  )
  object
}

asks_moments <- function(scaling) {
  by_domain(scaling$kind) && is.null(scaling$known) && is.null(scaling$fixed)
}

# ---- questions --------------------------------------------------------------------------------

# Rows by domain, and what add_by_name() joins.
by_name <- function(domain, sums) {
  names <- levels(domain)
  c(list(domains = names, counts = tabulate(domain, length(names))), sums)
}

means_question <- function(map) {
  force(map)
  list(ask = function(block) {
    block$domain <- droplevels(block$domain)
    wanted <- list(cells = as.integer(block$domain), n_cells = nlevels(block$domain),
                   second = FALSE)
    by_name(block$domain, list(sums = t(moments_of(map, block, NULL, wanted)$sums)))
  }, add = function(a, b) {
    joined_by_name(a, b, function(at) {
      list(counts = filled(a$counts, at[[1L]]) + filled(b$counts, at[[2L]]),
           sums = filled(a$sums, at[[1L]]) + filled(b$sums, at[[2L]]))
    })
  })
}

joined_by_name <- function(a, b, sums) {
  names <- union(a$domains, b$domains)
  c(list(domains = names), sums(list(match(names, a$domains), match(names, b$domains))))
}

# For kernels that need the rows themselves, not sums.
rows_question <- function() {
  list(ask = function(block) {
    # a reference comes last
    place <- if (is.null(block$place)) list(number = Inf, first = 1) else block$place
    list(rows = list(c(list(X = block$X, domain = as.character(block$domain)),
                       lapply(place[c("number", "first")], as.numeric))),
         numbers = length(block$X))
  }, add = function(a, b) {
    numbers <- a$numbers + b$numbers
    check_memory(numbers, 1, what = "The rows that describe the domains, with this domain kernel,")
    list(rows = c(a$rows, b$rows), numbers = numbers)
  })
}

moments_question <- function(scaling) {
  unit <- moment_units(scaling)
  list(ask = function(block) {
    # training domains have moments of their own
    if (isTRUE(block$scaled)) {
      names <- unique(as.character(block$domain))
      return(list(domains = character(), count = numeric(), mean = matrix(0, 0L, length(unit)),
                  square = matrix(0, 0L, length(unit)),
                  trained = at_labels(scaling$domains, names)))
    }
    block$domain <- droplevels(block$domain)
    code <- as.integer(block$domain)
    X <- block$X[, seq_along(unit), drop = FALSE]
    c(list(domains = levels(block$domain)),
      group_squares_(X, unit, rep(1, nrow(X)), code, nlevels(block$domain)))
  }, add = function(a, b) {
    sum <- joined_by_name(a, b, function(at) {
      kinds <- c("count", "mean", "square")
      join_moments(a[kinds], b[kinds], at)
    })
    sum$trained <- c(a$trained, b$trained)
    sum
  })
}

# Powers of two near the training rows' standard deviation: squares of 1e200 leave the range of a
# double.
moment_units <- function(scaling) power_near(scaling$scale)
