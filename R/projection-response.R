# Terms of the response. With L = FF' the Gram matrix of its kernel, centred over the n rows that
# have one, a term is f'g(L)f in their scores f: the function g(s, n) of L's eigenvalues s makes
# P = L(L + n epsilon I)^-1 of the central subspace, or L itself, as HSIC has it. The core gets U
# with g(L) = UU'.

# F centred, [n x r] as `image`, or what sums of features have of it, Z'F [d x r]; second: F'F;
# uncentred: its trace before; n.
centred_factor <- function(F) {
  centred <- deviations(F)
  list(image = centred, second = crossprod(centred), uncentred = sum(F^2), n = nrow(F))
}

# moments: list(cross = Z'F, second = F'F, sums = F'1); sum: Z'1 over the n rows.
factor_moments <- function(moments, n, sum) {
  mean <- moments$sums / n
  list(image = moments$cross - tcrossprod(sum, mean),
       second = moments$second - n * tcrossprod(mean), uncentred = sum(diag(moments$second)), n = n)
}

# U = FT as list(image, second = U'U).
response_directions <- function(factor, g) {
  pairs <- eigen(factor$second, symmetric = TRUE)
  s <- pairs$values
  # what rounding leaves of a constant response; 16 as in core/projection/centre.h
  noise <- .Machine$double.eps * max(factor$n * s[1L], 256 * .Machine$double.eps * factor$uncentred)
  kept <- which(s > noise)
  s <- s[kept]
  value <- g(s, factor$n)
  if (!is.numeric(value) || length(value) != length(s) || any(!is.finite(value) | value < 0)) {
    abort("argument", "`response`, a function(s, n), must give a non-negative number for each of ",
          "the eigenvalues s (", length(s), "), not ", describe(value), ".")
  }
  T <- sweep(pairs$vectors[, kept, drop = FALSE], 2L, sqrt(value / s), "*")
  list(image = factor$image %*% T, second = diag(value, length(s)))
}

# weight * P/n
central_subspace <- function(epsilon, weight = 1) {
  force(weight)
  function(s, n) weight * s / (s + n * epsilon) / n
}

# What the core reads of the response, and of DCM's domains.
response_parts <- function(spec, response, domain) {
  epsilon <- spec$args$epsilon
  if (spec$parts$covariance) {
    span <- function(s, n) s / (s + n * epsilon)
    own <- response_directions(response, span)
    return(list(response = own$image, response_second = own$second,
                domain = response_directions(domain, span)$image))
  }
  terms <- projection_terms(spec)
  found <- lapply(terms, function(side) {
    g <- side$response
    if (is.null(g)) return(NULL)
    if (is.numeric(g)) {
      if (is.null(epsilon)) {
        abort("argument", "`", spec$method, "()` must have an argument `epsilon`, or a function ",
              "as its term `response`.")
      }
      g <- central_subspace(epsilon, g)
    }
    response_directions(response, g)
  })
  parts <- lapply(found, `[[`, "image")
  if (is.null(parts$numerator) || !identical(spec$args$form, "published")) return(parts)
  if (length(terms$numerator) > 1L) {
    abort("argument", "`form = \"published\"` takes `response` alone in the numerator, not ",
          enumerate(setdiff(names(terms$numerator), "response")), " as well.")
  }
  list(response = parts$numerator, response_second = found$numerator$second,
       denominator = parts$denominator)
}
