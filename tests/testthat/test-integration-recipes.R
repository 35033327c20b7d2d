# Steps of recipes against the functions that they call. Pupils of schools that training has not.

skip_if_not_installed("recipes")
skip_if_not_installed("nlme")

# Text in the place of nlme's ordered factor: new schools have names that training has not.
pupils <- transform(as.data.frame(nlme::MathAchieve), School = as.character(School))
schools <- unique(pupils$School)
# of each school a few
pupils <- pupils[stats::ave(seq_along(pupils$School), pupils$School, FUN = seq_along) <= 20, ]
train <- pupils[pupils$School %in% schools[1:6], ]
test <- pupils[pupils$School %in% schools[7:9], ]
# pupils of different schools side by side
train <- train[order(train$SES, train$MathAch), ]

numbers <- MathAch ~ SES + Sex + Minority + School
classes <- Minority ~ SES + Sex + MathAch + School

with_role <- function(formula = numbers, data = train) {
  recipes::update_role(recipes::recipe(formula, data = data), School, new_role = "domain")
}

trained <- function(recipe) recipes::prep(recipe, training = train)

# The components that a recipe bakes, as a matrix.
components <- function(recipe, data, prefix) {
  baked <- recipes::bake(recipe, data)
  unname(as.matrix(baked[startsWith(names(baked), prefix)]))
}

expect_scores <- function(recipe, model, prefix) {
  expect_lt(max(abs(components(recipe, train, prefix) - unname(fitted(model)))), 1e-10)
  expect_lt(max(abs(components(recipe, test, prefix) - unname(predict(model, test)))), 1e-10)
}

test_that("every step gives the scores of its function, of rows in training and of new domains", {
  all <- recipes::all_predictors
  formula <- MathAch ~ SES + Sex + Minority | School
  projections <- list(dica = dg_dica, udica = dg_udica, dcm = dg_dcm, tca = dg_tca, kpca = dg_kpca)
  for (method in names(projections)) {
    recipe <- trained(step_domain(with_role(), all(), method = method, num_comp = 3))
    expect_scores(recipe, projections[[method]](formula, data = train, ncomp = 3), toupper(method))
  }
  for (method in c("coir", "sca", "mda", "cidg", "kfd")) {
    recipe <- trained(step_domain(with_role(classes), all(), method = method, num_comp = 1))
    model <- get(paste0("dg_", method))(Minority ~ SES + Sex + MathAch | School, data = train,
                                        ncomp = 1)
    expect_scores(recipe, model, toupper(method))
  }
})

test_that("arguments of the step have the projection's defaults, and are tuned where it has them", {
  step <- formals(step_domain)
  expect_identical(eval(step$scale), eval(formals(dg_dica)$scale)[1L])
  expect_identical(eval(step$num_comp), formals(dg_dica)$ncomp)
  shared <- c("lambda", "epsilon", "mu")
  expect_true(all(vapply(step[shared], is.null, NA)))
  plain <- recipes::recipe(numbers, data = train)
  for (method in domgen:::projection_methods) {
    own <- intersect(shared, names(formals(get(paste0("dg_", method)))))
    made <- step_domain(plain, SES, method = method)$steps[[1L]]
    expect_setequal(generics::tunable(made)$name, c("num_comp", own, "bandwidth", "scale"))
    expect_identical(made$prefix, toupper(method))
  }
})

test_that("arguments reach the projection", {
  recipe <- trained(step_domain(with_role(), SES, Sex, lambda = 3, epsilon = 0.01, bandwidth = 2,
                              scale = "both",
                              options = list(form = "symmetric", normalise = "whiten")))
  model <- dg_dica(MathAch ~ SES + Sex | School, data = train, lambda = 3, epsilon = 0.01,
                kernel = kernel_rbf(bandwidth = 2), scale = "both", form = "symmetric",
                normalise = "whiten")
  expect_scores(recipe, model, "DICA")
  few <- features_nystrom(20)
  step <- step_domain(with_role(), SES, Sex, method = "tca", mu = 5,
                      options = list(feature_map = few))
  recipe <- with_seed(1, trained(step))
  model <- with_seed(1, dg_tca(~ SES + Sex | School, data = train, mu = 5, feature_map = few))
  expect_scores(recipe, model, "TCA")
})

