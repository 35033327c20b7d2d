# Random numbers that do not depend on where and when code is run.

# A seed gives the same numbers on any worker, whatever its generator; the caller's generator is
# unchanged. If the seed is NULL, nothing is done.
with_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit(if (is.null(old)) rm(list = ".Random.seed", envir = globalenv())
          else assign(".Random.seed", old, globalenv()))
  set.seed(seed, "Mersenne-Twister", "Inversion", "Rejection")
  code
}

draw_seeds <- function(n) sample.int(.Machine$integer.max, n)

# At most so many of the numbers i, at random, in their order.
sample_most <- function(i, most) if (length(i) > most) sort(i[sample.int(length(i), most)]) else i

# What set.seed() takes.
seed_rule <- value_rule("number", -.Machine$integer.max, .Machine$integer.max)

check_seed <- function(seed) check_value(seed, "seed", seed_rule)
