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
# "use domain_distribution()"), `difference` (mean gain), `detectable` (median of what it printed),
# `seconds` (of the processor) of one diagnosis.
#
# Few replications of each world (column replications): rates mean something over worlds, not in a
# line.

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
  data.frame(domains = 5, rows = 20, max_rows = NA, share = 0.9),
  data.frame(domains = 8, rows = 20, max_rows = NA, share = 0.9),
  data.frame(domains = 300, rows = 40, max_rows = 300, share = 0.5),
  data.frame(domains = 1000, rows = 8, max_rows = 300, share = 0.5),
  data.frame(domains = 30, rows = 12, max_rows = NA, share = 0.25),
  data.frame(domains = 100, rows = 8, max_rows = NA, share = 0.1)
)

one <- function(kind, design, replication) {
  old <- options(domgen.threads = 1, domgen.progress = FALSE)
  on.exit(options(old))
  set.seed(1e5 * match(kind, names(truth)) + 1000 * replication + design$domains + design$rows)
  data <- draw_world(kind, design$domains, design$rows)
  most <- if (is.na(design$max_rows)) nrow(data) else design$max_rows
  start <- proc.time()[[1L]]
  x <- dg_diagnose(y ~ . | domain, data = data, max_rows = most, seed = replication,
                   permutations = 99)
  states <- c(domgen:::gain_state(x, "headroom", x$domains$pooled_known),
              domgen:::gain_state(x, "gain", x$domains$pooled_new))
  data.frame(
    question = c("shift", "room", "gain"), p = c(x$shift$p, x$headroom$p, x$gain$p),
    claim = c(NA, states == "gain"), denial = c(NA, states == "none"),
    advice = c(NA, NA, grepl("use domain_distribution", x$verdict[3L])),
    difference = c(NA, x$headroom$difference, x$gain$difference),
    detectable = c(NA, x$headroom$detectable, x$gain$detectable), used = x$rows,
    seconds = proc.time()[[1L]] - start
  )
}

summarise <- function(r) {
  data.frame(
    used = round(mean(r$used)), question = r$question[1L], truth = r$truth[1L],
    alarms = mean(r$p <= 0.05), at_20 = mean(r$p <= 0.2), claims = mean(r$claim),
    denials = mean(r$denial), advice = mean(r$advice), difference = mean(r$difference),
    detectable = stats::median(r$detectable), seconds = mean(r$seconds)
  )
}

diagnose_cells <- function(replications) {
  bind(lapply(names(truth), function(world) {
    data.frame(world = world, domains = designs$domains, rows = designs$domains * designs$rows,
               thinned = !is.na(designs$max_rows),
               replications = pmax(1, floor(replications * designs$share)))
  }))
}

experiment(
  paper = "domgen", item = "?dg_diagnose",
  title = "False alarms and power of dg_diagnose() where it is known what there is to find",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 15, full = 150),
  tolerance = c(used = 0, alarms = 0.75, at_20 = 0.75, difference = 0.02, detectable = 0.02),
  outcomes = c("used", "truth", "alarms", "at_20", "claims", "denials", "advice", "difference",
               "detectable"),
  cells = function(size) {
    cells <- diagnose_cells(c(quick = 3, normal = 20, full = 200)[[size]])
    if (size != "quick") return(cells)
    cells[cells$domains == 8 & cells$world %in% c("contextual", "ellipses"), ]
  },
  run = function(cell, draw, data) {
    design <- designs[designs$domains == cell$domains & !is.na(designs$max_rows) == cell$thinned, ]
    runs <- bind(lapply(seq_len(cell$replications), function(replication) {
      data.frame(one(cell$world, design, replication), truth = truth[[cell$world]])
    }))
    bind(lapply(split(runs, runs$question), summarise))
  }
)
