# Random calls of everything that is exported, and of the methods of what was fitted, with
# arguments that are mostly plausible and now and then what nobody should give. A call is made of
# a seed and its number alone, so that each can be made again: fuzz_call(seed, i).
#
# Allowed are a result without NaN, or a condition of class domgen_error or domgen_warning. Faults
# are errors and warnings of R itself, messages of C++, NaN without a word, more seconds than the
# limit, and options, graphical parameters or (where a call has a seed or draws nothing) random
# numbers that are not as they were.

# What nobody should give for an argument. `missing` is an argument that is there and empty.
fuzz_odd <- function() {
  b <- bad_input_base()
  c(not_numbers, list(
    zero = 0, negative = -1, half = 0.5, three = 3, huge = 1e150, tiny = 1e-150, largest = 1e308,
    "2^31" = 2^31, billion = 1e9, "1L" = 1L, blank = "", "NA text" = NA_character_, FALSE. = FALSE,
    "no list" = list(), "three NULL" = list(NULL, NULL, NULL), formula = y ~ a,
    hexmode = as.hexmode(1:24), POSIXct = as.POSIXct(1:24, origin = "1970-01-01"),
    names = c(a = 1, a = 2), "negative definite" = -diag(24), "not symmetric" = matrix(1:4, 2),
    indefinite = matrix(c(1, 2, 2, 1), 2, dimnames = list(c("u", "v"), c("u", "v"))),
    array = array(1, c(2, 2, 2)), "no row" = b$X[0, ], "one row" = b$X[1, , drop = FALSE],
    "empty frame" = data.frame(), specification = dg_svm(), kernel = kernel_rbf(), NULLs = c(),
    missing = quote(expr = )
  ))
}

# Columns that data frames have.
fuzz_frames <- function(base) {
  n <- nrow(base)
  with_column <- function(name, value) {
    base[[name]] <- value
    base
  }
  list(
    hexmode = with_column("a", as.hexmode(seq_len(n))), raw = with_column("a", as.raw(seq_len(n))),
    octmode = with_column("b", as.octmode(seq_len(n))), complex = with_column("a", base$a + 1i),
    list = with_column("a", I(as.list(base$a))), Date = with_column("a", base$day),
    POSIXlt = with_column("a", as.POSIXlt(base$day)),
    matrix = with_column("a", as.matrix(base[1:2])),
    frame = with_column("a", base[1:2]), version = with_column("a", numeric_version(seq_len(n))),
    index = `names<-`(cbind(1, base), c("", names(base))), twice = cbind(base, base["a"]),
    "name NA" = `names<-`(cbind(1, base), c(NA, names(base))), unnamed = `names<-`(base, NULL),
    "no row" = base[0L, ], "one row" = base[1L, ], duplicated = base[rep(1:2, each = n / 2), ],
    "one domain" = base[base$g == "u", ], "one-row domain" = base[-(2:8), ],
    "domain blank" = with_column("g", sub("u", "", base$g)), "domain NA" = with_column("g", NA),
    "domain raw" = with_column("g", as.raw(base$id)),
    "domain list" = with_column("g", I(as.list(base$g))),
    "one class" = with_column("class", factor("p")), "y raw" = with_column("y", as.raw(seq_len(n))),
    "y list" = with_column("y", I(as.list(base$y))),
    "y matrix" = with_column("y", cbind(base$y, 1)),
    constant = with_column("a", 2), "one NA" = with_column("a", replace(base$a, 3, NA)),
    "some NaN" = with_column("a", replace(base$a, 3, NaN)),
    Inf. = with_column("a", replace(base$a, 3, Inf)),
    "all NA" = with_column("a", NA), "1e150" = transform(base, a = a * 1e150),
    "1e-150" = transform(base, a = a * 1e-150, y = y * 1e150), text = with_column("a", base$g),
    "new level" = with_column("f", "new"), "as list" = as.list(base),
    "as matrix" = data.matrix(base)
  )
}

