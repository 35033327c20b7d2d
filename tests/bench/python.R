# Peers in Python: which python3 has a module, and a process that answers one question per line.

# The first on the path that has it, or NULL.
python_with <- function(module) {
  known <- unique(system2("which", c("-a", "python3"), stdout = TRUE))
  works <- function(python) {
    system2(python, c("-c", shQuote(paste("import", module))), stdout = FALSE, stderr = FALSE) == 0
  }
  Find(works, known)
}

# Runs `code` with a folder and further arguments. It prints "ready", then numbers separated
# by commas for each line it reads. give(name = numbers) writes name.bin into the folder.
start_python <- function(code, module, ..., files = list()) {
  folder <- tempfile("python")
  dir.create(folder)
  give <- function(...) {
    files <- list(...)
    for (name in names(files)) {
      writeBin(c(files[[name]]), file.path(folder, paste0(name, ".bin")))
    }
  }
  do.call(give, files)
  script <- file.path(folder, "peer.py")
  writeLines(code, script)
  questions <- file.path(folder, "questions")
  answers <- file.path(folder, "answers")
  system2("mkfifo", c(questions, answers))
  system(paste(python_with(module), script, folder, ..., "<", questions, ">", answers, "&"))
  to <- fifo(questions, "w", blocking = TRUE)
  from <- fifo(answers, "r", blocking = TRUE)
  stopifnot(identical(readLines(from, 1L), "ready"))
  list(give = give, ask = function(...) {
    writeLines(paste(...), to)
    flush(to)
    as.numeric(strsplit(readLines(from, 1L), ",")[[1L]])
  }, stop = function() {
    close(to)
    close(from)
    unlink(folder, recursive = TRUE, expand = FALSE)
  })
}
