# dg_glm() on domains that were left out, by family, beside peers. Five folds of whole domains (four
# of four hospitals); every method chooses its parameters in the training domains.
#   null             means, class frequencies; of times no ranking (1/2)
#   linear           dg_glm() with kernel_linear() and domain_pooled()
#   pooled           dg_glm() with domain_pooled()
#   distributional   dg_glm() as it comes
#   glmnet           cv.glmnet(), folds of domains, the lasso as it comes; not of ordered classes
#   mgcv             gam() with smooth terms and random domains by REML; not of several classes
#   deviance         mean unit deviance of a domain's rows, mean over domains; of classes twice the
#                    log loss
#   relative         the same in % of that of null, of all domains together
#   concordance      of censored times, within domains of at least one pair, mean over them
# A probability of 0 counts as 1e-15.

heart <- function(y) function(data) {
  stats::na.omit(data.frame(domain = data$domain, y = y(data),
                            data[c("age", "sex", "cp", "trestbps", "thalach", "exang", "oldpeak")]))
}
has_mine <- function(d) factor(d$y, 0:1, c("no", "yes"))
of_columns <- function(d, y, columns) data.frame(domain = d$domain, y = y, d[columns])
quarters <- function(y) {
  factor(findInterval(y, stats::quantile(y, 1:3 / 4)), 0:3, c("lowest", "low", "high", "highest"),
         ordered = TRUE)
}

glm_sets <- list(
  landmine = list(family = "binomial", rows = function(data) {
    d <- draw_rows(data, 60)
    of_columns(d, has_mine(d), paste0("f", 1:9))
  }),
  heart_disease = list(family = "binomial", rows = heart(has_mine)),
  gvhd_flowcap1 = list(family = "binomial", rows = function(data) {
    d <- draw_rows(data, 60)
    of_columns(d, factor(d$y %in% c("cd4t", "cd8t"), c(FALSE, TRUE), c("no", "yes")),
               c("fsc", "ssc", "fl1", "fl2", "fl3", "fl4"))
  }),
  har66 = list(family = "multinomial", rows = function(data) {
    d <- draw_rows(data, 30)
    of_columns(d, factor(d$y), setdiff(names(d), c("domain", "y")))
  }),
  cytof_multicenter16 = list(family = "multinomial", rows = function(data) {
    d <- draw_rows(data, 60)
    of_columns(transform(d, as.data.frame(asinh(d[paste0("m", 1:8)] / 5))), factor(d$y),
               paste0("m", 1:8))
  }),
  `heart_disease, ordered` = list(family = "ordinal", rows = heart(function(d) ordered(d$y2))),
  school_ilea = list(family = "ordinal", rows = function(data) {
    # band 0, of a few pupils, is none
    d <- draw_rows(some_domains(data[data$vrband > 0, ], 60), 15)
    codes <- c("gender", "vrband")
    d[codes] <- lapply(d[codes], factor)
    of_columns(d, quarters(d$y), c("year", "fsm", "vr1percent", codes))
  }),
  parkinsons = list(family = "Gamma", rows = function(data) {
    d <- draw_rows(data, 25)
    of_columns(d, d$y, c("age", "sex", grep("^v_", names(d), value = TRUE)))
  }),
  epil = list(family = "poisson", rows = function(data) {
    d <- MASS::epil
    data.frame(domain = factor(d$subject), d[c("y", "lbase", "lage", "trt", "V4")])
  }),
  lung = list(family = "cox", rows = function(data) {
    d <- stats::na.omit(survival::lung[c("inst", "time", "status", "age", "sex", "ph.ecog")])
    d <- data.frame(domain = factor(d$inst), y = survival::Surv(d$time, d$status), d[4:6])
    d[d$domain %in% names(which(table(d$domain) >= 5)), ]
  })
)
shared_of <- function(name) sub(",.*", "", name)

family_of <- function(name) if (name == "Gamma") stats::Gamma("log") else name

# ---- scores by row: of means, of probabilities of classes ---------------------------------------

row_deviances <- function(family, y, found) {
  if (is.factor(y)) return(-2 * log(pmax(found[cbind(seq_along(y), as.integer(y))], 1e-15)))
  family <- if (family == "Gamma") stats::Gamma("log") else stats::poisson()
  family$dev.resids(y, found, rep(1, length(y)))
}

by_domain <- function(family, y, found, domain) {
  domain <- droplevels(domain)
  if (family != "cox") return(tapply(row_deviances(family, y, found), domain, mean))
  vapply(split(seq_along(domain), domain), function(i) {
    unname(survival::concordance(y[i] ~ found[i], reverse = TRUE)$concordance)
  }, 0)
}

# ---- methods: functions of training and new rows ------------------------------------------------

