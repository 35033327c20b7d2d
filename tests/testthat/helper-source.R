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

# What the tests of row sources share.

# All rows of a source, agreed with its prototype; rows: of a block; bytes: of a piece of a CSV file.
source_rows <- function(source, columns = NULL, free = character(), rows = NULL, bytes = 2^22) {
  source <- row_source(source)
  if (!is.null(rows)) source$block_size <- as.integer(rows)
  source <- with_replaced("piece_bytes", bytes, spooled(source, columns, c(free, names(source$levels))))
  on.exit(end_rows(source))
  prototype <- source_prototype(source, columns, free)
  seen <- 0
  blocks <- lapply(source$blocks, walk_block, prototype, function(data, first) {
    # an expectation for each block would take longer than the blocks
    stopifnot(first == 1 || first == seen + 1, nrow(data) <= source$block_size)
    seen <<- first + nrow(data) - 1
    data
  })
  found <- do.call(rbind, c(list(prototype), blocks))
  stopifnot(nrow(found) == source$n)
  found
}

# The value of code(source) of rows that are under way.
over_spool <- function(input, code) {
  over_source(input$source, function() spool_input(input)$source, list(), code)
}

source_folder <- function() {
  folder <- tempfile("source")
  dir.create(folder)
  folder
}

# A file of this text (UTF-8) or of these bytes.
source_file <- function(content, name = "a.csv", folder = tempfile("source")) {
  dir.create(folder, showWarnings = FALSE)
  file <- file.path(folder, name)
  writeBin(if (is.raw(content)) content else charToRaw(enc2utf8(content)), file)
  file
}

# Every kind of column that all kinds of files can have.
mixed_rows <- function(n = 60) {
  with_seed(4, {
    data <- data.frame(
      x = round(stats::rnorm(n), 4), count = sample(1:9, n, TRUE),
      flag = sample(c(TRUE, FALSE), n, TRUE),
      kind = sample(c("b", "a", "with, comma", "with \"quote\"\nand line"), n, TRUE),
      when = as.Date("2020-02-27") + seq_len(n), code = sprintf("%03d", seq_len(n) %% 5),
      y = round(stats::rnorm(n), 4)
    )
    data$x[3] <- data$kind[4] <- data$when[5] <- data$count[6] <- NA
    data
  })
}

# The rows that every source of mixed_rows() must give, with `code` free.
mixed_expected <- function(data = mixed_rows()) {
  data$kind <- factor(data$kind)
  data$count <- as.double(data$count)
  data$when <- structure(as.double(data$when), class = "Date")
  data
}
