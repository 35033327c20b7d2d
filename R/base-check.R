# All checks of arguments. Errors and warnings have the classes `domgen_error_<kind>` and
# `domgen_warning_<kind>`; messages name the argument, the rule and the value found.

abort <- function(kind, ...) {
  stop(structure(
    class = c(paste0("domgen_error_", kind), "domgen_error", "error", "condition"),
    list(message = without_exponents(paste0(...)), call = NULL)
  ))
}

warn <- function(kind, ...) {
  warning(structure(
    class = c(paste0("domgen_warning_", kind), "domgen_warning", "warning", "condition"),
    list(message = without_exponents(paste0(...)), call = NULL)
  ))
}

# A message, not a warning.
inform <- function(kind, ...) {
  message(structure(
    class = c(paste0("domgen_message_", kind), "domgen_message", "message", "condition"),
    list(message = paste0(without_exponents(paste0(...)), "\n"), call = NULL)
  ))
}

# Counts are not printed as 1e+00 under options(scipen = -10), and names made from numbers do not
# depend on it. A positive scipen is kept.
without_exponents <- function(code) {
  if (isTRUE(getOption("scipen") < 0)) {
    old <- options(scipen = 0)
    on.exit(options(old))
  }
  code
}

# Runs code without our warnings of a class, which were reported before or do not apply.
quietly <- function(code, class = "domgen_warning") suppressWarnings(code, class)

# A value as a short text for a message.
describe <- function(value) {
  if (is.null(value)) return("NULL")
  if (is.function(value)) return("a function")
  if (is.atomic(value) && length(value) == 1L && !is.object(value)) {
    return(if (is.character(value)) quoted(value) else format(value))
  }
  if (is.atomic(value) && is.null(dim(value)) && !is.object(value)) {
    kind <- if (is.numeric(value)) "numeric" else typeof(value)
    return(paste0("a ", kind, " vector of length ", length(value)))
  }
  if (is.matrix(value) && !is.object(value)) {
    return(paste0(if (is.integer(value)) "an " else "a ", typeof(value), " matrix of ",
                  nrow(value), " x ", ncol(value)))
  }
  paste0("an object of class ", dQuote(class(value)[1L], FALSE))
}

# Text that was found, for a message: a field of a file may be as long as the file.
quoted <- function(text, quote = "\"") paste0(quote, shorten(text, 80L), quote)

# Names for a message: `a`, `b` and 3 more.
enumerate <- function(names, most = 5L, quote = "`") {
  shown <- quoted(utils::head(names, most), quote)
  rest <- length(names) - length(shown)
  paste0(paste(shown, collapse = ", "), if (rest > 0L) paste(" and", rest, "more"))
}

plural <- function(n, one, many = plural_of(one)) {
  paste(format(n, big.mark = big_mark(), scientific = FALSE), if (n == 1) one else many)
}

# "sites", "cities", "buses": users give words for rows and domains, or names of variables.
plural_of <- function(word) {
  if (grepl("(s|x|z|ch|sh)$", word)) paste0(word, "es")
  else paste0(sub("([^aeiou])y$", "\\1ie", word), "s")
}

# A required argument. Must be called with the argument of the user's own call.
check_given <- function(value, arg) {
  if (missing(value)) abort("argument", "`", arg, "` must be given.")
}

is_number <- function(value) {
  is.numeric(value) && !is.object(value) && length(value) == 1L && is.finite(value)
}

# What a value may be, as plain facts that others read too (grids, ranges of other packages):
#   type     "number", "count" (a whole number), "flag", "choice" (of texts), "part" (an object of
#            one of our constructors), "any"
#   lower, upper   of numbers and counts; open: `lower` itself is no value
#   levels   of a choice; the classes of a part
#   words    of a part: what it must be
#   null     may it be NULL? A function gives what NULL stands for
#   check    of "any", where no record can say the rule: function(value, arg), the value as the
#            method wants it or an error of ours
value_rule <- function(type = "any", lower = if (type == "count") 1 else -Inf, upper = Inf,
                       open = FALSE, levels = NULL, words = NULL, null = FALSE, check = NULL) {
  as.list(environment())
}

# The value as the method wants it, or an error that names argument, rule and value. A choice that
# is given in full, as in the default, is its first level.
check_value <- function(value, arg, rule) {
  check_given(value, arg)
  if (is.null(value) && !isFALSE(rule$null)) {
    if (!is.function(rule$null)) return(NULL)
    value <- rule$null()
  }
  if (!is.null(rule$check)) return(rule$check(value, arg))
  if (!fulfils(value, rule)) {
    abort("argument", "`", arg, "` must be ", must_be(rule, value), ", not ", describe(value),
          if (rule$type != "choice") "."
          else did_you_mean(nearest_choice(value, rule$levels), "\""))
  }
  switch(rule$type, number = as.numeric(value), count = as.integer(value), choice = value[1L],
         value)
}

