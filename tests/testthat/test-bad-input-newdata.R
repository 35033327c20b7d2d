# New rows and formulas that do not suit the model.
skip_on_cran() # long

b <- bad_input_base()
n <- nrow(b$X)
d <- data.frame(b$X, f = factor(rep(c("r", "s"), n / 2)), text = rep(c("k", "l", "m"), n / 3),
                flag = rep(c(TRUE, FALSE, FALSE, TRUE), n / 4), g = b$domain, y = b$number,
                class = b$class, day = as.Date("2020-01-01") + seq_len(n))
terms <- y ~ a + b + f + text + flag | g

models <- list(
  svm = dg_svm(terms, data = d), classes = dg_svm(class ~ a + b + f + text + flag | g, data = d),
  pooled = dg_svm(terms, data = d, domain_kernel = domain_pooled()), lm = dg_lm(terms, data = d),
  null = dg_null(terms, data = d), dica = dg_dica(terms, data = d),
  kpca = dg_kpca(~ a + b + f + text + flag | g, data = d, domain_kernel = domain_distribution()),
  chain = fit(dg_pipeline(dg_dica(ncomp = 1), dg_svm()), terms, data = d)
)
with_column <- function(name, value) {
  d[[name]] <- value
  d
}
right <- list(
  base = d, "no row" = d[0, ], "one row" = d[1, ], "row five times" = d[rep(1, 5), ],
    list = as.list(d),
  "one NA" = with_column("a", replace_at(d$a, 2, NA)), "all NA" = with_column("a", NA),
  "all NaN" = with_column("a", NaN), "1e307" = with_column("a", d$a * 1e307),
  "1e-150" = with_column("a", d$a * 1e-150), "one level" = with_column("f", "r"),
  "factor for text" = with_column("text", factor(d$text)), "new domain" = with_column("g", "new"),
  "other levels" = with_column("f", factor(d$f, levels = c("x", "s", "r"))),
  "domain NA" = with_column("g", replace_at(d$g, 1, NA)), "no domain at all" = with_column("g", NA),
  "more columns" = cbind(d, q = 1), "other order" = rev(d), "unseen level" = with_column("f", "zz"),
  "unseen text" = with_column("text", "zz"),
  "index column" = `names<-`(cbind(1, d), c("", names(d)))
)
wrong <- list(
  "no column" = d[, 0], "column missing" = d[setdiff(names(d), "a")], "two missing" = d["y"],
  Inf. = with_column("a", replace_at(d$a, 2, Inf)), "column twice" = cbind(d, d["a"]),
  "factor for number" = with_column("a",
    factor(d$a > 0)),
  "text for number" = with_column("a", "x"), "flag for number" = with_column("a", d$a > 0),
  "number for factor" = with_column("f", 1), "number for text" = with_column("text", 1),
  "number for flag" = with_column("flag", 1), "date for number" = with_column("a", d$day),
  complex = with_column("a", d$a + 1i), "list column" = with_column("a", I(as.list(d$a))),
  matrix = b$X, "text matrix" = as.matrix(d), null = NULL, text = "a", numbers = 1:5,
  "function" = mean, environment = globalenv(), formula = y ~ a, model = models$lm,
  specification = dg_svm()
)

test_that("new rows of every kind give an error of ours or a prediction", {
  for (name in names(models)) {
    model <- models[[name]]
    of_turn <- function(values) turn(values, name, names(models))
    expect_outcomes(each(name, of_turn(right), function(new) predict(model, new)), answered)
    expect_outcomes(each(name, of_turn(wrong), function(new) predict(model, new)), "error")
    for (new in right[c("base", "no row", "one NA", "one row")]) {
      expect_equal(NROW(suppressWarnings(predict(model, new))), nrow(new))
    }
  }
})

test_that("references of every kind give an error of ours or a prediction", {
  for (name in c("svm", "kpca", "chain")) {
    model <- models[[name]]
    judge <- function(reference) predict(model, d[1:10, ], reference = reference)
    expect_outcomes(each(name, right, judge), answered)
    expect_outcomes(each(name, without(wrong, "null"), judge), "error")
    expect_warning(judge(with_column("g", "other")), "No domain of `newdata` is in `reference`",
                   class = "domgen_warning_reference")
  }
})

test_that("matrices that do not suit a model of a matrix are errors", {
  model <- dg_svm(b$X, d$y, d$g)
  judge <- function(x) predict(model, x, domain = rep("u", NROW(x)))
  given <- list(base = b$X, "no row" = b$X[0, ], swapped = b$X[, 2:1], unnamed = unname(b$X),
                extra = cbind(b$X, c = 1), integer = round(b$X), "data frame" = as.data.frame(b$X),
                "1e307" = b$X * 1e307, "one NA" = replace_at(b$X, 1, NA))
  expect_outcomes(each("right", given, judge), answered)
  given <- list("no column" = b$X[, 0], "one column" = b$X[, 1, drop = FALSE],
                names = `colnames<-`(b$X, c("q", "r")), twice = `colnames<-`(b$X, c("a", "a")),
                Inf. = replace_at(b$X, 1, Inf), text = matrix("a", 2, 2), complex = b$X + 1i,
                array = array(1, c(2, 2, 2)), factor = data.frame(a = factor(1:2), b = 1:2),
                vector = 1:3, null = NULL, list = list(1, 2), "function" = mean)
  expect_outcomes(each("wrong", given, judge), "error")
  expect_equal(judge(b$X[, 2:1]), judge(b$X))
  expect_equal(judge(cbind(c = 1, b$X[, 2:1])), judge(b$X))
})