fuzz_formulas <- list(
  y ~ a + b | g, y ~ . | g, class ~ a + b | g, ~ a + b | g, y ~ a + f | g, y ~ a, log(y) ~ a | g,
  y ~ poly(a, 2) | g, y ~ 1 | g, 1 ~ I(1) | d, y ~ a | g | f, y ~ a + offset(b) | g, y ~ zzz | g,
  ~ 0, y ~ a:f | g, y ~ I(a^2) + f * b | interaction(g, f), ~ 1 | 1, y ~ a | 1, class ~ . | 1:24,
  y ~ NULL | g, NULL ~ a | g, y ~ (a | g), y ~ -a | g, `I`(y) ~ a | I(g), y ~ "a" | "g",
  y ~ . - a | g,
  y ~ a | NA, y ~ stats::lag(a) | g, Inf ~ a | g, y + a ~ b | paste(g, f), y ~ rank(a) | g
)

# All that calls are made of: made once.
fuzz_world <- function() {
  b <- bad_input_base()
  n <- nrow(b$X)
  d <- data.frame(b$X, f = factor(rep(c("r", "s"), n / 2)), g = b$domain, y = b$number,
                  class = b$class, id = seq_len(n), day = as.Date("2020-01-01") + seq_len(n))
  bad <- bad_data(b)
  world <- list(odd = fuzz_odd(), data = d, base = b, frames = c(list(base = d), fuzz_frames(d)),
                matrices = c(list(base = b$X), bad$matrices, bad$not_matrices),
                responses = c(list(number = b$number, class = b$class), bad$responses,
                              bad$not_responses),
                domains = c(list(base = b$domain), bad$domains, bad$not_domains))
  world$models <- fuzz_models(d)
  # where update() finds what a model was fitted to
  world$env <- list2env(list(d = d, numbers = y ~ a + b + f | g, classes = class ~ a + b | g),
                        parent = globalenv())
  world$plausible <- fuzz_plausible(world)
  world
}

fuzz_models <- function(d) {
  numbers <- y ~ a + b + f | g
  classes <- class ~ a + b | g
  machine <- dg_svm(classes, data = d, calibration = "platt")
  tuned <- dg_tune(dg_ridge(), numbers, data = d, grid = list(lambda = c(1, 10)), folds = 2,
                   progress = FALSE)
  quietly(list(
    svm = dg_svm(numbers, data = d), "svm classes" = machine,
    "svm pooled" = dg_svm(numbers, data = d, domain_kernel = domain_pooled()),
    "svm three" = dg_svm(as.matrix(d[1:2]), factor(d$id %% 3), d$g),
    ridge = dg_ridge(numbers, data = d),
    "ridge domain" = dg_ridge(numbers, data = d, scale = "both"),
    "ridge features" = dg_ridge(numbers, data = d, feature_map = features_nystrom(5)),
    "ridge matrix" = dg_ridge(as.matrix(d[1:2]), d$y, d$g),
    gp = dg_gp(numbers, data = d, optimise = FALSE),
    "gp features" = dg_gp(numbers, data = d, optimise = FALSE, feature_map = features_nystrom(5)),
    lm = dg_lm(numbers, data = d), "lm classes" = dg_lm(classes, data = d),
    null = dg_null(numbers, data = d), "null classes" = dg_null(classes, data = d),
    dica = dg_dica(numbers, data = d), kpca = dg_kpca(~ a + b | g, data = d),
    "dica domain" = dg_dica(numbers, data = d, domain_kernel = domain_distribution()),
    chain = fit(dg_pipeline(dg_dica(), dg_svm()), numbers, data = d),
    "chain gp" = fit(dg_pipeline(dg_kpca(), dg_gp(optimise = FALSE)), numbers, data = d),
    adapted = dg_adapt(dg_ridge(numbers, data = d), d[d$g == "u", ], labels = y), tuned = tuned,
    cv = dg_cv(dg_lm(), numbers, data = d, progress = FALSE),
    compare = dg_compare(list(a = dg_lm(), b = dg_null()), numbers, data = d, progress = FALSE),
    mmd = dg_mmd(as.matrix(d[1:2]), d$g, permutations = 5), calibration = dg_calibration(machine, d),
    importance = dg_importance(dg_lm(), numbers, data = d, permutations = 2),
    effect = dg_effect(dg_lm(numbers, data = d), newdata = d, grid = 3),
    sums = feature_sums(numbers, data = d, feature_map = features_nystrom(5)),
    map = domain_map(dg_ridge(numbers, data = d)), folds = domain_folds(d$g),
    rows = row_folds(d$g, 2), metric = metric_custom(function(truth, prediction) 1),
    kernel = kernel_rbf(1), "composite kernel" = kernel_linear() * kernel_rbf() + 1,
    "domain kernel" = domain_distribution(), feature_map = features_nystrom(5),
    ensemble = fit(dg_ensemble(list(a = dg_lm(), b = dg_ridge()), "stacked"), numbers, data = d),
    "own learner" = fit(fuzz_learner(), numbers, data = d),
    imputed = dg_lm(numbers, data = d, na.action = na.impute),
    specification = dg_svm(),
    "chain without data" = dg_pipeline(dg_dica(), dg_svm()), search = dg_tune(dg_svm())
  ))
}

