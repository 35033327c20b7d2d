# dg_auto() of two states of the package on the same splits: processor seconds, and scores on the
# test domains. Results are those of auto.R, each with the library of its state, in turn:
#   R_LIBS=STATE DOMGEN_THREADS=1 Rscript tests/bench/auto.R SET dg_auto state.csv 11:12
#   Rscript tests/bench/auto-states.R old.csv new.csv
files <- commandArgs(TRUE)
if (length(files) != 2L) stop("Two files of results are needed.")
states <- lapply(files, utils::read.csv)
both <- merge(states[[1L]], states[[2L]], by = c("set", "split", "method", "metric", "task"))
seconds <- cbind(old = both$processor.x, new = both$processor.y)
print(cbind(both[c("set", "split", "metric")], seconds, score = both$score.x, now = both$score.y),
      digits = 4)
# more than 0: the new state is better; of a root mean square in units of the old one's
root <- both$metric == "rmse"
gain <- ifelse(root, (both$score.x - both$score.y) / both$score.x, both$score.y - both$score.x)
known <- gain[!is.na(gain)]
# the first split of a set is the first call of a session where each set has one of its own
first <- both$split == ave(both$split, both$set, FUN = min)
report <- function(which) {
  own <- seconds[which, , drop = FALSE]
  cat(sprintf("seconds %.0f and %.0f, geometric mean of the ratios %.2f\n", sum(own[, "old"]),
              sum(own[, "new"]), exp(mean(log(own[, "new"] / own[, "old"])))))
}
report(TRUE)
cat("without the first split of each set: ")
report(!first)
cat(sprintf("better %d, equal %d, worse %d; median %.2g, Wilcoxon's test p = %.2g\n",
            sum(known > 1e-4), sum(abs(known) <= 1e-4), sum(known < -1e-4), stats::median(known),
            stats::wilcox.test(known[known != 0], exact = FALSE)$p.value))
