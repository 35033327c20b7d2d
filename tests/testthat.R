library(testthat)
library(domgen)

# Here, as on CRAN, a check takes minutes: without the files that take more than five seconds, three
# quarters of the time. `make test` runs all.
slow <- c("bad-input-arguments", "bad-input-data", "bad-input-features", "bad-input-learners",
          "bad-input-newdata", "bad-input-source", "base-seal", "data-impute",
          "data-plain-columns", "data-scaling-domains", "data-source-csv", "engines", "fuzz",
          "gram-memory", "inference-effect", "inference-importance", "inference-interval",
          "integration-knitr", "integration-recipes", "interrupts", "kernel-core", "kernel-mixed",
          "kernel-slopes", "laws", "layers", "learner-adapt", "learner-calibrate", "learner-glm",
          "learner-glm-cox", "learner-glm-penalty", "learner-glm-source", "learner-gp",
          "learner-svm-logistic", "learner-svm-newton", "method-predict-source",
          "method-reference", "no-leak", "output-experiments", "output-explain", "output-fitted",
          "output-plots", "output-print", "output-summary", "projection-core",
          "projection-normalise", "projection-terms", "projection-unlabelled", "rows-source",
          "run-context", "run-lock", "run-pass", "run-pieces", "run-recognise", "saved-models",
          "score-cv", "score-metrics", "score-passes", "score-shots", "selection-auto",
          "selection-auto-members", "selection-auto-score", "selection-auto-source",
          "selection-compare", "selection-diagnose", "selection-ensemble", "selection-tune",
          "smo-core", "threads")
stopifnot(file.exists(file.path("testthat", paste0("test-", slow, ".R"))))
if (identical(Sys.getenv("NOT_CRAN"), "true")) {
  test_check("domgen")
} else {
  test_check("domgen", filter = paste0("^(", paste(slow, collapse = "|"), ")$"), invert = TRUE)
}
