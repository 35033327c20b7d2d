# A generator of sessions: what is fitted to what, under which options, locale and workers, and how
# the columns are stored. Each draw is made of its number alone, so that it can be made again:
# session_draw(i). What it gives is compared with a plain session's.

# ---- what a session can have --------------------------------------------------------------------

odd_options <- list(
  scipen = c(-9, 0, 3, 15, 100), digits = c(1, 3, 15, 22), OutDec = c(",", "."), digits.secs = 3,
  contrasts = list(c("contr.sum", "contr.poly"), c("contr.helmert", "contr.helmert"),
                   c("contr.SAS", "contr.treatment"), c("contr.poly", "contr.sum")),
  na.action = c("na.exclude", "na.fail", "na.pass"), ts.eps = 0.1, width = c(20, 400),
  matprod = "internal", warnPartialMatchDollar = TRUE, warnPartialMatchArgs = TRUE,
  useFancyQuotes = FALSE, keep.source = TRUE, encoding = "latin1"
)

# Those of these that the machine has.
odd_locales <- function() {
  old <- Sys.getlocale("LC_COLLATE")
  on.exit(Sys.setlocale("LC_COLLATE", old))
  Filter(function(name) nzchar(suppressWarnings(Sys.setlocale("LC_COLLATE", name))),
         c("C", "C.UTF-8", "en_US.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8"))
}

# session: list(options, locale), NULL for a plain one; the value of the code, and afterwards all is
# as it was.
in_session_of <- function(session, code) {
  if (is.null(session)) session <- list(options = list(), locale = "C")
  categories <- c("LC_COLLATE", "LC_CTYPE", "LC_TIME")
  # a plain session reads text as this one does
  if (session$locale == "C") categories <- categories[-2L]
  before <- vapply(categories, Sys.getlocale, "")
  old <- options(session$options)
  on.exit({
    options(old)
    for (name in categories) Sys.setlocale(name, before[[name]])
  })
  for (name in categories) Sys.setlocale(name, session$locale)
  force(code)
}

# ---- what is fitted -----------------------------------------------------------------------------

# Each with the kinds of response that it has: number, two classes, three, counts, none.
session_methods <- function() {
  methods <- list(
    ridge = list(dg_ridge(lambda = 0.1), "n23"),
    ridge_kernels = list(dg_ridge(lambda = 0.1, kernel = kernel_mixed()), "n2"),
    ridge_domain = list(dg_ridge(lambda = 0.1, scale = "domain", domain_kernel = domain_pooled()),
                        "n3"),
    svm = list(dg_svm(cost = 1, domain_kernel = domain_pooled()), "n23"),
    platt = list(dg_svm(cost = 1, calibration = "platt"), "23"),
    glm = list(dg_glm(lambda = 1), "n23c"),
    gp = list(dg_gp(optimise = FALSE), "n"),
    lm = list(dg_lm(), "n2"),
    null = list(dg_null(), "n23"),
    pipeline = list(dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 1)), "n23"),
    tune = list(dg_tune(dg_ridge(), grid = list(lambda = c(0.1, 10)), folds = 2, progress = FALSE),
                "n2"),
    ensemble = list(dg_ensemble(list(a = dg_ridge(lambda = 1), B = dg_null())), "n2"),
    features = list(dg_ridge(lambda = 1, feature_map = features_nystrom(8)), "n3"),
    custom = list(learner_custom(
      function(x, y, weights) {
        # what a user's function finds
        list(level = paste(options()[c("scipen", "digits", "OutDec", "contrasts")]), mean = mean(y))
      },
      function(object, x) rep(object$mean + nchar(paste(object$level, collapse = "")), nrow(x))
    ), "n"),
    mixed = list(quote(dg_mixed()), "n2c", "lme4"),
    forest = list(quote(dg_forest(trees = 20)), "n23", "ranger"),
    net = list(quote(dg_net()), "n23", "glmnet"), gam = list(quote(dg_gam()), "n2", "mgcv"),
    boost = list(quote(dg_boost(trees = 5)), "n23", "xgboost"),
    auto = list(dg_auto(n_members = 2, max_ard = 0, folds = 2), "n2"),
    kpca = list(dg_kpca(ncomp = 2), "n3"), dica = list(dg_dica(ncomp = 1), "n23"),
    udica = list(dg_udica(ncomp = 1), "n"), coir = list(dg_coir(ncomp = 1), "n3"),
    dcm = list(dg_dcm(ncomp = 1), "n2"), tca = list(dg_tca(ncomp = 1), "n"),
    sca = list(dg_sca(ncomp = 1), "23"), mda = list(dg_mda(ncomp = 1), "3"),
    cidg = list(dg_cidg(ncomp = 1), "23"), kfd = list(dg_kfd(ncomp = 1), "3")
  )
  methods <- Filter(function(one) length(one) < 3L || requireNamespace(one[[3L]], quietly = TRUE),
                    methods)
  lapply(methods, function(one) {
    list(spec = eval(one[[1L]]), responses = strsplit(one[[2L]], "")[[1L]])
  })
}

