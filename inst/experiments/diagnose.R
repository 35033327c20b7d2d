# False alarms and power of dg_diagnose(), with and without thinning of rows, in worlds of which is
# known what there is to find. z, place, own, noise: standard normal, by row or by domain; the
# spread of a domain is uniform on (0.3, 2); a second predictor is noise.
#
#   plain       y = 2x + noise, x = z: nothing to find
#   shift       y = 2x + noise, x = z + 1.5 place: shift alone
#   curve       y = 2 sin(1.5 x) + noise, x = z + 1.5 place: shift alone, seen through a curve
#   intercepts  y = 2x + own + noise, x = z: room, and nothing tells the intercept
#   slopes      y = 2x + own x + noise, x = spread z: shift and room, nothing tells the slope
#   contextual  y = x + 1.5 place + noise, x = z + 1.5 place: the domain's mean tells the intercept
#   spread      y = x + 1.5 (spread - 1.15) x + noise, x = spread z: the spread tells the slope
#   ellipses    simulate_ellipses(), classes: the shape tells the classifier
#
# A line for each world, number of domains, rows and question: `truth` (is there something to
# find?), `alarms` (share of p values of at most 0.05), `at_20` (at most 0.20), `claims` (gain
# certain: p and the interval), `denials` ("none": a gain that matters is excluded), `advice` (says
# "Use domain_distribution()"), `difference` (mean gain), `detectable` (median of what it printed),
# `seconds` (of the processor) of one diagnosis.
#
#   Rscript diagnose.R [file for the table] [--quick] [replications]
#
# results/diagnose.csv: few replications of each world (column replications). Rates mean something
# over worlds, not in a line.

library(domgen)
options(domgen.threads = 1, domgen.progress = FALSE)

args <- commandArgs(TRUE)
quick <- "--quick" %in% args
args <- setdiff(args, "--quick")
target <- if (length(args) >= 1L) args[1L]
replications <- if (quick) 2L else if (length(args) >= 2L) as.integer(args[2L]) else 20L

draw_world <- function(kind, domains, rows) {
  if (kind == "ellipses") return(simulate_ellipses(domains, rows))
  domain <- rep(seq_len(domains), each = rows)
  place <- 1.5 * rnorm(domains)[domain]
  own <- rnorm(domains)[domain]
  spread <- runif(domains, 0.3, 2)[domain]
  x <- rnorm(length(domain))
  if (kind %in% c("shift", "curve", "contextual")) x <- x + place
  if (kind %in% c("slopes", "spread")) x <- x * spread
  signal <- switch(kind, plain = , shift = 2 * x, curve = 2 * sin(1.5 * x),
                   intercepts = 2 * x + own, slopes = 2 * x + own * x, contextual = x + place,
                   spread = x + 1.5 * (spread - 1.15) * x)
  data.frame(domain = factor(domain), y = signal + rnorm(length(x)), x, other = rnorm(length(x)))
}

# What is there to find, of shift, room and gain.
truth <- list(plain = c(FALSE, FALSE, FALSE), shift = c(TRUE, FALSE, FALSE),
              curve = c(TRUE, FALSE, FALSE), intercepts = c(FALSE, TRUE, FALSE),
              slopes = c(TRUE, TRUE, FALSE), contextual = c(TRUE, TRUE, TRUE),
              spread = c(TRUE, TRUE, TRUE), ellipses = c(TRUE, TRUE, TRUE))

# max_rows: NA for all rows; share: of the replications
designs <- rbind(
  data.frame(domains = 5, rows = 20, max_rows = NA, share = 1),
  data.frame(domains = 8, rows = 20, max_rows = NA, share = 1),
  data.frame(domains = 300, rows = 40, max_rows = 300, share = 0.5),
  data.frame(domains = 1000, rows = 8, max_rows = 300, share = 0.5),
  data.frame(domains = 30, rows = 12, max_rows = NA, share = 0.25),
  data.frame(domains = 100, rows = 8, max_rows = NA, share = 0.1)
)

one <- function(kind, design, replication) {
  set.seed(1e5 * match(kind, names(truth)) + 1000 * replication + design$domains + design$rows)
  data <- draw_world(kind, design$domains, design$rows)
  most <- if (is.na(design$max_rows)) nrow(data) else design$max_rows
  start <- proc.time()[[1L]]
  x <- dg_diagnose(y ~ . | domain, data = data, max_rows = most, seed = replication,
                   permutations = 99)
  states <- c(domgen:::gain_state(x, "room", x$domains$pooled_known),
              domgen:::gain_state(x, "gain", x$domains$pooled_unseen))
  data.frame(
    question = c("shift", "room", "gain"), p = c(x$shift$p, x$room$p, x$gain$p),
    claim = c(NA, states == "gain"), denial = c(NA, states == "none"),
    advice = c(NA, NA, grepl("Use domain_distribution", x$verdict[3L])),
    difference = c(NA, x$room$difference, x$gain$difference),
    detectable = c(NA, x$room$detectable, x$gain$detectable), used = x$rows,
    seconds = proc.time()[[1L]] - start
  )
}

summarise <- function(r) {
  data.frame(
    r[1L, c("world", "domains", "rows")], used = round(mean(r$used)),
    r[1L, c("thinned", "question", "truth")], replications = nrow(r),
    alarms = mean(r$p <= 0.05), at_20 = mean(r$p <= 0.2), claims = mean(r$claim),
    denials = mean(r$denial), advice = mean(r$advice), difference = mean(r$difference),
    detectable = stats::median(r$detectable), seconds = mean(r$seconds)
  )
}

# All worlds once, then again, so that a run that is stopped has something of each.
runs <- NULL
for (replication in seq_len(replications)) {
  for (kind in names(truth)) for (d in seq_len(nrow(designs))) {
    design <- designs[d, ]
    if (replication > max(1, replications * design$share)) next
    found <- one(kind, design, replication)
    runs <- rbind(runs, data.frame(
      world = kind, domains = design$domains, rows = design$domains * design$rows,
      thinned = !is.na(design$max_rows), truth = truth[[kind]], found
    ))
  }
  groups <- split(runs, runs[c("question", "domains", "thinned", "world")], drop = TRUE)
  table <- do.call(rbind, lapply(groups, summarise))
  if (!is.null(target)) write.csv(table, target, row.names = FALSE)
}
cat(R.version.string, "\n")
print(table, digits = 2, row.names = FALSE)
