# Code in a model from elsewhere. What is drawn is put into it as an attacker would, and must be
# refused before it is evaluated: it would leave a file.

mark <- tempfile("mark")
halve <- function(x) x / 2
toy <- with_seed(1, transform(toy_domains(4, 20), load = abs(x1) + 1, text = rep_len(c("u", "v", "w"), length(x1))))
names(toy)[names(toy) == "x3"] <- "source"

# Calls that make the file, one for each way to say so.
harmful <- function() {
  file <- mark
  bquote_all <- function(...) lapply(eval(substitute(alist(...))), function(e) {
    do.call(substitute, list(e, list(FILE = file)))
  })
  bquote_all(
    file.create(FILE), base::file.create(FILE), (file.create)(FILE), cat("x", file = FILE),
    writeLines("x", FILE), system2("touch", FILE), system(paste("touch", FILE)), saveRDS(1, FILE),
    utils::write.csv(1, FILE), write.csv(1, FILE), dir.create(FILE), sink(FILE),
    eval(parse(text = "file.create(mark)")), evalq(file.create(FILE)), local(file.create(FILE)),
    do.call("file.create", list(FILE)), do.call(file.create, list(FILE)),
    do.call(paste0("file.", "create"), list(FILE)), get("file.create")(FILE),
    get0(paste0("file", ".create"))(FILE), match.fun("file.create")(FILE),
    sapply(FILE, file.create), sapply(FILE, "file.create"), Map(base::file.create, FILE),
    Reduce(file.create, FILE, FALSE), vapply(FILE, paste0("file.", "create"), NA),
    (function(u) file.create(u))(FILE), sapply(FILE, function(u) { v <- u; file.create(v) }),
    sapply(1, function(u, w = file.create(FILE)) w), Vectorize(file.create)(FILE),
    baseenv()$file.create(FILE), asNamespace("base")[["file.create"]](FILE),
    .BaseNamespaceEnv$file.create(FILE), environment(sd)$file.create(FILE),
    .Internal(file.create(FILE, FALSE)), assign("mark", 1), mark <<- 1, quit("no"),
    as.function(alist(file.create(FILE)))(), source(FILE), unserialize(readRDS(FILE)),
    parallel::mclapply(FILE, file.create), tools::Rcmd("x"), compiler::cmpfun(file.create)(FILE),
    with(list(u = FILE), file.create(u)), if (TRUE) file.create(FILE), { file.create(FILE) },
    # handed on, and called by another name
    (function(f) f(FILE))(file.create), (function(f = file.create) f(FILE))(),
    { f <- file.create; f(FILE) }, { g <- function(f) f(FILE); g(file.create) },
    identity(file.create)(FILE), switch("a", a = file.create)(FILE),
    lapply(list(file.create), function(f) f(FILE)), { for (f in c(file.create)) f(FILE) }
  )
}

# Somewhere in an expression of numbers.
hidden <- function(call) {
  for (i in seq_len(sample(0:3, 1L))) {
    call <- switch(sample(6L, 1L), bquote(x1 + .(call)), bquote(log(abs(.(call)) + 1)),
                   bquote(ifelse(x1 > 0, .(call), 2)), bquote(pmin(x2, .(call))),
                   bquote(sapply(x1, function(u) u * .(call))), bquote(I(.(call))))
  }
  call
}

# The model with a term that is evaluated when it is used; where: in which part.
planted <- function(model, call, where) {
  blueprint <- model$blueprint
  terms <- blueprint$terms
  as_list <- as.call(list(as.name("list"), call))
  if (where == "predvars") attr(terms, "predvars") <- as_list
  if (where == "terms") {
    new <- stats::terms(stats::as.formula(call("~", call("I", call)), environment(terms)))
    attributes(new)$.Environment <- environment(terms)
    terms <- new
  }
  if (where == "function") {
    home <- new.env(parent = globalenv())
    home$halve <- as.function(c(alist(x = ), call("{", call, quote(x / 2))), home)
    environment(terms) <- home
  }
  if (where == "domain") blueprint$domain <- call
  blueprint$terms <- terms
  model$blueprint <- blueprint
  if (where == "response") model$formula[[2L]] <- call
  # the check of what was damaged is made anew, as whoever makes such a file would
  seal(model)
}

