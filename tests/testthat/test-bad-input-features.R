# The newer projections, the feature maps and the sums of features against bad
# rows, bad arguments and bad pieces: an error of ours, or a finite answer.
skip_on_cran() # long

b <- bad_input_base()
n <- nrow(b$X)
d <- data.frame(b$X, y = b$number, class = b$class, g = b$domain)
bad <- bad_data(b)
with_column <- function(name, value) {
  d[[name]] <- value
  d
}

# One function (x, y, domain) a method.
feature_fits <- function() {
  method <- function(fun, ...) {
    extra <- list(...)
    function(x, y, domain) {
      everything(do.call(fun, c(list(x = x, y = y, domain = domain), extra)), x, domain)
    }
  }
  list(
    dcm = method(dg_dcm), `dcm nystrom` = method(dg_dcm, feature_map = features_nystrom(5)),
    tca = method(dg_tca, ncomp = 50), `tca rff` = method(dg_tca, feature_map = features_rff(3)),
    sca = method(dg_sca, beta = 0, normalise = "whiten"),
    `sca average` = method(dg_sca, average = TRUE, feature_map = features_nystrom(6, "kmeans")),
    mda = method(dg_mda), `mda uniform` = method(dg_mda, feature_map = features_nystrom(6, "uniform")),
    cidg = method(dg_cidg, gamma = 10, kernel = kernel_linear(), scale = "none"),
    `cidg product` = method(dg_cidg, feature_map = features_product(x = features_nystrom(5)),
                            domain_kernel = domain_distribution()),
    `dica smooth` = method(dg_dica, smooth = 1, neighbours = 3),
    `dica smooth nystrom` = method(dg_dica, smooth = 1, neighbours = 1,
                                   feature_map = features_nystrom(6)),
    `udica distribution` = method(dg_udica, feature_map = features_nystrom(6),
                                  domain_kernel = domain_distribution()),
    `kpca one landmark` = method(dg_kpca, feature_map = features_nystrom(1)),
    `coir fourier` = method(dg_coir, feature_map = features_product("fourier", n_features = 3),
                            domain_kernel = domain_distribution()),
    svm = method(dg_svm, feature_map = features_nystrom(6), max_iterations = 1e4),
    `svm rff` = method(dg_svm, feature_map = features_rff(3), domain_kernel = domain_pooled(),
                       max_iterations = 1e4),
    sums = function(x, y, domain) {
      sums <- feature_sums(x, y, domain, feature_map = features_nystrom(6))
      utils::capture.output(print(sums))
      model <- fit(dg_coir(), sums)
      list(sums$sums, model$values, predict(model, x))
    }
  )
}
of_turn <- function(values, method) turn(values, method, names(feature_fits()))
of_classes <- c("sca", "sca average", "mda", "mda uniform", "cidg", "cidg product")
response_of <- function(method) if (method %in% of_classes) b$class else b$number

test_that("the methods of the battery answer sound data", {
  with_seed(1, for (name in names(feature_fits())) {
    sound <- function() feature_fits()[[name]](b$X, response_of(name), b$domain)
    expect_outcomes(stats::setNames(list(sound), name), c("finite", "warned"))
  })
})

test_that("predictors of every kind give an error of ours or a finite answer", {
  with_seed(1, for (name in names(feature_fits())) {
    fit_to <- function(x) feature_fits()[[name]](x, response_of(name), b$domain)
    expect_outcomes(each(name, of_turn(bad$matrices, name), fit_to), fine)
    expect_outcomes(each(name, of_turn(bad$not_matrices, name), fit_to), "error")
  })
})

test_that("responses of every kind give an error of ours or a finite answer", {
  with_seed(1, for (name in setdiff(names(feature_fits()), "kpca one landmark")) {
    fit_to <- function(y) feature_fits()[[name]](b$X, y, b$domain)
    expect_outcomes(each(name, of_turn(bad$responses, name), fit_to), fine)
    expect_outcomes(each(name, of_turn(bad$not_responses, name), fit_to), "error")
  })
})

test_that("domains of every kind give an error of ours or a finite answer", {
  with_seed(1, for (name in names(feature_fits())) {
    fit_to <- function(g) feature_fits()[[name]](b$X, response_of(name), g)
    expect_outcomes(each(name, of_turn(bad$domains, name), fit_to), fine)
    expect_outcomes(each(name, of_turn(bad$not_domains, name), fit_to), "error")
  })
})

