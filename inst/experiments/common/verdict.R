# The table on top of a paper's page: its numbers beside ours, with a verdict.

# Rows for `methods` (each an item; NULL: all that the paper has) of stored lines. `data` are
# "real", "authors'", "simulated" or a "stand-in"; `paper_sd`: the paper's standard deviations over
# `paper_draws`, in the order of the rows (NA: ours are taken); `higher`: is more better?
verdict_rows <- function(lines, item, measure, methods = NULL, data = "real", paper_draws = NA,
                         paper_sd = NA, reason = "", higher = FALSE, digits = 2) {
  lines <- lines[lines$measure == measure, ]
  if (is.null(methods)) methods <- unique(lines$method[!is.na(lines$paper)])
  table <- summarise_results(lines[lines$method %in% methods, ])
  table <- table[match(methods, table$method), ]
  data.frame(item = paste(item, methods, sep = ", "), data = data, draws = table$draws, paper_draws,
             ours = table$mean, se = table$se, paper = table$paper, paper_sd,
             higher = higher, digits = digits, reason = reason)
}

# "match": ours is within two standard errors of the difference from the paper's number, each side
# with its own; "cannot": one of the two is missing, has no error, or is of stand-in data.
verdict_of <- function(rows) {
  sd <- rows$se * sqrt(rows$draws)
  paper_se <- ifelse(is.na(rows$paper_sd), sd, rows$paper_sd) / sqrt(rows$paper_draws)
  off <- ifelse(rows$higher, 1, -1) * (rows$ours - rows$paper)
  verdict <- ifelse(abs(off) <= 2 * sqrt(rows$se^2 + paper_se^2), "match",
                    ifelse(off > 0, "better", "worse"))
  ifelse(is.na(verdict) | rows$data == "stand-in", "cannot", verdict)
}

verdict_table <- function(rows) {
  shape <- function(values, form) ifelse(is.na(values), "", mapply(form, values, rows$digits))
  se <- ifelse(is.na(rows$se), "", paste0(" \u00b1 ", shape(rows$se, number)))
  dash <- function(x) ifelse(is.na(x), "-", x)
  data.frame(item = rows$item, data = rows$data,
             draws = paste(dash(rows$draws), "/", dash(rows$paper_draws)),
             ours = paste0(shape(rows$ours, number), se),
             paper = shape(rows$paper, number), verdict = verdict_of(rows), reason = rows$reason)
}
