# The experiments' common parts. That their figures are the stored ones is checked by
# `run.R --check`, which takes minutes.

folder <- system.file("experiments", package = "domgen")
parts <- new.env(parent = globalenv())
for (file in list.files(file.path(folder, "common"), "[.]R$", full.names = TRUE)) {
  sys.source(file, parts)
}

toy <- function(run = function(cell, draw, data) {
                  parts$result_lines(c("a", "b")[cell$which],
                                     c(error = cell$which + draw, other = 0))
                }, ...) {
  parts$experiment("domgen", "toy", "a toy", run, draws = c(quick = 1, normal = 2, full = 3),
                   minutes = c(quick = 1, normal = 1, full = 1),
                   cells = function(size) data.frame(which = 1:2), ...)
}
silently <- function(...) {
  utils::capture.output(value <- parts$run_experiment(...))
  value
}

test_that("every script is listed with what it needs", {
  table <- domgen_experiments()
  scripts <- setdiff(list.files(folder, "[.]R$"), "run.R")
  expect_setequal(paste0(table$name, ".R"), scripts)
  expect_true(all(table$paper %in% c("DICA", "MTL", "DCM", "domgen")))
  needed <- setdiff(unlist(strsplit(table$data, ", ")), "")
  expect_true(all(needed %in% names(parts$data_sets)))
  expect_true(all(table$quick_minutes <= table$minutes & table$minutes <= table$full_minutes))
  expect_true(all(table$quick_draws <= table$draws & table$draws <= table$full_draws))
  known <- parts$read_experiments(folder, parts)
  for (size in c(quick = "quick", normal = "normal", full = "full")) {
    prefix <- if (size == "normal") "" else paste0(size, "_")
    for (part in c("draws", "minutes")) {
      expect_equal(table[[paste0(prefix, part)]], sapply(known, function(e) e[[part]][[size]]),
                   ignore_attr = TRUE)
    }
  }
})

test_that("every experiment has a stored quick run that says what its contract says", {
  known <- parts$read_experiments(folder, parts)
  for (name in names(known)) {
    stored <- parts$read_quick(name, file.path(folder, "results"), known[[name]])
    cells <- known[[name]]$cells("quick")
    expect_true(all(c(parts$common_columns, names(cells)) %in% names(stored)), info = name)
    expect_true(any(stored$measure %in% names(known[[name]]$tolerance)), info = name)
    if (length(cells)) {
      expect_setequal(parts$key(stored, names(cells)), parts$key(cells, names(cells)))
    }
  }
})

test_that("a cell has one key, whatever other cells have in the column", {
  tau <- c(0, 0.2, 1e5)
  expect_identical(parts$key(data.frame(tau), "tau"),
                   c(parts$key(data.frame(tau = 0L), "tau"), "0.2", "100000"))
})

test_that("a run has a line for each cell and draw, and what ran before does not matter", {
  random <- function(cell, draw, data) parts$result_lines("a", c(error = stats::runif(1)))
  first <- silently("toy", list(toy = toy(random)))
  expect_equal(first$draw, c(1, 1, 2, 2))
  expect_equal(first$value[first$draw == 1], rep(first$value[1], 2)) # the same seed in all cells
  expect_equal(silently("toy", list(toy = toy(random)), draws = 1)$value, first$value[1:2])
  expect_true(all(parts$common_columns %in% names(first)))
})

test_that("a run that was stopped goes on where it was", {
  file <- tempfile(fileext = ".csv")
  count <- 0
  known <- list(toy = toy(function(cell, draw, data) {
    count <<- count + 1
    if (count == 3) stop("the power is off")
    parts$result_lines("a", c(error = 10 * cell$which + draw))
  }))
  expect_error(silently("toy", known, file = file), "power")
  expect_equal(nrow(utils::read.csv(file)), 2)
  all <- silently("toy", known, file = file)
  expect_equal(count, 5)
  expect_equal(all$value, c(11, 21, 12, 22))
  expect_equal(utils::read.csv(file)$value, all$value)
  silently("toy", known, file = file)
  expect_equal(count, 5)
})

