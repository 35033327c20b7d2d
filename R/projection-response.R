# Terms of the response, see feature-response.R: the core gets U with g(L) = UU'.

# What the core reads of the response, and of DCM's domains.
response_parts <- function(spec, response, domain) {
  epsilon <- spec$args$epsilon
  if (method_of(spec)$covariance) {
    span <- function(s, n) n * central_subspace(epsilon)(s, n)
    labels <- response_directions(response, span)
    return(list(response = labels$image, response_second = labels$second,
                domain = response_directions(domain, span)$image))
  }
  sides <- lapply(projection_terms(spec), function(side) {
    g <- side$response
    if (is.numeric(g)) g <- central_subspace(check_number(epsilon, "epsilon"), g)
    if (!is.null(g)) response_directions(response, g)
  })
  parts <- lapply(sides, `[[`, "image")
  if (is.null(parts$numerator) || !identical(spec$args$form, "published")) return(parts)
  list(response = parts$numerator, response_second = sides$numerator$second,
       denominator = parts$denominator)
}