test_that("a call that a formula has no use for is refused before it is evaluated, wherever it is", {
  model <- dg_lm(y ~ I(halve(x1)) + x2 | domain, data = toy)
  parts <- c("predvars", "terms", "function", "domain", "response")
  calls <- harmful()
  draws <- with_seed(5, {
    lapply(rep(seq_along(calls), if (long_form()) 10L else 2L), function(k) {
      list(call = hidden(calls[[k]]), where = sample(parts, 1L))
    })
  })
  draws <- c(draws, lapply(parts, function(where) list(call = calls[[1L]], where = where)))
  for (draw in draws) {
    bad <- planted(model, draw$call, draw$where)
    about <- paste(draw$where, deparse1(draw$call))
    for (use in list(function(m) predict(m, toy), function(m) dg_cv(m),
                     function(m) summary(m), function(m) print(m))) {
      said <- tryCatch(use(bad), error = identity)
      expect_s3_class(said, "domgen_error_model")
      expect_match(conditionMessage(said), "which no formula|no formula has a use", info = about)
    }
    expect_false(file.exists(mark), info = about)
  }
  # in members too, and in the terms of random slopes
  chained <- fit(dg_pipeline(dg_kpca(ncomp = 1), dg_lm()), y ~ halve(x1) + x2 | domain, data = toy)
  chained$projection <- planted(chained$projection, calls[[1L]], "predvars")
  expect_domgen_error(predict(seal(chained), toy), "`file.create\\(\\)`", "domgen_error_model")
  expect_false(file.exists(mark))
})

test_that("a formula may not have such a call, which is said when it is fitted", {
  for (call in harmful()[c(1, 6, 13, 23)]) {
    formula <- stats::as.formula(bquote(y ~ x1 + I(.(call)) | domain))
    expect_error(dg_lm(formula, data = toy), class = "domgen_error_argument")
    expect_error(dg_lm(formula, data = row_source(toy)), class = "domgen_error_argument")
    expect_error(dg_lm(terms = stats::as.formula(bquote(~ I(.(call)))), formula = y ~ x1 | domain,
                       data = toy), class = "domgen_error_argument")
  }
  writes <- function(x) {
    file.create(mark)
    x
  }
  expect_domgen_error(dg_lm(y ~ writes(x1) | domain, data = toy), "`file.create\\(\\)` in `writes`")
  expect_false(file.exists(mark))
})

# What users write, and what packages make of it.
own_terms <- function() {
  scale_by <- 3
  known <- c(u = 1, v = 2, w = 4)
  twice <- function(v) {
    out <- v
    for (k in 1:2) out[] <- do.call(pmax, list(out, v)) + scale_by
    vapply(out, function(one) Reduce(`+`, c(one, one)), 1)
  }
  `from_0<-` <- function(v, value) v - value
  factorial_of <- function(n) if (n <= 1) 1 else n * factorial_of(n - 1)
  # of the user's own, whatever R has of that name
  system <- function(v) v^2
  lapply(list(
    ~ halve(x1) + x2, ~ twice(x2), ~ I(known[text]), ~ I(x1 / scale_by), ~ system(x1),
    ~ sapply(x1, function(x2) x2^2), ~ I(factorial_of(3) * x1),
    ~ log(load) + source, ~ I(load * source) + pmin(load, source), ~ cut(x1, c(-9, 0, 9)),
    ~ factor(text, levels = c("w", "u", "v")), ~ ifelse(x1 > 0, load, 0), ~ poly(x1, 2),
    ~ splines::ns(x2, 3), ~ stats::poly(load, 2), ~ I(text == "system") + I(x1 > 0),
    ~ I((x1 - 1) / 2) + abs(x2), ~ outer(x1, 1:2), ~ round(x1, 1),
    ~ I(nchar(paste(text, "source"))) + x1, ~ interaction(text, x1 > 0),
    ~ I(mapply(function(x1, x2) x1 + x2, x1, load)),
    ~ sapply(x1, function(u) u[[1]] + list(u, 2)[[2]]),
    ~ I((function(v) { from_0(v) <- scale_by; v })(x1))
  ), function(formula) {
    formula <- stats::as.formula(call("~", quote(y), call("|", formula[[2L]], quote(domain))))
    environment(formula) <- parent.frame(2L)
    formula
  })
}