test_that("domain and outcome are selected by name, text, selector or role, with one result", {
  plain <- recipes::recipe(numbers, data = train)
  every <- recipes::all_predictors
  recipes <- list(
    step_domain(with_role(), every()),
    step_domain(plain, every(), domain = School),
    step_domain(plain, every(), domain = "School", outcome = "MathAch"),
    step_domain(plain, every(), domain = dplyr::starts_with("Sch"), outcome = MathAch),
    step_domain(with_role(), every(), domain = recipes::has_role("domain"),
              outcome = recipes::all_outcomes()),
    # the domain is no predictor, nor is the outcome, also where they are selected
    step_domain(plain, dplyr::everything(), domain = School)
  )
  scores <- lapply(recipes, function(recipe) components(trained(recipe), test, "DICA"))
  for (other in scores[-1L]) expect_identical(other, scores[[1L]])
  # another outcome than that of the recipe
  other <- trained(step_domain(with_role(), SES, Sex, outcome = Minority, num_comp = 1))
  expect_scores(other, dg_dica(Minority ~ SES + Sex | School, data = train, ncomp = 1), "DICA")
})

test_that("components take the place of the predictors, under the names that were asked for", {
  step <- function(...) trained(step_domain(with_role(), method = "udica", SES, Sex, ...))
  expect_identical(names(recipes::bake(step(), test)),
                   c("Minority", "School", "MathAch", "UDICA1", "UDICA2"))
  kept <- step(keep_original_cols = TRUE, prefix = "u", num_comp = 12)
  expect_identical(names(recipes::bake(kept, test)),
                   c("SES", "Sex", "Minority", "School", "MathAch", sprintf("u%02d", 1:12)))
  expect_identical(recipes::bake(step(num_comp = 0), test)$SES, test$SES)
  expect_identical(recipes::bake(step(skip = TRUE), test)$SES, test$SES)
  roles <- summary(step(role = "invariant"))
  expect_identical(roles$role[roles$variable == "UDICA1"], "invariant")
  expect_s3_class(recipes::bake(step(), test), "tbl_df")
  taken <- step_domain(with_role(), method = "udica", SES, num_comp = 1, prefix = "x")
  taken <- step_domain(taken, method = "udica", Minority, num_comp = 1, prefix = "x")
  expect_error(trained(taken), "x1")
  expect_error(step(keep_original_cols = NA), "`keep_original_cols` must be TRUE or FALSE, not NA")
  expect_error(step(prefix = c("a", "b")), "`prefix` must be one text, not a character vector")
})

test_that("no rows bake to no rows of components", {
  baked <- recipes::bake(trained(step_domain(with_role(), method = "udica", SES, Sex)), test[0, ])
  expect_identical(names(baked), c("Minority", "School", "MathAch", "UDICA1", "UDICA2"))
  expect_identical(nrow(baked), 0L)
})

test_that("rows of new domains are scaled by their own rows, else each is projected by itself", {
  every <- recipes::all_predictors
  own <- trained(step_domain(with_role(), method = "udica", every(), scale = "domain"))
  expect_scores(own, dg_udica(~ SES + Sex + Minority | School, data = train, scale = "domain"),
                "UDICA")
  expect_false(isTRUE(all.equal(components(own, test[1:5, ], "UDICA"),
                                components(own, test, "UDICA")[1:5, ])))
  options <- list(domain_kernel = domain_distribution())
  kernel <- trained(step_domain(with_role(), every(), options = options))
  expect_scores(kernel, dg_dica(MathAch ~ SES + Sex + Minority | School, data = train,
                             domain_kernel = domain_distribution()), "DICA")
  alone <- trained(step_domain(with_role(), method = "udica", every()))
  expect_equal(components(alone, test[1:5, ], "UDICA"), components(alone, test, "UDICA")[1:5, ],
               tolerance = 1e-12)

  # without the column
  no_school <- function(recipe) {
    recipes::update_role_requirements(recipe, "domain", bake = FALSE)
  }
  without <- test[setdiff(names(test), "School")]
  alone <- trained(no_school(step_domain(with_role(), method = "udica", every())))
  expect_identical(components(alone, without, "UDICA"), components(alone, test, "UDICA"))
  own <- trained(no_school(step_domain(with_role(), method = "udica", every(), scale = "domain")))
  expect_error(recipes::bake(own, without), "required column.*School|required column.*missing")
})