predict_null <- function(family, train, new) {
  if (family == "cox") return(rep(0, nrow(new)))
  if (!is.factor(train$y)) return(rep(mean(train$y), nrow(new)))
  matrix(c(table(train$y)) / nrow(train), nrow(new), nlevels(train$y), byrow = TRUE)
}

predict_glm <- function(family, train, new, ...) {
  spec <- dg_glm(family = family_of(family), ...)
  type <- if (family == "cox") "decision" else if (is.factor(train$y)) "prob" else "response"
  predict(fit(spec, y ~ . | domain, data = train), new, type = type)
}

columns_of <- function(d) setdiff(names(d), c("domain", "y"))

predict_glmnet <- function(family, train, new) {
  X <- function(d) stats::model.matrix(~ ., d[columns_of(d)])[, -1L, drop = FALSE]
  folds <- sample(rep_len(seq_len(min(10L, nlevels(train$domain))), nlevels(train$domain)))
  model <- glmnet::cv.glmnet(X(train), train$y, family = family_of(family),
                             foldid = folds[as.integer(train$domain)])
  found <- drop(predict(model, X(new), s = "lambda.min",
                        type = if (family == "cox") "link" else "response"))
  if (family == "binomial") cbind(1 - found, found) else found
}

predict_gam <- function(family, train, new) {
  terms <- vapply(columns_of(train), function(name) {
    values <- train[[name]]
    if (is.numeric(values) && length(unique(values)) >= 10L) sprintf("s(%s, k = 5)", name) else name
  }, "")
  base <- switch(family, binomial = stats::binomial(), poisson = stats::poisson(),
                 Gamma = stats::Gamma("log"), cox = mgcv::cox.ph(),
                 ordinal = mgcv::ocat(R = nlevels(train$y)))
  f <- stats::reformulate(c(terms, "s(domain, bs = \"re\")"), "y")
  weights <- NULL
  if (family == "cox") {
    weights <- train$y[, 2L]
    train$y <- train$y[, 1L]
  }
  # two classes as 0 and 1, ordered ones as 1, 2, ...
  if (is.factor(train$y)) train$y <- as.integer(train$y) - (family == "binomial")
  model <- do.call(mgcv::gam, list(f, base, train, weights = weights, method = "REML"))
  new$domain <- factor(levels(train$domain)[1L], levels(train$domain))
  new$y <- NULL
  found <- predict(model, new, exclude = "s(domain)",
                   type = if (family == "cox") "link" else "response")
  if (family == "binomial") cbind(1 - found, found) else found
}

glm_methods <- function(family) {
  c(list(null = predict_null,
         linear = function(...) predict_glm(..., kernel = kernel_linear(),
                                            domain_kernel = domain_pooled()),
         pooled = function(...) predict_glm(..., domain_kernel = domain_pooled()),
         distributional = predict_glm),
    if (family != "ordinal") list(glmnet = predict_glmnet),
    if (family != "multinomial") list(mgcv = predict_gam))
}

experiment(
  paper = "domgen", item = "?dg_glm",
  title = "dg_glm() on left-out domains by family, beside glmnet and mgcv",
  data = c("landmine", "heart_disease", "gvhd_flowcap1", "har66", "cytof_multicenter16",
           "school_ilea", "parkinsons"),
  draws = c(quick = 1, normal = 1, full = 5), minutes = c(quick = 0.2, normal = 20, full = 100),
  packages = c("glmnet", "mgcv", "MASS", "survival"),
  tolerance = c(deviance = 8e-4, relative = 0.05, concordance = 0.003),
  cells = function(size) {
    data.frame(data = if (size == "quick") "heart_disease" else names(glm_sets))
  },
  run = function(cell, draw, data) {
    set <- glm_sets[[cell$data]]
    rows <- droplevels(set$rows(data[[shared_of(cell$data)]]))
    count <- min(5L, nlevels(rows$domain))
    fold <- sample(rep_len(seq_len(count), nlevels(rows$domain)))[as.integer(rows$domain)]
    parts <- lapply(seq_len(count), function(k) {
      train <- rows[fold != k, ]
      # predictors and classes keep their levels
      train$domain <- droplevels(train$domain)
      list(train = train, new = rows[fold == k, ])
    })
    scores <- lapply(glm_methods(set$family), function(method) {
      seconds <- elapsed(found <- lapply(parts, function(part) {
        suppressMessages(suppressWarnings(method(set$family, part$train, part$new)))
      }))
      list(seconds = seconds, score = unlist(Map(function(part, found) {
        by_domain(set$family, part$new$y, found, part$new$domain)
      }, parts, found)))
    })
    bind(lapply(names(scores), function(name) {
      score <- mean(scores[[name]]$score, na.rm = TRUE)
      measures <- if (set$family == "cox") c(concordance = score)
                  else c(deviance = score, relative = 100 * score / mean(scores$null$score))
      result_lines(name, measures, family = set$family, seconds = scores[[name]]$seconds)
    }))
  }
)
