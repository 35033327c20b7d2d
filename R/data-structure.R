# Domains of several factors, nested as in `| school / class` or crossed as in `| patient + device`.
# A domain is then a combination of levels, one of each variable, and its name is made of theirs as
# the formula is: "7 / 2", "Anna + scanner B". The name says all levels wherever it goes: through
# subsets, sources, references and new data.

# Of the expression after the bar, NULL where it is one factor: list(
#   leaves   the expressions of the variables, in order
#   marks    what stands between them in a name [leaves - 1]
#   factors  named list: the leaves that say a level of the factor; of a nested one those of the
#            factors around it, too
#   text     the expression)
domain_structure <- function(call) {
  if (!is_branch(call)) {
    # other operators than `/` and `+` would reckon with numbers
    if (is.call(call) && length(variables_of(call)) > 1L &&
          as.character(call[[1L]])[1L] %in% formula_operators) {
      abort("argument", "`formula` must have one domain after the bar, nested ones ",
            "(`school / class`) or crossed ones (`patient + device`), not ", code_text(call),
            "; one of all combinations is `interaction(",
            paste(variables_of(call), collapse = ", "), ")`.")
    }
    return(NULL)
  }
  tree <- domain_tree(call)
  # a number may be computed of one variable
  if (length(variables_of(call)) < 2L && !anyDuplicated(tree$leaves)) return(NULL)
  check_leaves(tree$leaves, call)
  names(tree$factors) <- vapply(tree$leaves, code_text, "")
  c(tree, list(text = code_text(call)))
}

is_branch <- function(expr) {
  while (is_call_to(expr, "(")) expr <- expr[[2L]]
  length(expr) == 3L && (is_call_to(expr, "/") || is_call_to(expr, "+"))
}

domain_tree <- function(expr) {
  while (is_call_to(expr, "(")) expr <- expr[[2L]]
  if (!is_branch(expr)) return(list(leaves = list(expr), marks = character(), factors = list(1L)))
  left <- domain_tree(expr[[2L]])
  right <- domain_tree(expr[[3L]])
  nested <- is_call_to(expr, "/")
  m <- length(left$leaves)
  inside <- lapply(right$factors, function(at) c(if (nested) seq_len(m), at + m))
  list(leaves = c(left$leaves, right$leaves),
       marks = c(left$marks, if (nested) " / " else " + ", right$marks),
       factors = c(left$factors, inside))
}

check_leaves <- function(leaves, call) {
  rule <- "`formula` must have one domain after the bar, nested ones (`school / class`) or "
  for (leaf in leaves) {
    operator <- if (is.call(leaf)) as.character(leaf[[1L]])[1L] else ""
    if (length(variables_of(leaf)) == 0L || operator %in% formula_operators) {
      abort("argument", rule, "crossed ones (`patient + device`), not ", code_text(call), ".")
    }
  }
  twice <- duplicated(leaves)
  if (any(twice)) {
    abort("argument", rule, "crossed ones (`patient + device`), each once; `",
          code_text(leaves[twice][[1L]]), "` is there twice.")
  }
}

# The domain of each row: what the expression gives, or names made of several factors.
evaluate_domain <- function(call, structure, data, env) {
  value_of <- function(leaf) {
    value <- evaluate(leaf, data, env, "domain")
    check_vector_class(value, "group", class_label(code_text(leaf), "group"))
    value
  }
  if (is.null(structure)) return(value_of(call))
  parts <- lapply(structure$leaves, function(leaf) {
    read_groups(value_of(leaf), nrow(data), "domain")
  })
  for (i in seq_along(parts)) check_level_names(levels(parts[[i]]), structure, i)
  name <- as.character(parts[[1L]])
  for (i in seq_along(parts)[-1L]) name <- paste0(name, structure$marks[i - 1L], parts[[i]])
  replace(name, Reduce(`|`, lapply(parts, is.na)), NA)
}

check_level_names <- function(names, structure, i) {
  wrong <- Reduce(`|`, lapply(unique(structure$marks), grepl, names, fixed = TRUE))
  if (any(wrong)) {
    abort("data", "The levels of `", names(structure$factors)[i], "` must have names without ",
          enumerate(unique(structure$marks), quote = "\""), ", which join names of domains,",
          " not ", enumerate(names[wrong], 3L, "\""), ".")
  }
}

# The level of each factor in the domains of these names, a list of text vectors.
domain_levels <- function(structure, names) {
  parts <- leaf_levels(structure, names)
  lapply(structure$factors, function(at) {
    do.call(paste, c(lapply(at, function(i) parts[i, ]), sep = " / "))
  })
}

# The level of each variable [variables x names].
leaf_levels <- function(structure, names) {
  pattern <- paste(gsub("+", "\\+", unique(structure$marks), fixed = TRUE), collapse = "|")
  # strsplit() leaves out a last part that is ""
  parts <- lapply(strsplit(paste0(names, ".", recycle0 = TRUE), pattern), function(part) {
    last <- part[length(part)]
    replace(part, length(part), substr(last, 1L, nchar(last) - 1L))
  })
  k <- length(structure$leaves)
  wrong <- lengths(parts) != k
  if (any(wrong)) {
    abort("data", "A domain of `", structure$text, "` must have a name such as \"",
          paste0("a", paste0(structure$marks, letters[seq_len(k - 1L) + 1L], collapse = "")),
          "\", not ", enumerate(names[wrong], 3L, "\""), ".")
  }
  # of no rows, no names
  matrix(as.character(unlist(parts)), k)
}

# The levels that a search leaves out as a whole, named by the domains: of the outer factor, or of
# the one with most levels where several are crossed; or of those that a cross-validation around it
# holds out, `held` of the structure. NULL where there is one factor.
left_out_whole <- function(structure, names) {
  if (is.null(structure)) return(NULL)
  levels <- domain_levels(structure, names)[[left_out_factor(structure, names)]]
  stats::setNames(levels, names)
}

# Its name.
left_out_factor <- function(structure, names) {
  held <- if (is.null(structure$held)) outer_factors(structure) else structure$held
  levels <- domain_levels(structure, names)[held]
  counts <- vapply(levels, function(names) length(unique(names)), 0L)
  names(levels)[which.max(counts)]
}

# The factors that are in no other: a domain that is new in these is new in all.
outer_factors <- function(structure) {
  inside <- vapply(structure$factors, function(at) {
    any(vapply(structure$factors, function(other) {
      length(other) < length(at) && all(other %in% at)
    }, NA))
  }, NA)
  names(structure$factors)[!inside]
}
