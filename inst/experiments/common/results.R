# Stored results and their summary: what the vignettes show.

results_folder <- function() {
  installed <- system.file("experiments", "results", package = "domgen")
  if (nzchar(installed)) installed else "inst/experiments/results"
}

read_results <- function(name, folder = results_folder()) {
  file <- file.path(folder, paste0(name, ".csv"))
  if (!file.exists(file)) return(NULL)
  utils::read.csv(file)
}

# The columns of lines that say what was done, not what came of it, less `without`.
cell_columns <- function(lines, without = "draw") {
  outcome <- setdiff(common_columns, c("draw", "method", "measure"))
  setdiff(names(lines), c(outcome, without))
}

# A line for each cell, method and measure: mean over draws, its standard error, the paper's value.
summarise_results <- function(lines) {
  cells <- cell_columns(lines)
  group <- key(lines, cells)
  rows <- split(lines, factor(group, unique(group)))
  table <- do.call(rbind, lapply(rows, function(d) {
    data.frame(d[1L, cells, drop = FALSE], mean = mean(d$value),
               se = if (nrow(d) > 1L) stats::sd(d$value) / sqrt(nrow(d)) else NA_real_,
               paper = d$paper[1L], draws = nrow(d), seconds = stats::median(d$seconds))
  }))
  row.names(table) <- NULL
  table
}

# Lines of the other methods with the value of `reference` in the same cell and draw taken away.
subtract_reference <- function(lines, reference, measure) {
  lines <- lines[lines$measure %in% measure, ]
  same <- key(lines, cell_columns(lines, "method"))
  base <- lines$method == reference
  lines$value <- lines$value - lines$value[base][match(same, same[base])]
  lines$paper <- lines$paper - lines$paper[base][match(same, same[base])]
  lines[!base & !is.na(lines$value), ]
}

# Differences to `reference` in the same draws: mean and standard error over draws.
paired_differences <- function(lines, reference, measure) {
  summarise_results(subtract_reference(lines, reference, measure))
}
