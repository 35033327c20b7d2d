# A stored model that was cut, or lost a part, is refused: never a number from it in silence,
# never a message of base R or C++, never the end of the session.

numbers <- toy_domains(3, 12)
classes <- toy_classes(3, 12)
three <- transform(numbers, y = cut(y, quantile(y, 0:3 / 3), c("low", "middle", "high"), TRUE))
new <- toy_domains(2, 6, seed = 6)
few <- features_nystrom(6)

models_to_damage <- function() {
  with_seed(1, quietly({
    sums <- feature_sums(y ~ x1 + x2 + x3 | domain, data = numbers, feature_map = few)
    gp <- dg_gp(y ~ . | domain, data = numbers, optimise = FALSE)
    svm <- dg_svm(y ~ . | domain, data = classes)
    list(
      svm = svm, `svm of three on features` = dg_svm(y ~ . | domain, data = three, feature_map = few),
      `svm, probabilities` = update(svm, calibration = "isotonic"),
      ridge = dg_ridge(y ~ . | domain, data = numbers, scale = "rank"),
      `ridge, probabilities` = dg_ridge(y ~ . | domain, data = classes, calibration = "platt",
                                        domain_kernel = domain_multitask(0.3)),
      `ridge on Fourier features` = dg_ridge(y ~ . | domain, data = numbers, feature_map = features_rff(5),
                                             domain_kernel = domain_pooled(), scale = "domain"),
      gp = gp, `gp on features` = dg_gp(y ~ . | domain, data = numbers, feature_map = few, optimise = FALSE),
      `product features` = dg_ridge(y ~ . | domain, data = numbers,
                                    feature_map = features_product(x = few, embedding = few)),
      lm = dg_lm(y ~ . | domain, data = numbers), null = dg_null(y ~ . | domain, data = classes),
      dica = dg_dica(y ~ . | domain, data = numbers), `kpca on features` = dg_kpca(~ x1 + x2 + x3 | domain,
                                                                     data = numbers, feature_map = few),
      chain = fit(dg_pipeline(dg_dica(ncomp = 2), dg_ridge(kernel = kernel_rbf())), y ~ . | domain, data = numbers),
      tuned = dg_tune(dg_ridge(), y ~ . | domain, data = numbers, grid = list(lambda = c(0.1, 1)),
                      extend = FALSE),
      auto = dg_auto(y ~ . | domain, data = numbers, n_members = 2, max_ard = 0, progress = FALSE),
      adapted = dg_adapt(gp, new[new$domain == new$domain[1], ], new$y[new$domain == new$domain[1]]),
      `from sums` = fit(dg_ridge(feature_map = few, domain_kernel = domain_pooled()), sums),
      `projection from sums` = fit(dg_udica(ncomp = 1, feature_map = few), sums), sums = sums
    )
  }))
}

# Everything a user does with a model that takes numbers out of it.
uses <- function(model, new, numbers) {
  if (inherits(model, "dg_feature_sums")) {
    return(list(
      fit = function(m) predict(fit(dg_ridge(feature_map = m$args$feature_map, domain_kernel = domain_pooled()), m),
                                new),
      update = function(m) update(m, data = numbers)$sums$second,
      add = function(m) (m + m)$sums$second
    ))
  }
  one <- new[new$domain == new$domain[1], ]
  at <- if (inherits(model, "dg_adapted")) one else new
  all <- list(
    predict = function(m) suppressWarnings(predict(m, at)), fitted = function(m) fitted(m),
    adapt = if (inherits(model, c("dg_svm", "dg_ridge", "dg_gp"))) function(m) {
      labels <- if (is.null(m$response$levels)) seq_len(nrow(one))
                else rep_len(m$response$levels, nrow(one))
      suppressWarnings(predict(dg_adapt(m, one, labels), one))
    },
    lodo = if (inherits(model, "dg_ridge") && length(model$rows$kept)) function(m) dg_cv(m)$overall,
    densities = if (inherits(model, "dg_gp")) function(m) dg_cv(m)[c("domains", "predictions")]
  )
  all <- Filter(Negate(is.null), all)
  # sums have no rows to have values of
  if (!is.null(model$rows$n)) all$fitted <- NULL
  all
}

# Indices of all numeric parts, as nested lists have them.
numeric_parts <- function(value, at = integer()) {
  if (is.list(value)) {
    return(do.call(c, lapply(seq_along(value), function(i) numeric_parts(unclass(value)[[i]], c(at, i)))))
  }
  if (is.numeric(value) || is.factor(value)) list(at)
}

part_at <- function(value, at) {
  for (i in at) value <- unclass(value)[[i]]
  value
}

replace_part <- function(value, at, new) {
  kind <- oldClass(value)
  value <- unclass(value)
  if (length(at) > 1L) new <- list(replace_part(value[[at[1L]]], at[-1L], new))
  else new <- list(new)
  value[at[1L]] <- new
  class(value) <- kind
  value
}

