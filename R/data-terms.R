#' Terms of one method: `terms =`
#'
#' @description
#' Methods that are compared on the same response, folds and rows need not share their predictors.
#' The argument `terms`, a one-sided formula, replaces the predictors of the formula for one method:
#' \preformatted{dg_compare(
#'   list(glm = dg_glm(terms = ~ splines::ns(age, 4) * sex), auto = dg_auto()),
#'   y ~ age + sex | site, data
#' )}
#' It works wherever a specification is fitted: [fit()], [dg_cv()], [dg_compare()], [dg_tune()],
#' [dg_validate()] of a comparison. With data, `dg_lm(y ~ age + sex | site, data, terms = ~
#' log(age))` is the model of `y ~ log(age) | site`.
#'
#' @details
#' ## What terms may contain
#' * All that the formula may: columns of `data`, functions of them, interactions, `offset()` for
#'   [dg_glm()] and [dg_mixed()].
#' * Columns that the formula does not have.
#' * `.`, which stands for the predictors of the formula, as in [update()]: `~ . + I(age^2)`.
#'
#' Everything between `~` and `|` is replaced, also an `offset()`. The response and the domain are
#' those of the formula, so that `terms` has neither a left side nor a bar.
#'
#' ## Bases that depend on the data
#' Knots of [splines::ns()], and the centre and scale of [poly()] and [scale()], are learned from
#' the training rows, in cross-validation from those of each fold, and are kept for new rows (safe
#' prediction, see [makepredictcall()]). The same holds for terms of the formula itself. A function
#' whose value in a row depends on the other rows and cannot be kept, such as `x - mean(x)`, is an
#' error.
#'
#' ## Rows
#' [dg_compare()], [dg_cv()] and [dg_tune()] with several `terms` use the rows that are complete for
#' the formula and for the terms of every method. The printout says how many rows were dropped.
#'
#' ## Pipelines, ensembles, searches
#' A [dg_pipeline()] and a [dg_ensemble()] have `terms` for all of their parts; the parts must have
#' none. [dg_tune()] takes those of the method that it tunes, and `grid = list(terms = list(~ x, ~
#' poly(x, 2)))` compares several. [dg_null()] and projections have no `terms`.
#'
#' @section Errors:
#' A formula with a response or a bar; a matrix instead of a data frame; a [row_source()]; columns
#' that `data` does not have; `update(model, . ~ .)` of a model with `terms` (change `terms`
#' instead).
#' @seealso [dg_compare()], [update.dg_fit()]
#' @examples
#' data <- transform(warpbreaks, loom = rep(1:9, 6), day = rep(1:54))
#' dg_compare(
#'   list(line = dg_lm(), curve = dg_lm(terms = ~ . + splines::ns(day, 3)),
#'        both = dg_lm(terms = ~ wool * tension)),
#'   breaks ~ wool + tension | loom, data = data, refits = FALSE
#' )
#' model <- dg_lm(breaks ~ wool + tension | loom, data = data, terms = ~ . + poly(day, 2))
#' formula(model)
#' predict(model, data[1:3, ])
#' @name own_terms
NULL

# Terms of a method's own, `terms = ~ splines::ns(age, 4) * sex`: they take the place of the
# predictors of the formula, whose response and domain stay. They are put in where rows are read,
# so that no method knows of them, and the blueprint replays them as any others. Columns that are
# carried along unchanged come in by the same way.

# The formula with no more of its environment than it names.
check_own_terms <- function(value, arg) {
  if (is.null(value)) return(NULL)
  refuse <- function(...) {
    abort("argument", "`", arg, "` must be a formula with one side, as in `~ x1 + log(x2)`, not ",
          ..., ".")
  }
  if (!inherits(value, "formula")) refuse(describe(value))
  value <- package_code(value)
  if (length(value) != 2L) {
    refuse(format_formula(value), ": the response is that of the formula with the data")
  }
  if (has_bar(value[[2L]])) {
    refuse(format_formula(value), ": the domain is that of the formula with the data")
  }
  env <- environment(value)
  if (is.null(env)) env <- globalenv()
  environment(value) <- small_environment(value, character(), env)
  value
}