fulfils <- function(value, rule) {
  switch(rule$type,
    number = , count = is_number(value) && value <= rule$upper &&
      (if (rule$open) value > rule$lower else value >= rule$lower) &&
      (rule$type == "number" || value == round(value) && value <= .Machine$integer.max),
    flag = is.logical(value) && length(value) == 1L && !is.na(value),
    choice = identical(value, rule$levels) ||
      is.character(value) && length(value) == 1L && value %in% rule$levels,
    part = inherits(value, rule$levels),
    any = TRUE
  )
}

# "one positive number", "TRUE or FALSE". value: the one that was found.
must_be <- function(rule, value) {
  switch(rule$type, number = , count = number_words(rule, value), flag = "TRUE or FALSE",
         choice = paste("one of", enumerate(rule$levels, length(rule$levels), "\"")),
         part = rule$words)
}

number_words <- function(rule, value) {
  low <- rule$lower
  high <- rule$upper
  count <- rule$type == "count"
  if (count && is_number(value) && value > .Machine$integer.max) {
    high <- min(high, .Machine$integer.max)
  }
  shown <- function(bound) format(bound, big.mark = big_mark(), scientific = FALSE)
  if (!count && high == Inf && low %in% c(-Inf, 0)) {
    return(paste("one", if (low < 0) "finite" else if (rule$open) "positive" else "non-negative",
                 "number"))
  }
  if (!count && !rule$open && low > -Inf && high < Inf) {
    return(paste("one number from", shown(low), "to", shown(high)))
  }
  bounds <- c(if (low > -Inf) paste(if (rule$open) "above" else "of at least", shown(low)),
              if (high < Inf) paste0(if (low == -Inf) "of ", "at most ", shown(high)))
  paste(if (count) "one whole number" else "one number", paste(bounds, collapse = " and "))
}

check_number <- function(value, arg, rule = c("positive", "non-negative", "finite")) {
  rule <- match.arg(rule)
  check_value(value, arg, value_rule("number", if (rule == "finite") -Inf else 0,
                                     open = rule == "positive"))
}

check_count <- function(value, arg, at_least = 1L, at_most = Inf) {
  check_value(value, arg, value_rule("count", at_least, at_most))
}

check_between <- function(value, arg, low, high) {
  check_value(value, arg, value_rule("number", low, high))
}

check_flag <- function(value, arg) check_value(value, arg, value_rule("flag"))

check_choice <- function(value, arg, choices) {
  check_value(value, arg, value_rule("choice", levels = choices))
}

# More than any computer has: starting a million threads ends the session.
most_threads <- 1024L

threads_rule <- value_rule("count", upper = most_threads,
                           null = function() getOption("domgen.threads", 2L))

check_threads <- function(threads) check_value(threads, "threads", threads_rule)

# The list of further arguments. One may be empty, as in f(x, a = ).
given_dots <- function(dots) {
  on_error(dots, function(e) {
    abort("argument", "A further argument is empty or cannot be evaluated.")
  })
}

# Arguments of earlier versions and their names since; NEWS.md has the table.
renamed_arguments <- list(
  sigma = "bandwidth", times = "bandwidth_factor", offset = "intercept", features = "feature_map",
  outer = "embedding_kernel", probability = "calibration", per_predictor = "ard",
  starts = "restarts", signal = "signal_sd", noise = "noise_sd", against = "baseline",
  budget = "max_seconds", max_predictors = "max_ard", members = "n_members",
  weights = "member_weights", depth = "tree_depth", rows = c("n", "block_size", "newdata"),
  block = "block_size", slopes = "random", v = "folds", model = "object", causes = "objects",
  data = "newdata"
)

#' Names of earlier versions
#'
#' `dg_lodo(model)` is `dg_cv(model)`; `step_dica()`, `step_udica()`, `step_dcm()`, `step_tca()`
#' and `step_kpca_domain()` are `step_domain(method = )`. An old name is an error that gives the new
#' one.
#' @name renamed
#' @aliases dg_lodo step_dica step_udica step_dcm step_tca step_kpca_domain
#' @keywords internal
NULL

# Functions of earlier versions and what does their work since. After library(domgen) their names
# are there, see .onAttach(), but they are no exports.
renamed_functions <- c(
  dg_lodo = "dg_cv(model)",
  step_dica = "step_domain(method = \"dica\")", step_udica = "step_domain(method = \"udica\")",
  step_dcm = "step_domain(method = \"dcm\")", step_tca = "step_domain(method = \"tca\")",
  step_kpca_domain = "step_domain(method = \"kpca\")"
)

renamed_function <- function(name) {
  force(name)
  function(...) abort("argument", "`", name, "()` is now `", renamed_functions[[name]], "`.")
}

