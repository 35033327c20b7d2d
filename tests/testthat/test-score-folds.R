sized <- function(sizes) factor(rep(sprintf("g%02d", seq_along(sizes)), sizes))

test_that("every domain is in one fold, once per repeat, and folds are as even as can be", {
  domain <- sized(c(3, 1, 4, 1, 5, 9, 2))
  set.seed(1)
  for (v in 2:7) for (balance in c("none", "size")) {
    folds <- domain_folds(domain, folds = v, balance = balance)
    expect_s3_class(folds, "domgen_folds")
    expect_named(folds, levels(domain))
    expect_setequal(unclass(folds), seq_len(v))
    if (balance == "none") expect_lte(diff(range(tabulate(folds, v))), 1L)
  }
  repeated <- domain_folds(domain, folds = 3, repeats = 4)
  expect_identical(dim(repeated), c(7L, 4L))
  for (r in 1:4) expect_setequal(repeated[, r], 1:3)
  expect_gt(nrow(unique(t(unclass(repeated)))), 1L)
  expect_identical(c(unclass(domain_folds(domain))), setNames(1:7, levels(domain)))
})

test_that("folds of sizes differ by no more than the largest domain", {
  set.seed(2)
  for (i in 1:20) {
    sizes <- ceiling(rexp(12, 1 / 20))
    folds <- domain_folds(sized(sizes), folds = 4, balance = "size")
    rows <- tapply(sizes, folds, sum)
    expect_lte(diff(range(rows)), max(sizes))
    # the bound of dealing from the largest on (Graham, 1969)
    expect_lte(max(rows), (4 / 3 - 1 / 12) * max(sum(sizes) / 4, max(sizes)) + 1e-9)
  }
  expect_setequal(tapply(c(8, 1, 1, 6, 2, 2, 4, 4, 4), domain_folds(
    sized(c(8, 1, 1, 6, 2, 2, 4, 4, 4)), folds = 2, balance = "size"), sum), 16)
})

test_that("balance by class spreads a rare class that chance would crowd", {
  # one rare row in each of four domains of twelve
  domain <- sized(rep(10, 12))
  y <- rep("common", 120)
  y[match(levels(domain)[c(1, 4, 7, 12)], domain)] <- "rare"
  crowded <- 0
  for (seed in 1:10) {
    set.seed(seed)
    rare <- function(folds) tapply(y == "rare", folds[as.character(domain)], sum)
    expect_equal(c(rare(domain_folds(domain, folds = 4, balance = "class", y = y))), rep(1, 4),
                 ignore_attr = TRUE)
    crowded <- crowded + any(rare(domain_folds(domain, folds = 4)) == 0)
  }
  expect_gt(crowded, 5)
})

test_that("row folds cut every domain into even parts", {
  sizes <- c(20, 7, 3, 1)
  domain <- sized(sizes)
  set.seed(3)
  folds <- row_folds(domain, folds = 5, repeats = 3)
  expect_identical(dim(folds), c(31L, 3L))
  for (r in 1:3) {
    counts <- table(domain, factor(folds[, r], 1:5))
    expect_true(all(apply(counts, 1L, function(n) diff(range(n))) <= 1L))
    expect_identical(unname(rowSums(counts)), sizes)
  }
  expect_gt(nrow(unique(t(unclass(folds)))), 1L)
  set.seed(4)
  result <- dg_cv(dg_null(), matrix(1:31), (1:31) / 2, domain, folds = row_folds(domain, folds = 2))
  expect_match(result$held_out, "rows of 4 known domains held out in 2 folds")
  expect_identical(result$predictions$row, 1:31)
})

test_that("folds that are given are used as they are, in any order of the domains", {
  toy <- toy_domains(4, 8)
  given <- c(d3 = 7, d1 = 2, d4 = 7, d2 = 2, other = 1)
  result <- dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = given)
  expect_identical(result$predictions$fold, as.integer(given[as.character(toy$domain)]))
  expect_equal(result$predictions, dg_cv(dg_lm(), y ~ . | domain, data = toy,
                                         folds = given[c(5, 2, 4, 1, 3)])$predictions)
  held <- toy$domain %in% c("d3", "d4")
  model <- dg_lm(y ~ . | domain, data = droplevels(toy[!held, ]))
  expect_equal(result$predictions$prediction[held], unname(predict(model, toy[held, ])))
})

test_that("folds made of more domains serve the rows that have no missing values", {
  toy <- toy_domains(4, 8)
  set.seed(1)
  folds <- domain_folds(toy$domain, folds = 2, repeats = 2)
  by_row <- row_folds(toy$domain, folds = 2)
  toy$x1[c(2, 20)] <- NA
  expect_warning(result <- dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = folds), "left out")
  for (r in 1:2) {
    expect_identical(subset(result$predictions, rep == r)$fold,
                     unname(unclass(folds)[as.character(toy$domain[-c(2, 20)]), r]))
  }
  expect_warning(result <- dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = by_row), "left out")
  expect_identical(result$predictions$fold, c(unclass(by_row))[-c(2, 20)])
})