# Stored as of a machine, then checked with other values.
verdict_on <- function(known, of = parts$machine()) {
  home <- tempfile()
  file <- file.path(home, "quick", "toy.csv")
  silently("toy", list(toy = toy(tolerance = c(error = 0.5))), "quick", file = file)
  utils::write.csv(transform(utils::read.csv(file), blas = of), file, row.names = FALSE)
  text <- utils::capture.output(v <- parts$check_experiment("toy", known, home))
  list(verdict = v, text = text)
}
off_by <- function(by, other = 0) {
  list(toy = toy(function(cell, draw, data) {
    parts$result_lines(c("a", "b")[cell$which], c(error = cell$which + draw + by, other = other))
  }, tolerance = c(error = 0.5)))
}

test_that("values of the same machine are compared to four digits", {
  expect_equal(verdict_on(off_by(0, other = 7))$verdict, "passed") # what has no tolerance
  expect_equal(verdict_on(off_by(1e-4))$verdict, "passed")
  wrong <- verdict_on(off_by(1e-3))
  expect_equal(wrong$verdict, "failed")
  expect_match(wrong$text, "2.001 instead of 2 [(]tolerance 2e-04[)]", all = FALSE)
})

test_that("values of another machine may be off by their tolerance, a line that lacks may not", {
  expect_equal(verdict_on(off_by(0.4), "another")$verdict, "passed")
  expect_match(verdict_on(off_by(0.6), "another")$text, "2.6 instead of 2 [(]tolerance 0.5[)]",
               all = FALSE)
  renamed <- list(toy = toy(function(cell, draw, data) parts$result_lines("a", c(error = 1 + draw)),
                            tolerance = c(error = 0.5)))
  text <- verdict_on(renamed)$text
  expect_match(text, "nothing instead of 3", all = FALSE)
  expect_match(text, "2, and nothing is stored", all = FALSE) # cell 2 by method a
  missing <- list(toy = toy(function(cell, draw, data) {
    parts$result_lines(c("a", "b")[cell$which], c(error = NA_real_))
  }, tolerance = c(error = 0.5)))
  expect_match(verdict_on(missing)$text, "NA instead of 2", all = FALSE)
})

test_that("two methods of a cell that move apart by more than the tolerance are noticed", {
  lines <- data.frame(draw = 1, method = c("a", "b"), measure = "error", value = c(1, 2),
                      paper = NA, parameters = "", seconds = 0, search_seconds = 0, seed = 1,
                      version = "", blas = "here")
  moved <- function(by, here) {
    length(parts$deviations(transform(lines, value = value + by), lines, c(error = 0.5), here))
  }
  expect_equal(moved(c(0.3, 0.3), "there"), 0)
  expect_gt(moved(c(0.3, -0.3), "there"), 0)
  expect_equal(moved(c(1e-5, -1e-5), "here"), 0)
  swapped <- parts$swap_methods(lines, "a", "b")
  expect_equal(swapped$value, c(2, 1))
  expect_equal(parts$swaps_noticed(lines, c(error = 0.5), "there"), TRUE)
  expect_equal(parts$swaps_noticed(lines, c(error = 5), "there"), FALSE)
  expect_equal(parts$swaps_noticed(transform(lines, value = 1), c(error = 5), "here"), NA)
})

test_that("methods that are swapped in stored results are noticed", {
  known <- parts$read_experiments(folder, parts)
  for (name in names(known)) {
    stored <- parts$read_quick(name, file.path(folder, "results"), known[[name]])
    # of a few, as a vignette's worth of pairs takes seconds, each with the one whose values are
    # nearest: those that are the hardest to tell
    stored <- stored[stored$method %in% utils::head(unique(stored$method), 8L), ]
    methods <- names(sort(tapply(stored$value, stored$method, mean, na.rm = TRUE)))
    if (length(methods) < 2L) next
    pairs <- if (long_form()) utils::combn(methods, 2L, simplify = FALSE)
             else Map(c, methods[-length(methods)], methods[-1L])
    for (machine in c(stored$blas[1L], "another machine")) for (pair in pairs) {
      own <- stored[stored$method %in% pair, ]
      noticed <- parts$swaps_noticed(own, known[[name]]$tolerance, machine)
      expect_true(all(noticed, na.rm = TRUE), info = paste(name, "on", machine))
    }
  }
})

