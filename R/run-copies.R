# Partitions of text are parsed once for all passes of a fit: the first, the survey, leaves the
# numbers of each in a file of the session's temporary folder, as it read them, and those after it
# take them from there. Without such a file a pass reads the partition itself, so that nothing
# depends on it but time.

# The most bytes that a call leaves there, as estimated by with_copies().
copies_limit <- function() {
  limit <- getOption("domgen.copies_limit", 2^30)
  if (is.numeric(limit) && length(limit) == 1L && isTRUE(limit >= 0)) return(limit)
  abort("argument", "Option `domgen.copies_limit` must be one number of bytes, 0 or more, not ",
        describe(limit), ".")
}

# The reader, with the file of each partition that is parsed, as many of the first as the limit
# allows; NA where there is none. Domains, response and weights take as much as a column.
with_copies <- function(reader, source) {
  ctx <- source$ctx
  parsed <- vapply(source$partitions, partition_parses, NA)
  bytes <- parsed * ctx$counts * 8 * (length(reader$unit) + 3)
  kept <- bytes > 0 & ctx$copied + cumsum(bytes) <= copies_limit()
  if (!any(kept)) return(reader)
  ctx$copied <- ctx$copied + sum(bytes[kept])
  folder <- tempfile("domgen-rows-")
  if (!dir.create(folder, showWarnings = FALSE, mode = "0700")) return(reader)
  ctx$copies <- c(ctx$copies, folder)
  reader$copies <- ifelse(kept, file.path(folder, seq_along(kept)), NA_character_)
  reader
}

remove_copies <- function(ctx) unlink(ctx$copies, recursive = TRUE, expand = FALSE)

# f(numbers, size, first) for each block of a partition, as walk_blocks(); size: of the block, with
# the rows that numbers_of() leaves out.
walk_numbers <- function(reader, partition, number, rows, f) {
  file <- if (is.null(reader$copies)) NA else reader$copies[number]
  if (!is.na(file) && file.exists(file)) return(walk_copy(file, f))
  copy <- new_copy(file)
  on.exit(copy$close())
  whole <- TRUE
  walk_blocks(partition, reader$prototype, rows, function(data, first) {
    block <- numbers_of(reader, data, list(label = partition$label, first = first))
    copy$add(list(block, nrow(data), first))
    whole <<- !isFALSE(f(block, nrow(data), first))
  })
  if (whole) copy$complete()
}

walk_copy <- function(file, f) {
  connection <- safely_read(file(file, "rb"), file, 1)
  on.exit(close(connection))
  first <- 1
  while (!is.null(block <- safely_read(unserialize(connection), file, first))) {
    first <- block[[3L]] + block[[2L]]
    if (isFALSE(f(block[[1L]], block[[2L]], block[[3L]]))) break
  }
}

# What tests replace by a full disk.
write_block <- function(block, connection) serialize(block, connection, xdr = FALSE)

# list(add = function(block), complete = function(): the file gets its name, close: what is not
# complete goes). Workers on other machines, where there is no such folder, write nothing, nor does
# one whose disk is full.
new_copy <- function(file) {
  part <- connection <- NULL
  attempt <- function(code) {
    on_error(suppressWarnings(code), function(e) end(whole = FALSE))
    invisible()
  }
  end <- function(whole) {
    if (is.null(connection)) return(invisible())
    size <- seek(connection)
    close(connection)
    connection <<- NULL
    # a full disk is noticed by the size alone: what is written last is in a buffer
    whole <- whole && file.size(part) == size
    if (!whole || !suppressWarnings(file.rename(part, file))) remove_files(part)
  }
  if (!is.na(file) && dir.exists(dirname(file))) attempt({
    part <- tempfile("part-", dirname(file))
    connection <- file(part, "wb")
  })
  add <- function(block) {
    if (!is.null(connection)) attempt(write_block(block, connection))
  }
  list(add = add, close = function() end(whole = FALSE), complete = function() {
    # NULL ends it
    add(NULL)
    end(whole = TRUE)
  })
}