without_part <- function(value, at) {
  kind <- oldClass(value)
  value <- unclass(value)
  if (length(at) == 1L) value[[at]] <- NULL
  else value[[at[1L]]] <- without_part(value[[at[1L]]], at[-1L])
  class(value) <- kind
  value
}

# Other values of the same shape are not told, as of a square matrix that is transposed.
mutations <- list(
  `first row cut` = function(v) if (is.matrix(v)) v[-1L, , drop = FALSE] else v[-1L],
  `last column cut` = function(v) if (is.matrix(v)) v[, -ncol(v), drop = FALSE],
  `row added` = function(v) if (is.matrix(v)) rbind(v, 0) else if (!is.factor(v)) c(v, 0),
  `text` = function(v) if (length(v)) replace(v, seq_along(v), as.character(v)),
  `dimensions permuted` = function(v) if (is.matrix(v) && nrow(v) != ncol(v)) t(v)
)

# all: every mutation of every part at every door; otherwise each part has some, in turn.
damage_all <- function(models, new, numbers, all) {
  rows <- list()
  turn <- 0L
  for (name in names(models)) {
    model <- models[[name]]
    doors <- uses(model, new, numbers)
    before <- lapply(doors, function(use) use(model))
    # what was tried in a search says nothing of predictions
    searched <- which(names(model) == "tuning")
    for (at in Filter(function(at) !at[1L] %in% searched, numeric_parts(model))) {
      part <- part_at(model, at)
      turn <- turn + 1L
      tried <- if (all) mutations else mutations[turn %% length(mutations) + 1L]
      damaged <- lapply(tried, function(mutate) {
        changed <- mutate(part)
        if (!is.null(changed) && !identical(changed, part)) replace_part(model, at, changed)
      })
      damaged <- Filter(Negate(is.null), c(damaged, list(`set to NULL` = replace_part(model, at, NULL),
                                                         removed = without_part(model, at))))
      # the other doors each with one kind of damage
      others <- if (all) names(doors) else unique(names(doors)[c(1L, turn %% length(doors) + 1L)])
      for (how in names(damaged)) for (door in if (how == "removed") others else names(doors)[1L]) {
        outcome <- tryCatch(
          if (identical(doors[[door]](damaged[[how]]), before[[door]])) "unchanged" else "another value",
          domgen_error_model = function(e) "refused", error = function(e) conditionMessage(e)
        )
        rows[[length(rows) + 1L]] <- data.frame(model = name, part = paste(at, collapse = "."), how = how,
                                                door = door, outcome = outcome)
      }
    }
  }
  do.call(rbind, rows)
}

test_that("no model that lost a part of its numbers is used, and none ends the session", {
  skip_on_cran()
  helpers <- list(uses = uses, numeric_parts = numeric_parts, part_at = part_at,
                  replace_part = replace_part, without_part = without_part, mutations = mutations,
                  damage_all = damage_all)
  global <- function(f) {
    if (is.list(f)) return(lapply(f, global))
    environment(f) <- globalenv()
    f
  }
  helpers <- global(helpers)
  table <- in_new_session({
    list2env(input$helpers, globalenv())
    options(domgen.threads = 1)
    damage_all(input$models, input$new, input$numbers, input$all)
  }, list(models = models_to_damage(), new = new, numbers = numbers, helpers = helpers,
          all = long_form()))
  if (nzchar(Sys.getenv("DOMGEN_SHOW"))) print(table(table$model, table$outcome))
  wrong <- table[!table$outcome %in% c("refused", "unchanged"), ]
  expect_identical(nrow(wrong), 0L, info = paste(capture.output(print(head(wrong, 10))), collapse = "\n"))
  expect_gt(sum(table$outcome == "refused"), 1000)
})

test_that("what was damaged is named, and so is a model without a record or of another format", {
  model <- dg_ridge(y ~ . | domain, data = numbers)
  with_part <- function(...) {
    parts <- list(...)
    model$space[names(parts)] <- parts
    model
  }
  expect_refusals({
    predict(with_part(X = model$space$X[-1, ]), new)
    predict(with_part(X = NULL), new)
    predict(with_part(fixed = list(table = matrix(1))), new)
    predict(replace(model, "coefficients", list("a")), new)
    predict(replace(model, "seal", NULL), new)
    predict(replace(model, "seal", list(list(format = 1L))), new)
    dg_cv(replace(model, "costs", list(NULL)))
  })
  expect_domgen_error(predict(replace(model, "seal", list(list(format = 2L))), new), "`seal` is cut",
                      "domgen_error_model")
})

