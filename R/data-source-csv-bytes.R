# The bytes of a CSV file, compressed or not, piece by piece.

csv_bytes <- 2^24

# The bytes of a file, compressed or not: list(buffer, size: of a piece, more = function(): the next
# piece is added, ended = function(), close).
csv_stream <- function(partition) {
  path <- partition$path
  size <- if (is.null(partition$bytes)) csv_bytes else partition$bytes
  safely <- function(code) read_bytes(code, partition$label)
  zipped <- identical(safely(readBin(path, "raw", 2L)), as.raw(c(0x1f, 0x8b)))
  connection <- if (zipped) safely(gzfile(path, "rb"))
  buffer <- csv_bytes_()
  total <- 0
  ended <- FALSE
  add <- function() {
    if (!zipped) return(csv_add_file_(buffer, path, total, size))
    found <- safely(readBin(connection, "raw", size))
    csv_add_(buffer, found)
    length(found)
  }
  list(buffer = buffer, size = size, ended = function() ended, more = function() {
    found <- add()
    if (found < 0) abort("data", "`", partition$label, "` cannot be read.")
    total <<- total + found
    ended <<- found < size
    if (ended && zipped) check_gzip(path, total, partition$label)
  }, close = function() if (zipped) close(connection))
}

# A warning says what is wrong, but file() closes what it began only when the error comes.
read_bytes <- function(code, label) {
  said <- NULL
  broken <- function(e) {
    abort("data", "`", label, "` cannot be read: ",
          if (is.null(said)) conditionMessage(e) else said, ".")
  }
  value <- on_error(withCallingHandlers(code, warning = function(w) {
    if (is.null(said)) said <<- conditionMessage(w)
    invokeRestart("muffleWarning")
  }), broken)
  if (is.null(said)) value else broken()
}

# R takes a file that was cut for one that has ended. The last four bytes of each member of a gzip
# file are the number of its bytes.
check_gzip <- function(path, total, label) {
  size <- file.size(path)
  sizes <- gzip_sizes(path, size)
  if (sum(sizes) %% 2^32 != total %% 2^32 && utils::tail(sizes, 1L) != total %% 2^32) {
    abort("data", "`", label, "` is cut or damaged: the compressed file ends after ",
          in_full(total), " bytes of text.")
  }
}

# Of the last member, and of those before it that may be some: each begins with three known bytes.
gzip_sizes <- function(path, size) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  number <- function(bytes) sum(as.numeric(bytes) * 256^(0:3))
  sizes <- numeric()
  tail <- raw()
  while (length(new <- readBin(connection, "raw", 2^24))) {
    bytes <- c(tail, new)
    starts <- grepRaw(as.raw(c(0x1f, 0x8b, 0x08)), bytes, fixed = TRUE, all = TRUE)
    starts <- starts[starts > 4L]
    sizes <- c(sizes, vapply(starts, function(at) number(bytes[at - 4:1]), 0))
    tail <- utils::tail(bytes, 6L)
  }
  sizes <- sizes[sizes <= 1032 * size]
  c(sizes, number(utils::tail(tail, 4L)))
}