fuzz_learner <- function() {
  learner_custom(function(x, y, weights, k = 1) list(y = y, k = k),
                 function(object, x) rep(object$y[1L], nrow(x)))
}

# Values that an argument of that name should take, by name.
fuzz_plausible <- function(world) {
  kernels <- list(kernel_rbf(), kernel_rbf(1), kernel_rbf(c(1, 2)), kernel_laplace(),
                  kernel_matern(),
                  kernel_linear(), kernel_poly(3), kernel_delta(), kernel_normalise(kernel_poly()),
                  kernel_rbf() + kernel_linear(), kernel_exponential(), kernel_rbf(bandwidth_factor = 2),
                  kernel_anova(), kernel_anova(1, c(1, 2)),
                  kernel_custom(function(x, z) x %*% t(z)), kernel_custom(function(x, z) 1),
                  kernel_custom(function(x, z) stop("own")))
  domain_kernels <- list(domain_pooled(), domain_multitask(0.5), domain_multitask(0),
                         domain_distribution(), domain_distribution(embedding_kernel = kernel_linear()))
  features <- list(features_exact(), features_nystrom(5), features_nystrom(100), features_rff(10),
                   features_product(rank = 2), features_nystrom(5, "kmeans"))
  specs <- list(dg_svm(), dg_ridge(), dg_lm(), dg_null(), dg_pipeline(dg_kpca(), dg_ridge()), dg_kpca(), dg_dica(),
                dg_gp(optimise = FALSE), dg_tune(dg_ridge(), grid = list(lambda = c(1, 2))),
                fuzz_learner(), dg_ensemble(list(dg_lm(), dg_null())))
  choices <- function(...) as.list(c(...))
  weights <- list(NULL, rep(1, 24), rep(0:1, 12), 10^seq(-150, 150, length.out = 24), rep(0, 24))
  frames <- world$frames
  c(list(
    kernel = kernels, embedding_kernel = kernels, kernel_y = c(list(NULL), kernels), embedding = features,
    domain_kernel = domain_kernels, feature_map = features, projection = specs, learner = specs,
    objects = list(specs[1:2], list(a = dg_lm(), b = dg_null()), world$models$cv, specs),
    threads = list(1, NULL), na.action = list(na.omit, na.exclude, na.fail, "na.omit", na.pass, na.impute),
    weights = weights, folds = list(NULL, 2, 3, world$models$folds, world$models$rows),
    metric = choices("rmse", "mae", "r2", "accuracy", "auc", "log_loss", "log_density", "f1"),
    scale = choices("pooled", "domain", "both", "rank", "none"),
    type = choices("response", "class", "prob", "decision", "heatmap", "map", "product", "fourier",
                   "pdp", "ale", "context"),
    interval = choices("none", "confidence", "prediction", TRUE, FALSE),
    form = choices("published", "symmetric"), progress = list(FALSE),
    normalise = choices("constraint", "whiten", "published_code"),
    calibration = choices("none", "platt", "isotonic"), bandwidths = choices("given", "fitted"),
    loss = choices("hinge", "squared_hinge", "epsilon", "squared_epsilon"),
    multiclass = choices("one_vs_one", "one_vs_rest"), domain_weights = choices("equal", "size"),
    search = choices("grid", "random", "coordinate"), rule = choices("best", "one_se", "worst"),
    sampling = choices("uniform", "kmeans", "pivoted"), balance = choices("none", "size", "class"),
    grid = list(NULL, list(lambda = c(1, 10)), list(cost = 1:3), list(bandwidth_factor = 1),
                3, list(a = c(-1, 1))),
    new_levels = choices("na", "error"), newdata = frames, reference = c(frames, list("training")),
    labels = world$responses, reference_domain = world$domains, y = world$responses,
    domain = world$domains, data = frames, object = c(world$models, specs),
    model = c(world$models, specs), seed = list(1, 2, NULL),
    target = list(NULL, "u", c("u", "v"), "zz"), unlabelled = c(list(NULL), frames),
    fun = list(function(x, z) x %*% t(z), function(truth, prediction) mean(prediction), mean),
    kappa = list(`dimnames<-`(diag(3), list(c("u", "v", "w"), c("u", "v", "w"))), diag(3), NULL),
    baseline = list(NULL, "a", "b"), class = list(NULL, "p", "q"),
    which = choices("scores", "values"), kind = choices("within", "between", "both", "context"),
    predictors = list(NULL, "a", "b", "f", c("a", "b"), list(both = c("a", "b"))),
    bandwidth = list(NULL, 1, c(1, 2)), bandwidth_factor = list(NULL, 1), formula = fuzz_formulas, max_seconds = list(5)
  ), stats::setNames(rep(list(list(1, 2, 3, 0.5, 0.1, 5)), 46L), c(
    "ncomp", "lambda", "epsilon", "cost", "tau", "mu", "beta", "alpha", "gamma", "delta", "smooth",
    "neighbours", "n_landmarks", "n_features", "rank", "nu", "degree", "coef0", "repeats",
    "n", "domains", "p", "eta", "b1", "b2", "c", "size", "restarts", "signal_sd", "noise_sd",
    "tolerance",
    "max_iterations", "permutations", "nsim", "level", "bins", "max_panels", "max_labels", "digits",
    "components", "n_members", "max_rows", "max_ard", "max_predictors", "new", "title"
  )), stats::setNames(rep(list(list(TRUE, FALSE)), 8L), c(
    "intercept", "optimise", "ard", "average", "orthogonal", "unbiased", "se.fit", "extend"
  )))
}