test_that("what users write in a formula is fitted, and predicts the same from a file", {
  for (formula in own_terms()) {
    model <- quietly(dg_lm(formula, data = toy))
    file <- tempfile()
    saveRDS(model, file)
    expect_identical(predict(readRDS(file), toy), predict(model, toy), info = deparse1(formula))
  }
})

test_that("code that was looked at is not looked at again, and the user may say that it is trusted", {
  model <- dg_lm(y ~ halve(x1) + x2 | domain, data = toy)
  before <- predict(model, toy)
  with_replaced("refused_code", function(...) stop("again"), {
    expect_identical(predict(model, toy), before)
  })
  count <- 0
  counted <- function(x) {
    eval(quote(x))
  }
  refused <- planted(model, quote(eval(quote(x2))), "predvars")
  expect_error(predict(refused, toy), "domgen.trust", class = "domgen_error_model")
  old <- options(domgen.trust = TRUE)
  on.exit(options(old))
  trusted <- dg_lm(y ~ counted(x1) + x2 | domain, data = toy)
  expect_equal(coef(trusted), coef(lm(y ~ x1 + x2, toy)), ignore_attr = TRUE)
  options(old)
  expect_error(predict(trusted, toy), "`eval\\(\\)` in `counted`", class = "domgen_error_model")
})

test_that("what a package brings is refused from the moment it is there", {
  skip_on_cran()
  script <- tempfile(fileext = ".R")
  writeLines(c(
    "asked <- function() {",
    "  !is.null(domgen:::refused_code(quote(mcparallel(1)), globalenv(), character()))",
    "}", "before <- asked()", "library(parallel)", "cat(before, asked())"
  ), script)
  said <- system2(file.path(R.home("bin"), "Rscript"), shQuote(script), stdout = TRUE)
  expect_identical(said, "FALSE TRUE")
})

test_that("each name that is refused is one of R, and each that is allowed is exported", {
  there <- vapply(refused_calls, exists, NA, envir = baseenv())
  # of other systems, versions and packages
  elsewhere <- c("shell", "shell.exec", "Sys.setLanguage", "as.formula", "formula", "reformulate",
                 "DF2formula", ".getNamespace", "..getNamespace", "sys.load.image")
  expect_identical(setdiff(refused_calls[!there], elsewhere), character())
  for (package in c("utils", "methods", "tools", "grDevices")) {
    expect_identical(setdiff(allowed_calls[[package]], getNamespaceExports(package)), character())
  }
  for (name in names(calls_by_name)) {
    formals <- names(formals(args(get(name, envir = asNamespace("stats")))))
    expect_true(calls_by_name[[name]] %in% formals || "..." %in% formals, info = name)
  }
})

test_that("a function that a model brings is searched by whatever the model finds it", {
  model <- dg_lm(y ~ I(halve(x1)) + x2 | domain, data = toy)
  home <- new.env(parent = globalenv())
  # the name of a column, too
  home$x1 <- home$own <- as.function(alist(v = , {
    file.create(mark)
    v
  }), list2env(list(mark = mark), parent = globalenv()))
  home$`own<-` <- as.function(alist(v = , value = , {
    file.create(mark)
    v
  }), list2env(list(mark = mark), parent = globalenv()))
  environment(model$blueprint$terms) <- home
  for (call in expression({ v <- x2; own(v) <- 1; v }, (function(v) { own(v)[1] <- 1; v })(x2),
                          `(`(x2, own(x2)), `own<-`(x2, 1), sapply(x2, "own"),
                          do.call("own", list(x2)), match.fun("own")(x2),
                          get("own", mode = "function")(x2), (function(v, w = own(v)) w)(x2),
                          sapply(x2, function(v, f = "own") sapply(v, f)), x1(x2), sapply(x2, x1),
                          sapply(x2, "x1"), do.call(sapply, list(x2, quote(x1))),
                          {
                            s <- quote(x1)
                            do.call(sapply, list(x2, s))
                          })) {
    expect_domgen_error(predict(planted(model, call, "predvars"), toy), "no formula has a use",
                        "domgen_error_model")
    expect_false(file.exists(mark), info = deparse1(call))
  }
})
