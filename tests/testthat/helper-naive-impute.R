# Medians and most frequent values of the columns `names` of train, and the same in new: list(train,
# new), with a column `<name>.missing` for each that has gaps in train.
by_hand <- function(train, new, names) {
  before <- list(train = train, new = new)
  after <- before
  for (name in names) {
    known <- train[[name]][!is.na(train[[name]])]
    value <- if (is.numeric(known)) median(known) else names(which.max(table(known)))
    for (part in names(after)) {
      gap <- is.na(before[[part]][[name]])
      after[[part]][[name]][gap] <- if (is.logical(known)) as.logical(value) else value
      if (anyNA(train[[name]])) after[[part]][[paste0(name, ".missing")]] <- as.numeric(gap)
    }
  }
  after
}

# x and size have gaps in training, z and flag only in the new rows.
gappy_data <- function() {
  d <- mixed_data(90)
  train <- with_missing(d[1:60, ], x = c(1, 5, 20), size = c(2, 5, 31), grade = 9:12, colour = 4)
  new <- with_missing(d[61:90, ], x = c(1, 2), z = 2, flag = 7, colour = c(2, 9), grade = 3)
  list(train = train, new = new)
}

filled_variables <- c("x", "z", "size", "grade", "colour", "flag")

expect_as_by_hand <- function(method, formula, scale = "pooled", tolerance = 1e-12) {
  d <- gappy_data()
  hand <- by_hand(d$train, d$new, filled_variables)
  gaps <- paste0(setdiff(filled_variables, c("z", "flag")), ".missing")
  full <- update(formula, paste(". ~ . +", paste(gaps, collapse = " + ")))
  with_domain <- function(formula) {
    formula[[3L]] <- call("|", formula[[3L]], quote(site))
    formula
  }
  model <- method(with_domain(formula), data = d$train, na.action = na.impute)
  expected <- method(with_domain(full), data = hand$train)
  expect_equal(fitted(model), fitted(expected), tolerance = tolerance)
  expect_warning(found <- predict(model, d$new), class = "domgen_warning_imputed")
  expect_equal(found, predict(expected, hand$new), tolerance = tolerance)
  expect_false(anyNA(found))
}
