# The engine of all projections. A method is a row,
#   title        what it is called
#   terms        its arguments to list(numerator, denominator), named coefficients of
#                the terms in projection-scatter.R and of those the engine adds itself:
#                  response   f'Pf/n, P of the central subspace
#                  total      f'Hf;  variance  f'Hf/n
#                  norm       |f|^2, b'Kb;  ridge  b'b
#                  smooth     sum over a graph's edges of (f_i - f_j)^2
#   response     what it needs of y: "any", "class", "optional"
#   domain       does it need domains?
#   centred      are the features centred, or only their scores?
#   parameters   function(): the rows of arguments that it alone has, see method-parameter.R
# and one ratio is solved for all: maximise b'Nb / b'Db (core/projection/ratio.h). DCM, whose
# two responses do not fit that form, says so by `covariance`.

projection_parts <- function(title, terms, response = "optional", domain = TRUE,
                             centred = TRUE, covariance = FALSE, parameters = NULL) {
  list(title = title, terms = terms, response = response, domain = domain, centred = centred,
       covariance = covariance, weights = FALSE, parameters = parameters)
}

projection_spec <- function(method, parts, env) {
  method_spec(method, c(method, "dg_projection_spec"), parts, env)
}

# A kernel on the response compares rows of several.
#' @exportS3Method
spec_needs.dg_projection_spec <- function(spec) {
  c(NextMethod(), several = spec$parts$response == "any")
}

#' @exportS3Method
takes_passes.dg_projection_spec <- function(spec) !is_exact(spec$args$feature_map)

#' @exportS3Method
fit_rows.dg_projection_spec <- function(spec, rows, shared = new_shared()) {
  args <- spec$args
  sample <- rows$sample
  n <- row_count(rows)
  if (n < 2L) abort("data", "A projection needs at least 2 rows, not ", n, ".")
  rows$sample <- add_unlabelled(sample, args)
  check_domains(spec, rows$sample)
  if (spec$parts$centred && is.null(rows$space)) {
    args$kernel <- free_origin(args, rows$sample$X)
  }
  space <- space_of(args, rows, shared)
  solved <- check_solution(solve_ridge_path(space, spec, rows, shared), spec)
  warn_projection(solved, spec, sample$y)
  new_projection(solved, space, kept_values(rows, sample$y))
}

# Rows without a response, after those with one.
add_unlabelled <- function(sample, args) {
  arg <- intersect(c("target", "unlabelled"), names(args)[!vapply(args, is.null, logical(1))])
  if (length(arg) == 0L) return(sample)
  extra <- args[[arg]]
  columns <- sample$blueprint$domain_columns
  # a domain of their own, also where one is called like the argument
  domain <- if (length(columns) == 0L || !all(columns %in% colnames(extra))) {
    rep(utils::tail(make.unique(c(levels(sample$domain), arg)), 1L), nrow(extra))
  }
  rows <- replay(sample$blueprint, extra, domain, needs_domain = TRUE, arg = arg)
  if (nrow(rows$X) == 0L) abort("data", "`", arg, "` must have at least one complete row.")
  rows$X <- scale_new(sample$blueprint$scaling, rows$X, rows$domain, NULL)$X
  labels <- c(as.character(sample$domain), as.character(rows$domain))
  sample$domain <- factor(labels, union(levels(sample$domain), levels(rows$domain)))
  sample$labelled <- rep(c(TRUE, FALSE), c(nrow(sample$X), nrow(rows$X)))
  sample$X <- rbind(sample$X, rows$X)
  sample
}

check_domains <- function(spec, sample) {
  if (spec$method == "dg_tca" && nlevels(sample$domain) < 2L) {
    abort("data", "`dg_tca()` needs at least two domains, or `target`, not only ",
          enumerate(levels(sample$domain), quote = "\""), ".")
  }
}

# list(values, coefficients, centre, scores, residual, ...): the directions. ridges: a list of
# these instead, one for each in the place of the method's ridge.
solve_projection <- function(space, spec, rows, shared, ridges = NULL) {
  UseMethod("solve_projection")
}

for_each_ridge <- function(solved, ridges, finish) {
  if (is.null(ridges)) finish(solved) else lapply(solved, finish)
}

labelled_rows <- function(sample) {
  if (is.null(sample$labelled)) rep(TRUE, nrow(sample$X)) else sample$labelled
}

check_classes <- function(y, method) {
  if (!is.factor(y)) {
    abort("data", "`", method, "()` needs classes as response, not ",
          if (is_censored(y)) "censored times." else "numbers; make the response a factor.")
  }
  if (nlevels(y) < 2L) abort_one_class(y)
}

one_hot <- function(code) outer(code, seq_len(max(code)), "==") + 0

