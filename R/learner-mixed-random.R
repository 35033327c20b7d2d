# The random effects of dg_mixed(): `random = ~ 1 + x`, for each factor of the domain, or terms with
# their groups, `~ (1 + x | site) + (1 | district)`, as lme4 writes them. What stands before a bar
# are columns of the data, carried along by data-terms.R; groups are factors of the domain, whose
# names say their levels, or such columns. Engines get the numbers z of each term, and its groups.

check_random <- function(value, arg) {
  if (is.null(value)) return(NULL)
  refuse <- function(...) {
    abort("argument", "`", arg, "` must be a formula with one side, as in `~ 1 + x` or ",
          "`~ (1 + x | site) + (1 | district)`, not ", ..., ".")
  }
  if (!inherits(value, "formula")) {
    refuse(describe(value), if (is.character(value) && length(value)) {
      paste0("; the slope of a column varies with `random = ~ ", value[1L], "`")
    })
  }
  if (length(value) != 2L) refuse(format_formula(value))
  bars <- random_bars(value)
  for (bar in bars) check_group(bar[[3L]], value, arg)
  outside <- if (length(bars)) lme4::nobars(value)
  if (length(outside) && !identical(outside[[length(outside)]], 1)) {
    refuse(format_formula(value), ": ", code_text(outside[[length(outside)]]),
           " stands in no term with a group")
  }
  env <- environment(value)
  if (is.null(env)) env <- globalenv()
  environment(value) <- small_environment(value, character(), env)
  value
}

# Calls `1 + x | group`, `||` and nested groups taken apart.
random_bars <- function(random) if (!is.null(random)) lme4::findbars(random)

check_group <- function(expr, random, arg) {
  if (is.name(expr)) return(invisible())
  if (is_call_to(expr, ":")) {
    return(for (part in as.list(expr)[-1L]) check_group(part, random, arg))
  }
  abort("argument", "`", arg, "` must have columns or nested columns after a bar, as in `(1 | ",
        "district/site)`, not ", code_text(expr), ".")
}

# Columns of the data that it names.
random_columns <- function(random) {
  names <- setdiff(variables_of(random), ".")
  if (length(names)) names
}

# list of terms, each list(terms: of what stands before the bar, group: names whose levels make it
# up, title: of the group).
read_random <- function(random, factors) {
  bars <- random_bars(random)
  env <- if (is.null(random)) globalenv() else environment(random)
  one <- function(expr, group) {
    formula <- stats::as.formula(call("~", expr), env = env)
    list(terms = stats::terms(formula), group = group, title = paste(group, collapse = ":"))
  }
  if (length(bars)) return(lapply(bars, function(bar) one(bar[[2L]], variables_of(bar[[3L]]))))
  lapply(unname(factors), function(group) one(if (is.null(random)) 1 else random[[2L]], group))
}

# A list of the variables of each factor of the domain, those of a nested factor from the inside, as
# lme4 names them.
factors_of_domain <- function(blueprint) {
  structure <- blueprint$structure
  if (is.null(structure)) return(list(domain_name(blueprint)))
  names <- names(structure$factors)
  lapply(structure$factors, function(at) rev(names[at]))
}

domain_name <- function(blueprint) {
  if (is.null(blueprint$domain)) "domain" else code_text(blueprint$domain)
}

# The level of each variable of the domains, factors by name; NA where there is none.
domain_parts <- function(structure, name, domain) {
  domain <- as.factor(domain)
  if (is.null(structure)) return(stats::setNames(list(domain), name))
  levels <- leaf_levels(structure, levels(domain))
  parts <- lapply(seq_len(nrow(levels)), function(i) {
    factor(levels[i, as.integer(domain)], unique(levels[i, ]))
  })
  stats::setNames(parts, names(structure$factors))
}

# ---- of rows ------------------------------------------------------------------------------------

# The data of random effects: list(columns: data frame, parts: of the domain, n: rows). places: made
# by place_spec.dg_mixed_spec().
random_rows <- function(places, sample) {
  columns <- lapply(places$carried, function(one) {
    code <- as.vector(sample$X[, one$at])
    if (is.null(one$levels)) code else factor(one$levels[replace(code, code < 1, NA)], one$levels)
  })
  # where columns of the data are not at hand, those of the design
  design <- as.data.frame(sample$X[, places$design, drop = FALSE], optional = TRUE)
  columns <- c(columns, design[setdiff(names(design), names(columns))])
  list(columns = as.data.frame(columns, optional = TRUE),
       parts = domain_parts(places$structure, places$domain, sample$domain), n = nrow(sample$X))
}

# The label of each row's group, a factor, NA where it has none.
group_labels <- function(term, data) {
  parts <- lapply(term$group, function(name) {
    as.factor(if (is.null(data$parts[[name]])) data$columns[[name]] else data$parts[[name]])
  })
  labels <- do.call(paste, c(parts, sep = ":"))
  labels[Reduce(`|`, lapply(parts, is.na))] <- NA
  factor(labels, unique(labels[do.call(order, unname(parts))]))
}

check_random_names <- function(terms, data) {
  of_domain <- names(data$parts)
  for (term in terms) {
    absent <- c(setdiff(variables_of(term$terms), names(data$columns)),
                setdiff(term$group, c(of_domain, names(data$columns))))
    if (length(absent)) {
      abort("argument", "`random` must name columns of `data`, or what stands after the bar of ",
            "the formula (", enumerate(of_domain), "); there is no ", enumerate(absent), ".")
    }
  }
}

# The term with its terms object, levels, contrasts, centre and scale, from the training rows.
learn_term <- function(term, data) {
  frame <- random_frame(term, data)
  term$terms <- attr(frame, "terms")
  term$xlevels <- stats::.getXlevels(term$terms, frame)
  Z <- stats::model.matrix(term$terms, frame)
  term$contrasts <- attr(Z, "contrasts")
  term$columns <- colnames(Z)
  # with a constant of its own, effects at another origin are the same model
  scaling <- engine_scaling(Z)
  if (!"(Intercept)" %in% term$columns) scaling$centre[] <- 0
  term[c("centre", "scale")] <- scaling
  term$Z <- scale_columns(matrix(Z, nrow(Z)), scaling)
  term
}

random_frame <- function(term, data) {
  if (length(variables_of(term$terms)) == 0L) {
    return(structure(as.data.frame(matrix(0, data$n, 0L)), terms = term$terms))
  }
  on_error(stats::model.frame(term$terms, data$columns, na.action = stats::na.pass,
                              xlev = term$xlevels), function(e) {
    abort("argument", "`random` cannot be evaluated: ", conditionMessage(e), ".")
  })
}

term_numbers <- function(term, data) {
  frame <- random_frame(term, data)
  lost <- names(frame)[vapply(frame, anyNA, NA)]
  if (length(lost)) {
    abort("data", "Random effects of ", enumerate(lost), " need levels that training had.")
  }
  Z <- stats::model.matrix(term$terms, frame, contrasts.arg = term$contrasts)
  # of no rows and a constant alone there would be one
  sweep(unname(Z[seq_len(data$n), , drop = FALSE]), 2L, term$centre)
}
