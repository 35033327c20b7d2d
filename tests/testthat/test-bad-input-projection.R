# What projections of domains, classes and further rows refuse, and what they warn of.

labels <- toy_classes(4, 15)
numbers <- toy_domains(4, 15)
target <- toy_classes(2, 8, seed = 5)[c("domain", "x1", "x2", "x3")]
levels(target$domain) <- c("t1", "t2")
by_class <- list(sca = dg_sca, mda = dg_mda, cidg = dg_cidg)
argument <- "domgen_error_argument"
data_error <- "domgen_error_data"

test_that("tca needs two domains, of which the target may be one", {
  one <- domains_of(labels, 1)
  expect_domgen_error(dg_tca(y ~ . | domain, data = one), "at least two domains.*\"d1\"", data_error)
  expect_domgen_error(dg_tca(y ~ . | domain, data = one, feature_map = features_nystrom(5)),
                      "at least two domains", data_error)
  expect_length(dg_tca(y ~ . | domain, data = one, target = target)$values, 2)
  expect_domgen_error(dg_tca(y ~ . | domain, data = one,
                          target = transform(target, domain = one$domain[1])),
                      "at least two domains", data_error)
})

test_that("sca, mda and cidg need classes, at least two of them", {
  for (name in names(by_class)) for (features in list(features_exact(), features_rff(5))) {
    refused <- function(..., message) {
      expect_domgen_error(by_class[[name]](..., feature_map = features), message, data_error)
    }
    refused(y ~ . | domain, data = numbers,
            message = paste0("`dg_", name, "\\(\\)` needs classes as response, not numbers"))
    refused(~ . - y | domain, data = labels, message = "A response is needed")
    refused(rep("a", 60) ~ x1 + x2 | domain, data = labels[1:60, ],
            message = "at least two classes, not only \"a\"")
    refused(y ~ . - domain, data = labels, message = "A domain is needed")
  }
})

test_that("more components than there are give a warning with their number", {
  for (method in list(dg_dica, dg_coir, dg_mda, dg_cidg)) for (map in list(features_exact(), features_rff(8))) {
    expect_warning(
      model <- method(y ~ . | domain, data = labels, ncomp = 3, feature_map = map),
      "`ncomp` is 3, but only 1 component exists \\(with C classes at most C - 1\\); 1 is returned",
      class = "domgen_warning_rank"
    )
    expect_identical(model$rank, 1L)
    expect_identical(dim(model$scores), c(nrow(labels), 1L))
  }
  expect_warning(dg_sca(y ~ . | domain, data = labels, beta = 1), "only 1 component exists",
                 class = "domgen_warning_rank")
  expect_warning(dg_dcm(y ~ . | domain, data = labels),
                 "only 1 component exists \\(all further eigenvalues are 1",
                 class = "domgen_warning_rank")
  for (method in list(dg_udica, dg_kpca, dg_tca, dg_sca)) {
    expect_warning(model <- method(y ~ . | domain, data = labels, ncomp = 50,
                                   feature_map = features_rff(4)),
                   "`ncomp` is 50, but only 8 components exist; 8 are returned",
                   class = "domgen_warning_rank")
    expect_identical(ncol(predict(model, target)), 8L)
  }
})

test_that("a target must be rows with the predictors of the training rows", {
  calls <- list(
    tca = function(extra) dg_tca(y ~ . | domain, data = labels, target = extra),
    sca = function(extra) dg_sca(y ~ . | domain, data = labels, target = extra),
    dica = function(extra) dg_dica(y ~ . | domain, data = labels, ncomp = 1, unlabelled = extra)
  )
  for (name in names(calls)) {
    arg <- if (name == "dica") "unlabelled" else "target"
    refused <- function(extra, message, kind = data_error) {
      expect_domgen_error(calls[[name]](extra), paste0("`", arg, "`", message), kind)
    }
    refused(target[0, ], " must have at least one complete row")
    suppressWarnings(refused(transform(target, x1 = NA_real_), " must have at least one complete"))
    refused(target[-2], " has no column `x1`; it has `domain`, `x2`, `x3`")
    refused("rows", " must be a data frame or matrix of rows like the training rows, not \"rows\"",
            argument)
    refused(list(x1 = 1), " must be a data frame or matrix", argument)
    refused(transform(target, x1 = "a"), "\\$x1` must be numeric|\\$x1")
    refused(transform(target, x1 = Inf), ": predictor `x1` must be finite")
  }
  X <- as.matrix(labels[c("x1", "x2", "x3")])
  expect_domgen_error(dg_tca(X, domain = labels$domain, target = unname(X[, 1:2])),
                      "`target` must have the 3 columns", data_error)
})

