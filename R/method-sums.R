#' Sums of features, for data in pieces
#'
#' @description
#' Projections and [dg_ridge()] need only sums over their training rows, in the feature space of a
#' [feature map][features_nystrom] z:
#' \deqn{\sum_i z_i z_i', \quad \sum_{i \in (P, c)} z_i, \quad
#'   \sum_i z_i f(y_i)', \quad \sum_i f(y_i) f(y_i)'}{
#'   sum_i z_i z_i', sum_{i in (P, c)} z_i, sum_i z_i f(y_i)', sum_i f(y_i) f(y_i)'}
#' over the rows i of each domain P and class c, with f the features of the kernel on a numeric
#' response. One pass makes them. They take r^2 numbers for r features, whatever the number of rows,
#' and the sums of two sets of rows add. So a model can be fitted to data that do not fit in memory,
#' lie in many files, or reach one place only as sums.
#'
#' * `feature_sums()` reads the first piece and fixes what is learned from data: scaling, bandwidths
#'   and landmarks, levels of categorical predictors, features of the response.
#' * `update()` gives the sums of further rows *alone*, made with the same map; `+` adds.
#' * `fit(spec, sums)` fits a projection such as `dg_dica(ncomp = 2)`, or [dg_ridge()]. Kernels,
#'   feature map and scaling are those of the sums. If the specification was given others, that is
#'   an error; if its defaults differ, a message says what is used.
#'
#' For files and databases [row_source()] does this by itself.
#'
#' @details
#' The first piece should be a random sample of all rows, because landmarks and scaling come from
#' it. It need not have rows of every domain or class. A piece that is added twice counts twice; to
#' replace a piece, add it to sums without it.
#'
#' **Numeric responses** enter by landmarks among the responses of the first piece (of more than
#' 20,000 distinct ones, among the 1,000 smallest, the 1,000 largest and evenly spaced order
#' statistics between). A pivoted Cholesky factorisation of their kernel takes as many as a relative
#' error of 3.7e-11 needs (see [features_nystrom()]), at most 200. A response far outside the range
#' of the first piece has almost no features.
#'
#' **Domain kernels.** With [domain_multitask()] a domain that is not in the first piece is a new
#' domain to the map, also if it occurs again. With [domain_distribution()] a domain is described by
#' all its rows, which may lie in several pieces: such sums cannot be updated.
#'
#' @param y,domain,kernel,domain_kernel,threads,... As in [all methods][dg_arguments].
#' @param x Formula `y ~ x1 + x2 | domain` with `data`; or a numeric matrix n x p or a data frame of
#'   predictors: the first piece. Response and domain may be absent.
#' @param data Data frame in which the formula is evaluated. For `update()` the further rows, a data
#'   frame or matrix like the first piece, with `y` and `domain` if these were given with the first
#'   piece. A single `domain` applies to all rows of a piece.
#' @param feature_map [Feature map][features_nystrom], not [features_exact()].
#' @param kernel_y Kernel on a numeric response. `NULL` (default) is [kernel_rbf()] with the median
#'   bandwidth. For classes it must be `NULL` or [kernel_delta()].
#' @param scale Scaling of predictors by the first piece: `"pooled"` (default), by mean and standard
#'   deviation; `"none"`.
#' @param na.action As in [all methods][dg_arguments]; [na.impute] imputes by the first piece.
#' @return `feature_sums()`, `update()` and `+`: an object of class `dg_feature_sums`, which can be
#'   saved with [saveRDS()] and whose size does not depend on the number of rows. A list with
#'   \item{sums}{list: `n`; `second` (r x r); `sums` (r x cells); `cells`, a data frame with
#'     `domain`, `class` (`"all"` without classes) and `count` for each column of `sums`;
#'     `response`, for a numeric response a list with `cross` (r x s), `second` (s x s) and `sums`
#'     (s) of s features, and `linear`, the same of the response itself, minus
#'     `response_map$origin` and divided by `response_map$unit`}
#'   \item{space, response_map, blueprint}{the fitted map, that of the response, and how data are
#'     read}
#'   `nobs()`: the number of rows.
#' @section Errors:
#' New rows without the columns, types or levels of the first piece, addition of sums made with
#' different maps, and `update()` with [domain_distribution()].
#' @seealso [row_source()], [features_nystrom()], [dg_dica()]
#' @examples
#' first <- CO2[sample(nrow(CO2), 40), ]
#' sums <- feature_sums(uptake ~ conc + Type + Treatment | Plant, data = first,
#'                      feature_map = features_nystrom(30))
#'
#' # the rest in two pieces, as if from two files
#' rest <- CO2[setdiff(rownames(CO2), rownames(first)), ]
#' pieces <- split(rest, rep_len(1:2, nrow(rest)))
#' all <- Reduce(`+`, lapply(pieces, function(piece) update(sums, data = piece)), sums)
#' all
#' model <- fit(dg_dica(ncomp = 2), all)
#' head(predict(model, CO2))
#' @export
feature_sums <- function(x, y = NULL, domain = NULL, data = NULL, feature_map = features_nystrom(),
                         kernel = kernel_rbf(), kernel_y = NULL, domain_kernel = domain_pooled(),
                         scale = c("pooled", "none"), na.action = stats::na.omit,
                         threads = NULL, ...) {
  enter_session()
  args <- list(
    feature_map = check_map(feature_map), kernel = check_kernel(kernel, "kernel"),
    kernel_y = if (!is.null(kernel_y)) check_kernel(kernel_y, "kernel_y"),
    domain_kernel = check_domain_kernel(domain_kernel, "domain_kernel"),
    scale = check_choice(scale, "scale", scalings_of_sums),
    na.action = pooled_only(read_na_action(na.action)), threads = check_threads(threads)
  )
  given <- as.list(match.call())[-1L]
  allowed <- c("x", setdiff(data_arguments, c("x", "weights", "unit")), names(args))
  check_no_dots(given[!names(given) %in% allowed], setdiff(allowed, "x"))
  new_sums(check_in_memory(evaluate_input(given, parent.frame())), args)
}

