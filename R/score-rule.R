# The number by which a rule compares the scores by domain of what can be selected: their mean
# ("best", "one_se"), the worst ("worst"), or the quantile of the losses that a proportion of the
# domains does not exceed (a number).

check_rule <- function(value, arg, choices) {
  if (is_number(value) && value > 0.5 && value < 1) return(as.numeric(value))
  if (identical(value, choices)) return(choices[1L])
  if (is.character(value) && length(value) == 1L && value %in% choices) return(value)
  abort("argument", "`", arg, "` must be one of ", enumerate(choices, length(choices), "\""),
        ", or a number between 0.5 and 1, not ", describe(value), ".")
}

# losses: by domain, NA without a score.
rule_loss <- function(losses, rule) {
  losses <- losses[!is.na(losses)]
  if (length(losses) == 0L) NA_real_
  else if (is.numeric(rule)) stats::quantile(losses, rule, names = FALSE, type = 7L)
  else if (identical(rule, "worst")) max(losses)
  else mean(losses)
}

# The loss by the rule of each column of scores [domains x choices].
rule_losses <- function(scores, better, rule) {
  choices <- stats::setNames(seq_len(ncol(scores)), colnames(scores))
  vapply(choices, function(j) rule_loss(losses(scores[, j], better), rule), 0)
}

# Is the second of two vectors of scores by domain better, by more than the standard error of their
# mean difference? That of a worst domain or quantile is not known, and is larger. least: with fewer
# domains any gain counts.
is_better <- function(before, after, better, rule, least = 0L) {
  both <- !is.na(after - before)
  before <- losses(before[both], better)
  after <- losses(after[both], better)
  error <- if (sum(both) >= max(least, 2L)) standard_error(before - after) else 0
  any(both) && rule_loss(before, rule) - rule_loss(after, rule) > if (is.na(error)) 0 else error
}

# Name of the column that has it in tables of what was tried.
rule_column <- function(rule) {
  if (is.numeric(rule)) "quantile" else if (identical(rule, "worst")) "worst" else "mean"
}

rule_words <- function(rule) {
  if (is.numeric(rule)) paste0("score that ", format(100 * rule), " % of domains reach")
  else if (identical(rule, "worst")) "score of the worst domain"
  else "mean score"
}

# The table of what was tried with its scores by the rule, unless they are the means it has.
with_rule_scores <- function(table, scores, better, rule) {
  name <- rule_column(rule)
  if (name != "mean") table[[name]] <- unname(losses(rule_losses(scores, better, rule), better))
  table
}