test_that("rows with missing values are left out of training and are missing in bake()", {
  gaps <- train
  gaps$SES[c(3, 20)] <- NA
  step <- step_domain(with_role(data = gaps), SES, Sex)
  suppressWarnings(expect_warning(recipe <- recipes::prep(step), class = "domgen_warning_missing"))
  model <- suppressWarnings(dg_dica(MathAch ~ SES + Sex | School, data = gaps))
  holes <- test
  holes$Sex[2] <- NA
  expect_warning(found <- components(recipe, holes, "DICA"), class = "domgen_warning_missing")
  expect_identical(which(is.na(found[, 1L])), 2L)
  expect_lt(max(abs(found - predict(model, test))[-2L, ]), 1e-10)
  expect_identical(nrow(recipes::bake(recipe, test[0L, ])), 0L)

  filled <- suppressMessages(recipes::prep(
    step_domain(with_role(data = gaps), SES, Sex, options = list(na.action = na.impute))
  ))
  expect_warning(found <- components(filled, holes, "DICA"), "median or most frequent")
  expect_false(anyNA(found))
})

test_that("a row of frequency weight k is k rows, and importance weights are refused", {
  skip_if_not_installed("hardhat")
  counts <- rep(c(1L, 2L, 0L, 3L), length.out = nrow(train))
  weighted <- transform(train, times = hardhat::frequency_weights(counts))
  recipe <- recipes::recipe(weighted[c("MathAch", "SES", "Sex", "School", "times")])
  recipe <- recipes::update_role(recipe, MathAch, new_role = "outcome")
  recipe <- recipes::update_role(recipe, SES, Sex, new_role = "predictor")
  recipe <- recipes::update_role(recipe, School, new_role = "domain")
  recipe <- recipes::prep(step_domain(recipe, recipes::all_predictors()))
  model <- dg_dica(MathAch ~ SES + Sex | School, data = train[rep(seq_along(counts), counts), ])
  expect_lt(max(abs(components(recipe, test, "DICA") - predict(model, test))), 1e-10)
  # to one stream or the other, by the version of recipes
  printed <- capture.output(told <- capture.output(print(recipe), type = "message"))
  expect_match(paste(c(printed, told), collapse = " "), "DICA components of.*SES")

  weighted$times <- hardhat::importance_weights(counts + 0.5)
  recipe <- recipes::recipe(MathAch ~ SES + Sex + School + times, data = weighted)
  expect_error(recipes::prep(step_domain(recipe, SES, Sex, domain = School)),
               "only takes frequency weights")
})

test_that("tidy(), tunable(), required_pkgs() and update() know the step", {
  step <- step_domain(with_role(), SES, Sex, num_comp = 3, id = "here")
  expect_identical(tidy(step, number = 1)$terms, c("SES", "Sex"))
  expect_identical(tidy(step)$type, "domain")
  recipe <- trained(step)
  expect_identical(tidy(recipe, id = "here"), tibble::tibble(terms = c("SES", "Sex"), id = "here"))
  model <- dg_dica(MathAch ~ SES + Sex | School, data = train, ncomp = 3)
  table <- tidy(recipe, number = 1, type = "components")
  expect_identical(table$component, c("DICA1", "DICA2", "DICA3"))
  expect_equal(table$eigenvalue, unname(model$values), tolerance = 1e-10)
  expect_identical(nrow(tidy(step, number = 1, type = "components")), 0L)

  expect_identical(generics::tunable(step$steps[[1L]])$name,
                   c("num_comp", "lambda", "epsilon", "bandwidth", "scale"))
  expect_identical(unique(generics::tunable(step)$component_id), "here")
  expect_true("domgen" %in% generics::required_pkgs(step))
  changed <- step
  changed$steps[[1L]] <- update(step$steps[[1L]], num_comp = 1)
  expect_identical(ncol(components(trained(changed), test, "DICA")), 1L)
  expect_domgen_error(update(step$steps[[1L]], num_cmp = 1), "did you mean `num_comp`")
  expect_domgen_error(update(recipe$steps[[1L]], num_comp = 1), "must be an untrained step")
})

