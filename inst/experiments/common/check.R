# Quick runs against stored ones, so that a change that breaks a result is seen.

# One line of text for each stored value that a new run misses by more than its tolerance or lacks.
deviations <- function(new, stored, tolerance) {
  stored <- stored[stored$measure %in% names(tolerance), ]
  by <- cell_columns(stored, NULL)
  at <- match(key(stored, by), key(new, by))
  off <- abs(new$value[at] - stored$value)
  wrong <- is.na(at) | !(off <= tolerance[stored$measure] | is.na(stored$value))
  sprintf("%s: %s instead of %s (tolerance %s)", key(stored[wrong, ], by),
          ifelse(is.na(at[wrong]), "nothing", signif(new$value[at[wrong]], 4)),
          signif(stored$value[wrong], 4), tolerance[stored$measure[wrong]])
}

# "passed", "failed" or "skipped"; says why.
check_experiment <- function(name, known, folder) {
  e <- known[[name]]
  begin <- proc.time()[["elapsed"]]
  new <- run_experiment(name, known, "quick")
  if (is.null(new)) return("skipped")
  stored <- utils::read.csv(file.path(folder, "quick", paste0(name, ".csv")))
  wrong <- gsub("\r", " ", deviations(new, stored, e$tolerance))
  verdict <- if (length(wrong)) "failed" else "passed"
  cat(sprintf("== %s: %s in %.0f s\n", name, verdict, proc.time()[["elapsed"]] - begin))
  if (length(wrong)) cat(paste0("   ", wrong, "\n"), sep = "")
  verdict
}
