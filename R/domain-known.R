# Any domain kernel at domains that were described before one of their rows is predicted: kappa of
# each is looked up by its name. Rows that come in blocks need it, and a model that was adapted to
# one domain, to which all further rows belong.

# new: rows of all of these domains, or list(domain, coordinates, threads) where sums describe them.
# names: NULL for one domain, to which all rows belong whatever they say.
domain_known <- function(kernel, new, names = levels(new$domain)) {
  new_domain_kernel("known", names = names, row = unname(domain_kappa(kernel, new)),
                    own = unname(domain_own(kernel, new)), kappa = kernel$kappa,
                    coordinates = unname(domain_coordinates(kernel, new)),
                    words = without_exponents(format(kernel)))
}

# One domain seen from itself alone: what is learned there.
domain_alone <- function(kernel) {
  kernel$row <- kernel$kappa <- matrix(kernel$own)
  kernel
}

#' @exportS3Method
domain_knows.domain_known <- function(kernel) "names"

known_places <- function(kernel, new) {
  if (is.null(kernel$names)) return(rep(1L, nlevels(new$domain)))
  places <- match(levels(new$domain), kernel$names)
  if (anyNA(places)) {
    abort("data", "The domain ", enumerate(levels(new$domain)[is.na(places)], 1L, "\""),
          " was not in the rows that described the domains; have the rows changed?")
  }
  places
}

#' @exportS3Method
domain_kappa.domain_known <- function(kernel, rows, among = FALSE) {
  if (among && nlevels(rows$domain) > 1L) {
    abort("argument", "Domains that were described before cannot be compared with each ",
          "other: give the rows of one domain at a time.")
  }
  if (among) return(matrix(domain_own(kernel, rows)))
  kernel$row[known_places(kernel, rows), , drop = FALSE]
}

#' @exportS3Method
domain_own.domain_known <- function(kernel, rows) kernel$own[known_places(kernel, rows)]

#' @exportS3Method
domain_coordinates.domain_known <- function(kernel, rows) {
  kernel$coordinates[known_places(kernel, rows), , drop = FALSE]
}

#' @export
format.domain_known <- function(x, ...) x$words
