# Do 90 % sets of classes hold on domains that were left out? Data sets that come with R packages,
# with their own classes or with a number cut at its terciles. No set or method was taken out.
#   lm, ridge, svm, forest, glm, ensemble   `predict(type = "set")` of dg_lm() (of two classes),
#               dg_ridge() and so on, with lambda = 1 of dg_glm(); the ensemble is of ridge and
#               forest
#   ranger      the most probable classes of ranger's forest that have 90 % together
# Five folds of whole domains.
#   coverage   percent of a domain's rows whose class is in their set, mean over domains
#   classes    mean number of classes in a set
#   whole      percent of the rows whose set has all classes
#   empty      percent of the rows whose set has none

of_package <- function(name, package, formula, rows = function(d) d) {
  list(data = function() rows(as.data.frame(getExportedValue(package, name))), formula = formula)
}
in_terciles <- function(name, package, formula) {
  of_package(name, package, formula, function(d) {
    y <- all.vars(formula)[1L]
    ends <- stats::quantile(d[[y]], c(1, 2) / 3)
    d[[y]] <- factor(findInterval(d[[y]], ends), 0:2, c("low", "middle", "high"))
    d
  })
}
two_classes <- function(condition) factor(ifelse(condition, "yes", "no"))
first_domains <- function(d, domain, n) {
  d[d[[domain]] %in% sort(unique(as.character(d[[domain]])))[seq_len(n)], ]
}

set_data <- list(
  VerbAgg = of_package("VerbAgg", "lme4", r2 ~ Anger + Gender + btype + situ + mode | id,
                       function(d) first_domains(d, "id", 40)),
  grouseticks = of_package("grouseticks", "lme4", TICKS ~ YEAR + HEIGHT | BROOD, function(d) {
    transform(d, TICKS = two_classes(TICKS > 0))
  }),
  cbpp = of_package("cbpp", "lme4", ill ~ period | herd, function(d) {
    count <- c(d$incidence, d$size - d$incidence)
    all <- data.frame(d[c("herd", "period")], ill = rep(c("yes", "no"), each = nrow(d)))
    all[rep(seq_len(nrow(all)), count), ]
  }),
  bacteria = of_package("bacteria", "MASS", y ~ week + trt | ID),
  epil = of_package("epil", "MASS", y ~ lbase + lage + trt + V4 | subject, function(d) {
    transform(d, y = two_classes(y > 4))
  }),
  cgd = of_package("cgd", "survival", status ~ treat + age + propylac + steroids | center,
                   function(d) transform(d, status = two_classes(status == 1))),
  lung = of_package("lung", "survival", dead ~ age + sex + ph.ecog + time | inst, function(d) {
    d$dead <- two_classes(d$status == 2)
    stats::na.omit(d[c("dead", "age", "sex", "ph.ecog", "time", "inst")])
  }),
  MathAchieve = of_package("MathAchieve", "nlme", Minority ~ SES + Sex + MathAch | School,
                           function(d) first_domains(d, "School", 30)),
  Oxboys = in_terciles("Oxboys", "nlme", height ~ age | Subject),
  Orthodont = in_terciles("Orthodont", "nlme", distance ~ age + Sex | Subject),
  Soybean = in_terciles("Soybean", "nlme", weight ~ Time + Year + Variety | Plot),
  Milk = in_terciles("Milk", "nlme", protein ~ Time + Diet | Cow),
  BodyWeight = in_terciles("BodyWeight", "nlme", weight ~ Time + Diet | Rat),
  Earthquake = in_terciles("Earthquake", "nlme", accel ~ distance + Richter | Quake),
  ChickWeight = in_terciles("ChickWeight", "datasets", weight ~ Time + Diet | Chick),
  Theoph = in_terciles("Theoph", "datasets", conc ~ Time + Dose + Wt | Subject),
  sleepstudy = in_terciles("sleepstudy", "lme4", Reaction ~ Days | Subject)
)

set_methods <- function(classes) c(
  if (classes == 2L) list(lm = dg_lm()),
  list(ridge = dg_ridge(), svm = dg_svm(), forest = dg_forest(trees = 200),
       glm = dg_glm(lambda = 1), ensemble = dg_ensemble(list(dg_ridge(), dg_forest(trees = 200))))
)

# Logical [rows x classes] of each method, at the new rows.
sets_of_all <- function(train, new) {
  timed <- function(code) {
    seconds <- elapsed(found <- suppressMessages(suppressWarnings(code)))
    list(found = found, seconds = seconds)
  }
  all <- lapply(set_methods(nlevels(train$y)), function(spec) {
    timed(predict(fit(spec, y ~ . | domain, data = train), new, type = "set"))
  })
  all$ranger <- timed({
    columns <- setdiff(names(train), "domain")
    model <- ranger::ranger(y ~ ., train[columns], probability = TRUE, num.trees = 200,
                            num.threads = 1)
    P <- predict(model, new, num.threads = 1)$predictions[, levels(train$y)]
    t(apply(P, 1L, function(p) {
      order <- order(p, decreasing = TRUE)
      replace(logical(length(p)), order[seq_len(which(cumsum(p[order]) >= 0.9 - 1e-9)[1L])], TRUE)
    }))
  })
  all
}

# Of one fold [rows x 4].
set_measures <- function(sets, y) {
  cbind(coverage = 100 * sets[cbind(seq_along(y), as.integer(y))], classes = rowSums(sets),
        whole = 100 * (rowSums(sets) == ncol(sets)), empty = 100 * (rowSums(sets) == 0))
}

set_folds <- function(set) {
  d <- set$data()
  parts <- set$formula[[3L]]
  d <- d[c(as.character(set$formula[[2L]]), all.vars(parts[[2L]]), as.character(parts[[3L]]))]
  names(d)[c(1L, ncol(d))] <- c("y", "domain")
  d$domain <- as.character(d$domain)
  d[] <- lapply(d, function(v) if (is.ordered(v)) factor(v, ordered = FALSE) else v)
  d$y <- droplevels(factor(d$y))
  domains <- unique(d$domain)
  fold <- sample(rep_len(1:5, length(domains)))[match(d$domain, domains)]
  lapply(1:5, function(k) list(train = d[fold != k, ], new = d[fold == k, ]))
}

experiment(
  paper = "domgen", item = "?fix_intervals",
  title = "Do 90 % sets of classes hold on domains that were left out, and how large are they?",
  draws = c(quick = 1, normal = 1, full = 5), minutes = c(quick = 0.2, normal = 10, full = 50),
  packages = c("ranger", "lme4", "nlme", "MASS", "survival"),
  tolerance = c(coverage = 1.3, classes = 0.028),
  cells = function(size) {
    data.frame(data = if (size == "quick") "Orthodont" else names(set_data))
  },
  run = function(cell, draw, data) {
    folds <- set_folds(set_data[[cell$data]])
    all <- lapply(folds, function(fold) sets_of_all(fold$train, fold$new))
    domain <- unlist(lapply(folds, function(fold) fold$new$domain))
    bind(lapply(names(all[[1L]]), function(method) {
      measured <- do.call(rbind, Map(function(fold, of_all) {
        set_measures(of_all[[method]]$found, fold$new$y)
      }, folds, all))
      by_domain <- rowsum(measured, domain) / c(table(domain))
      result_lines(method, colMeans(by_domain),
                   seconds = sum(vapply(all, function(a) a[[method]]$seconds, 0)))
    }))
  }
)