test_that("few rows give an error of ours or a finite answer", {
  rows <- list("0" = integer(0), "1" = 1, "2" = 1:2, "3" = c(1, 9, 17))
  with_seed(1, for (name in names(feature_fits())) {
    found <- expect_outcomes(each(name, rows, function(i) {
      feature_fits()[[name]](b$X[i, , drop = FALSE], response_of(name)[i], b$domain[i])
    }), fine)
    expect_equal(found[[1]], "error")
  })
})

test_that("a number that breaks the rule is an error that names the argument", {
  rules <- list(
    mu = list(dg_tca, bad_numbers(0, -1)), lambda = list(dg_dcm, without(bad_numbers(0, -1), "NULL")),
    epsilon = list(dg_dcm, bad_numbers(0, -1)), beta = list(dg_sca, bad_numbers(-0.1, 1.1)),
    delta = list(dg_sca, bad_numbers(-1)), lambda = list(dg_sca, bad_numbers(-1)),
    average = list(dg_sca, without(bad_numbers(0), "TRUE")), beta = list(dg_mda, bad_numbers(-0.1, 1.1)),
    alpha = list(dg_mda, bad_numbers(-1)), gamma = list(dg_cidg, bad_numbers(-1)),
    smooth = list(dg_dica, bad_numbers(-1)), neighbours = list(dg_dica, bad_numbers(0, 1.5, 3e9)),
    feature_map = list(dg_dcm, bad_numbers(0)), feature_map = list(dg_svm, bad_numbers(0)),
    target = list(dg_tca, without(bad_numbers(0), "NULL", "matrix", "data frame")),
    unlabelled = list(dg_dica, without(bad_numbers(0), "NULL", "matrix", "data frame")),
    n_landmarks = list(features_nystrom, bad_numbers(0, -1, 1.5, 3e9)),
    sampling = list(features_nystrom, bad_numbers(0)),
    n_features = list(features_rff, bad_numbers(0, -1, 1.5, 3e9)),
    orthogonal = list(features_rff, without(bad_numbers(0), "TRUE")),
    type = list(features_product, bad_numbers(0)), x = list(features_product, bad_numbers(0)),
    rank = list(features_product, without(bad_numbers(0, -1, 1.5), "NULL")),
    embedding = list(features_product, without(bad_numbers(0), "NULL"))
  )
  for (i in seq_along(rules)) {
    arg <- names(rules)[i]
    expect_names_argument(each(arg, rules[[i]][[2]], function(v) {
      do.call(rules[[i]][[1]], stats::setNames(list(v), arg), quote = TRUE)
    }), arg)
  }
})

test_that("more features than memory are refused before they are drawn", {
  by_distribution <- function(features) {
    function() dg_kpca(b$X, domain = b$domain, feature_map = features,
                       domain_kernel = domain_distribution())
  }
  many <- features_rff(1e9)
  calls <- list(
    rff = function() dg_kpca(b$X, feature_map = many),
    rows = function() dg_kpca(b$X[1:2, ], feature_map = many),
    blocks = function() dg_kpca(b$X, feature_map = features_rff(1e9, orthogonal = FALSE)),
    svm = function() dg_svm(b$X, b$number, feature_map = many, domain_kernel = domain_pooled()),
    sums = function() feature_sums(b$X, feature_map = many),
    product = by_distribution(features_product(x = many)),
    embedding = by_distribution(features_product(embedding = many)),
    fourier = by_distribution(features_product("fourier", n_features = 1e9))
  )
  expect_outcomes(calls, "error")
  for (call in calls) {
    expect_domgen_error(suppressWarnings(call()), "memory_limit", "domgen_error_memory")
  }
  with_seed(1, expect_domgen_error({
    op <- options(domgen.memory_limit = 4e6)
    on.exit(options(op))
    dg_kpca(b$X, feature_map = features_rff(500))
  }, "1,000 features", "domgen_error_memory"))
})

