# Folds that fail: the others are kept, print and a warning report it, and dg_resume() repeats them.

# The result of a piece that is not kept in the store of the call, see run_pieces().
failed_piece <- function(outcomes) structure(outcomes, class = "failed_piece")

has_failed <- function(outcome) !is.null(outcome$error)

# data frame of fold, rep, error; NULL where all are done.
failed_folds <- function(splits, results) {
  failed <- which(vapply(results, has_failed, NA))
  if (length(failed) == 0L) return(NULL)
  data.frame(fold = vapply(splits[failed], `[[`, 0L, "fold"),
             rep = vapply(splits[failed], `[[`, 0L, "rep"),
             error = vapply(results[failed], function(r) conditionMessage(r$error), ""))
}

# Domains without a score although their fold was done.
unscored <- function(run) {
  failed <- if (!is.null(run$failed)) {
    done <- if (!is.null(run$predictions)) unique(as.character(run$predictions$domain))
    setdiff(run$domains$domain, done)
  }
  setdiff(run$domains$domain[is.na(run$domains$score)], failed)
}

all_failed <- function(run) NROW(run$failed) == nrow(run$fits)

# How many fits failed and why, as text; NULL where none did.
failed_words <- function(run) {
  if (is.null(run$failed)) return(NULL)
  folds <- nrow(run$fits)
  paste0(if (all_failed(run)) "all folds" else paste(nrow(run$failed), "of", plural(folds, "fold")),
         " failed: ", sub("[.]*$", ".", run$failed$error[1L]))
}

# names: of several methods.
warn_failed <- function(runs, names = NULL, then = NULL) {
  if (is.null(then)) then <- "; `dg_resume()` repeats the failed ones"
  words <- lapply(runs, failed_words)
  failed <- !vapply(words, is.null, NA)
  if (!any(failed)) return(invisible())
  said <- paste0(if (!is.null(names)) paste0("\"", names[failed], "\", "), unlist(words[failed]))
  said[1L] <- paste0(upper_case(substr(said[1L], 1L, 1L)), substr(said[1L], 2L, nchar(said[1L])))
  warn("failed", paste(said, collapse = " "), " Other results are kept", then, ".")
}
