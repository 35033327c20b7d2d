# Runs experiments: draws, cells, resuming, progress, writing.

# Columns of the lines that are no key of a cell.
common_columns <- c("draw", "method", "measure", "value", "paper", "parameters", "seconds",
                    "search_seconds", "seed", "version", "blas")

# Rows that say the same in other types are the same.
key <- function(table, columns) {
  do.call(paste, c(lapply(table[columns], function(column) {
    # each number by itself: format() gives all as many decimals as one needs
    if (is.numeric(column)) sprintf("%.10g", column) else as.character(column)
  }), list(sep = "\r")))
}

# The lines of an experiment that `file` does not have yet are computed and added to it, cell by
# cell, so that a run that is stopped goes on where it was. Returns all lines.
run_experiment <- function(name, known, size = "normal", draws = NULL, file = NULL) {
  e <- known[[name]]
  absent <- c(missing_data(e$data), missing_packages(e$packages))
  if (length(absent)) {
    message("-- ", name, ": skipped. ", paste(absent, collapse = "\n   "))
    return(NULL)
  }
  data <- stats::setNames(lapply(e$data, read_data), e$data)
  cells <- e$cells(size)
  if (is.null(draws)) draws <- e$draws[[size]]
  done <- read_lines(file, names(cells), e$outcomes)
  if (!is.null(file)) check_writable(file)
  todo <- expand.grid(cell = seq_len(nrow(cells)), draw = seq_len(draws))
  begin <- proc.time()[["elapsed"]]
  for (k in seq_len(nrow(todo))) {
    cell <- cells[todo$cell[k], , drop = FALSE]
    draw <- todo$draw[k]
    wanted <- cbind(cell, draw = draw)
    if (!is.null(done) && key(wanted, names(wanted)) %in% key(done, names(wanted))) next
    lines <- run_cell(e, cell, draw, data)
    # another run may have added lines meanwhile
    if (!is.null(file)) done <- read_lines(file, names(cells), e$outcomes)
    done <- rbind(done, lines)
    if (!is.null(file)) write_lines(done, file)
    say_progress(name, as_lines(lines, e, cells), k, nrow(todo), proc.time()[["elapsed"]] - begin)
  }
  done
}

run_cell <- function(e, cell, draw, data) {
  seed <- 1000L + draw
  set.seed(seed)
  lines <- quietly(e$run(as.list(cell), draw, data))
  if (length(e$outcomes)) {
    if (!is.null(lines$seed)) seed <- lines$seed[1L]
    own <- setdiff(names(lines), c(names(cell), provenance, "draw"))
    return(data.frame(cell, lines[own], draw = draw, provenance_of(seed), row.names = NULL))
  }
  for (column in c("seconds", "search_seconds")) {
    if (is.null(lines[[column]])) lines[[column]] <- NA_real_
    lines[[column]] <- round(lines[[column]], 3)
  }
  if (is.null(lines$parameters)) lines$parameters <- ""
  lines$value <- signif(lines$value, 6)
  lines[provenance] <- provenance_of(seed)
  lines$draw <- draw
  data.frame(cell, lines[c(setdiff(names(lines), common_columns), common_columns)],
             row.names = NULL)
}

provenance <- c("seed", "version", "blas")

provenance_of <- function(seed) {
  data.frame(seed = seed, version = as.character(utils::packageVersion("domgen")), blas = machine())
}

# Tables with a column for each outcome as lines: what else they have names the method.
as_lines <- function(table, e, cells) {
  if (length(e$outcomes) == 0L) return(table)
  names <- setdiff(names(table), c(e$outcomes, names(cells), provenance, "draw", "seconds"))
  method <- if (length(names)) do.call(paste, c(unname(table[names]), sep = ", ")) else "all"
  bind(lapply(e$outcomes, function(outcome) {
    data.frame(table[c(names(cells), "draw")], method = method, measure = outcome,
               value = signif(as.numeric(table[[outcome]]), 6), paper = NA_real_, parameters = "",
               seconds = NA_real_, search_seconds = NA_real_, table[provenance])
  }))
}

# What a file has, each line once; NULL: nothing.
read_lines <- function(file, cells, outcomes = character()) {
  if (is.null(file) || !file.exists(file)) return(NULL)
  lines <- tryCatch(utils::read.csv(file), error = function(e) NULL, warning = function(w) NULL)
  own <- if (length(outcomes)) c(outcomes, provenance, "draw") else common_columns
  if (!all(c(cells, own) %in% names(lines)) || !length(outcomes) && !is.numeric(lines$value)) {
    stop(file, " has no results that can be read; move it away and run this again.", call. = FALSE)
  }
  lines[!duplicated(key(lines, setdiff(cell_columns(lines, NULL), outcomes))), ]
}

# Another process may write the same file.
part_of <- function(file) paste0(file, ".part", Sys.getpid())

# Before a first cell takes minutes.
check_writable <- function(file) {
  dir.create(dirname(file), showWarnings = FALSE, recursive = TRUE)
  on.exit(unlink(part_of(file), expand = FALSE))
  if (!suppressWarnings(file.create(part_of(file)))) {
    stop("The results cannot be written to ", file, call. = FALSE)
  }
}

write_lines <- function(lines, file) {
  utils::write.csv(lines, part_of(file), row.names = FALSE, na = "")
  file.rename(part_of(file), file)
}

show_results <- function(table, e, size) {
  if (!is.null(e$summary)) return(invisible(e$summary(table)))
  if (length(e$outcomes)) return(print(table, digits = 3, row.names = FALSE))
  print(summarise_results(as_lines(table, e, e$cells(size))), digits = 4, row.names = FALSE)
}

say_progress <- function(name, lines, k, all, seconds) {
  first <- lines[lines$measure == lines$measure[1L], ]
  cat(sprintf("-- %s: %d of %d, %.0f s; %s\n   %s\n", name, k, all, seconds, lines$measure[1L],
              paste0(first$method, " ", signif(first$value, 4), collapse = ", ")))
  utils::flush.console()
}