test_that("more landmarks than rows are all rows, and a warning says so where they were drawn", {
  for (sampling in c("rpcholesky", "kmeans", "uniform")) {
    features <- features_nystrom(1e9, sampling)
    fit <- function(...) dg_kpca(..., feature_map = features)
    if (sampling == "uniform") {
      expect_warning(model <- fit(b$X), "there are only 24 rows", class = "domgen_warning_rank")
      expect_warning(fit(b$X[1:2, ], ncomp = 1), "only 2 rows", class = "domgen_warning_rank")
    } else model <- fit(b$X)
    expect_equal(model$values, dg_kpca(b$X)$values, tolerance = 1e-10)
  }
})

test_that("kernels of users that break the rules are errors that name `fun`", {
  wrong <- list(
    vector = function(x, z) 1:3, number = function(x, z) 1, null = function(x, z) NULL,
    text = function(x, z) matrix("a", nrow(x), nrow(z)), complex = function(x, z) x %*% t(z) + 1i,
    transposed = function(x, z) z %*% t(x), failing = function(x, z) stop("boo"),
    "NA" = function(x, z) matrix(NA_real_, nrow(x), nrow(z)),
    "one NaN" = function(x, z) replace(x %*% t(z), 1, NaN), Inf. = function(x, z) x %*% t(z) + Inf,
    negative = function(x, z) -x %*% t(z), asymmetric = function(x, z) outer(x[, 1], z[, 2])
  )
  uses <- list(
    nystrom = function(k) dg_kpca(b$X, kernel = k, feature_map = features_nystrom(5)),
    `all rows` = function(k) dg_kpca(b$X, kernel = k, feature_map = features_nystrom(24)),
    kmeans = function(k) dg_dcm(b$X, b$class, b$domain, kernel = k,
                             feature_map = features_nystrom(5, "kmeans")),
    uniform = function(k) dg_sca(b$X, b$class, b$domain, kernel = k,
                              feature_map = features_nystrom(5, "uniform")),
    svm = function(k) dg_svm(b$X, b$class, b$domain, kernel = k, feature_map = features_nystrom(5)),
    sums = function(k) feature_sums(b$X, kernel = k, feature_map = features_nystrom(5)),
    exact = function(k) dg_tca(b$X, domain = b$domain, kernel = k)
  )
  for (name in names(uses)) {
    # the whole of a symmetric matrix is right when transposed
    given <- wrong[if (name == "exact") names(wrong) != "transposed" else TRUE]
    found <- with_seed(1, lapply(lapply(given, kernel_custom), function(k) {
      suppressWarnings(tryCatch(uses[[name]](k), error = identity))
    }))
    named <- vapply(found, function(e) {
      inherits(e, "domgen_error") && grepl("`fun` of kernel_custom()", conditionMessage(e),
                                           fixed = TRUE)
    }, NA)
    expect_true(all(named), info = paste(name, enumerate(names(given)[!named])))
  }
})

test_that("odd kernels of users give an error of ours or a finite answer", {
  odd <- list(
    distance = function(x, z) -as.matrix(stats::dist(rbind(x, z)))[seq_len(nrow(x)),
                                                                   nrow(x) + seq_len(nrow(z))],
    zero = function(x, z) matrix(0, nrow(x), nrow(z)), one = function(x, z) matrix(1L, nrow(x),
                                                                                   nrow(z)),
    tanh = function(x, z) tanh(3 * x %*% t(z) - 1), huge = function(x, z) x %*% t(z) * 1e300,
    tiny = function(x, z) x %*% t(z) * 1e-300, degree = function(x, z) (1 + x %*% t(z))^200,
    frame = function(x, z) as.data.frame(x %*% t(z))
  )
  uses <- list(
    kpca = function(k, f) dg_kpca(b$X, kernel = k, feature_map = f),
    dcm = function(k, f) dg_dcm(b$X, b$class, b$domain, kernel = k, feature_map = f),
    svm = function(k, f) dg_svm(b$X, b$class, b$domain, kernel = k, feature_map = f,
                                domain_kernel = domain_pooled(), max_iterations = 1e4)
  )
  maps <- list(features_exact(), features_nystrom(5), features_nystrom(5, "kmeans"),
               features_nystrom(50), features_product(x = features_nystrom(5, "uniform")))
  pairs <- outer(names(uses), vapply(maps, format, ""), paste)
  with_seed(1, for (name in names(uses)) {
    for (map in maps) {
      given <- turn(odd, paste(name, format(map)), pairs)
      judge <- function(fun) everything(uses[[name]](kernel_custom(fun), map), b$X, b$domain)
      expect_outcomes(each(paste(name, format(map)), given, judge), fine)
    }
  })
})

