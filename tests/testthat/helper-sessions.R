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
    ridge_domain = list(dg_ridge(lambda = 0.1, scale = "domain", domain_kernel = domain_pooled()), "n3"),
    svm = list(dg_svm(cost = 1, domain_kernel = domain_pooled()), "n23"),
    platt = list(dg_svm(cost = 1, calibration = "platt"), "23"),
    glm = list(dg_glm(lambda = 1), "n23c"),
    gp = list(dg_gp(optimise = FALSE), "n"),
    lm = list(dg_lm(), "n2"),
    null = list(dg_null(), "n23"),
    pipeline = list(dg_pipeline(dg_kpca(ncomp = 2), dg_ridge(lambda = 1)), "n23"),
    tune = list(dg_tune(dg_ridge(), grid = list(lambda = c(0.1, 10)), folds = 2, progress = FALSE), "n2"),
    ensemble = list(dg_ensemble(list(a = dg_ridge(lambda = 1), B = dg_null())), "n2"),
    features = list(dg_ridge(lambda = 1, feature_map = features_nystrom(8)), "n3"),
    custom = list(learner_custom(
      function(x, y, weights) {
        # what a user's function finds
        list(level = paste(options()[c("scipen", "digits", "OutDec", "contrasts")]), mean = mean(y))
      },
      function(object, x) rep(object$mean + nchar(paste(object$level, collapse = "")), nrow(x))
    ), "n"),
    mixed = list(quote(dg_mixed()), "n2c", "lme4"), forest = list(quote(dg_forest(trees = 20)), "n23", "ranger"),
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
  lapply(methods, function(one) list(spec = eval(one[[1L]]), responses = strsplit(one[[2L]], "")[[1L]]))
}

# Texts whose order differs by locale; the last is not in ASCII.
session_words <- c("a", "B", "b", "A", "\u00e4")

session_data <- function(n, sites) {
  d <- data.frame(
    site = rep(sites, length.out = n), x = stats::runif(n, 1e4, 9e5), z = stats::rnorm(n),
    pop = exp(stats::rnorm(n, 12)), g = sample(session_words[c(1:3, 5L)], n, TRUE),
    k = sample(1:3, n, TRUE) * 1e5, h = factor(sample(c("i", "I", "j"), n, TRUE), c("i", "I", "j")), o = stats::runif(n) > 0.5,
    day = as.Date("2024-03-01") + sample(60L, n, TRUE)
  )
  d$n <- d$z + (d$g == "B") + (d$h == "I") + d$k / 2e5 + stats::rnorm(n)
  d[["2"]] <- ifelse(d$n > 1.5, "yes", "No")
  d[["3"]] <- c("low", "Mid", "high")[findInterval(d$n, c(-Inf, 1, 2))]
  d$c <- stats::rpois(n, exp(0.3 * d$z))
  d$number <- match(d$site, sites) * 1e5
  d
}

session_terms <- c(
  "x", "z", "g", "I(x / 1e5)", "I(x * 1e-4)", "factor(k)", "h", "o", "C(h)", "C(h, contr.sum)", "g:z",
  "sapply(z, function(u) u^2)", "sapply(z, \\(u) u^2)", "I(x / 200000)", "weekdays(day)",
  "cut(z, c(-9, -0.51, 0.51, 9))", "paste(h, o)", "months(day)", "ifelse(as.character(g) > \"a\", z, 0)",
  "format(k)", "base::log(x)", "factor(round(z), -5:5)", "as.character(x > 4e5)", "stats::relevel(h, \"I\")"
)

# What learns from the rows.
learned_terms <- c("poly(z, 2)", "splines::ns(x, 3)", "scale(x)")