test_that("a fault of the package is noticed where it changes a result, and then is no more", {
  d <- simulate_dica(domains = 3, n = 10, p = 2)
  home <- tempfile()
  known <- list(toy = toy(function(cell, draw, data) {
    model <- dg_ridge(y ~ . | domain, data = d, kernel = kernel_rbf(), intercept = cell$which == 1)
    parts$result_lines("ridge", c(error = mean((predict(model, d) - d$y)^2)))
  }, tolerance = c(error = 1e-6)))
  silently("toy", known, "quick", file = file.path(home, "quick", "toy.csv"))
  found <- vapply(parts$mutations, function(mutation) {
    parts$mutate_experiment("toy", known, home, mutation)
  }, "")
  expect_equal(unname(found), c("", "noticed", "noticed"))
  expect_output(expect_equal(parts$check_experiment("toy", known, home), "passed"))
  known$toy$cells <- function(size) data.frame(which = 1L)
  expect_equal(parts$mutate_experiment("toy", known, home, parts$mutations$`response not centred`),
               "no effect") # there is an intercept
})

test_that("tables with a column for each outcome go on where they were, and are compared", {
  wide <- list(toy = toy(function(cell, draw, data) {
    data.frame(question = c("x", "y"), seed = draw, error = cell$which + draw + 0:1, sure = TRUE)
  }, tolerance = c(error = 0.5), outcomes = c("error", "sure")))
  file <- tempfile(fileext = ".csv")
  silently("toy", wide, file = file, draws = 1)
  table <- silently("toy", wide, file = file)
  expect_equal(utils::read.csv(file)$error, c(2, 3, 3, 4, 3, 4, 4, 5))
  expect_equal(table$seed, rep(1:2, each = 4))
  lines <- parts$as_lines(table, wide$toy, data.frame(which = 1:2))
  expect_equal(unique(lines$method), c("x", "y"))
  expect_equal(lines$value[lines$measure == "sure"], rep(1, 8))
  expect_length(parts$deviations(lines, lines, c(error = 0.5)), 0)
  expect_output(parts$show_results(table, wide$toy, "normal"), "question")
})

test_that("data that are missing are named with their source, and other data are refused", {
  known <- list(toy = toy(data = "parkinsons"))
  old <- Sys.getenv("DOMGEN_DATA", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("DOMGEN_DATA") else Sys.setenv(DOMGEN_DATA = old))
  empty <- tempfile()
  dir.create(empty)
  Sys.setenv(DOMGEN_DATA = empty)
  expect_message(none <- parts$run_experiment("toy", known), "UCI Machine Learning Repository")
  expect_null(none)
  writeLines("domain,y\n1,2", gzcon <- gzfile(file.path(empty, "parkinsons.csv.gz")))
  close(gzcon)
  skip_if(is.na(parts$sha256(file.path(empty, "parkinsons.csv.gz"))), "no sha256 here")
  expect_message(none <- parts$run_experiment("toy", known), "its sha256 is")
  expect_null(none)
  Sys.setenv(DOMGEN_DATA = file.path(empty, "none"))
  expect_message(parts$run_experiment("toy", known), "names no folder")
})

test_that("an experiment whose packages are missing is skipped, and says which", {
  known <- list(toy = toy(packages = c("stats", "nopackage")))
  expect_message(none <- parts$run_experiment("toy", known), "nopackage is not installed")
  expect_null(none)
  expect_equal(nrow(silently("toy", list(toy = toy(packages = "stats")), draws = 1)), 4)
})

test_that("a reader's own models are made on the page as in their experiment", {
  given <- function(code, name) {
    lines <- as.list(parse(text = code, keep.source = FALSE))
    Filter(function(line) identical(line[[2L]], as.name(name)), lines)[[1L]][[3L]]
  }
  page <- readLines(checkout_file("vignettes", "which-method.Rmd"))
  begin <- which(startsWith(page, "```{r own,"))
  end <- begin + which(page[-seq_len(begin)] == "```")[1L]
  shown <- deparse(given(page[(begin + 1L):(end - 1L)], "own"))
  made <- given(readLines(file.path(folder, "domgen-own-models.R")), "own_models")
  expect_identical(shown, deparse(made[[3L]]))
  expect_match(shown, "lme4::lmer", all = FALSE, fixed = TRUE)
})

