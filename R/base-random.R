# Random numbers that do not depend on where and when code is evaluated.

# The same for a seed on any worker, whatever generator was chosen there; the caller's are
# left as they were. A seed that is NULL changes nothing.
with_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(list = ".Random.seed", envir = globalenv())
          else assign(".Random.seed", old, globalenv()))
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  code
}

draw_seeds <- function(n) sample.int(.Machine$integer.max, n)