# What the C++ engine reads. n: all rows; labelled: rows with a response.
engine_terms <- function(spec, table, n, labelled) {
  args <- spec$args
  terms <- spec$parts$terms(c(args, n = n))
  of <- function(side, name) if (name %in% names(side)) side[[name]] else 0
  numerator <- sum_scatters(terms$numerator, table)
  denominator <- sum_scatters(terms$denominator, table)
  list(
    covariance = spec$parts$covariance, norm = of(terms$denominator, "norm"),
    ridge = of(terms$denominator, "ridge"),
    total = of(terms$numerator, "total") + of(terms$numerator, "variance") / n,
    numerator_plus = numerator$plus, denominator_plus = denominator$plus,
    denominator_minus = denominator$minus, spread = scatter_terms$domains(table)$plus,
    within = denominator$within, smooth = of(terms$denominator, "smooth"),
    centred = spec$parts$centred, epsilon = if (is.null(args$epsilon)) 1 else args$epsilon,
    labelled = labelled, ncomp = args$ncomp, published = identical(args$form, "published"),
    normalise = args$normalise
  )
}

uses_response <- function(spec) {
  spec$parts$covariance || "response" %in% names(spec$parts$terms(spec$args)$numerator)
}

check_solution <- function(solved, spec) {
  parts <- solved[c("values", "coefficients", "scores", "residual")]
  if (!all(vapply(parts, function(part) all(is.finite(part)), logical(1)))) {
    ridge <- ridge_rows(spec)
    abort("data", "The eigenproblem has no finite solution: the kernel must be positive ",
          "semi-definite", if (length(ridge)) {
            paste0(", and `", ridge[[1L]]$name, "` (", shown_value(ridge[[1L]], spec$args),
                   ") of the size of its values")
          }, ".")
  }
  solved
}

warn_projection <- function(solved, spec, y) {
  if (solved$rank == 0L) {
    reason <- if (spec$parts$response == "optional") "All rows coincide"
              else if (spec$parts$covariance) {
                "The response is constant, rows coincide, or labels explain no more than domains"
              } else "The response is constant or the rows coincide"
    abort("data", reason, ": there are no components.")
  }
  if (solved$rank < spec$args$ncomp) {
    warn("rank", "`ncomp` is ", spec$args$ncomp, ", but only ", plural(solved$rank, "component"),
         if (solved$rank == 1L) " exists" else " exist", rank_reason(spec, y), "; ", solved$rank,
         if (solved$rank == 1L) " is" else " are", " returned.")
  }
  if (solved$imaginary > 1e-8) {
    warn("complex", "The published eigenproblem is not symmetric and has complex eigenvalues here ",
         "(|Im| / |gamma| up to ", signif(solved$imaginary, 2), "): their real parts are used. ",
         "`form = \"symmetric\"` has none.")
  }
  if (!solved$converged) {
    warn("convergence", "The eigenvalue iteration did not converge; the residuals of the ",
         "components (in `residual`) show how accurate they are.")
  }
}

rank_reason <- function(spec, y) {
  if (spec$parts$covariance) {
    return(" (all further eigenvalues are 1, and their directions arbitrary)")
  }
  numerator <- spec$parts$terms(spec$args)$numerator
  whole <- numerator[names(numerator) %in% c("total", "variance")]
  if (nlevels(y) > 0L && !any(whole > 0)) " (with C classes at most C - 1)"
}

# size: the root of the mean squared norm of the scores, the unit of what follows in a pipeline.
new_projection <- function(solved, space, y) {
  v <- solved$variance
  components <- paste0("comp", seq_along(solved$values))
  colnames(solved$coefficients) <- components
  if (!is.null(solved$scores)) colnames(solved$scores) <- components
  structure(list(
    values = stats::setNames(solved$values, components), directions = solved$coefficients,
    centre = stats::setNames(solved$centre, components), rank = as.integer(solved$rank),
    residual = solved$residual, scores = solved$scores,
    size = if (is.null(solved$scores)) solved$size else sqrt(mean(rowSums(solved$scores^2))),
    theorem5 = solved$theorem5,
    variance = rbind(
      before = c(total = v[["total_before"]], distributional = v[["distributional_before"]]),
      after = c(v[["total_after"]], v[["distributional_after"]])
    ), space = space, y = y, kernel_y = solved$kernel_y
  ), class = c("dg_projection", "dg_fit"))
}

# Centred with the training means, one row as well as many: k(x, X) A - centre.
#' @exportS3Method
decision.dg_projection <- function(object, rows) {
  scores <- space_expansion(object$space, rows, object$directions)
  scores <- sweep(scores, 2L, object$centre)
  colnames(scores) <- names(object$centre)
  scores
}
