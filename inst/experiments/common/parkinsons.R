# Parkinson's telemonitoring: 42 patients, 16 voice measures, two scores by a clinician. The papers
# say that they predict from the voice measures; `all` adds age, sex and the time since the start,
# to see what that would have given.

parkinsons_rows <- function(data, outcome = "motor", predictors = "voice") {
  columns <- c(grep("^v_", names(data), value = TRUE),
               if (predictors == "all") c("age", "sex", "test_time"))
  d <- data[c("domain", columns)]
  d$y <- if (outcome == "motor") data$y else data$y2
  d
}
