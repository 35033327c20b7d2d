# The law of columns: in any role, however rows are stored, the outcome is that of plain values put
# in by hand, or an error that names column and class.

fine_outcomes <- c("right", "refused")

# All roles of a kind where it is long, else some.
try_kind <- function(kind, cells) {
  found <- apply(cells, 1L, function(cell) {
    impute <- cell[["na.action"]] == "impute"
    column_outcome(kind, cell[["role"]], cell[["storage"]],
                   if (impute) na.impute() else stats::na.omit)
  })
  paste(cells$role, cells$storage, cells$na.action, found)[!found %in% fine_outcomes]
}

column_cells <- function() {
  cells <- do.call(rbind, lapply(names(column_roles), function(role) {
    data.frame(role = role, storage = storages_of(role), na.action = "omit")
  }))
  imputed <- cells[cells$role %in% c("predictor", "inside") & cells$storage == "frame", ]
  cells <- rbind(cells, transform(imputed, na.action = "impute"))
  rownames(cells) <- NULL
  cells
}

test_that("a column of any class is used as it is understood, or an error names it", {
  cells <- column_cells()
  kinds <- column_kinds()
  expect_gt(length(kinds), 50L)
  for (name in names(kinds)) {
    kind <- kinds[[name]]
    if (!is.null(kind$package) && !requireNamespace(kind$package, quietly = TRUE)) next
    few <- with_seed(nchar(name), sample(nrow(cells), 6L))
    tried <- if (long_form()) cells else cells[few, ]
    # a data frame may be a matrix, several responses, or a table that a function looks up
    if (name == "frame") {
      meant <- tried$role == "matrix" | tried$role == "response" & tried$storage == "vectors" |
        tried$role %in% c("inside", "offset") & tried$storage == "environment"
      tried <- tried[!meant, ]
    }
    expect_identical(try_kind(kind, tried), character(), label = name)
  }
})

test_that("codes that SPSS declares as missing are missing, not numbers", {
  kinds <- column_kinds()
  for (name in c("missing codes", "range of missing codes", "labelled", "protected")) {
    for (role in c("predictor", "new", "domain", "response", "weights", "offset")) {
      expect_identical(column_outcome(kinds[[name]], role), "right", label = paste(name, role))
    }
  }
  d <- with_value(column_world(1), "x", kinds[["missing codes"]]$make(1:60, 3))
  expect_domgen_error(dg_lm(y ~ x | site, data = d, na.action = na.fail), "1 row of 60 has missing")
  found <- na.impute(d["x"])
  expect_identical(as.double(found$x), replace(as.double(1:60), 3, 31))
  expect_identical(found$x.missing, as.double(1:60 == 3))
})

test_that("a class is an argument of a function that knows it, not of one that computes", {
  d <- column_world(2)
  plain <- dg_lm(y ~ x | site, data = d)
  month <- with_value(d, "x", structure(d$x, class = "yearmon"))
  expect_equal(fitted(dg_lm(y ~ as.numeric(x) | site, data = month)), fitted(plain))
  years <- function(x) as.numeric(unclass(x))
  model <- dg_lm(y ~ years(x) | site, data = month)
  expect_equal(predict(model, month), fitted(plain))
  for (formula in list(y ~ log(x) | site, y ~ I(x / 12) | site, y ~ poly(x, 2) | site,
                       y ~ x:z | site, y ~ splines::ns(x, 2) | site, x ~ z | site,
                       log(x) ~ z | site, y ~ z | x, y ~ z | floor(x))) {
    expect_domgen_error(dg_lm(formula, data = month), "`x`.*\"yearmon\"")
  }
  # groups of random effects are columns too
  if (requireNamespace("lme4", quietly = TRUE)) {
    expect_domgen_error(dg_mixed(y ~ z | site, data = month, random = ~ 1 | x),
                        "`x`.*\"yearmon\"")
  }
  # a table beside the data may have as many rows
  prices <- data.frame(price = seq_len(nrow(d)) / 7)
  expect_equal(fitted(dg_lm(y ~ prices[x, 1] | site, data = d)), fitted(plain))
  # a list of numbers
  listed <- with_value(d, "x", as.list(d$x))
  expect_equal(fitted(dg_lm(y ~ sapply(x, sum) | site, data = listed)), fitted(plain))
})

test_that("a column that nobody uses is nobody's concern", {
  d <- column_world(3)
  plain <- dg_lm(y ~ x | site, data = d)
  for (kind in column_kinds()[c("list", "yearmon", "of S4", "own is.na()", "frame")]) {
    odd <- with_value(d, "u", kind$make(d$u, 2))
    expect_equal(fitted(dg_lm(y ~ x | site, data = odd)), fitted(plain))
  }
})

test_that("classes from text have no order", {
  skip_if_not_installed("lme4")
  d <- column_world(4)
  d$o <- c("low", "mid", "top")[findInterval(d$y, c(0, 20, 35))]
  d$ordered <- factor(d$o, c("low", "mid", "top"), ordered = TRUE)
  known <- coef(dg_glm(ordered ~ x | site, data = d, family = "ordinal", lambda = 1,
                       kernel = kernel_linear()))
  ordinal <- dg_glm(family = "ordinal", lambda = 1, kernel = kernel_linear())
  rule <- "response `o` of `family = \"ordinal\"` must be an ordered factor, not text"
  for (spec in list(ordinal, dg_pipeline(dg_kpca(), ordinal), dg_auto(family = "ordinal"),
                    dg_ensemble(list(a = ordinal, b = dg_svm())),
                    dg_tune(ordinal, grid = list(lambda = 1:2)))) {
    expect_domgen_error(fit(spec, o ~ x | site, data = d), rule)
  }
  expect_domgen_error(dg_cv(ordinal, o ~ x | site, data = d), rule)
  expect_domgen_error(dg_compare(list(dg_svm(), ordinal), o ~ x | site, data = d), rule)
  expect_domgen_error(fit(ordinal, o ~ x | site, data = row_source(d[c("o", "x", "site")])), rule)
  declared <- row_source(d[c("o", "x", "site")], levels = list(o = c("low", "mid", "top")))
  expect_equal(coef(fit(ordinal, o ~ x | site, data = declared)), known, tolerance = 1e-6)
  skip_if_not_installed("ordinal")
  expect_domgen_error(dg_mixed(o ~ x | site, data = d, family = "ordinal"), rule)
  cv <- dg_cv(dg_glm(family = "multinomial", lambda = 1), o ~ x | site, data = d, folds = 3)
  expect_domgen_error(dg_validate(cv, response = "ordinal"), "must be an ordered factor, not text")
})