# Texts whose order differs by locale; the last is not in ASCII.
session_words <- c("a", "B", "b", "A", "\u00e4", "_c")
session_classes <- list(c("a", "B", "_c"), c("b", "A", "\u00e4"), c("_b", "a", "Z"),
                        c("no", "Yes", "_"))

session_data <- function(n, sites, missing = FALSE) {
  d <- data.frame(
    site = rep(sites, length.out = n), x = stats::runif(n, 1e4, 9e5), z = stats::rnorm(n),
    pop = exp(stats::rnorm(n, 12)), g = sample(session_words[c(1:3, 5L)], n, TRUE),
    k = sample(c(1e5, 123456, 2e5), n, TRUE),
    h = factor(sample(c("i", "I", "j"), n, TRUE), c("i", "I", "j")), o = stats::runif(n) > 0.5,
    day = as.Date("2024-03-01") + sample(60L, n, TRUE),
    area = sample(c("a", "B", "_c", "Z"), n, TRUE)
  )
  d$grade <- factor(sample(c("a", "B", "c"), n, TRUE), ordered = TRUE, levels = c("B", "a", "c"))
  d$n <- d$z + (d$g == "B") + (d$h == "I") + d$k / 2e5 + (d$day > "2024-04-01") + stats::rnorm(n)
  d$c <- stats::rpois(n, exp(0.3 * d$z))
  d$number <- match(d$site, sites) * 1e5
  if (missing) d$z[sample(n, 2L)] <- NA
  d
}

# A formula has some of each. What options change: text made of numbers, names, the coding of
# factors.
option_terms <- c(
  "I(x / 1e5)", "I(x * 1e-4)", "I(x / 200000)", "factor(k)", "C(h)", "grade", "ordered(k)",
  "z:grade", "nchar(paste(k))", "as.numeric(formatC(z))", "as.numeric(sapply(z, format))",
  "sapply(x, function(u) nchar(format(u)))", "cut(z, c(-9, -0.51, 0.51, 9))",
  "as.character(x > 4e5)", "vapply(x, function(u) nchar(toString(u / 3)), 1L)",
  "I(as.numeric(paste0(round(x), \".5\")) / 1e5)",
  "I(as.numeric(sapply(x / 7, prettyNum)) / 1e5)"
)

# What the locale changes: which text is the larger one, names of days and months.
locale_terms <- c(
  "I(as.character(g) > \"a\")", "ifelse(as.character(g) > \"a\", z, 0)",
  "pmin(as.character(g), \"a\")",
  "sapply(as.character(g), function(u) sort(c(u, \"b\"))[1L] == \"b\")",
  "I(weekdays(day) %in% c(\"Saturday\", \"Sunday\"))", "I(months(day) == \"March\")",
  "nchar(format(day, \"%A\"))", "match(months(day), month.name)",
  "sapply(as.character(g), function(u) order(c(\"A\", u))[1L])",
  "sapply(as.character(g), \\(u) as.integer(factor(\"a\", levels(factor(c(\"a\", u))))))"
)

other_terms <- c(
  "x", "g", "h", "o", "g:z", "C(h, contr.sum)", "sapply(z, function(u) u^2)", "paste(h, o)", "day",
  "base::log(x)", "factor(round(z), -5:5)", "stats::relevel(h, \"I\")", "formatC(k)"
)

# What learns from the rows.
learned_terms <- c("poly(z, 2)", "splines::ns(x, 3)", "scale(x)", "model.matrix(~ h)[, 2]")

session_domains <- c("site", "site", "number", "paste(site, number)", "area / site")

