# What columns are taken for: specimens of each kind are found, usual columns are left in peace.

remarks <- function(x, name = "x") column_remarks(stats::setNames(list(x), name))
kinds <- function(x, name = "x") remarks(x, name)$kind

test_that("usual columns have no line", {
  draws <- if (nzchar(Sys.getenv("DOMGEN_LONG"))) 500 else 40
  found <- with_seed(3, lapply(usual_columns, function(draw) {
    unlist(replicate(draws, kinds(draw(sample(c(40, 150, 1000), 1)))))
  }))
  # few counts or periods may be three, as codes of categories are
  three <- names(found) %in% c("few", "visits", "period")
  expect_identical(setdiff(unlist(found[three]), c("categories", "code")), character())
  expect_lte(length(unlist(found[!three])), 0.002 * draws * length(found))
  expect_lte(sum(unlist(found[three]) == "code"), 0.02 * draws)
})

test_that("identifiers are found: running numbers in any order, text, names that say so", {
  with_seed(5, for (k in 1:20) {
    n <- sample(c(30, 100, 1000), 1)
    start <- sample(c(0, 1, 1e4, 2e6), 1)
    expect_identical(kinds(start + sample(n)), "identifier")
    expect_identical(kinds(start + sort(sample(round(1.3 * n), n))), "identifier")
    expect_identical(kinds(paste0("p", sample(n))), "identifier")
    expect_identical(kinds(factor(paste0("p", sample(n)))), "identifier")
    far <- sample(1e8, n)
    for (name in c("id", "ID", "patient_id", "patientID", "patient", "Fall-Nr", "case.no", "MRN")) {
      expect_identical(kinds(far, name), "identifier", info = name)
    }
    for (name in c("acid", "income", "covid", "width", "volume_ml")) {
      expect_identical(kinds(far, name), character(), info = name)
    }
    # with a value that comes again it is none, nor is a measurement
    expect_identical(kinds(c(start + sample(n), start + 1)), character())
    expect_identical(kinds(start + sample(n) / 7), character())
  })
})

test_that("codes far from all else are found, in any number, above and below", {
  with_seed(6, for (k in 1:30) {
    age <- round(rnorm(200, 50, 10))
    at <- sample(200, sample(c(1, 2, 20), 1))
    for (code in c(999, 9999, -99, -999, 998)) {
      expect_identical(remarks(replace(age, at, code))$kind, "code", info = code)
    }
    if (length(at) > 1L) {
      expect_identical(kinds(replace(age, at, rep_len(c(998, 999), length(at)))), "code")
      expect_identical(kinds(replace(rlnorm(200, 9), at, -9)), "code")
      expect_identical(kinds(replace(sample(1:5, 200, TRUE), at, 9)), "code")
      expect_identical(kinds(replace(runif(200) * 3, at, 99.9)), "code")
    }
    expect_identical(kinds(replace(sample(18:98, 200, TRUE), at, 99)), character())
    expect_identical(kinds(replace(sample(1:8, 200, TRUE), at, 9)), character())
  })
  text <- remarks(replace(rep(18:67, 4), c(1, 9), c(998, 999)), "age")$remark
  expect_match(text, "`age` is 998 or 999 in 2 rows and from 18 to 67 in the others", fixed = TRUE)
  # what it recommends is code that does it
  data <- data.frame(age = replace(rep(18:67, 4), 3, 999))
  code <- sub(".*: `(.*)`[.]$", "\\1", column_remarks(data)$remark)
  eval(parse(text = code))
  expect_identical(which(is.na(data$age)), 3L)
})

test_that("codes of categories, constants, long lists of texts, dates have a line each", {
  for (values in list(1:2, 0:2, 1:3)) expect_identical(kinds(rep_len(values, 60)), "categories")
  for (values in list(0:1, c(0, 10, 20), c(0.5, 1.5), -1:1, c(4, 6, 8), c(1, 3, 5, 7, 9))) {
    expect_identical(kinds(rep_len(values, 60)), character())
  }
  expect_identical(kinds(rep_len(c(1, 2, 9), 60)), c("code", "categories"))
  for (one in list(3, "a", TRUE, factor("a"), as.Date("2024-01-01"), NA, NA_character_)) {
    expect_identical(kinds(rep(one, 30)), "constant")
  }
  many <- paste0("t", rep(1:300, 2))
  expect_identical(kinds(many), "levels")
  expect_match(remarks(many)$remark, "has 300 different texts. It is taken for 300 categories")
  days <- as.Date("2024-01-01") + 0:119
  for (form in c("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y")) {
    found <- remarks(format(days, form))$remark
    expect_match(found, paste0("most of which are dates.*as.Date\\(x, \"", form))
  }
  expect_match(remarks(c(1:80 + 0.5, "n/a"))$remark, "most of which are numbers.*as.numeric")
  expect_match(remarks(paste0(1:80, ",5"))$remark, "numbers with a comma")
  # as.numeric() of a factor would be its codes
  expect_identical(kinds(factor(rep(1:80, 2))), "levels")
  expect_no_match(remarks(factor(rep(1:80, 2)))$remark, "as.numeric")
  expect_match(remarks(days)$remark, "is from 2024-01-01 to 2024-04-29, .* number of days")
  expect_match(remarks(as.POSIXct(days))$remark, "taken for a number of seconds")
  # nothing is known of what is not understood
  expect_identical(nrow(column_remarks(list(l = as.list(1:30), m = diag(30)))), 0L)
  expect_identical(nrow(column_remarks(list())), 0L)
})

test_that("dg_diagnose() has a line for predictors and response as they enter, and changes nothing", {
  d <- simulate_dica(domains = 5, n = 20, p = 2, seed = 1)
  d$id <- seq_len(nrow(d))
  d$sex <- rep_len(1:2, nrow(d))
  d$y[4] <- 9999
  ask <- function(formula) quietly(dg_diagnose(formula, data = d, permutations = 20))$columns
  found <- ask(y ~ . | domain)
  expect_identical(found$column, c("y", "id", "sex"))
  expect_identical(found$kind, c("code", "identifier", "categories"))
  expect_identical(ask(y ~ x1 + log(id) + factor(sex) | domain)$column, "y")
  plain <- quietly(dg_diagnose(as.matrix(d[c("x1", "sex")]), d$y, d$domain, permutations = 20))
  expect_identical(plain$columns$column, "sex")
  result <- quietly(dg_diagnose(y ~ . | domain, data = d, permutations = 20))
  expect_match(capture.output(print(result)), "- `id` has another whole number", all = FALSE)
})

test_that("summary() of a source says what each column is taken for", {
  d <- data.frame(g = rep(c("a", "b"), 20), x = c(NA, 2:40 / 7),
                  day = as.Date("2024-01-01") + 1:40, l = rep(c(TRUE, FALSE), 20), wait = as.difftime(1:40, units = "hours"))
  found <- summary(row_source(d))
  expect_identical(found$taken$taken, c("category, 2 levels", "number", "number of days",
                                        "TRUE or FALSE", "number of hours"))
  expect_identical(found$taken$missing, c(0L, 1L, 0L, 0L, 0L))
  expect_output(print(found), "40 rows, 5 columns.*taken for.*- `day` is from 2024-01-02")
  expect_identical(as.data.frame(row_source(d, block_size = 7)), d)
})