extras <- list(
  "other columns" = data.frame(q = 1), "one column" = d["a"], text = data.frame(a = "x", b = "y"),
  "no row" = d[0, ], "all NA" = with_column("a", NA_real_), Inf. = with_column("b", Inf),
  factor = with_column("a", factor(d$a)), "text matrix" = matrix("a", 2, 2,
                                                                 dimnames = list(NULL, c("a", "b")))
)
sound_extras <- list(
  matrix = b$X, "one NA" = with_column("a", replace_at(d$a, 1, NA)), "one row" = d[1, ],
  "no domain" = d[c("b", "a")], "domain NA" = with_column("g", replace_at(d$g, 1, NA)),
  "new domain" = with_column("g", "target"), tibble = structure(d, class = c("tbl_df", "tbl",
                                                                             "data.frame")),
  integer = with_column("a", seq_len(n)), "1e150" = with_column("a", d$a * 1e150)
)

test_that("`target` and `unlabelled` of every kind give an error or a finite answer", {
  uses <- list(
    tca = function(v) dg_tca(~ a + b | g, data = d, target = v),
    `tca matrix` = function(v) dg_tca(b$X, domain = b$domain, target = v),
    sca = function(v) dg_sca(class ~ a + b | g, data = d, target = v, feature_map = features_nystrom(5)),
    dica = function(v) dg_dica(y ~ a + b | g, data = d, unlabelled = v),
    `dica matrix` = function(v) dg_dica(b$X, b$number, b$domain, unlabelled = v, smooth = 1,
                                     neighbours = 2, feature_map = features_nystrom(5))
  )
  with_seed(1, for (name in names(uses)) {
    arg <- if (grepl("dica", name)) "unlabelled" else "target"
    judge <- function(v) {
      model <- uses[[name]](v)
      expect_equal(nrow(model$scores), n)
      list(fitted(model), predict(model, b$X), model$values, model$variance)
    }
    expect_outcomes(each(name, sound_extras, judge), answered)
    expect_outcomes(each(name, extras, judge), "error")
    for (v in extras) {
      expect_domgen_error(suppressWarnings(uses[[name]](v)), paste0("`", arg))
    }
  })
})

test_that("rows without a domain are a domain of their own, whatever the others are called", {
  named <- dg_tca(b$X, domain = rep("target", n), target = b$X + 1)
  expect_equal(named$values, dg_tca(b$X, domain = rep("source", n), target = b$X + 1)$values)
})

test_that("the training rows of a model with a target serve as reference", {
  model <- dg_tca(~ a + b | g, data = d, target = b$X + 1, domain_kernel = domain_distribution())
  expect_equal(predict(model, d[1:9, ], reference = "training"), fitted(model)[1:9, ])
})

test_that("neighbours are fewer than rows, unlabelled ones among them", {
  expect_names_argument(list(
    many = function() dg_dica(b$X, b$number, b$domain, smooth = 1, neighbours = n),
    feature_map = function() dg_dica(b$X, b$number, b$domain, smooth = 1, neighbours = n,
                               feature_map = features_nystrom(5))
  ), "neighbours")
  all <- dg_dica(b$X, b$number, b$domain, smooth = 1, neighbours = n - 1)
  more <- dg_dica(b$X, b$number, b$domain, smooth = 1, neighbours = n, unlabelled = b$X[1:3, ])
  expect_true(all_finite(list(all$values, more$values)))
})

test_that("levels that were not seen in training are told by the fast methods, too", {
  data <- transform(d, f = factor(rep(c("r", "s"), n / 2)))
  uses <- list(
    dcm = dg_dcm(y ~ a + f | g, data = data, feature_map = features_nystrom(5)),
    sums = fit(dg_udica(), feature_sums(~ a + f | g, data = data, feature_map = features_nystrom(5))),
    svm = dg_svm(y ~ a + f | g, data = data, feature_map = features_nystrom(5))
  )
  new <- transform(data, f = "zz")
  expect_outcomes(each("level", uses, function(m) predict(m, new)), "missing")
  expect_outcomes(each("level", uses, function(m) predict(m, new, new_levels = "error")), "error")
})