# The methods that are called with a model, and which of them draw.
fuzz_methods <- c("predict", "plot", "print", "summary", "fitted", "residuals", "coef", "nobs",
                  "formula", "terms", "update", "weights", "simulate", "logLik", "dg_cv", "dg_adapt",
                  "tidy", "glance", "augment", "domain_map", "dg_calibration", "format", "autoplot",
                  "+", "*", "-", "==")

fuzz_operators <- c("+", "*", "-", "==")

# What authors of kernels and methods call or extend, ?extending; it trusts them.
of_authors <- c("decision", "dg_parameter", "domain_kappa", "domain_kernel_fit", "domain_knows",
                "kernel_fit", "kernel_rate", "kernel_spectral", "kernel_value", "learner_method",
                "new_domain_kernel", "new_feature_map", "new_feature_space",
                "new_stationary_kernel", "new_svm_loss", "projection_method", "represent", "response_range",
                "space_expansion", "space_sums")

fuzz_functions <- function() {
  # called with nothing of ours, the generics of another package say what they like
  setdiff(getNamespaceExports("domgen"), c("tidy", "glance", "augment", "dg_resume", of_authors))
}

fuzz_pick <- function(values) {
  at <- sample.int(length(values), 1L)
  list(value = values[at],
       name = if (is.null(names(values))) paste0("#", at) else names(values)[at])
}

# list(fun, args, words, seeded: must random numbers be as before?)
fuzz_call <- function(seed, i, world) {
  with_seed((seed * 1e6 + i) %% 2^31, {
    if (stats::runif(1) < 0.45) fuzz_method_call(world) else fuzz_function_call(world)
  })
}