session_draw <- function(i, method = NULL, workers = NULL, methods = session_methods(),
                         locales = odd_locales()) {
  domgen:::with_seed(i, {
    one <- function(v) v[[sample.int(length(v), 1L)]]
    if (is.null(method)) method <- one(names(methods))
    response <- one(methods[[method]]$responses)
    # a matrix has no code that a session could change
    storage <- one(c(rep(c("frame", "csv"), each = 4L), rep(c("source", "factor", "integer"), 3L),
                     "matrix"))
    if (is.null(workers)) workers <- stats::runif(1L) < 0.1
    data <- session_data(70L, c("b", "A", "a", "B", "\u00e4", "10", "_9"), stats::runif(1L) < 0.3)
    new <- session_data(20L, c("c", "C", "a"))
    classes <- one(session_classes)
    data[["2"]] <- classes[1L + (data$n > 2)]
    data[["3"]] <- classes[findInterval(data$n, c(-Inf, 1.5, 2.5))]
    by_row <- storage %in% c("source", "csv")
    terms <- unique(c("z", sample(option_terms, 2L), sample(locale_terms, 2L),
                      one(c(other_terms, if (!by_row) learned_terms))))
    if (response == "c" && stats::runif(1L) < 0.5) {
      terms <- c(terms, one(c("offset(log(pop / 1e5))", "stats::offset(log(pop * 1e-4))")))
    }
    formula <- stats::as.formula(paste0("`", response, "` ~ ", paste(terms, collapse = " + "),
                                        " | ", one(session_domains)), globalenv())
    session <- function() {
      some <- sample(names(odd_options), sample(3:8, 1L))
      some <- union(some, one(c("scipen", "digits", "OutDec", "contrasts")))
      list(locale = one(locales), options = lapply(odd_options[some], one))
    }
    list(i = i, method = method, spec = methods[[method]]$spec, response = response,
         formula = formula, storage = storage, workers = workers, data = data, new = new,
         session = session(),
         # that in which a saved model is read
         later = if (stats::runif(1L) < 0.4) session())
  })
}

session_words_of <- function(draw) {
  shown <- function(session) {
    paste(c(session$locale, paste(names(session$options),
                                  vapply(session$options, paste, "", collapse = "/"))),
          collapse = ", ")
  }
  paste0("session_draw(", draw$i, "): ", draw$method, ", ", deparse1(draw$formula), ", ",
         draw$storage, ", ", if (draw$workers) "workers, ", shown(draw$session),
         if (!is.null(draw$later)) paste0("; read under ", shown(draw$later)))
}

# ---- how it is stored ---------------------------------------------------------------------------

stored_as <- function(data, storage) {
  if (storage == "factor") {
    text <- vapply(data, is.character, NA)
    data[text] <- lapply(data[text], function(v) factor(v, sort(unique(v), method = "radix")))
  }
  if (storage == "integer") {
    for (name in c("k", "c", "number")) data[[name]] <- as.integer(data[[name]])
  }
  if (storage == "csv") {
    file <- tempfile(fileext = ".csv")
    in_session_of(NULL, utils::write.csv(data, file, row.names = FALSE))
    return(row_source(file, block_size = 31,
                      levels = list(h = levels(data$h), grade = levels(data$grade))))
  }
  if (storage == "source") row_source(data, block_size = 31) else data
}

# ---- what comes out -----------------------------------------------------------------------------

# What a draw gives in odd sessions or in plain ones: numbers, or text where it is an error.
# storage: where it is to be another.
session_values <- function(draw, plain = FALSE, storage = draw$storage) {
  home <- if (!plain) draw$session
  # an error in one session, the state of the other
  run <- function(session, code) in_session_of(session, {
    before <- session_state()
    found <- tryCatch(
      domgen:::with_seed(draw$i, quietly(suppressMessages(suppressWarnings(code())))),
      error = conditionMessage
    )
    if (identical(before, session_state())) found else "options or locale were changed"
  })
  if (draw$workers) return(run(home, function() folds_of(draw)))
  matrix <- storage == "matrix"
  data <- if (matrix) draw_matrix(draw$data) else draw$data
  new <- if (matrix) draw_matrix(draw$new) else draw$new
  model <- run(home, function() {
    if (matrix) fit(draw$spec, data, draw$data[[draw$response]], draw$data$site)
    else fit(draw$spec, draw$formula, data = stored_as(data, storage))
  })
  if (is.character(model)) return(model)
  if (!is.null(draw$later)) {
    if (!plain) home <- draw$later
    model <- unserialize(serialize(model, NULL))
  }
  found <- run(home, function() {
    values <- predicted_numbers(model, if (matrix) new else stored_as(new, storage),
                                if (matrix) draw$new$site, storage)
    c(values, order_of(model, draw$storage))
  })
  if (is.character(found)) found else as.numeric(found)
}

