# What a call must not depend on, and must not change: see also test-sessions.R.

# What users call that needs no session: it makes a part, or shows what there is.
outside <- list(
  # parts, which compute nothing
  parts = c("kernel_.*", "features_.*",
            "domain_(distribution|factors|multitask|pooled|wasserstein)", "metric_.*", "na.impute",
            "dg_pipeline", "dg_ensemble", "dg_parameter", "learner_custom", "step_.*", "domain_(kernel_type|multitask_tau|scaling_type|learner|blueprint)",
            "median_bandwidth", "simulate_.*", "domgen_experiments", "learner_method",
            "projection_method", "new_.*"),
  # what authors of methods call from within a fit
  authors = c("decision", "domain_kappa", "domain_kernel_fit", "represent", "response_range",
              "space_expansion", "space_sums"),
  # generics of other packages: their methods are looked at
  generics = c("augment", "fit", "glance", "tidy")
)

# Methods that show, or read what a model has kept, or whose only work is in a call of another.
shown <- c("print", "format", "plot", "autoplot", "knit_print", "as_flextable", "Ops", "[+]", "\\[",
           "\\[<-", "c", "rep", "as.character", "axe_.*", "nobs", "formula", "terms", "weights",
           "coef", "vcov", "logLik", "deviance", "VarCorr", "fixef", "find_.*", "model_info",
           "required_pkgs", "tunable", "refresh_blueprint", "check_args", "sanitize_.*",
           "[gs]et_(coef|vcov|task)", "vetiver_.*", "as_tibble", "create_predict_fun2",
           "inferTaskFromModel", "yhat", "get_predict", "get_predicted", "handler_predict",
           "partial", "predict_linear_pred")
shown_methods <- c("update.dg_spec", "update.domain_learner", "update.projectionstep",
                   "tidy.projectionstep", "predict.dg_spec", "as.data.frame.dg_times")

is_one_of <- function(names, patterns) {
  grepl(paste0("^(", paste(patterns, collapse = "|"), ")$"), names)
}

of_package <- function(name) get(name, asNamespace("domgen"))

test_that("what users call and that evaluates anything runs in the fixed session", {
  lacks_session <- function(name) {
    f <- of_package(name)
    # what alone() makes has it
    made <- exists("take", environment(f), inherits = FALSE)
    !made && !any(c("enter_session", "fit_or_specify", "learner_call", "projection_call", "engine_call") %in% all.names(body(f)))
  }
  exports <- Filter(function(name) is.function(of_package(name)), getNamespaceExports("domgen"))
  exports <- exports[!is_one_of(exports, unlist(outside))]
  expect_gt(length(exports), 50L)
  expect_identical(sort(Filter(lacks_session, exports)), character())

  methods <- getNamespaceInfo("domgen", "S3methods")
  own <- vapply(methods[, 1L], exists, NA, envir = asNamespace("domgen"), inherits = FALSE)
  methods <- methods[!own & !is_one_of(methods[, 1L], shown), 3L]
  methods <- setdiff(methods, shown_methods)
  expect_gt(length(methods), 25L)
  expect_identical(as.character(unlist(Filter(lacks_session, methods))), character())
})

# options() and the locale, which a call must leave as they are.
state <- function() list(options(), Sys.getlocale())

test_that("options and locale are as before after a value, an error, a warning and an interrupt", {
  toy <- toy_domains(4, 10)
  odd <- list(scipen = -3, OutDec = ",", digits = 3, contrasts = c("contr.sum", "contr.poly"),
              na.action = "na.pass")
  in_session_of(list(options = odd, locale = utils::tail(odd_locales(), 1L)), {
    before <- state()
    look <- function(x, y, weights) 0
    spec_of <- function(fit) learner_custom(fit, function(object, x) rep(object, nrow(x)))
    calls <- list(
      value = function() fit(spec_of(look), y ~ . | domain, data = toy),
      error = function() {
        fit(spec_of(function(x, y, weights) stop("no")), y ~ . | domain, data = toy)
      },
      early = function() dg_ridge(y ~ nothing | domain, data = toy),
      warning = function() fit(spec_of(function(x, y, weights) {
        warning("hm")
        0
      }), y ~ . | domain, data = toy),
      # as Ctrl-C does it
      interrupt = function() fit(spec_of(function(x, y, weights) {
        tools::pskill(Sys.getpid(), tools::SIGINT)
        for (i in 1:100) Sys.sleep(0.01)
      }), y ~ . | domain, data = toy),
      nested = function() dg_cv(spec_of(look), y ~ . | domain, data = toy, progress = FALSE),
      moved = function() fit(spec_of(function(x, y, weights) {
        options(scipen = 7, digits = 9)
        Sys.setlocale("LC_COLLATE", "C")
        0
      }), y ~ . | domain, data = toy)
    )
    for (name in names(calls)) {
      tryCatch(suppressWarnings(calls[[name]]()), error = function(e) NULL,
               interrupt = function(i) NULL)
      expect_identical(state(), before, label = paste("state after", name))
      expect_false(domgen:::session$fixed)
    }
  })
})

test_that("messages keep the decimal mark and the language that the user has", {
  in_session_of(list(options = list(OutDec = ","), locale = "C"), {
    expect_output(print(dg_ridge(y ~ . | domain, data = toy_domains(4, 10), lambda = 0.5)), "0,5")
  })
})