fuzz_function_call <- function(world) {
  name <- fuzz_pick(sort(fuzz_functions()))$value
  known <- setdiff(names(formals(get(name, asNamespace("domgen")))), "...")
  if (name == "adapt") known <- names(formals(adapt.dg_learner))
  if (name == "fit") known <- names(formals(fit.dg_spec))
  known <- setdiff(known, "...")
  data_given <- intersect(c("x", "y", "domain", "data"), known)
  required <- c("object", "model", "newdata", "labels", "objects", "projection", "learner", "fun", "folds")
  chance <- ifelse(known %in% required, 0.95, 0.2)
  chosen <- setdiff(known[stats::runif(length(known)) < chance], data_given)
  args <- c(if (stats::runif(1) < 0.95) fuzz_data(data_given, world),
            lapply(stats::setNames(chosen, chosen), fuzz_argument, world))
  fuzz_made(name, args, seeded = is_number(args$seed$value[[1L]]))
}

# A formula with data, or a matrix with vectors.
fuzz_data <- function(known, world) {
  one <- function(values) fuzz_pick(if (stats::runif(1) < 0.4) values[1L] else values)
  if (all(c("x", "data") %in% known) && stats::runif(1) < 0.6) {
    return(list(x = fuzz_pick(if (stats::runif(1) < 0.8) fuzz_formulas[1:8] else fuzz_formulas),
                data = one(world$frames)))
  }
  given <- list(x = one(world$matrices), y = one(world$responses), domain = one(world$domains))
  if (!"x" %in% known) given$data <- one(world$frames)
  given[intersect(known, names(given))]
}

fuzz_argument <- function(arg, world) {
  values <- world$plausible[[arg]]
  # what goes wrong most often, if it does
  if (arg == "newdata" && stats::runif(1) < 0.3) values <- values[c("base", "no row", "one row")]
  if (is.null(values) || stats::runif(1) < 0.3) fuzz_pick(world$odd) else fuzz_pick(values)
}

fuzz_method_call <- function(world) {
  model <- fuzz_pick(world$models)
  method <- fuzz_pick(fuzz_methods[vapply(fuzz_methods, has_method, NA, model$value[[1L]])])$value
  known <- switch(method,
    predict = c("newdata", "domain", "type", "reference", "reference_domain", "se.fit", "interval",
                "level", "new_levels"),
    autoplot = ,
    plot = c("newdata", "components", "domain", "y", "max_panels", "which", "type", "max_labels"),
    simulate = c("nsim", "seed", "newdata", "domain"), print = "digits",
    adapt = c("newdata", "labels", "domain", "cost", "lambda", "weights"),
    update = c("data", "lambda", "cost", "threads", "scale", "kernel"), lodo = "metric",
    augment = c("newdata", "domain"), domain_map = c("newdata", "domain", "threads"),
    dg_calibration = c("newdata", "domain", "y", "bins", "class"))
  chance <- ifelse(known %in% c("newdata", "labels"), 0.9, 0.25)
  # mostly few of them, so that a call gets past the first refusal
  chosen <- known[stats::runif(length(known)) < chance * sample(c(0.4, 1), 1L)]
  args <- c(list(model), lapply(stats::setNames(chosen, chosen), fuzz_argument, world))
  if (method %in% fuzz_operators) {
    # of two objects that both have an operator R takes its own
    plain <- Filter(Negate(is.object), world$odd[names(world$odd) != "missing"])
    own <- if (inherits(model$value[[1L]], "domgen_kernel")) world$plausible$kernel
           else if (inherits(model$value[[1L]], "domgen_domain_kernel")) {
             world$plausible$domain_kernel
           } else world$models["sums"]
    args <- c(args, list(fuzz_pick(c(plain, own))))
  }
  fuzz_made(method, args, seeded = !method %in% c("update", "simulate", "plot"))
}

# Methods of R itself say what they like of other objects.
has_method <- function(method, object) {
  if (method %in% getNamespaceExports("domgen") && !method %in% c("tidy", "glance", "augment")) {
    return(TRUE)
  }
  methods <- paste0(method, ".", class(object))
  if (method %in% fuzz_operators) methods <- c(methods, paste0("Ops.", class(object)))
  any(vapply(methods, exists, NA, envir = asNamespace("domgen"), inherits = FALSE))
}