draw_matrix <- function(data) {
  `colnames<-`(as.matrix(data[c("x", "number", "pop")]), c("b", "A", "a"))
}

folds_of <- function(draw) {
  spec <- draw$spec
  if (inherits(spec, "dg_projection_spec")) spec <- dg_pipeline(spec, dg_ridge(lambda = 1))
  found <- dg_cv(spec, draw$formula, data = draw$data, folds = 2, progress = FALSE)
  c(found$mean, found$domains$score, as_numbers(found$domains$domain))
}

predicted_numbers <- function(model, new, domain, storage) {
  if (storage != "csv") {
    if (!inherits(model, "dg_learner")) return(predict(model, new, domain = domain))
    return(predict(model, new, domain = domain, type = "decision"))
  }
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  if (inherits(model, "dg_learner")) predict(model, new, to = file, type = "decision")
  else predict(model, new, to = file)
  lines <- strsplit(gsub("\"", "", readLines(file)), ",")
  numbers <- !lines[[1L]] %in% c("partition", "row", "domain")
  as.numeric(unlist(lapply(lines[-1L], function(row) row[numbers])))
}

# Where classes, domains and columns stand is a part of the answer. Columns have other names where
# numbers are stored otherwise.
order_of <- function(model, storage) {
  as_numbers(c(model$response$levels, levels(model$domain),
               if (!storage %in% c("factor", "integer")) model$blueprint$columns))
}

as_numbers <- function(text) {
  if (length(text)) utf8ToInt(paste(enc2utf8(as.character(text)), collapse = ""))
}

# Text and doubles are what factors and integers are compared with.
plain_values <- function(draws) lapply(draws, function(draw) {
  session_values(draw, TRUE, sub("factor|integer", "frame", draw$storage))
})

# For each draw "", what differs from a plain session, or NA where it is the same error in both.
session_faults <- function(draws, plain = plain_values(draws)) {
  if (any(vapply(draws, `[[`, NA, "workers"))) {
    odd_workers()
    on.exit(future::plan("sequential"))
  }
  unlist(Map(session_difference, plain, lapply(draws, session_values)))
}

# Two workers, with options and a locale that are neither the session's nor plain.
odd_workers <- function() {
  future::plan(future::multisession, workers = 2, rscript_startup = paste0(
    "options(scipen = -3, digits = 3, OutDec = \",\", contrasts = c(\"contr.helmert\", ",
    "\"contr.sum\")); invisible(suppressWarnings(Sys.setlocale(\"LC_COLLATE\", \"",
    utils::tail(odd_locales(), 1L), "\")))"
  ))
}

session_state <- function() list(options()[c(names(odd_options), "warn")], Sys.getlocale())

session_difference <- function(plain, odd) {
  if (is.character(plain) || is.character(odd)) {
    return(if (identical(plain, odd)) NA_character_
           else paste(c(plain[is.character(plain)], odd[is.character(odd)]), collapse = " "))
  }
  same <- length(plain) == length(odd) && identical(is.na(plain), is.na(odd)) &&
    all(abs(plain - odd) <= 1e-10 * pmax(1, abs(plain)), na.rm = TRUE)
  if (same) return("")
  if (length(plain) != length(odd)) return("has other names or another length")
  paste("differs by", max(abs(plain - odd), na.rm = TRUE))
}

expect_same_sessions <- function(draws) {
  faults <- session_faults(draws)
  wrong <- which(faults != "")
  testthat::expect(length(wrong) == 0L, paste(c(
    "Differs from a plain session:",
    paste0("  ", vapply(draws[wrong], session_words_of, ""), "\n    ", faults[wrong])
  ), collapse = "\n"))
  # nearly all of them are fits
  testthat::expect_lt(mean(is.na(faults)), 0.05)
  invisible(faults)
}