check_map <- function(feature_map) {
  if (is_exact(feature_map)) {
    abort("argument", "`feature_map` must be a feature map, such as `features_nystrom()`, not ",
          "`features_exact()`.")
  }
  check_feature_map(feature_map, "feature_map")
}

new_sums <- function(input, args) {
  needs <- list(response = "optional", domain = uses_domain(args$domain_kernel),
                columns = wished_columns(args))
  check_added_response(input$parts$response)
  # a class may well have its first row in the next piece
  sample <- quietly(read_sample(input, needs, args$scale), "domgen_warning_empty_class")
  check_response(sample$y, args$kernel_y)
  placed <- place_kernels(args, layout_of(sample$blueprint))
  # to be the same sums if these rows are added later
  space <- without_seen(space_of(placed, rows_frame(sample)))
  map <- response_map(sample$y, args$kernel_y)
  if (is.numeric(sample$y)) {
    # sums of a response far from 0 lose digits, and those of large numbers overflow
    map$origin <- weighted_mean(sample$y, rep(1, length(sample$y)))
    map$unit <- max(abs(sample$y - map$origin))
  }
  seal(structure(list(
    sums = accumulate(space, sample, map), space = space, response_map = map,
    blueprint = sample$blueprint, response = response_source(input, sample),
    has_domain = !is.null(input$domain) || !is.null(sample$blueprint$domain),
    formula = if (inherits(input$x, "formula")) free_formula(input$x), args = args
  ), class = "dg_feature_sums"))
}

check_response <- function(y, kernel_y) {
  if (is.factor(y) && !is.null(kernel_y) && !inherits(kernel_y, "kernel_delta")) {
    abort("argument", "`kernel_y` must be NULL or `kernel_delta()` when the response is classes, ",
          "not ", format(kernel_y), ".")
  }
  if (is.numeric(y) && length(unique(y)) == 1L) {
    abort("data", "The response of the first piece must not be constant: its kernel is fitted to ",
          "it.")
  }
}

# Where the response of further rows is found: `call` is evaluated in their data.
response_source <- function(input, sample) {
  call <- if (inherits(input$x, "formula")) split_formula(input$x)$response
  carried <- if (!is.null(call)) ls(environment(sample$blueprint$terms), all.names = TRUE)
  columns <- Filter(function(name) {
    name %in% names(input$data) || !exists(name, envir = baseenv())
  }, setdiff(variables_of(call), carried))
  list(kind = response_kind(sample$y), call = call, columns = columns)
}

#' @rdname feature_sums
#' @param object Sums made by `feature_sums()`.
#' @export
update.dg_feature_sums <- function(object, data, y = NULL, domain = NULL, threads = NULL, ...) {
  enter_session()
  check_no_dots(list(...), c("data", "y", "domain", "threads"))
  check_given(data, "data")
  check_sealed(object)
  kernel <- object$space$domain_kernel
  if (needs_domain_rows(kernel)) {
    abort("argument", "Sums can be updated with `domain_pooled()` and `domain_multitask()`, not ",
          "with the domain kernel ", format(kernel), ": it describes a domain by all its rows, ",
          "also those of other pieces.")
  }
  space <- object$space
  if (!is.null(threads)) space$threads <- check_threads(threads)
  sample <- read_piece(object, data, y, domain)
  object$sums <- accumulate(space, sample, object$response_map)
  seal(object)
}