session_draw <- function(i, method = NULL, workers = NULL, methods = session_methods(),
                         locales = odd_locales()) {
  domgen:::with_seed(i, {
    if (is.null(method)) method <- sample(names(methods), 1L)
    response <- sample(methods[[method]]$responses, 1L)
    storage <- sample(c("frame", "frame", "source", "matrix", "factor", "integer"), 1L)
    if (is.null(workers)) workers <- stats::runif(1L) < 0.1
    data <- session_data(84L, c("b", "A", "a", "B", "\u00e4", "10", "9"))
    new <- session_data(30L, c("c", "C", "a"))
    terms <- unique(c("z", sample(c(session_terms, if (storage != "source") learned_terms), 3L)))
    if (response == "c" && stats::runif(1L) < 0.5) {
      terms <- c(terms, sample(c("offset(log(pop / 1e5))", "stats::offset(log(pop * 1e-4))"), 1L))
    }
    domain <- sample(c("site", "site", "number", "paste(site, number)"), 1L)
    formula <- stats::as.formula(paste0("`", response, "` ~ ", paste(terms, collapse = " + "), " | ",
                                        domain), globalenv())
    some <- sample(names(odd_options), sample(2:8, 1L))
    list(i = i, method = method, spec = methods[[method]]$spec, response = response, formula = formula,
         storage = storage, workers = workers, data = data, new = new,
         session = list(locale = sample(locales, 1L), options = lapply(odd_options[some], function(v) {
           v[[sample.int(length(v), 1L)]]
         })))
  })
}

session_words_of <- function(draw) {
  paste0("session_draw(", draw$i, "): ", draw$method, ", ", deparse1(draw$formula), ", ", draw$storage,
         ", ", if (draw$workers) "workers, ", draw$session$locale, ", ",
         paste(names(draw$session$options), vapply(draw$session$options, paste, "", collapse = "/"),
               collapse = ", "))
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
  if (storage == "source") row_source(data, block_size = 31) else data
}

# ---- what comes out -----------------------------------------------------------------------------

# Numbers of a draw in the session that there is; text where it is an error.
session_values <- function(draw, storage = draw$storage) {
  code <- function() {
    if (draw$workers) {
      spec <- draw$spec
      if (inherits(spec, "dg_projection_spec")) spec <- dg_pipeline(spec, dg_ridge(lambda = 1))
      found <- dg_cv(spec, draw$formula, data = stored_as(draw$data, "frame"), folds = 3,
                     progress = FALSE)
      return(c(found$mean, found$domains$score))
    }
    if (storage == "matrix") {
      X <- as.matrix(draw$data[c("x", "z", "pop")])
      colnames(X) <- c("b", "A", "a")
      Z <- `colnames<-`(as.matrix(draw$new[c("x", "z", "pop")]), colnames(X))
      model <- fit(draw$spec, X, draw$data[[draw$response]], draw$data$site)
      return(predicted_numbers(model, Z, draw$new$site))
    }
    model <- fit(draw$spec, draw$formula, data = stored_as(draw$data, storage))
    predicted_numbers(model, stored_as(draw$new, storage), NULL)
  }
  found <- tryCatch(domgen:::with_seed(draw$i, quietly(suppressMessages(suppressWarnings(code())))),
                    error = conditionMessage)
  if (is.character(found)) found else as.numeric(found)
}

predicted_numbers <- function(model, new, domain) {
  if (!inherits(model, "dg_learner")) return(predict(model, new, domain = domain))
  values <- predict(model, new, domain = domain, type = "decision")
  levels <- model$response$levels
  # where a class stands is part of the answer
  c(values, if (length(levels)) utf8ToInt(paste(levels, collapse = "")))
}

# For each draw "", what differs from a plain session, or NA where it is the same error in both.
session_faults <- function(draws) {
  plain <- lapply(draws, function(draw) {
    # text and doubles are what factors and integers are compared with
    stored <- if (draw$storage %in% c("factor", "integer")) "frame" else draw$storage
    in_session_of(NULL, session_values(draw, stored))
  })
  if (any(vapply(draws, `[[`, NA, "workers"))) {
    two_sessions()
    on.exit(future::plan("sequential"))
  }
  odd <- lapply(draws, function(draw) {
    in_session_of(draw$session, {
      before <- session_state()
      found <- session_values(draw)
      if (identical(before, session_state())) found else "options or locale were changed"
    })
  })
  unlist(Map(session_difference, plain, odd))
}

session_state <- function() list(options()[c(names(odd_options), "warn")], Sys.getlocale())

session_difference <- function(plain, odd) {
  if (is.character(plain) || is.character(odd)) {
    return(if (identical(plain, odd)) NA_character_
           else paste(c(plain[is.character(plain)], odd[is.character(odd)]), collapse = " "))
  }
  same <- length(plain) == length(odd) && identical(is.na(plain), is.na(odd)) &&
    all(abs(plain - odd) <= 1e-10 * pmax(1, abs(plain)), na.rm = TRUE)
  if (same) "" else paste("differs by", max(abs(plain - odd), na.rm = TRUE))
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
