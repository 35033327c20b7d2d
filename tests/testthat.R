library(testthat)
library(domgen)
# see .ci/test.R
MultiReporter$set("public", "local_user_output", function(...) invisible())

# Here, as on CRAN, a check takes minutes: without the files that take more than 1.2 seconds,
# nineteen twentieths of the time. `make test` runs all.
slow <- c("bad-input-arguments", "bad-input-data", "bad-input-features", "bad-input-learners",
          "bad-input-newdata", "bad-input-projection", "bad-input-source", "base-code",
          "base-memory", "base-print", "base-seal", "coefficients", "core-calls", "data-classes",
          "data-impute", "data-simple-columns", "data-scaling-domains", "data-source",
          "data-source-csv", "data-source-table", "data-terms", "demo", "domain-standing",
          "engines", "factor-levels", "feature", "feature-product", "fit-shared", "fuzz",
          "gram-memory", "inference-effect", "inference-forecast", "inference-importance",
          "inference-interval", "inference-novelty-size", "integration-flextable",
          "integration-hardhat", "integration-knitr", "integration-recipes", "integration-tibble",
          "interrupts", "kernel-core", "kernel-mixed", "kernel-precomputed", "kernel-slopes",
          "laws", "layers", "learner-adapt", "learner-adapt-glm", "learner-calibrate",
          "learner-custom", "learner-features", "learner-gam", "learner-glm", "learner-glm-cox",
          "learner-glm-offset", "learner-glm-penalty", "learner-glm-source", "learner-gp",
          "learner-gp-features", "learner-gp-likelihood", "learner-gp-predict", "learner-mixed",
          "learner-mixed-families", "learner-net", "learner-penalty", "learner-ridge",
          "learner-ridge-bandwidths", "learner-svm-logistic", "learner-svm-newton",
          "learner-svm-source", "linear-svm-core", "method-own-data", "method-predict-source",
          "method-reference", "method-sums", "net-benefit", "no-leak", "output-experiments",
          "output-explain", "output-fitted", "output-plots", "output-print", "output-report",
          "output-result", "output-summary", "pipeline-kernel", "projection-core",
          "projection-normalise", "projection-path", "projection-terms", "projection-unlabelled",
          "readme", "rows-source", "run-context", "run-pass", "run-pieces", "run-write",
          "saved-models", "score-cv", "score-failed", "score-lodo", "score-mean-error",
          "score-metrics", "score-passes", "score-random-effects", "score-rule", "score-shots",
          "score-time-folds", "selection-auto", "selection-auto-classes",
          "selection-auto-families", "selection-auto-members", "selection-auto-score",
          "selection-auto-source", "selection-compare", "selection-diagnose", "selection-ensemble",
          "selection-plan", "selection-tune", "selection-tune-search", "sessions", "smo-core",
          "threads", "validate", "validate-survival")
stopifnot(file.exists(file.path("testthat", paste0("test-", slow, ".R"))))
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("domgen")
} else {
  test_check("domgen", filter = paste0("^(", paste(slow, collapse = "|"), ")$"), invert = TRUE)
}
