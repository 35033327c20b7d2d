# The rows of a call are read once: each block goes to a file of its own, the spool, in a folder
# that goes when the call has ended. All passes go over the spool, on workers too, so that their
# order is the same, and types and levels are those of all rows.

# A source with
#   blocks   list(label, first: number of its first row in the table, rows, file) for each
#   contents what join_types() found out about the columns
#   n        rows
#   folder   where the files are; holds: with it goes the folder
# text: columns that are read as text, whatever they look like: a domain "007" is not 7. Their
# `names(text)` say why: "label", they are domains; "copy", they are copied into predictions, where
# what a file of text says stays as it stands, and a column of another type keeps that.
# columns: NULL for all.
spooled <- function(source, columns = NULL, text = character()) {
  if (!is.null(source$blocks)) return(source)
  source <- with_folder(source)
  # room on the disk, where there was too little
  on.exit(if (is.null(source$store) && is.null(source$blocks)) end_rows(source))
  done <- file.path(source$folder, "rows.rds")
  read <- list(columns = columns, text = text)
  if (!is.null(source$store)) read$source <- source_identity(source)
  if (file.exists(done)) {
    spool <- read_value(done)
    if (!identical(spool$read, read)) {
      abort("argument", "`store` is of another call, which reads ",
            if (identical(spool$read$source, read$source)) "other columns" else "another source",
            ". Give another folder, or remove `", source$folder, "`.")
    }
  } else {
    spool <- c(write_spool(source, columns, text), list(read = read))
    write_value(spool, done)
  }
  source[c("blocks", "contents")] <- spool[c("blocks", "contents")]
  source$n <- sum(vapply(source$blocks, `[[`, 0, "rows"))
  source
}

# In the user's `store`, or in a folder of the call's own.
with_folder <- function(source) {
  if (!is.null(source$store)) {
    source$folder <- file.path(full_path(source$store), "domgen-call")
    check_own_folder(source$folder)
  } else {
    home <- getOption("domgen.spool", tempdir())
    if (!is.character(home) || length(home) != 1L || !dir.exists(home)) {
      abort("argument", "Option `domgen.spool` must be a folder that is there, not ",
            describe(home), ".")
    }
    source$folder <- tempfile("domgen-rows-", home)
    source$holds <- new.env(parent = emptyenv())
    source$holds$folder <- source$folder
    source$holds$process <- Sys.getpid()
    reg.finalizer(source$holds, leave_rows, onexit = TRUE)
  }
  suppressWarnings(dir.create(source$folder, recursive = TRUE, mode = "0700"))
  if (!dir.exists(source$folder)) {
    abort("write", "The folder `", source$folder, "` cannot be made; the rows would be kept there.")
  }
  source
}

# It goes with all that is in it when the call has ended.
check_own_folder <- function(folder) {
  there <- list.files(folder, all.files = TRUE, no.. = TRUE)
  # what is written under a name of its own first has a further ending
  ours <- grepl("^(rows-[0-9]{6}.*|(rows|call|seed|search|.*pass-[0-9]+-.*)[.]rds([.].*)?)$", there)
  ours <- ours & !dir.exists(file.path(folder, there))
  if (file.exists(folder) && !dir.exists(folder) || !all(ours)) {
    abort("argument", "`store` must be a folder whose `domgen-call` is of an unfinished call; `",
          if (all(ours)) folder else file.path(folder, there[!ours][1L]),
          "` is not. Give another folder.")
  }
}

# Removes the folder when the process ends; one that was forked leaves it.
leave_rows <- function(holds) {
  if (holds$process == Sys.getpid()) remove_folder(holds$folder)
}

# Removes the folder when the call has ended.
end_rows <- function(source) remove_folder(source$folder)

remove_folder <- function(folder) unlink(folder, recursive = TRUE, expand = FALSE)

# A path that stays the same in every working folder, also of what is not there yet.
full_path <- function(path) {
  path <- path.expand(path)
  if (file.exists(path)) normalizePath(path)
  else file.path(sub("/$", "", normalizePath(dirname(path), mustWork = FALSE)), basename(path))
}

