# Files that the package writes: each is there as a whole or not at all, and nothing is removed but
# by its own name.

# Of names, not of patterns: base R's unlink() takes `*`, `?` and `[` for wildcards.
remove_files <- function(paths) unlink(path.expand(paths), expand = FALSE)

# Folders that have nothing in them; what comes at the last moment stays.
remove_folders <- function(paths) {
  for (path in paths[dir.exists(paths) & !is_link(paths)]) {
    if (length(list_all(path))) next
    if (.Platform$OS.type == "windows") unlink(path, recursive = TRUE, expand = FALSE)
    else suppressWarnings(file.remove(path))
  }
}

list_all <- function(folder) list.files(folder, all.files = TRUE, no.. = TRUE)

is_link <- function(paths) nzchar(Sys.readlink(paths), keepNA = TRUE) %in% TRUE

# A path that stays the same in every working folder, also of what is not there yet.
full_path <- function(path) {
  path <- path.expand(path)
  if (file.exists(path)) normalizePath(path)
  else file.path(sub("/$", "", normalizePath(dirname(path), mustWork = FALSE)), basename(path))
}

# Is it the path of a folder, or of something in it?
lies_in <- function(paths, folder) paths == folder | startsWith(paths, paste0(folder, "/"))

make_folder <- function(path, label) {
  if (!dir.exists(path)) suppressWarnings(dir.create(path, recursive = TRUE))
  if (dir.exists(path)) return(invisible())
  abort("write", "`", label, "` cannot be written: the folder `", path, "` cannot be made.")
}

# Under a name of its own first, and read again: a full disk is no error of saveRDS(). Gives whether
# it is there.
save_whole <- function(value, file) {
  part <- tempfile(paste0(basename(file), "."), dirname(file), ".new")
  on.exit(remove_files(part))
  isTRUE(on_error(suppressWarnings({
    write_value(value, part)
    readRDS(part)
    file.rename(part, file)
  }), function(e) FALSE))
}

# What tests replace by a full disk.
write_value <- function(value, file) saveRDS(value, file, compress = FALSE)

write_whole <- function(value, file, label) {
  if (save_whole(value, file)) return(invisible())
  abort("write", "`", label, "` cannot be written: `", file, "`. Is the disk full?")
}

# A full disk is noticed by the size alone: what is written last is in a buffer.
append_bytes <- function(file, bytes, size, label) {
  written <- on_error(suppressWarnings({
    connection <- file(file, "ab")
    tryCatch(writeBin(bytes, connection), finally = close(connection))
    TRUE
  }), function(e) FALSE)
  found <- as.numeric(file.size(file))
  if (written && identical(found, as.numeric(size))) return(invisible())
  if (isTRUE(found > size)) abort_changed(file, label)
  abort("write", "`", label, "` cannot be written: `", file, "` has no space for ",
        in_full(length(bytes)), " more bytes. Is the disk full?")
}

abort_changed <- function(file, label) {
  abort("write", "`", label, "` cannot be finished: another process writes here, or has changed `",
        file, "`.")
}

# What was written after the last whole block.
cut_back <- function(file, bytes) {
  if (!file.exists(file) || file.size(file) <= bytes) return(invisible())
  connection <- file(file, "r+b")
  on.exit(close(connection))
  seek(connection, bytes, rw = "write")
  truncate(connection)
}

append_file <- function(to, from, skip, size, label) {
  connection <- file(from, "rb")
  on.exit(close(connection))
  readBin(connection, "raw", skip)
  while (length(bytes <- readBin(connection, "raw", 2^24))) {
    size <- size + length(bytes)
    append_bytes(to, bytes, size, label)
  }
  size
}
