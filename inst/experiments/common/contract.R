# What an experiment says about itself. A file `<paper>-<table>.R` beside run.R is one call:
#
#   experiment(
#     paper = "DICA", item = "table 1", title = "what it compares, on which data",
#     data = "gvhd_flowcap1",                        # names in data.R; character() for simulations
#     packages = "ranger",                           # without which it is skipped, if any
#     draws = c(quick = 1, normal = 5, full = 30),   # repetitions; full: the paper's number
#     minutes = c(quick = 0.2, normal = 20, full = 120),
#     cells = function(size) expand.grid(rows = c(100, 500)),   # size: "quick", "normal", "full"
#     tolerance = c(accuracy = 2),                   # of --check on another machine than that of
#                                                    # the stored run, by measure; those without one
#                                                    # (times) are not compared
#     outcomes = c("reported", "true"),              # columns, where lines are not result_lines()
#     summary = function(table) ...                  # prints results; without it, means over draws
#     run = function(cell, draw, data) ...           # one cell of the table in one draw
#   )
#
# `run` gets one line of the cells as a list, the number of the draw, and the data as a named list
# of data frames; the seed is set, the same for all cells of a draw, so that cells differ in
# nothing but what the table varies. It returns lines made by result_lines() (score.R), bound
# together, or where there are `outcomes` a data frame with a column for each of them, beside what
# names the line. Warnings are not shown.
#
# A tolerance is at least twice what quick runs were seen to be off with the reference BLAS and with
# OpenBLAS for another core (OPENBLAS_CORETYPE=Prescott), which is 0 for most, and one and a half
# rows of what is counted: less than the distance between two methods that are swapped.

experiment <- function(paper, item, title, run, data = character(), draws, minutes,
                       cells = function(size) data.frame(row.names = 1L), tolerance = numeric(),
                       packages = character(), outcomes = character(), summary = NULL) {
  sizes <- c("quick", "normal", "full")
  stopifnot(
    paper %in% c("DICA", "MTL", "DCM", "domgen"), is.character(item), is.character(title),
    is.function(run), identical(names(formals(run)), c("cell", "draw", "data")),
    is.character(data), identical(names(draws), sizes), identical(names(minutes), sizes),
    is.function(cells), is.numeric(tolerance), is.character(packages), is.character(outcomes),
    is.null(summary) || is.function(summary)
  )
  structure(list(paper = paper, item = item, title = title, run = run, data = data,
                 draws = draws, minutes = minutes, cells = cells, tolerance = tolerance,
                 packages = packages, outcomes = outcomes, summary = summary),
            class = "experiment")
}

# The experiments of a folder by name. Each file is read in an environment of its own, so that what
# it defines for itself stays there; it sees what `parent` has (run.R: the common files).
read_experiments <- function(folder, parent = globalenv()) {
  files <- setdiff(list.files(folder, "[.]R$", full.names = TRUE), file.path(folder, "run.R"))
  known <- lapply(files, function(file) {
    own <- new.env(parent = parent)
    own$experiment <- experiment
    source(file, local = own, keep.source = FALSE)$value
  })
  names(known) <- sub("[.]R$", "", basename(files))
  known
}

list_experiments <- function(known) {
  text <- function(part) vapply(known, function(e) paste(e[[part]], collapse = ", "), "")
  number <- function(part, size) vapply(known, function(e) unname(e[[part]][size]), 0)
  table <- data.frame(name = names(known), paper = text("paper"), item = text("item"),
                      title = text("title"), data = text("data"),
                      quick_draws = number("draws", "quick"), draws = number("draws", "normal"),
                      full_draws = number("draws", "full"),
                      quick_minutes = number("minutes", "quick"),
                      minutes = number("minutes", "normal"),
                      full_minutes = number("minutes", "full"))
  row.names(table) <- NULL
  table
}