test_that("what cannot be read or written is said before anything is computed", {
  known <- list(toy = toy(function(cell, draw, data) stop("too late")))
  file <- tempfile(fileext = ".csv")
  writeLines("a;b", file)
  expect_error(silently("toy", known, file = file), "move it away")
  expect_error(silently("toy", known, file = file.path(file, "toy.csv")), "cannot be written")
  # lines that are there twice are one draw
  silently("toy", list(toy = toy()), file = good <- tempfile(fileext = ".csv"), draws = 1)
  lines <- utils::read.csv(good)
  utils::write.csv(rbind(lines, lines), good, row.names = FALSE)
  expect_equal(nrow(silently("toy", list(toy = toy()), file = good, draws = 1)), nrow(lines))
})

test_that("summaries are means over draws and paired differences are paired by draw", {
  lines <- rbind(
    data.frame(rows = 10, draw = 1:2, method = "a", measure = "error", value = c(1, 3), paper = 5),
    data.frame(rows = 10, draw = 2:1, method = "b", measure = "error", value = c(4, 1), paper = NA)
  )
  lines[c("parameters", "seconds", "search_seconds", "seed", "version", "blas")] <- NA
  table <- parts$summarise_results(lines)
  expect_equal(table$mean, c(2, 2.5))
  expect_equal(table$se, c(1, 1.5))
  expect_equal(table$paper, c(5, NA))
  difference <- parts$paired_differences(lines, "a", "error")
  expect_equal(difference$mean, 0.5)
  expect_equal(difference$se, 0.5)
})

test_that("intervals are Student's, wider by the factor where draws share domains", {
  d <- data.frame(mean = 0.5, se = 0.2, draws = 4)
  plain <- parts$add_intervals(d)
  expect_equal(plain$upper, 0.5 + qt(0.975, 3) * 0.2)
  expect_equal(plain$p, 2 * pt(-2.5, 3))
  expect_equal(plain$detectable, (qt(0.975, 3) + qt(0.8, 3)) * 0.2)
  wide <- parts$add_intervals(d, shared = 3 / 4)
  expect_equal(wide$upper - 0.5, 2 * (plain$upper - 0.5)) # sqrt(1 + 4 * 3/4)
  one <- parts$add_intervals(data.frame(mean = 0.5, se = NA_real_, draws = 1))
  expect_true(is.na(one$p))
  expect_false(parts$is_apart(one))
})

test_that("a verdict needs numbers of both sides, and knows which side is better", {
  draws <- c(-1, 1, -1, 1) # standard error 0.577
  lines <- do.call(rbind, Map(function(method, mean, paper) {
    data.frame(draw = 1:4, method = method, measure = "error", value = mean + draws, paper = paper)
  }, c("near", "less", "more", "ours"), c(10, 5, 15, 10), c(11, 10, 10, NA)))
  lines[c("parameters", "seconds", "search_seconds", "seed", "version", "blas")] <- NA
  rows <- function(...) parts$verdict_rows(lines, "T", "error", ..., paper_draws = 20)
  all <- c("near", "less", "more", "ours")
  expect_equal(parts$verdict_of(rows(all)), c("match", "better", "worse", "cannot"))
  expect_equal(parts$verdict_of(rows(all, higher = TRUE)), c("match", "worse", "better", "cannot"))
  expect_equal(parts$verdict_of(rows("less", data = "stand-in")), "cannot")
  # the paper's own error counts: 2 sqrt(0.577^2 + (12 / sqrt(20))^2) > 5
  expect_equal(parts$verdict_of(rows("less", paper_sd = 12)), "match")
  table <- parts$verdict_table(rows()) # those that the paper has
  expect_equal(table$item, c("T, near", "T, less", "T, more"))
  expect_equal(table$ours[1L], "10.00 \u00b1 0.58")
  expect_equal(table$draws[1L], "4 / 20")
})