test_that("rsample's folds and ours are the same folds", {
  skip_if_not_installed("rsample")
  toy <- toy_domains(6, 10)
  set.seed(5)
  kinds <- list(domain_folds(toy$domain, folds = 3),
                domain_folds(toy$domain, folds = 2, repeats = 3),
                row_folds(toy$domain, folds = 2, repeats = 2))
  for (folds in kinds) {
    theirs <- as_rsample(folds, toy, "domain")
    expect_s3_class(theirs, "rset")
    expect_identical(theirs, as_rsample(folds, toy, toy$domain))
    spec <- dg_ridge(feature_map = features_nystrom(8))
    set.seed(6)
    ours <- dg_cv(spec, y ~ . | domain, data = toy, folds = folds)
    set.seed(6)
    bridged <- dg_cv(spec, y ~ . | domain, data = toy, folds = theirs)
    for (part in c("predictions", "domains", "mean", "overall", "held")) {
      expect_identical(bridged[[part]], ours[[part]], label = part)
    }
  }
  set.seed(7)
  groups <- rsample::group_vfold_cv(toy, group = domain, v = 3)
  result <- dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = groups)
  for (k in 1:3) {
    held <- rsample::assessment(groups$splits[[k]])
    train <- droplevels(rsample::analysis(groups$splits[[k]]))
    found <- subset(result$predictions, fold == k)
    expect_setequal(found$truth, held$y)
    expect_equal(sort(found$prediction),
                 sort(unname(predict(dg_lm(y ~ . | domain, data = train), held))))
  }
})

test_that("an rset of other rows is refused by column and row, of the same values never", {
  skip_if_not_installed("rsample")
  toy <- toy_domains(6, 10)
  n <- nrow(toy)
  toy$g <- factor(rep_len(c("a", "b", "c"), n))
  toy$when <- as.Date("2024-01-01") + seq_len(n)
  toy$x1[7] <- NA
  toy$unused <- rnorm(n)
  formula <- y ~ x1 + x2 + g + when | domain
  run <- function(data, folds) {
    quietly(dg_cv(dg_ridge(lambda = 1), formula, data = data, folds = folds)$mean)
  }
  set.seed(9)
  folds <- rsample::group_vfold_cv(toy, group = domain, v = 3)
  right <- run(toy, folds)
  # the same values in other classes, beside other columns
  same <- list(
    function(d) transform(d, domain = as.character(domain), g = as.character(g)),
    function(d) transform(d, g = factor(as.character(g), c("c", "a", "b", "none"))),
    function(d) transform(d, unused = rev(unused), further = 1),
    function(d) as.data.frame(lapply(d, identity)),
    function(d) structure(d, class = c("tbl_df", "tbl", "data.frame")),
    function(d) transform(d, x2 = as.numeric(sprintf("%.15g", x2)))
  )
  for (change in same) expect_equal(run(change(toy), folds), right, tolerance = 1e-9)
  # folds made before a column came in
  expect_equal(run(toy, rsample::manual_rset(lapply(folds$splits, function(split) {
    held <- setdiff(seq_len(n), split$in_id)
    rsample::make_splits(list(analysis = split$in_id, assessment = held),
                         toy[setdiff(names(toy), "x2")])
  }), folds$id)), right)
  # members of the kind: rows in another order, or one other value
  for (draw in 1:12) {
    other <- toy
    rows <- if (draw %% 2) sample(n) else replace(seq_len(n), c(11, 30), c(30, 11))
    name <- sample(c("y", "x1", "x2", "g", "when", "domain"), 1L)
    if (draw <= 4) other <- toy[rows, ] else other[[name]] <- toy[[name]][rows]
    used <- c("y", "x1", "x2", "g", "when", "domain")
    differs <- lapply(used, function(name) {
      which(!(is.na(toy[[name]]) & is.na(other[[name]]) |
              as.character(toy[[name]]) == as.character(other[[name]])) %in% TRUE &
            !is.na(other$x1))
    })
    first <- which(lengths(differs) > 0L)[1L]
    expect_domgen_error(run(other, folds), paste0(
      "`", used[first], "` differs in row ", differs[[first]][1L], "\\."
    ), "domgen_error_argument")
  }
  # not by a formula, in a search and in a comparison
  full <- toy[-7, ]
  folds <- rsample::group_vfold_cv(full, group = domain, v = 3)
  other <- full[sample(n - 1L), ]
  by_parts <- function(d, read) {
    dg_cv(dg_lm(), read(d[c("x1", "x2")]), d$y, d$domain, folds = folds)$mean
  }
  nameless <- function(x) unname(as.matrix(x))
  expect_equal(by_parts(full, identity), by_parts(full, nameless))
  expect_domgen_error(by_parts(other, identity), "`x1` differs in", "domgen_error_argument")
  expect_domgen_error(by_parts(other, nameless), "`y` differs in row", "domgen_error_argument")
  for (call in list(
    quote(dg_tune(dg_ridge(), formula, data = other, folds = folds, grid = list(lambda = 1))),
    quote(dg_compare(list(a = dg_lm(), b = dg_null()), formula, data = other, folds = folds)),
    quote(dg_cv(dg_lm(), y ~ x1 | g / domain, data = other, folds = folds)),
    quote(dg_cv(dg_lm(), formula, data = row_source(other), folds = folds))
  )) expect_error(eval(call), "differs in row|with a source", class = "domgen_error_argument")
})

