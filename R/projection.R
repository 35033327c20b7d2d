# The engine of all projections. A method is a row,
#   title        what it is called
#   terms        its arguments to list(numerator, denominator), named coefficients of
#                the terms in projection-scatter.R, of those the engine adds itself:
#                  total      f'Hf;  variance  f'Hf/n
#                  norm       |f|^2, b'Kb;  ridge  b'b
#                  smooth     sum over a graph's edges of (f_i - f_j)^2
#                and of `response`, f'Pf/n, or a function, see feature-response.R
#   response     what it needs of y: "any", "class", "optional"
#   domain       does it need domains? A function of its arguments where they decide
#   centred      are the features centred, or only their scores?
#   parameters   function(): the records of arguments that it alone has, see method-parameter.R
# and one ratio is solved for all: maximise b'Nb / b'Db (core/projection/ratio.h). DCM, whose
# two responses do not fit that form, says so by `covariance`.

projection_row <- function(title, terms, response = "optional", domain = TRUE, centred = TRUE,
                           covariance = FALSE, parameters = NULL) {
  list(title = title, terms = terms, response = response, domain = domain, centred = centred,
       covariance = covariance, weights = FALSE, parameters = parameters)
}

# What a projection's function ends in, see learner_call().
projection_call <- function(name, env, call, from, row = NULL) {
  fit_or_specify(method_spec(name, c(name, "dg_projection_spec"), env, row), call, from)
}

# A kernel on the response compares rows of several.
#' @exportS3Method
spec_needs.dg_projection_spec <- function(spec) {
  c(NextMethod(), several = method_of(spec)$response == "any")
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
  if (method_of(spec)$centred && is.null(rows$space)) {
    args$kernel <- free_origin(args, rows$sample$X)
  }
  space <- space_of(args, rows, shared)
  solved <- check_solution(solve_ridge_path(space, spec, rows, shared), spec)
  warn_projection(solved, spec, sample$y)
  new_projection(solved, space, kept_values(rows, sample$y))
}

# Adds the rows of `target` or `unlabelled` after those with a response.
add_unlabelled <- function(sample, args) {
  arg <- intersect(c("target", "unlabelled"), names(args)[!vapply(args, is.null, logical(1))])
  if (length(arg) == 0L) return(sample)
  extra <- args[[arg]]
  columns <- sample$blueprint$domain_columns
  # a domain of their own, also where one is called like the argument
  domain <- if (length(columns) == 0L || !all(columns %in% colnames(extra))) {
    rep(utils::tail(make.unique(c(levels(sample$domain), arg)), 1L), nrow(extra))
  }
  added <- replay(sample$blueprint, extra, domain, needs_domain = TRUE, arg = arg)
  if (nrow(added$X) == 0L) abort("data", "`", arg, "` must have at least one complete row.")
  added$X <- scale_new(sample$blueprint$scaling, added$X, added$domain, NULL)$X
  labels <- c(as.character(sample$domain), as.character(added$domain))
  sample$domain <- factor(labels, union(levels(sample$domain), levels(added$domain)))
  sample$labelled <- rep(c(TRUE, FALSE), c(nrow(sample$X), nrow(added$X)))
  sample$X <- rbind(sample$X, added$X)
  sample
}

check_domains <- function(spec, sample) {
  if (spec$method == "dg_tca" && nlevels(sample$domain) < 2L) {
    abort("data", "`dg_tca()` needs at least two domains, or `target`, not only ",
          enumerate(levels(sample$domain), quote = "\""), ".")
  }
}

# The directions: list(values, coefficients, centre, scores, residual, ...). With `ridges` a list of
# these, one for each ridge in the place of the method's.
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

# The terms as the C++ engine reads them. n: number of rows.
engine_terms <- function(spec, table, n) {
  terms <- projection_terms(spec, n)
  of <- function(side, name) if (is.null(terms[[side]][[name]])) 0 else terms[[side]][[name]]
  all_scores <- function(side) of(side, "total") + of(side, "variance") / n
  numerator <- sum_scatters(terms$numerator, table)
  denominator <- sum_scatters(terms$denominator, table)
  list(
    covariance = method_of(spec)$covariance, norm = of("denominator", "norm"),
    ridge = of("denominator", "ridge"), total = all_scores("numerator"),
    numerator_plus = numerator$plus, denominator_plus = denominator$plus,
    denominator_minus = denominator$minus, spread = scatter_terms$domains(table)$plus,
    within = denominator$within + all_scores("denominator"),
    smooth = of("denominator", "smooth"), centred = method_of(spec)$centred,
    ncomp = spec$args$ncomp, normalise = spec$args$normalise
  )
}

# list(numerator, denominator), lists of coefficients by name. n: number of rows; any, if only the
# names are wanted.
projection_terms <- function(spec, n = 2L) {
  terms <- method_of(spec)$terms(c(spec$args, n = n))
  scatters <- if (method_of(spec)$response == "class") names(scatter_terms) else domain_terms
  both <- c("response", "total", "variance")
  # UU'K^2 is not symmetric
  alone <- identical(spec$args$form, "published")
  allowed <- list(numerator = if (alone) "response" else c(both, setdiff(scatters, minus_terms)),
                denominator = c(both, "norm", "ridge", "smooth", scatters))
  lapply(stats::setNames(nm = names(allowed)), function(side) {
    given <- if (is.list(terms)) as.list(terms[[side]])
    where <- paste0("`", side, "` of the `terms` of `", spec$method, "()`")
    wrong <- setdiff(if (is.null(names(given))) rep("", length(given)) else names(given),
                     allowed[[side]])
    if (length(wrong) || length(given) == 0L && !method_of(spec)$covariance) {
      abort("argument", where, " must have terms by name, of ",
            enumerate(allowed[[side]], length(allowed[[side]])), "; it has ",
            if (length(wrong)) enumerate(wrong) else "none", ".")
    }
    for (name in names(given)) if (!(name == "response" && is.function(given[[name]]))) {
      check_number(given[[name]], name, "non-negative")
    }
    given
  })
}

uses_response <- function(spec) {
  method_of(spec)$covariance ||
    any(vapply(projection_terms(spec), function(side) "response" %in% names(side), NA))
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
    reason <- if (method_of(spec)$response == "optional") "All rows coincide"
              else if (method_of(spec)$covariance) {
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
  if (method_of(spec)$covariance) {
    return(" (all further eigenvalues are 1, and their directions arbitrary)")
  }
  whole <- unlist(projection_terms(spec)$numerator[c("total", "variance")])
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
decision.dg_projection <- function(object, new) {
  scores <- space_expansion(object$space, new, object$directions)
  scores <- sweep(scores, 2L, object$centre)
  colnames(scores) <- names(object$centre)
  scores
}
