# Stored results and their summary: what the vignettes show.

results_folder <- function() {
  installed <- system.file("experiments", "results", package = "domgen")
  if (nzchar(installed)) installed else "inst/experiments/results"
}

# What is installed is compressed, to a tenth; what run.R writes is not.
stored_file <- function(name, folder = results_folder()) {
  files <- file.path(folder, paste0(name, c(".csv", ".csv.gz")))
  files[file.exists(files)]
}

is_stored <- function(...) length(stored_file(...)) > 0L

read_results <- function(...) if (is_stored(...)) utils::read.csv(stored_file(...)[1L])

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

# Unseen over training domains, where draws are splits of the same domains (dica-table-2: each is
# left out). All other experiments simulate new domains in each draw.
shared_domains <- c(`dica-table-1` = 6 / 6, `dica-table-2` = 1 / 11, `dica-table-3` = 12 / 30,
                    `mtl-tables-3-4` = 7 / 35, `mtl-tables-7-8` = 6 / 10, `dcm-table-4` = 13 / 29,
                    `dcm-table-5` = 7 / 5, `dcm-table-5, fast` = 8 / 4, `dcm-table-6` = 20 / 9)
shared <- function(name, form = NULL) {
  if (name == "dcm-table-5" && any(form == "fast")) {
    name <- paste0(name, ifelse(form == "fast", ", fast", ""))
  }
  ifelse(name %in% names(shared_domains), unname(shared_domains[name]), 0)
}

# `methods` (NULL: all) less `reference` in the same draws, line by line: mean, se, paper, draws and
# what add_intervals() adds. In each draw it is the mean over `over`, columns of cells.
paired <- function(lines, methods, reference, measure, shared = 0, over = NULL) {
  if (!is.null(methods)) lines <- lines[lines$method %in% c(methods, reference), ]
  lines <- subtract_reference(lines, reference, measure)
  if (!is.null(over)) lines <- mean_lines(lines, over)
  add_intervals(summarise_results(lines), shared)
}

# Summaries with a 95 % interval (lower, upper) and p by Student's t over draws; holm: p for all of
# them together; detectable: the difference that p < 0.05 would be found for with a power of 80 %,
# about. Draws that share domains vary too little: their variance is multiplied by Nadeau
# and Bengio's factor (2003), `shared` being unseen over training domains; se stays as it is.
add_intervals <- function(d, shared = 0) {
  se <- d$se * sqrt(1 + d$draws * shared)
  df <- pmax(d$draws - 1, 1) # of one draw se is NA
  d$lower <- d$mean - stats::qt(0.975, df) * se
  d$upper <- d$mean + stats::qt(0.975, df) * se
  d$p <- 2 * stats::pt(-abs(d$mean / se), df)
  d$holm <- stats::p.adjust(d$p, "holm")
  d$detectable <- (stats::qt(0.975, df) + stats::qt(0.8, df)) * se
  d
}

# Which differences are told apart from zero, one at a time.
is_apart <- function(d) !is.na(d$p) & d$p < 0.05

# Lines with means over `over` (columns of cells, or "draw"), of the draws that have all cells.
mean_lines <- function(lines, over) {
  count <- table(lines$draw)
  lines <- lines[lines$draw %in% names(count)[count == max(count)], ]
  group <- key(lines, setdiff(cell_columns(lines, NULL), over))
  first <- lines[!duplicated(group), setdiff(names(lines), over)]
  for (column in c("value", "paper")) {
    first[[column]] <- as.vector(tapply(lines[[column]], group, mean)[unique(group)])
  }
  first
}

# Where each domain was left out: domains in place of draws, each with its mean over draws.
domains_as_draws <- function(lines) {
  lines <- mean_lines(lines, "draw")
  names(lines)[names(lines) == "domain"] <- "draw"
  lines
}

# Mean over draws, and over cells that `...` does not name, of each of `methods`.
mean_of <- function(lines, methods, measure, ...) {
  at <- list(measure = measure, ...)
  for (cell in names(at)) lines <- lines[lines[[cell]] == at[[cell]], ]
  vapply(methods, function(m) mean(lines$value[lines$method == m]), 0)
}

# The method with the largest mean, and that.
best <- function(lines, methods, measure) {
  value <- mean_of(lines, methods, measure)
  value[which.max(value)]
}

# Methods whose names match, in the order of the lines.
methods_like <- function(lines, pattern) grep(pattern, unique(lines$method), value = TRUE)

# dcm-cost: a line for each fast form, its score (own), that of the exact form, their difference
# with its standard error over unseen domains, and how many times as fast it is.
fast_and_exact <- function(lines) {
  table <- summarise_results(lines)
  fast <- table[table$measure == "difference", ]
  cells <- c("task", "landmarks", "method")
  value <- function(measures, method = fast$method, column = "mean") {
    d <- table[table$measure %in% measures, ]
    d[[column]][match(key(cbind(fast[cells[1:2]], method), cells), key(d, cells))]
  }
  cbind(fast, own = value(c("auc", "rmse")),
        exact = value(c("auc", "rmse"), sub("Fast", "", fast$method)),
        over_domains = value("difference_se"), ratio = value("cost_ratio"),
        ratio_se = value("cost_ratio", column = "se"))
}