fuzz_made <- function(name, args, seeded) {
  if (name == "autoplot" && !requireNamespace("ggplot2", quietly = TRUE)) name <- "plot"
  words <- vapply(args, `[[`, "", "name")
  labels <- if (is.null(names(args))) rep("", length(args)) else names(args)
  list(fun = name, args = lapply(args, function(arg) arg$value[[1L]]), seeded = seeded,
       words = paste0(name, "(", paste0(ifelse(labels == "", "", paste0(labels, " = ")), "`", words,
                                        "`", recycle0 = TRUE, collapse = ", "), ")"))
}

fuzz_foreign <- paste(c("std::", "Eigen", "vector::", "subscript", "bad_alloc", "basic_string",
                        "C stack", "Rcpp", "non-numeric argument", "object of type",
                        "argument of length 0", "is missing, with no default", "not subsettable",
                        "undefined columns", "missing value where", "replacement has"),
                      collapse = "|")

# "" or what is wrong with the call.
fuzz_fault <- function(call, env, seconds = 10) {
  before <- list(options(), .Random.seed)
  fun <- if (call$fun == "autoplot") ggplot2::autoplot else get(call$fun, asNamespace("domgen"))
  found <- fuzz_outcome(fuzz_language(fun, call$args), env, seconds)
  after <- list(options(), .Random.seed)
  changed <- setdiff(names(before[[1L]]), "warn")
  if (!identical(before[[1L]][changed], after[[1L]][changed])) found <- paste(found,
                                                                              "options changed")
  if (call$seeded && !identical(before[[2L]], after[[2L]])) found <- paste(found, "seed changed")
  found
}

# Language is a value here, not something to evaluate.
fuzz_language <- function(fun, args) {
  inlined <- lapply(args, function(value) {
    if (is.language(value) && !identical(value, quote(expr = ))) call("quote", value) else value
  })
  as.call(c(list(fun), inlined))
}

fuzz_outcome <- function(expr, env, seconds) {
  warned <- FALSE
  foreign <- character()
  # of this process: the machine may be busy with other things
  start <- sum(proc.time()[1:2])
  setTimeLimit(cpu = seconds, elapsed = 10 * seconds, transient = TRUE)
  on.exit(setTimeLimit())
  value <- withCallingHandlers(
    tryCatch({
      utils::capture.output(result <- eval(expr, new.env(parent = env)))
      result
    }, error = identity),
    warning = function(w) {
      if (!inherits(w, "domgen_warning")) foreign <<- c(foreign, conditionMessage(w))
      if (grepl(fuzz_foreign, conditionMessage(w))) foreign <<- c(foreign, conditionMessage(w))
      warned <<- TRUE
      invokeRestart("muffleWarning")
    }, message = function(m) invokeRestart("muffleMessage")
  )
  setTimeLimit()
  if (inherits(value, "error")) {
    message <- conditionMessage(value)
    if (!inherits(value, "domgen_error")) return(paste("R error:", message))
    # a function of the user's says what it says
    if (grepl(fuzz_foreign, sub("cannot be evaluated: .*", "", message))) return(paste("C++ or R:",
                                                                                       message))
  }
  if (length(foreign)) return(paste("R warning:", foreign[1L]))
  if (!warned && has_nan(value)) return("silent NaN")
  if (sum(proc.time()[1:2]) - start > seconds) return("too long")
  ""
}

# Of a result in numbers; what is in a model is seen by its methods.
has_nan <- function(value) {
  if (is.list(value) && !is.object(value)) return(any(vapply(value, has_nan, NA)))
  is.numeric(value) && any(is.nan(value))
}

# The calls of these numbers: a data frame of faults.
fuzz <- function(seed, numbers, seconds = 10, world = fuzz_world(), before = function(i) NULL) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  old <- options(domgen.threads = 1L, domgen.progress = FALSE)
  on.exit(options(old), add = TRUE)
  found <- lapply(numbers, function(i) {
    before(i)
    call <- fuzz_call(seed, i, world)
    fault <- fuzz_fault(call, world$env, seconds)
    if (nzchar(fault)) data.frame(seed = seed, call = i, words = call$words, fault = fault)
  })
  do.call(rbind, found)
}
