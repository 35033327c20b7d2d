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

# A line for each cell, method and measure: mean over draws, its standard error, the paper's value.
summarise_results <- function(lines) {
  cells <- setdiff(names(lines), c("draw", "value", "paper", "parameters", "seconds",
                                   "search_seconds", "seed", "version", "blas"))
  group <- do.call(paste, c(unname(lapply(lines[cells], as.character)), list(sep = "\r")))
  rows <- split(lines, factor(group, unique(group)))
  table <- do.call(rbind, lapply(rows, function(d) {
    data.frame(d[1L, cells, drop = FALSE], mean = mean(d$value),
               se = if (nrow(d) > 1L) stats::sd(d$value) / sqrt(nrow(d)) else NA_real_,
               paper = d$paper[1L], draws = nrow(d), seconds = stats::median(d$seconds))
  }))
  row.names(table) <- NULL
  table
}

# Differences to `reference` in the same draws: mean and standard error over draws.
paired_differences <- function(lines, reference, measure) {
  lines <- lines[lines$measure == measure, ]
  cells <- setdiff(names(lines), c("draw", "method", "value", "paper", "parameters", "seconds",
                                   "search_seconds", "seed", "version", "blas"))
  base <- lines[lines$method == reference, c(cells, "draw", "value")]
  names(base)[names(base) == "value"] <- "base"
  both <- merge(lines[lines$method != reference, ], base, by = c(cells, "draw"))
  both$value <- both$value - both$base
  both$paper <- NA_real_
  summarise_results(both[setdiff(names(both), "base")])
}
