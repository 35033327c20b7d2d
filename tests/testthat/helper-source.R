# Fits to sources beside fits to the same rows in memory.

# A call on a source draws one seed, from which all its random numbers come; the same numbers for a
# fit in memory.
as_in_source <- function(seed, code) {
  set.seed(seed)
  drawn <- sample.int(.Machine$integer.max, 1L)
  set.seed(drawn, "Mersenne-Twister", "Inversion", "Rejection")
  force(code)
}

in_source <- function(seed, code) {
  set.seed(seed)
  force(code)
}

# CSV files of contiguous rows, all digits of them.
write_files <- function(data, k, folder = tempfile("files")) {
  dir.create(folder)
  pieces <- split(data, sort(rep_len(seq_len(k), nrow(data))))
  for (i in seq_len(k)) {
    numeric <- vapply(pieces[[i]], is.double, NA)
    pieces[[i]][numeric] <- lapply(pieces[[i]][numeric], function(x) sprintf("%.17g", x))
    utils::write.csv(pieces[[i]], file.path(folder, sprintf("part-%02d.csv", i)),
                     row.names = FALSE, quote = FALSE)
  }
  folder
}