sums_of <- function(...) feature_sums(..., feature_map = features_nystrom(5))

test_that("pieces of every kind give an error of ours or finite sums", {
  data <- transform(d, f = factor(rep(c("r", "s"), n / 2)))
  class_sums <- with_seed(1, sums_of(class ~ a + b + f | g, data = data))
  with_f <- function(name, value) {
    data[[name]] <- value
    data
  }
  right <- list(
    base = data, "one row" = data[1, ], "one NA" = with_f("a", replace_at(d$a, 2, NA)),
    "new class" = with_f("class", "zz"), "new domain" = with_f("g", "zz"),
    logical = with_f("class", d$a > 0), text = with_f("f", as.character(data$f)),
    "1e307" = with_f("a", d$a * 1e307), more = cbind(data, q = 1), "other order" = rev(data)
  )
  wrong <- list(
    "no row" = data[0, ], "no predictor" = data["a"], "no class" = data[setdiff(names(data),
                                                                                "class")],
    "no domain" = data[setdiff(names(data), "g")], "unseen level" = with_f("f", "zz"),
    Inf. = with_f("a", Inf), "all NA" = with_f("a", NA), "no class known" = with_f("class", NA),
    "no domain known" = with_f("g", NA), "numbers for classes" = with_f("class", 1),
    matrix = b$X, null = NULL, text = "a", "function" = mean, sums = class_sums
  )
  judge <- function(piece) {
    piece <- update(class_sums, piece)
    list((class_sums + piece)$sums, (piece + class_sums)$sums)
  }
  expect_outcomes(each("piece", right, judge), c("finite", "warned"))
  expect_outcomes(each("piece", wrong, judge), "error")
  number_sums <- with_seed(1, sums_of(b$X, b$number, b$domain))
  of_rows <- function(...) update(number_sums, b$X, ...)
  expect_outcomes(list(
    base = function() of_rows(b$number, b$domain)$sums,
    one = function() of_rows(b$number, "u")$sums,
    far = function() of_rows(b$number * 1e200, b$domain)$sums
  ), "finite")
  expect_outcomes(list(
    y = function() of_rows(domain = b$domain), domain = function() of_rows(b$number),
    classes = function() of_rows(b$class, b$domain), short = function() of_rows(1, b$domain),
    Inf. = function() of_rows(replace_at(b$number, 1, Inf), b$domain),
    list = function() of_rows(as.list(b$number), b$domain), none = function() update(number_sums),
    threads = function() of_rows(b$number, b$domain, threads = 0),
    unknown = function() of_rows(b$number, b$domain, cost = 1)
  ), "error")
})

test_that("what is not sums of the same map cannot be added", {
  a <- with_seed(1, sums_of(class ~ a + b | g, data = d))
  other <- with_seed(2, sums_of(class ~ a + b | g, data = d))
  of_numbers <- with_seed(1, sums_of(y ~ a + b | g, data = d))
  expect_outcomes(list(
    map = function() a + other, response = function() a + of_numbers, number = function() a + 1,
    before = function() 1 + a, text = function() a + "a", nothing = function() +a,
    null = function() a + NULL, spec = function() a + dg_dica(), minus = function() a - a,
    bandwidth_factor = function() 2 * a, negative = function() -a, equal = function() a == a
  ), "error")
})