test_that("bootstrap samples train on rows as often as they were drawn", {
  skip_if_not_installed("rsample")
  toy <- toy_domains(4, 10)
  set.seed(8)
  draws <- rsample::bootstraps(toy, times = 3)
  result <- dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = draws)
  expect_equal(max(result$predictions$rep), 3)
  for (k in 1:3) {
    train <- draws$splits[[k]]$in_id
    held <- setdiff(seq_len(nrow(toy)), train)
    found <- subset(result$predictions, rep == k)
    expect_identical(found$row, held)
    model <- dg_lm(y ~ . | domain, data = toy[train, ])
    expect_equal(found$prediction, unname(predict(model, toy[held, ])))
  }
  # a domain's score is the mean over the samples
  naive <- vapply(levels(toy$domain), function(g) {
    own <- subset(result$predictions, domain == g)
    mean(tapply((own$truth - own$prediction)^2, own$rep, function(e) sqrt(mean(e))))
  }, 0)
  expect_equal(result$domains$score, unname(naive))
})

test_that("scores are means over repeats", {
  toy <- toy_domains(5, 10)
  set.seed(9)
  folds <- domain_folds(toy$domain, folds = 2, repeats = 3)
  whole <- dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = folds)
  single <- vapply(1:3, function(r) {
    dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = unclass(folds)[, r])$domains$score
  }, numeric(5))
  expect_equal(whole$domains$score, rowMeans(single))
  expect_output(print(whole), "5 domains held out in 2 folds, 3 times")
})

test_that("bad folds are refused", {
  toy <- toy_domains(4, 8)
  run <- function(folds) dg_cv(dg_lm(), y ~ . | domain, data = toy, folds = folds)
  expect_refusals({
    domain_folds(c("a", "a"))
    domain_folds(c("a", NA, "b"))
    domain_folds(letters[1:4], folds = 5)
    domain_folds(letters[1:4], folds = 1)
    domain_folds(letters[1:4], folds = 2.5)
    domain_folds(letters[1:4], repeats = 0)
    domain_folds(letters[1:4], folds = 2, balance = "rows")
    domain_folds(letters[1:4], folds = 2, balance = "class")
    domain_folds(letters[1:4], folds = 2, balance = "class", y = c("p", "q"))
    domain_folds(1:30, folds = 2, balance = "class", y = (1:30) / 7)
    domain_folds()
    row_folds(c("a", "a", "b"), folds = 3)
    row_folds(c("a", NA))
    row_folds(4)
    domain_folds("a")
    run(5)
    run(1)
    run("three")
    run(NA)
    run(list(1, 2))
    run(c(d1 = 1, d2 = 2, d3 = 1))
    run(c(d1 = 1, d2 = 1, d3 = 1, d4 = 1))
    run(c(d1 = 1, d2 = NA, d3 = 1, d4 = 2))
    run(c(d1 = 1, d2 = 1.5, d3 = 1, d4 = 2))
    run(c(d1 = 1, d1 = 2, d2 = 1, d3 = 1, d4 = 2))
    run(domain_folds(c("a", "b", "d1")))
    run(row_folds(toy$domain[-1], folds = 2))
    as_rsample(c(d1 = 1), toy, "domain")
  })
  skip_if_not_installed("rsample")
  other <- rsample::group_vfold_cv(toy[-1, ], group = domain)
  expect_domgen_error(run(other), "same data: they have 3[0-9] rows", "domgen_error_argument")
  expect_domgen_error(as_rsample(domain_folds(toy$domain), toy, "none"), "`domain` must be a column")
  expect_domgen_error(as_rsample(domain_folds(toy$domain), toy), "`domain` must be given")
  expect_s3_class(as_rsample(row_folds(toy$domain, folds = 2), toy), "rset")
})

test_that("the old name of `folds` gives the new one", {
  for (old in list(quote(domain_folds(letters[1:4], v = 2)), quote(row_folds(letters[1:4], v = 2)))) {
    expect_domgen_error(eval(old), "`v` is now called `folds`", "domgen_error_argument")
  }
  expect_domgen_error(domain_folds(letters[1:4], repeat_s = 2), "did you mean `repeats`")
})
