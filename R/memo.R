# Work that several fits to the same rows share. A memo keeps in each slot the last value that was
# made and what it was made from; without a memo everything is made anew.

# siblings: the specifications that will be fitted to the same rows.
new_memo <- function(siblings = NULL) list2env(list(siblings = siblings), parent = emptyenv())

# value: evaluated only where the slot holds nothing for this key.
recall <- function(memo, slot, key, value) {
  if (is.null(memo)) return(value)
  held <- memo[[slot]]
  if (is.null(held) || !identical(held$key, key)) {
    held <- list(key = key, value = value)
    memo[[slot]] <- held
  }
  held$value
}
