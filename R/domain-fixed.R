# Any kernel between domains at one domain that was described once and for all: whatever rows come,
# they are of it. Of kappa nothing is left but the row of that domain.

domain_fixed <- function(kernel, rows) {
  new_domain_kernel("fixed", row = unname(domain_kappa(kernel, rows)),
                    own = domain_own(kernel, rows), kappa = kernel$kappa,
                    coordinates = domain_coordinates(kernel, rows),
                    words = plain_numbers(format(kernel)))
}

# The same seen from that domain alone: what is learned there.
domain_alone <- function(kernel) {
  kernel$row <- kernel$kappa <- matrix(kernel$own)
  kernel
}

#' @exportS3Method
domain_knows.domain_fixed <- function(kernel) "names"

#' @exportS3Method
domain_kappa.domain_fixed <- function(kernel, rows, among = FALSE) {
  if (among) matrix(kernel$own) else kernel$row
}

#' @exportS3Method
domain_own.domain_fixed <- function(kernel, rows) kernel$own

#' @exportS3Method
domain_coordinates.domain_fixed <- function(kernel, rows) kernel$coordinates

#' @export
format.domain_fixed <- function(x, ...) x$words