test_that("domains and references that do not suit newdata are errors", {
  model <- dg_svm(b$X, d$y, d$g)
  calls <- list(
    none = function() predict(model, b$X), length = function() predict(model, b$X, 1:3),
    list = function() predict(model, b$X, as.list(d$g)),
    reference = function() predict(model, b$X, d$g, reference = b$X),
    "reference length" = function() predict(model, b$X, d$g, reference = b$X,
      reference_domain = 1:3),
    alone = function() predict(model, b$X, d$g, reference_domain = d$g),
    name = function() predict(model, b$X, d$g, reference = "test"),
    prob = function() predict(model, b$X, d$g, type = "prob")
  )
  expect_outcomes(calls, "error")
})

formulas <- list(
  "two bars" = y ~ a | g | f, "bar in terms" = y ~ a + (b | g), "double bar" = y ~ a || g,
  "bar on the left" = y | g ~ a, "no predictor" = y ~ 1 | g, "none at all" = y ~ 0,
    null = y ~ NULL | g,
  offset = y ~ a + offset(b) | g, unknown = y ~ zzz | g, "unknown response" = zzz ~ a | g,
  "unknown domain" = y ~ a | zzz, "response twice" = y ~ y | g, "two domains" = y ~ a | g:f,
  "two responses" = cbind(y, a) ~ b | g, list = list(y) ~ a | g,
    infinite = y ~ I(1 / (flag * 1)) | g,
  failing = y ~ stop("boo") | g, "function" = y ~ mean | g, length = y ~ I(1:3) | g,
    text = y ~ "a" | g,
  number = y ~ 3 | g, nothing = y ~ a - a | g, "one level" = y ~ factor(rep("a", 24)) | g,
  complex = I(y + 1i) ~ a | g, missing = I(y * NA) ~ a | g, "as text" = "y ~ a | g"
)

test_that("formulas that cannot be read are errors", {
  uses <- list(
    svm = function(f) dg_svm(f, data = d), dica = function(f) dg_dica(f, data = d),
    lm = function(f) dg_lm(f, data = d), cv = function(f) dg_cv(dg_lm(), f, data = d),
    chain = function(f) fit(dg_pipeline(dg_dica(), dg_lm()), f, data = d),
    compare = function(f) dg_compare(list(a = dg_lm()), f, data = d, progress = FALSE)
  )
  for (name in names(uses)) {
    # which takes several responses, and those that take an offset
    fine <- if (name == "dica") "two responses" else if (name %in% c("lm", "cv", "compare")) "offset"
    wrong <- formulas[setdiff(names(formulas), fine)]
    expect_outcomes(each(name, wrong, uses[[name]]), "error")
  }
})

test_that("data that do not suit the formula are errors", {
  given <- list(text = "a", numbers = 1:5, "function" = mean, environment = globalenv(),
    matrix = b$X,
                model = models$lm, "no row" = d[0, ], "no column" = d[, 0],
                  "all NA" = with_column("a", NA))
  uses <- list(svm = function(v) dg_svm(terms, data = v), dica = function(v) dg_dica(terms, data = v),
               fit = function(v) fit(dg_lm(), terms, data = v), cv = function(v) dg_cv(dg_lm(),
                 terms, data = v))
  for (name in names(uses)) expect_outcomes(each(name, given, uses[[name]]), "error")
})

test_that("cross-validation takes odd domains and refuses odd folds", {
  cv <- function(...) dg_cv(dg_lm(), y ~ a | g, ..., progress = FALSE)
  for (name in c("", "NA", "a b")) {
    odd <- cv(data = with_column("g", sub("u", name, d$g)))
    expect_equal(odd$mean, cv(data = d)$mean)
    expect_setequal(odd$domains$domain, c(name, "v", "w"))
  }
  folds <- list("NA" = c(u = 1, v = NA, w = 2), one = c(u = 1, v = 1, w = 1), half = c(u = 0.5,
    v = 1, w = 1),
                Inf. = c(u = Inf, v = 1, w = 1), twice = c(u = 1, u = 2, v = 1, w = 1),
                  rows = rep(1:3, 8),
                factor = factor(c(u = 1, v = 2, w = 3)), list = list(u = 1, v = 2, w = 3), many = 4)
  expect_names_argument(each("folds", folds, function(v) cv(data = d, folds = v)), "folds")
  lacking <- with_column("class", factor(ifelse(d$g == "u", "p", "q")))
  expect_warning(dg_cv(dg_null(), class ~ a | g, data = lacking, metric = "auc", progress = FALSE),
                 "each lacks a class", class = "domgen_warning_score")
})

test_that("a domain without a name is a domain in searches and plots", {
  for (data in list(toy_domains(4, 12), toy_classes(4, 12))) {
    nameless <- data
    levels(nameless$domain)[2L] <- ""
    auto <- function(data) dg_auto(y ~ . | domain, data = data, n_members = 1, max_ard = 0)
    expect_equal(predict(auto(nameless), nameless), predict(auto(data), data))
  }
  shown <- function(data) {
    heatmap_frame(dg_mmd(as.matrix(data[c("x1", "x2")]), data$domain), levels(data$domain)[2L])
  }
  expect_equal(shown(nameless)$value, shown(data)$value)
})