write_spool <- function(source, columns, text) {
  if (is.null(columns)) columns <- source_names(source)
  read <- if (length(columns)) columns else source_names(source)[1L]
  blocks <- list()
  contents <- NULL
  for (table in source$tables) {
    first <- 1
    at_table(table$label, table$blocks(read, c(text, text_columns(contents)), source$block_size,
                                       function(block) {
      check_columns(block, read, table$label)
      block <- frame_of_columns(unclass(block)[columns], nrow(block))
      block <- text_as_text(block, text[!names(text) %in% "copy"], table$label)
      contents <<- join_types(contents, block, table$label)
      file <- file.path(source$folder, sprintf("rows-%06d", length(blocks) + 1L))
      write_value(block, file)
      blocks[[length(blocks) + 1L]] <<- list(label = table$label, first = first,
                                             rows = nrow(block), file = file)
      first <<- first + nrow(block)
    }), first)
  }
  if (length(blocks) == 0L) abort("data", "The source has no rows.")
  list(blocks = blocks, contents = contents)
}

# What goes wrong in another package while it reads, with the row that was reached.
at_table <- function(label, code, first = 1) {
  on_error(code, function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("data", "`", label, "` cannot be read",
          if (first > 1) paste(" from row", in_full(first), "on"), ": ",
          sub("[.]$", "", conditionMessage(e)), ".")
  })
}

text_as_text <- function(data, text, label) {
  for (name in intersect(text, names(data))) {
    if (!is_understood(data[[name]])) refuse_class(data[[name]], name, paste0("`", label, "`"))
    data[[name]] <- value_labels(data[[name]])
  }
  data
}

# ---- types and levels -------------------------------------------------------------------------

# A predictor with more values has no levels that a source can say.
most_levels <- 10000L

# list(types: of each column that of the first block that has a value there, as a column without
# rows; sure: has there been one? values: levels of factors, and what there is of text, in the order
# in which they came).
join_types <- function(contents, block, label) {
  for (name in names(block)) {
    column <- block[[name]]
    if (!isTRUE(contents$sure[[name]])) {
      contents$types[[name]] <- empty_column(column, name, label)
      contents$sure[[name]] <- is.factor(column) || !all(is.na(column))
    }
    type <- contents$types[[name]]
    if (!is.factor(type) && !is.character(type)) next
    values <- contents$values[[name]]
    if (length(values) > most_levels) next
    if (is.null(values)) values <- as.character(levels(type))
    new <- if (is.factor(column)) levels(without_missing_level(column))
           else unique(on_error(value_labels(column), function(e) NULL))
    contents$values[[name]] <- union(values, new[!is.na(new)])
  }
  contents
}

text_columns <- function(contents) {
  names(Filter(function(type) is.factor(type) || is.character(type), contents$types))
}

# ---- files ------------------------------------------------------------------------------------

# Under a name of its own first: a file is there as a whole or not at all. A full disk is noticed by
# the size alone, because what is written last is in a buffer.
write_value <- function(value, file) {
  part <- tempfile(paste0(basename(file), "."), dirname(file))
  on.exit(unlink(part, expand = FALSE))
  written <- on_error(suppressWarnings({
    connection <- file(part, "wb")
    size <- tryCatch({
      serialize_to(value, connection)
      seek(connection)
    }, finally = close(connection))
    file.size(part) == size && file.rename(part, file)
  }), function(e) FALSE)
  if (isTRUE(written)) return(invisible())
  abort("write", "`", file, "` cannot be written. Is the disk full? `options(domgen.spool = )` or ",
        "`store` name another folder for the rows of a call.")
}

# What tests replace by a full disk.
serialize_to <- function(value, connection) serialize(value, connection, xdr = FALSE)

read_value <- function(file) {
  if (!file.exists(file)) {
    abort("data", "`", file, "` is not there, which has rows of this call. Where workers are on ",
          "other computers, `options(domgen.spool = )` or `store` must name a folder that all ",
          "reach.")
  }
  on_error({
    connection <- file(file, "rb")
    tryCatch(unserialize(connection), finally = close(connection))
  }, function(e) abort("data", "`", file, "` is damaged; remove it, and call again."))
}

# ---- blocks -----------------------------------------------------------------------------------

# f(data, first): the block as the prototype says it; first: number of its first row in the table.
walk_block <- function(block, prototype, f) {
  data <- agree_block(read_value(block$file), prototype, block$label, block$first)
  f(data, block$first)
}

# The numbers that another reader has left beside the blocks, see number_walk().
drop_numbers <- function(source) {
  unlink(list.files(source$folder, "^rows-[0-9]+-", full.names = TRUE), expand = FALSE)
}

# What to add to the row numbers that each block has, to get those in the source.
row_starts <- function(source) {
  sizes <- vapply(source$blocks, `[[`, 0, "rows")
  c(0, cumsum(sizes))[seq_along(sizes)] - vapply(source$blocks, `[[`, 0, "first") + 1
}