test_that("sums that do not suit a method are errors, all others fits", {
  sums <- with_seed(1, list(
    classes = sums_of(class ~ a + b | g, data = d), numbers = sums_of(y ~ a + b | g, data = d),
    rows = sums_of(b$X), domains = sums_of(~ a + b | g, data = d),
    `one class` = sums_of(class ~ a | g, data = d[d$class == "p", ]),
    `one domain` = sums_of(class ~ a | g, data = d[d$g == "u", ])
  ))
  one_row <- suppressWarnings(sums_of(class ~ a | g, data = d[1, ]))
  specs <- list(dica = dg_dica(ncomp = 1), udica = dg_udica(), coir = dg_coir(ncomp = 1), kpca = dg_kpca(),
                dcm = dg_dcm(ncomp = 1), tca = dg_tca(), sca = dg_sca(average = TRUE), mda = dg_mda(ncomp = 1),
                cidg = dg_cidg(ncomp = 1))
  answers <- rbind(
    dica = c(TRUE, TRUE, FALSE, FALSE, FALSE, TRUE), udica = c(TRUE, TRUE, FALSE, TRUE, TRUE, TRUE),
    coir = c(TRUE, TRUE, FALSE, FALSE, FALSE, TRUE), kpca = TRUE,
    dcm = c(TRUE, TRUE, FALSE, FALSE, FALSE, TRUE), tca = c(TRUE, TRUE, FALSE, TRUE, TRUE, FALSE),
    sca = c(TRUE, FALSE, FALSE, FALSE, FALSE, TRUE),
    mda = c(TRUE, FALSE, FALSE, FALSE, FALSE, TRUE),
    cidg = c(TRUE, FALSE, FALSE, FALSE, FALSE, TRUE)
  )
  for (method in names(specs)) {
    judge <- function(sums) {
      model <- fit(specs[[method]], sums)
      utils::capture.output(print(model), print(summary(model)))
      list(model$values, coef(model), predict(model, d), nobs(model))
    }
    expect_outcomes(each(method, sums[answers[method, ]], judge), "finite")
    expect_outcomes(each(method, c(sums[!answers[method, ]], list(`one row` = one_row)), judge),
                    "error")
  }
})

test_that("sums serve projections only, and with what they were made of", {
  sums <- with_seed(1, sums_of(y ~ a + b | g, data = d, kernel = kernel_rbf(2)))
  given <- function(arg, spec) {
    expect_names_argument(stats::setNames(list(function() fit(spec, sums)), arg), arg)
  }
  given("x", dg_svm())
  given("x", dg_pipeline(dg_dica(), dg_lm()))
  given("kernel", dg_dica(kernel = kernel_linear()))
  given("kernel_y", dg_dica(kernel_y = kernel_linear()))
  given("feature_map", dg_dica(feature_map = features_nystrom(6)))
  given("domain_kernel", dg_dica(domain_kernel = domain_distribution()))
  given("scale", dg_dica(scale = "none"))
  same <- fit(dg_dica(kernel = kernel_rbf(2), feature_map = features_nystrom(5)), sums)
  expect_equal(same$values, fit(dg_dica(), sums)$values)
  expect_outcomes(list(
    smooth = function() fit(dg_dica(smooth = 1), sums), target = function() fit(dg_tca(target = d), sums),
    unlabelled = function() fit(dg_dica(unlabelled = d), sums), y = function() fit(dg_dica(), sums, d$y),
    data = function() fit(dg_dica(), sums, data = d), method = function() dg_dica(sums),
    cv = function() dg_cv(dg_lm(), sums), weights = function() fit(dg_dica(), sums, weights = 1)
  ), "error")
})

test_that("what a model of sums has no rows for is an error that says so", {
  model <- fit(dg_dica(), with_seed(1, sums_of(y ~ a + b | g, data = d)))
  for (call in list(function() fitted(model), function() predict(model), function() plot(model),
                    function() update(model, . ~ a))) {
    expect_domgen_error(call(), "sums", "domgen_error_argument")
  }
  if (requireNamespace("ggplot2", quietly = TRUE)) expect_plots(model, newdata = d)
  expect_equal(update(model, lambda = 2)$values,
               fit(dg_dica(lambda = 2), eval(model$call$x))$values)
})

test_that("a changed argument of a fitted specification is checked", {
  model <- fit(dg_dica(), y ~ a + b | g, data = d)
  machine <- fit(dg_svm(), y ~ a + b | g, data = d)
  expect_names_argument(each("ncomp", bad_numbers(0, -1), function(v) update(model, ncomp = v)),
                        "ncomp")
  expect_names_argument(each("cost", without(bad_numbers(0, -1), "NULL"), function(v) update(machine, cost = v)),
                        "cost")
})

test_that("where labels tell no more than domains, dg_dcm() says so", {
  expect_domgen_error(dg_dcm(b$X[1:2, ], c("p", "q"), c("u", "v")), "explain no more than domains",
                      "domgen_error_data")
})