test_that("what cannot be is said in the words of the step", {
  every <- recipes::all_predictors
  plain <- recipes::recipe(numbers, data = train)
  no_outcome <- recipes::update_role(recipes::recipe(train), School, new_role = "domain")
  fails <- function(recipe, message) expect_error(trained(recipe), message)
  fails(step_domain(plain, every()), "`step_domain\\(\\)` needs the domain of each row")
  fails(step_domain(no_outcome, SES), "`step_domain\\(\\)` needs the outcome")
  fails(step_domain(plain, SES, domain = c(School, Sex)),
        "must select one column, not `School`, `Sex`")
  fails(step_domain(with_role(), every(), num_comp = -1), "`num_comp` must be")
  fails(step_domain(with_role(), every(), lambda = 0), "`lambda` must be one positive number")
  fails(step_domain(with_role(), every(), lambda = 2, options = list(lambda = 1)),
        "use the argument `lambda`")
  fails(step_domain(with_role(), every(), options = list(ncomp = 1)), "use the argument `num_comp`")
  fails(step_domain(with_role(), every(), bandwidth = 1, options = list(kernel = kernel_linear())),
        "use the argument `bandwidth`")
  fails(step_domain(with_role(), every(), options = list(data = train)), "not data")
  fails(step_domain(with_role(), every(), options = 3), "`options` must be a named list, not 3")
  fails(step_domain(with_role(), every(), options = list(banwidth = 3)),
        "Unknown argument `banwidth`")
  fails(step_domain(with_role(), every(), method = "pca"), "`method` must be one of")
  expect_domgen_error(step_domain(with_role(), every(), lamda = 1), "did you mean `lambda`")
  expect_domgen_error(step_domain(), "`recipe` must be given")
})

test_that("a trained recipe can be trained again, and saved", {
  recipe <- trained(step_domain(with_role(), SES, Sex, bandwidth = 2))
  again <- recipes::prep(recipe, training = test, fresh = TRUE)
  model <- dg_dica(MathAch ~ SES + Sex | School, data = test, kernel = kernel_rbf(bandwidth = 2))
  expect_lt(max(abs(components(again, train, "DICA") - predict(model, train))), 1e-10)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(recipe, file)
  expect_identical(components(readRDS(file), test, "DICA"), components(recipe, test, "DICA"))
})

test_that("parameter objects are those of dials", {
  skip_if_not_installed("dials")
  skip_if_not_installed("tune")
  step <- step_domain(with_role(), SES, Sex, num_comp = tune::tune(), lambda = tune::tune(),
                    bandwidth = tune::tune(), scale = tune::tune())
  set <- hardhat::extract_parameter_set_dials(step)
  expect_setequal(set$name, c("num_comp", "lambda", "bandwidth", "scale"))
  grid <- dials::grid_regular(set, levels = 2)
  expect_identical(sort(unique(grid$scale)), c("domain", "pooled"))
  expect_equal(range(grid$lambda), c(1e-3, 10))
  expect_identical(domain_scaling_type(c("rank", "none"))$values, c("rank", "none"))
  expect_domgen_error(domain_scaling_type("log"), "`values` must be some of")
  expect_domgen_error(domain_kernel_type(1), "`values` must be some of")
})

test_that("nothing of these packages is loaded with domgen, and what lacks one says so", {
  loaded <- in_new_session(loadedNamespaces(), list())
  foreign <- c("recipes", "parsnip", "hardhat", "dials", "tune", "workflows", "rlang", "tibble")
  expect_identical(intersect(loaded, foreign), character())
  lacking <- function(package) !requireNamespace(package, quietly = TRUE)
  if (lacking("parsnip")) {
    expect_domgen_error(domain_learner(), "`domain_learner\\(\\)` needs the package parsnip")
  }
  if (lacking("dials")) {
    expect_domgen_error(domain_scaling_type(),
                        "`domain_scaling_type\\(\\)` needs the package dials")
  }
})