# Further rows as those of the first piece: a sample, see accumulate().
read_piece <- function(object, data, y, domain) {
  blueprint <- object$blueprint
  X <- replay_predictors(blueprint, data, "data")$X
  if (nrow(X) == 0L) abort("data", "`data` must have at least one row.")
  raw <- list(X = X)
  raw$y <- piece_response(object, data, y, nrow(X))
  raw$domain <- piece_domain(object, data, domain, nrow(X))
  raw <- drop_missing(raw, object$args$na.action)
  check_finite(raw$X, "`data`: predictor")
  list(X = apply_scaling(raw$X, blueprint$scaling), y = same_kind(raw$y, object),
       domain = read_domain(raw$domain, nrow(raw$X), needed = FALSE))
}

piece_response <- function(object, data, y, n) {
  source <- object$response
  if (!is.null(y) && (source$kind == "none" || !is.null(source$call))) {
    abort("argument", "`y` must not be given: ", if (source$kind == "none")
      "the first piece had no response." else paste0("the formula has it (`",
                                                     code_text(source$call), "`)."))
  }
  if (source$kind == "none") return(NULL)
  if (!is.null(source$call)) {
    data <- check_data(data)
    check_columns(data, source$columns, "data")
    y <- evaluate(source$call, data, environment(object$blueprint$terms), "y")
  }
  if (is.null(y)) abort("data", "`y` must be given, as it was with the first piece.")
  read_vector(y, n, "y")
}

piece_domain <- function(object, data, domain, n) {
  if (!object$has_domain) {
    if (is.null(domain)) return(NULL)
    abort("argument", "`domain` must not be given: the first piece had no domains.")
  }
  if (is.null(domain)) {
    columns <- object$blueprint$domain_columns
    if (is.null(object$blueprint$domain)) {
      abort("data", "`domain` must be given, as it was with the first piece.")
    }
    check_columns(check_data(data), columns, "data")
  }
  new_domain(object$blueprint, data, domain, n, needed = TRUE, "data")
}

# Classes may also come as text or logicals, and numbers as counts: they get the first type.
same_kind <- function(y, object) {
  kind <- object$response$kind
  if (kind == "none") return(NULL)
  if (kind == "number" && is.numeric(y)) return(read_response(y, "any"))
  if (kind == "class" && (is.factor(y) || is.character(y) || is.logical(y))) {
    y <- as.character(y)
    present <- text_levels(y)
    seen <- intersect(object$sums$response$levels, present)
    return(factor(y, levels = c(seen, setdiff(present, seen))))
  }
  abort("data", "The response must be ", if (kind == "class") "classes" else "numbers",
        " as in the first piece, not ", describe(y), ".")
}

#' @rdname feature_sums
#' @param e1,e2 Sums made with the same map, of different rows.
#' @export
`+.dg_feature_sums` <- function(e1, e2) {
  if (missing(e2) || !inherits(e1, "dg_feature_sums") || !inherits(e2, "dg_feature_sums")) {
    abort("argument", "Sums of features must be added to sums of features, not to ",
          if (missing(e2)) "nothing"
          else describe(if (inherits(e1, "dg_feature_sums")) e2 else e1), ".")
  }
  check_sealed(e1, "e1")
  check_sealed(e2, "e2")
  if (!same_map(e1, e2)) {
    abort("argument", "Only sums made with the same feature map can be added: make the sums of ",
          "further rows by `update()` of the first ones.")
  }
  e1$sums <- add_sums(e1$sums, e2$sums)
  seal(e1)
}

#' @exportS3Method
Ops.dg_feature_sums <- function(e1, e2) {
  abort("argument", "Sums of features can only be added; `", .Generic, "` is not defined for them.")
}

# All that decides the numbers of a row must be the same. Functions and terms that were saved and
# loaded have other environments than before.
same_map <- function(a, b) {
  decisive <- function(object) {
    blueprint <- object$blueprint
    list(object$space, object$response_map, object$has_domain,
         object$response[c("kind", "call")],
         blueprint[intersect(c("kind", "columns", "scaling", "xlevels", "contrasts", "impute"),
                             names(blueprint))],
         attr(blueprint$terms, "predvars"))
  }
  identical(decisive(a), decisive(b), ignore.bytecode = TRUE, ignore.environment = TRUE)
}

#' @rdname feature_sums
#' @export
nobs.dg_feature_sums <- function(object, ...) object$sums$n

#' @export
print.dg_feature_sums <- function(x, ...) {
  cells <- x$sums$cells
  cat_line("Sums of features", describe_formula(x))
  cat_line("  ", plural(x$sums$n, "row"), ", ", plural(count_predictors(x$blueprint), "predictor"),
           " (scale: ", x$args$scale, ")",
           if (x$has_domain) paste0(", ", plural(length(unique(cells$domain)), "domain")),
           if (x$response$kind == "class") {
             paste0(", ", plural(length(unique(cells$class)), "class", "classes"))
           })
  cat_facts(c(kernel_facts(x), list(if (x$response$kind == "number") {
    fact("kernel on y", format_bandwidth(x$response_map$kernel), ", ",
         plural(length(x$sums$response$sums), "landmark"))
  })))
  invisible(x)
}