test_that("each weight has its rule", {
  refused <- function(call, message) expect_domgen_error(call, message, argument)
  for (method in list(dg_dica, dg_udica, dg_coir, dg_dcm)) {
    refused(method(lambda = 0), "`lambda` must be one positive number, not 0")
    expect_error(method(lambda = -1), class = argument)
  }
  refused(dg_tca(mu = 0), "`mu` must be one positive number, not 0")
  refused(dg_dcm(epsilon = 0), "`epsilon` must be one positive number, not 0")
  for (method in by_class) {
    expect_identical(method(lambda = 0)$args$lambda, 0)
    expect_length(method(y ~ . | domain, data = labels, lambda = 0, ncomp = 1)$values, 1)
    refused(method(lambda = -1), "`lambda` must be one non-negative number, not -1")
    refused(method(lambda = NA), "`lambda` must be one non-negative number, not NA")
  }
  for (value in list(-0.1, 1.1, NA, c(0, 1), "1")) for (method in list(dg_sca, dg_mda)) {
    refused(method(beta = value), "`beta` must be one number from 0 to 1")
  }
  for (end in 0:1) expect_identical(dg_sca(beta = end)$args$beta, as.numeric(end))
  refused(dg_sca(delta = -1), "`delta` must be one non-negative number, not -1")
  refused(dg_mda(alpha = -1), "`alpha` must be one non-negative number, not -1")
  refused(dg_mda(gamma = Inf), "`gamma` must be one non-negative number, not Inf")
  refused(dg_cidg(gamma = "1"), "`gamma` must be one non-negative number, not \"1\"")
  refused(dg_cidg(alpha = NULL), "`alpha` must be one non-negative number, not NULL")
  refused(dg_sca(average = NA), "`average` must be TRUE or FALSE, not NA")
  refused(dg_cidg(average = 1), "`average` must be TRUE or FALSE, not 1")
  refused(dg_dica(smooth = -1), "`smooth` must be one non-negative number, not -1")
  refused(dg_dica(neighbours = 0), "`neighbours` must be one whole number of at least 1, not 0")
  refused(dg_tca(lambda = 1), "`lambda`")
  refused(dg_mda(average = TRUE), "`average`")
})

test_that("a graph needs more rows than neighbours, counting unlabelled ones", {
  n <- nrow(numbers)
  smooth <- function(...) dg_dica(y ~ . | domain, data = numbers, smooth = 1, form = "symmetric", ...)
  for (features in list(features_exact(), features_rff(5))) {
    expect_domgen_error(smooth(neighbours = n, feature_map = features),
                        paste0("`neighbours` must be less than the number of rows, ", n), argument)
    expect_length(smooth(neighbours = n - 1, feature_map = features)$values, 2)
    expect_length(smooth(neighbours = n, unlabelled = target, feature_map = features)$values, 2)
  }
  expect_length(dg_dica(y ~ . | domain, data = numbers, neighbours = n)$values, 2)
})

test_that("dcm refuses a response without a direction", {
  X <- as.matrix(numbers[c("x1", "x2", "x3")])
  for (features in list(features_exact(), features_rff(5))) {
    for (kernel_y in list(NULL, kernel_rbf(1), kernel_linear())) {
      expect_domgen_error(dg_dcm(X, rep(2, nrow(X)), numbers$domain, kernel_y = kernel_y,
                              feature_map = features), "constant|zero", data_error)
    }
    expect_domgen_error(dg_dcm(X, rep("a", nrow(X)), numbers$domain, feature_map = features),
                        "two classes|constant", data_error)
  }
  # what labels tell, domains tell too: no eigenvalue is above 1
  expect_domgen_error(dg_dcm(X, as.character(numbers$domain), numbers$domain), "no components",
                      data_error)
})

test_that("features are made by their functions", {
  for (method in list(dg_dica, dg_udica, dg_coir, dg_kpca, dg_dcm, dg_tca, dg_sca, dg_mda, dg_cidg)) {
    for (value in list("nystrom", 20, NULL, features_nystrom)) {
      expect_domgen_error(method(feature_map = value), paste0(
        "`feature_map` must be made by `features_exact\\(\\)`, `features_nystrom\\(\\)`, ",
        "`features_rff\\(\\)` or `features_product\\(\\)`, not "), argument)
    }
  }
  expect_domgen_error(dg_tca(y ~ . | domain, data = labels, feature_map = features_rff(5),
                          domain_kernel = domain_distribution()),
                      "`features_product\\(\\)`", argument)
  expect_domgen_error(dg_tca(y ~ . | domain, data = labels, feature_map = features_rff(5),
                          kernel = kernel_linear()), "use `features_nystrom\\(\\)`", argument)
})

test_that("rows that coincide have no direction", {
  X <- matrix(1, 12, 2)
  domain <- rep(1:3, 4)
  y <- rep(c("a", "b"), 6)
  for (features in list(features_exact(), features_nystrom(1), features_rff(4))) {
    for (method in list(dg_dica, dg_udica, dg_coir, dg_kpca, dg_dcm, dg_sca, dg_mda, dg_cidg)) {
      expect_domgen_error(suppressWarnings(method(X, y, domain, feature_map = features,
                                                  kernel = kernel_rbf(1))),
                          "coincide", data_error)
    }
  }
})