test_that("a part that lost its class, or is of another one, is refused", {
  model <- dg_ridge(y ~ . | domain, data = numbers)
  plain <- model
  plain$space <- unclass(plain$space)
  expect_domgen_error(predict(plain, new), "`class\\(space\\)` is missing", "domgen_error_model")
  other <- model
  class(other$space$kernel) <- class(kernel_laplace())
  expect_domgen_error(predict(other, new), "was kernel_rbf", "domgen_error_model")
})

test_that("the stored number of threads may be changed to another whole number", {
  model <- dg_svm(y ~ . | domain, data = numbers, threads = 64)
  whole <- predict(model, new)
  for (threads in list(1L, 1e9, -1L, NA_integer_, NULL, "2", 1:2)) {
    model$spec$args["threads"] <- list(threads)
    if (is.integer(threads) && length(threads) == 1L) expect_identical(predict(model, new), whole)
    else expect_domgen_error(predict(model, new), "`spec\\$args\\$threads` is", "domgen_error_model")
  }
  # where no R code looks at it
  K <- kernel_gram_(kernel_program(kernel_rbf(1), diag(3), diag(3)), diag(3), NULL, NULL, .Machine$integer.max)
  expect_identical(K, kernel_matrix(kernel_rbf(1), diag(3)))
})

test_that("notes of one's own may stand beside the parts, and parts of a chain are models by themselves", {
  chained <- fit(dg_pipeline(dg_kpca(ncomp = 2), dg_ridge()), y ~ . | domain, data = numbers)
  chained$note <- c(1, NA)
  expect_silent(predict(chained, new))
  expect_equal(predict(chained$projection, numbers), fitted(chained$projection), tolerance = 1e-12)
  chained$projection$centre <- chained$projection$centre[1]
  expect_domgen_error(predict(chained, new), "`projection` is damaged: `centre`", "domgen_error_model")
  # what a new fit does not use may be damaged
  model <- dg_ridge(y ~ . | domain, data = numbers)
  broken <- replace(model, "coefficients", list(NULL))
  expect_identical(predict(update(broken), new), predict(model, new))
})

test_that("print(), summary() and predict() of a model with a damaged part are errors of their class", {
  toy <- toy_domains(4, 10)
  classes <- toy_classes(4, 12)
  models <- list(
    ridge = dg_ridge(y ~ x1 | domain, data = toy, lambda = 1),
    svm = dg_svm(y ~ x1 | domain, data = classes, cost = 1),
    kpca = dg_kpca(~ x1 | domain, data = toy, ncomp = 1),
    tuned = dg_tune(dg_ridge(), y ~ x1 | domain, data = toy, grid = list(lambda = 1),
                    extend = FALSE)
  )
  models$adapted <- dg_adapt(models$ridge, toy[toy$domain == "d1", ], y)
  damages <- list(missing = function(part) NULL, text = function(part) "damaged")
  uses <- list(print = function(m) capture.output(print(m)),
               summary = function(m) if (inherits(m, "dg_learner")) summary(m, left_out = FALSE)
                                     else summary(m),
               predict = function(m) predict(m, toy[toy$domain == "d1", ]))
  outcomes <- list()
  for (model in models) for (part in setdiff(names(model), "seal")) for (damage in damages) {
    damaged <- model
    damaged[part] <- list(damage(model[[part]]))
    for (use in names(uses)) {
      found <- tryCatch(quietly(suppressMessages(uses[[use]](damaged))), error = identity)
      if (inherits(found, "error") && !inherits(found, "domgen_error")) {
        outcomes <- c(outcomes, paste(use, class(model)[1L], part, conditionMessage(found)))
      }
    }
  }
  expect_identical(outcomes, list())
  cut <- models$ridge
  cut$space <- NULL
  for (use in uses) expect_domgen_error(use(cut), "is damaged", "domgen_error_model")
})

test_that("tidy() and glance() of a damaged model say so", {
  model <- dg_ridge(y ~ . | domain, data = numbers)
  set.seed(3)
  for (part in sample(setdiff(names(model$seal$parts), "seal"), 12)) {
    at <- sub("[$(].*", "", part)
    if (!at %in% names(model)) next
    broken <- model
    broken[at] <- list(function(x) x)
    for (use in list(tidy, glance)) {
      expect_domgen_error(use(broken), "damaged", "domgen_error_model")
    }
  }
})

test_that("a record that is something else is refused", {
  model <- dg_ridge(y ~ . | domain, data = numbers)
  for (record in list(1, "a", TRUE, sum, list(), list(1), globalenv(), factor("a"))) {
    broken <- model
    broken$seal <- record
    expect_domgen_error(predict(broken, new), "has format", "domgen_error_model")
  }
})

test_that("a specification of a method that this version does not have is refused", {
  spec <- dg_lm()
  spec$method <- "dg_gone"
  for (use in list(print, function(s) fit(s, y ~ . | domain, data = numbers),
                   function(s) dg_cv(s, y ~ . | domain, data = numbers))) {
    expect_domgen_error(use(spec), "dg_gone", "domgen_error_model")
  }
})