test_that("FastDCM's equation 17 by powers is the solution of its eigenproblem", {
  set.seed(1)
  split <- parts$split_domains(simulate_dcm(domains = 5, n = 20, p = 3, seed = 1), 3)
  train <- split$train
  n <- nrow(train)
  H <- diag(n) - 1 / n
  x <- as.matrix(train[-(1:2)])
  uncentred <- domgen::kernel_matrix(kernel_rbf(2), x)
  K <- H %*% uncentred %*% H
  product <- function(f) { # P K^2
    L <- H %*% outer(as.character(f), as.character(f), "==") %*% H
    L %*% solve(L + diag(n * 1e-3, n)) %*% K %*% K
  }
  new <- domgen::kernel_matrix(kernel_rbf(2), as.matrix(split$test[-(1:2)]), x)
  for (method in c("COIR", "DCM")) {
    right <- K %*% K + diag(n * 1e-3, n)
    if (method == "DCM") right <- right + K %*% product(train$domain)
    e <- eigen(solve(right, K %*% product(train$y) + K %*% K))
    b <- Re(e$vectors[, 1L])
    scores <- parts$printed_fast_scores(method, split, kernel_rbf(2), 1e-3)
    scale <- sqrt(mean((K %*% b)^2)) * sign(sum(K %*% b * scores$train$s1))
    expect_equal(scores$train$s1, drop(K %*% b) / scale, tolerance = 1e-4)
    centred <- H %*% b
    expected <- drop(new %*% centred) - mean(uncentred %*% centred)
    expect_equal(scores$test$s1, expected / scale, tolerance = 1e-4)
  }
})

test_that("a claim is right or wrong where its interval leaves out 0", {
  verdict <- function(mean) {
    d <- parts$add_intervals(data.frame(mean = mean, se = 0.2, draws = 10))
    parts$claim_row("claim", "simulated", d, "below 0")$verdict
  }
  expect_equal(c(verdict(-1), verdict(1), verdict(-0.1)), c("match", "worse", "cannot"))
  expect_equal(parts$claim_row("claim", "real", parts$add_intervals(data.frame(mean = 1, se = NA_real_,
                                                                        draws = 1)), "")$verdict,
               "cannot")
})

test_that("a detectable difference is detected in about 80 of 100 repetitions", {
  set.seed(1)
  known <- parts$add_intervals(data.frame(mean = 0, se = 1 / sqrt(12), draws = 12)) # sd 1 over draws
  shift <- known$detectable
  x <- matrix(stats::rnorm(12 * 4000, shift), 12)
  draws <- data.frame(mean = colMeans(x), se = apply(x, 2, sd) / sqrt(12), draws = 12)
  found <- parts$is_apart(parts$add_intervals(draws))
  expect_equal(mean(found), 0.8, tolerance = 0.03)
  expect_match(parts$power_in_words(known), "at least 0.89")
  expect_equal(parts$power_in_words(parts$add_intervals(data.frame(mean = 0, se = NA_real_, draws = 1))),
               "")
})

test_that("means over cells are of the draws that have all of them", {
  lines <- data.frame(rows = c(1, 2, 1, 2, 1), draw = c(1, 1, 2, 2, 3), method = "a",
                      measure = "error", value = c(1, 3, 2, 6, 9), paper = NA_real_)
  lines[c("parameters", "seconds", "search_seconds", "seed", "version", "blas")] <- NA
  expect_equal(parts$mean_lines(lines, "rows")$value, c(2, 4))
})

test_that("rows are drawn from each domain, in the proportions of the classes", {
  set.seed(1)
  d <- data.frame(domain = rep(1:2, c(100, 8)), y = rep(c("a", "b"), c(90, 18)))
  drawn <- parts$draw_rows(d, 10, by = "y")
  expect_equal(as.vector(table(drawn$domain)), c(10, 8))
  expect_equal(as.vector(table(drawn$y[drawn$domain == 1])), c(9, 1))
  split <- parts$split_domains(d, 1)
  expect_length(intersect(split$train$domain, split$test$domain), 0)
  expect_error(parts$split_domains(d, 2), "more than the 2 there are")
})

test_that("hard labels have an area under the curve of their own", {
  truth <- factor(c("o", "o", "o", "t", "t"), c("o", "t"))
  class <- factor(c("o", "o", "t", "t", "o"), c("o", "t"))
  scores <- parts$two_class_scores(truth, class, c(1, 2, 5, 4, 3))
  expect_equal(scores, c(auc_labels = (1 / 2 + 2 / 3) / 2, gmean = sqrt(1 / 2 * 2 / 3),
                         auc = 4 / 6))
})
