# Labels that are "", or that R makes something else of: classes, domains, levels of predictors and
# of nested domains. What is drawn, a method, a call and labels, must give the numbers that plain
# labels give.

odd_labels <- list(
  c("", "a", "b"), c("b", "", "a"), c("NA", "", "x"), c("a b", "a.b", "a-b"), c("x", "y", "site"),
  c("domain", "prediction", "row"), c("TRUE", "fit", "NULL"), c(" ", "", "."), c("1", "", "01")
)
plain_labels <- c("c1", "c2", "c3")
by_site <- g ~ x + z | site

# classes: how many there are.
labelled_world <- function(labels, classes) with_seed(5, {
  n <- 120L
  d <- data.frame(x = stats::rnorm(n), z = stats::rnorm(n), f = sample(3L, n, TRUE),
                  site = rep(1:6, each = n / 6L), region = rep(1:2, each = n / 2L))
  d$g <- findInterval(d$x + stats::rnorm(n, 0, 0.8), if (classes == 2L) 0 else c(-0.5, 0.5)) + 1L
  d$y <- d$x + (d$f == 2L) + stats::rnorm(n)
  d$g <- labelled(d$g, labels)
  # folds are dealt to domains in the order of their labels
  for (name in c("f", "region")) d[[name]] <- labelled(d[[name]], group_levels(labels))
  d$site <- labelled(d$site, group_levels(c(labels, "s4", "s5", "s6")))
  d
})

labelled <- function(code, labels) {
  factor(code, levels = sort(unique(code)), labels = labels[sort(unique(code))])
}

label_methods <- function() {
  methods <- list(
    ridge = dg_ridge(lambda = 1), svm = dg_svm(cost = 1),
    platt = dg_svm(cost = 1, calibration = "platt"),
    one_vs_rest = dg_svm(cost = 1, multiclass = "one_vs_rest"), lm = dg_lm(), null = dg_null(),
    glm = dg_glm(lambda = 1), mixed_kernel = dg_ridge(lambda = 1, kernel = kernel_mixed()),
    multitask = dg_ridge(lambda = 1, domain_kernel = domain_multitask(0.5)),
    pipeline = dg_pipeline(dg_dica(ncomp = 1), dg_ridge(lambda = 1)),
    ensemble = dg_ensemble(list(dg_ridge(lambda = 1), dg_lm())),
    tuned = dg_tune(dg_ridge(), grid = list(lambda = c(1, 10)), folds = 3, progress = FALSE),
    auto = dg_auto(n_members = 2, max_ard = 0, folds = 2)
  )
  if (requireNamespace("ranger", quietly = TRUE)) methods$forest <- dg_forest(trees = 20)
  if (requireNamespace("glmnet", quietly = TRUE)) methods$net <- dg_net()
  methods
}

shown <- function(result) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  utils::capture.output(print(result))
  print(plot(result))
  result
}

# As others draw data for them: at most 40 rows of two sites that the model does not know.
new_sites <- function(d) {
  new <- d[1:40, ]
  new$site <- factor(paste("new", as.integer(new$site)))
  new
}

fit_of <- function(spec, d) fit(spec, by_site, data = d)