# The input with other predictors. needs: list(terms: see check_own_terms(), carried: names of
# columns), or NULL.
with_own_terms <- function(input, needs) {
  if (is.null(needs$terms) && is.null(needs$carried)) return(input)
  if (is.null(input$parts)) {
    if (is.null(needs$terms)) return(input)
    abort("argument", "`terms` needs a data frame and a formula, as in `y ~ x1 + x2 | domain`; a ",
          "matrix has no columns to make terms of.")
  }
  parts <- input$parts
  last <- length(parts$bare)
  env <- environment(parts$bare)
  # what `.` stands for in the terms
  shared <- if (is.null(input$simple)) right_side(input$terms) else simple_sum(input$simple)
  if (!is.null(needs$terms)) {
    parts$bare[[last]] <- put_for_dot(needs$terms[[2L]], shared)
    env <- joined_environment(parts, needs$terms, input$data)
    as_of_terms(check_formula_calls(parts, env))
  } else parts$bare[[last]] <- shared
  domain <- if (is.null(parts$domain)) "domain" else variables_of(parts$domain)
  carried <- setdiff(needs$carried, domain)
  check_carried(carried, parts, input$data)
  if (length(carried)) {
    env <- list2env(list(.carried = .carried), parent = env)
    for (name in carried) {
      parts$bare[[last]] <- call("+", parts$bare[[last]], call(".carried", as.name(name)))
    }
  }
  environment(parts$bare) <- env
  input$parts <- parts
  input$simple <- if (!length(carried)) simple_columns(parts, input$data)
  input$terms <- if (is.null(input$simple)) as_of_terms(predictor_terms(parts, input$data))
  terms <- if (is.null(input$simple)) input$terms else input$simple$terms
  input$data <- gather_columns(terms, parts, input$data, env)
  input$home <- formula_home(parts$bare, names(input$data), env)
  if (!is.null(needs$terms)) input$shared <- shared
  input
}

# What is wrong with the predictors is wrong with the terms.
as_of_terms <- function(code) {
  tryCatch(code, domgen_error = function(e) {
    e$message <- sub("`formula`", "`terms`", conditionMessage(e), fixed = TRUE)
    stop(e)
  })
}

# A column as it is: in the model frame it has a name of its own.
.carried <- function(x) x

is_carried <- function(names) startsWith(names, ".carried(")

# The code that a model frame has as a name: names of columns are without quotes there.
frame_code <- function(name) on_error(str2lang(name), function(e) as.name(name))

carried_name <- function(name) as.character(str2lang(name)[[2L]])

check_carried <- function(names, parts, data) {
  absent <- setdiff(names, names(data))
  if (length(absent)) {
    abort("data", "`random` must name columns of `data`, or what stands after the bar of the ",
          "formula", if (!is.null(parts$domain)) paste0(" (`", code_text(parts$domain), "`)"),
          "; there is no ", enumerate(absent), ".")
  }
  for (name in names) check_understood(data[[name]], "group", paste0("`random`: `", name, "`"))
}

# The right side of a formula, of its terms without a response.
right_side <- function(terms) stats::formula(stats::delete.response(terms))[[2L]]

# As in update(): `.` is what the formula has. added: is it a part of a sum, or all there is?
put_for_dot <- function(expr, shared, added = TRUE) {
  if (identical(expr, quote(.))) return(if (added) shared else call("(", shared))
  # of a function in it `.` is an argument
  if (!is.call(expr) || is_call_to(expr, "function") || is_call_to(expr, "~")) return(expr)
  added <- added && is_call_to(expr, "+")
  for (i in seq_along(expr)[-1L]) {
    if (!identical(expr[[i]], quote(expr = ))) expr[[i]] <- put_for_dot(expr[[i]], shared, added)
  }
  expr
}

# Names of the terms are found where these were written, then where the formula was.
joined_environment <- function(parts, terms, data) {
  env <- environment(parts$bare)
  of_terms <- as.list(environment(terms), all.names = TRUE)
  of_terms <- of_terms[vapply(of_terms, is.function, NA) | !names(of_terms) %in% names(data)]
  both <- intersect(names(of_terms),
                    setdiff(names_read(parts$response, functions = TRUE), names(data)))
  for (name in both) {
    if (exists(name, envir = env) && !same_value(of_terms[[name]], get(name, envir = env))) {
      abort("argument", "`", name, "` has one value in `terms` and another in the formula; give ",
            "them different names.")
    }
  }
  list2env(of_terms, parent = env)
}

same_value <- function(a, b) {
  if (!is.function(a) || !is.function(b)) return(identical(a, b))
  identical(body(a), body(b)) && identical(formals(a), formals(b))
}

# The terms of a specification; a search has those of what it tunes.
spec_terms <- function(spec) {
  if (inherits(spec$object, "dg_spec")) return(spec_terms(spec$object))
  if (is.null(spec$args$terms)) spec$terms else spec$args$terms
}

# Refuses terms of a part of a pipeline or an ensemble, which gets columns that are made already.
check_no_own_terms <- function(spec, arg, whole) {
  if (is.null(spec_terms(spec))) return(invisible())
  abort("argument", if (arg == "part") "A part" else paste0("`", arg, "`"),
        " must not have `terms`, since all parts get the same columns: use `", whole,
        "(..., terms = )`.")
}
