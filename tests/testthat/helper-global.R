# Packages that ask a model for its data look for the names in its call where a user has them.
with_globals <- function(values, code) {
  list2env(values, globalenv())
  on.exit(rm(list = names(values), envir = globalenv()))
  code
}