# The numbers that come out.
label_calls <- list(
  cv = function(spec, d) dg_cv(spec, by_site, data = d, folds = 3, progress = FALSE)$mean,
  measures = function(spec, d) {
    found <- dg_cv(spec, by_site, data = d, folds = 3, progress = FALSE,
                   metric = c("accuracy", "balanced_accuracy", "mcc"))
    c(shown(found)$mean, found$domains$score)
  },
  classes = function(spec, d) as.integer(predict(fit_of(spec, d), new_sites(d))),
  decision = function(spec, d) predict(fit_of(spec, d), new_sites(d), type = "decision"),
  prob = function(spec, d) predict(fit_of(spec, d), new_sites(d), type = "prob"),
  source = function(spec, d) {
    predict(fit_of(spec, d), row_source(new_sites(d), block_size = 17), type = "decision")
  },
  from_source = function(spec, d) {
    predict(fit_of(spec, row_source(d, block_size = 50)), new_sites(d), type = "decision")
  },
  effect = function(spec, d) shown(dg_effect(fit_of(spec, d), "x", grid = 3))$average$value,
  effect_level = function(spec, d) {
    dg_effect(fit(spec, g ~ x + f | site, data = d), "f")$average$value
  },
  importance = function(spec, d) {
    shown(dg_importance(spec, by_site, data = d, permutations = 1, folds = 3))$table$increase
  },
  forecast = function(spec, d) shown(dg_forecast(fit_of(spec, d), new_sites(d)))$sites$forecast,
  validation = function(spec, d) {
    shown(dg_validate(fit_of(spec, d), new_sites(d)))$summary$mean
  },
  compare = function(spec, d) {
    found <- dg_compare(list(spec, dg_null()), by_site, data = d, folds = 3, refits = FALSE)
    shown(found)$table$mean
  },
  nested = function(spec, d) {
    dg_cv(spec, g ~ x + z | region / site, data = d, folds = 2, progress = FALSE)$mean
  },
  crossed = function(spec, d) {
    dg_cv(spec, g ~ x | f, data = d, folds = 2, progress = FALSE)$mean
  },
  level = function(spec, d) {
    predict(fit(spec, g ~ x * f | site, data = d), new_sites(d), type = "decision")
  },
  numbers = function(spec, d) predict(fit(spec, y ~ x + f | site, data = d), new_sites(d)),
  augment = function(spec, d) {
    unlist(Filter(is.numeric, as.list(augment(fit_of(spec, d), new_sites(d)))))
  },
  lodo = function(spec, d) dg_cv(fit(dg_ridge(lambda = 1), by_site, data = d))$mean,
  calibration = function(spec, d) {
    shown(dg_calibration(fit_of(spec, d), d))
    0
  },
  adapt = function(spec, d) {
    model <- fit(dg_ridge(lambda = 1), by_site, data = d)
    as.integer(predict(dg_adapt(model, d[1:20, ], labels = g), d[1:20, ]))
  },
  known = function(spec, d) predict(fit_of(spec, d), d, type = "decision")
)

# Numbers, or what was the error; as they are where labels are plain.
label_values <- function(draw, labels) {
  d <- labelled_world(labels, draw$classes)
  tryCatch(with_seed(draw$i, {
    found <- NULL
    utils::capture.output(found <- suppressMessages(suppressWarnings(
      label_calls[[draw$call]](draw$spec, d)
    )))
    unname(as.numeric(unlist(found)))
  }), error = conditionMessage)
}

test_that("numbers do not depend on what classes, domains and levels are called", {
  methods <- label_methods()
  draws <- lapply(seq_len(if (long_form()) 1500L else 22L), function(i) with_seed(i, {
    method <- sample(names(methods), 1L)
    # each call in turn
    call <- names(label_calls)[(i - 1L) %% length(label_calls) + 1L]
    # many fits of many fits
    if (method == "auto" && !long_form() && i %% 5L) method <- "ridge"
    if (call %in% c("prob", "validation", "calibration")) {
      method <- sample(c("lm", "platt", "glm"), 1L)
    }
    if (call == "numbers" && method %in% c("platt", "one_vs_rest")) method <- "svm"
    classes <- if (method %in% c("lm", "ensemble") || call == "validation") 2L else sample(2:3, 1L)
    list(i = i, method = method, spec = methods[[method]], classes = classes, call = call,
         labels = odd_labels[[sample.int(length(odd_labels), 1L)]])
  }))
  numbers <- 0L
  for (draw in draws) {
    about <- paste0(draw$i, ": ", draw$method, ", ", draw$call, ", ", draw$classes, " classes ",
                    paste0("\"", draw$labels, "\"", collapse = " "))
    plain <- label_values(draw, plain_labels)
    odd <- label_values(draw, draw$labels)
    # what cannot be asked is refused, whatever it is called
    if (is.character(plain)) {
      expect_type(odd, "character")
      next
    }
    expect_gt(length(plain), 0L)
    numbers <- numbers + 1L
    expect_equal(odd, plain, tolerance = 1e-8, info = about)
  }
  expect_gt(numbers, 0.75 * length(draws))
})