# Arguments in `...` are misspelt or unknown, except those in `fine`.
check_no_dots <- function(dots, allowed, fine = character()) {
  allowed <- setdiff(allowed, "...")
  dots <- given_dots(dots)
  if (!is.null(names(dots))) dots <- dots[!names(dots) %in% fine]
  if (length(dots) == 0L) return(invisible())
  given <- names(dots)
  if (is.null(given) || any(given == "")) {
    abort("argument", "All further arguments must be named; found ",
          describe(dots[[if (is.null(given)) 1L else which(given == "")[1L]]]), ".")
  }
  if (length(allowed) == 0L) abort("argument", "Unknown argument `", given[1L], "`.")
  now <- intersect(renamed_arguments[[given[1L]]], allowed)
  if (length(now)) abort("argument", "`", given[1L], "` is now called `", now[1L], "`.")
  near <- nearest_name(given[1L], allowed)
  abort("argument", "Unknown argument `", given[1L], "`",
        if (length(near)) did_you_mean(near)
        else paste0("; the arguments are ", enumerate(allowed, length(allowed)), "."))
}

# The name that was probably meant, or none.
nearest_name <- function(given, names) {
  distance <- drop(utils::adist(given, names, ignore.case = TRUE))
  most <- if (nchar(given) > 2L) max(1, nchar(given) %/% 3) else 0
  utils::head(names[distance == min(distance, most + 1) & distance <= most], 1L)
}

# The choice that begins a text ("prob" of "probability"), or alone begins with it, or a similar
# one.
nearest_choice <- function(given, choices) {
  if (!is.character(given) || length(given) != 1L || is.na(given)) return(character())
  begins <- choices[nchar(choices) > 2L & startsWith(tolower(given), tolower(choices))]
  longer <- choices[nchar(given) > 2L & startsWith(tolower(choices), tolower(given))]
  if (length(begins)) begins[which.max(nchar(begins))]
  else if (length(longer) == 1L) longer
  else nearest_name(given, choices)
}

did_you_mean <- function(near, quote = "`") {
  if (length(near)) paste0("; did you mean ", quote, near, quote, "?") else "."
}

# What a message says after the name of a column that is not there.
columns_there <- function(absent, names) {
  paste0("; it has ", if (length(names)) enumerate(names) else "no columns",
         did_you_mean(nearest_name(absent[1L], names)))
}

need_package <- function(package, what) {
  # which would report a time limit as a package that cannot be loaded
  if (!uninterrupted(requireNamespace(package, quietly = TRUE))) {
    abort("package", "`", what, "` needs the package ", package, ": install.packages(\"", package,
          "\").")
  }
}

# Errors of setTimeLimit() have no class, and R may translate them. ranger has one message for an
# interrupt and for its own failures; in a user's function, where uninterrupted() cannot be used, it
# may be an interrupt by the user.
ends_call <- function(e) {
  said <- c("reached elapsed time limit", "reached CPU time limit",
            "reached session elapsed time limit", "reached session CPU time limit")
  said <- c(said, vapply(said, gettext, "", domain = "R"), "User interrupt or internal error.")
  conditionMessage(e) %in% said
}

# tryCatch(code, error = handler) for errors of the code itself: a time limit is passed on
# unchanged.
on_error <- function(code, handler) {
  tryCatch(code, error = function(e) if (ends_call(e)) stop(e) else handler(e))
}

# Interrupts and time limits wait until the code has ended. Some code of other packages, such as
# ranger's, checks for interrupts where R can only end the script, or fails at one.
uninterrupted <- function(code) {
  # checks for waiting interrupts
  on.exit(Sys.sleep(0))
  suspendInterrupts(code)
}

# An error of the C++ core that no check here covers.
core_result <- function(result) {
  on_error(result, function(e) {
    if (inherits(e, "domgen_error") || is_out_of_memory(e)) stop(e)
    abort("numeric", "The numerical core failed on these data: ", conditionMessage(e), ".")
  })
}

# The name of a part made outside the package.
part_name <- function(name) {
  fine <- is.character(name) && length(name) == 1L && grepl("^[[:alpha:]][[:alnum:]._]*$", name)
  if (!fine) {
    abort("argument", "`name` must be one name, such as \"mine\", not ", describe(name), ".")
  }
  name
}

# A function from outside the package that gives a list of numbers, held to that at each call: what
# is too short would be recycled in silence. lower, upper: bounds by part; as many as the second
# argument has, or one for those in `single`. NULL stands for no function.
held_to <- function(fun, arg, lower, upper = numeric(), single = "epsilon") {
  check_given(fun, arg)
  if (is.null(fun)) return(NULL)
  if (!is.function(fun)) {
    abort("argument", "`", arg, "` must be a function, not ", describe(fun), ".")
  }
  upper <- replace(replace(lower, TRUE, Inf), names(upper), upper)
  function(...) {
    values <- on_error(fun(...), function(e) {
      abort("argument", "`", arg, "` failed: ", conditionMessage(e), ".")
    })
    n <- length(..2)
    for (part in names(lower)) {
      value <- if (is.list(values)) values[[part]]
      sizes <- c(n, if (part %in% single) 1L)
      if (!is.numeric(value) || !length(value) %in% sizes || anyNA(value) ||
            any(value < lower[[part]] | value > upper[[part]])) {
        abort("data", "`", arg, "` must give a list with `", part, "`: numbers from ",
              format(lower[[part]]), " to ", format(upper[[part]]), ", as many as its second ",
              "argument (", n, "), not ", describe(value), ".")
      }
    }
    values
  }
}
