# A factor of k levels in a kernel or a penalty has k columns. Is that worse than k - 1, where one
# level is dropped? For sets of packages of R (and heart_disease, with DOMGEN_DATA): scores of
# held-out domains (RMSE, log loss, or 1 - AUC) with factors as the package codes them, and with
# columns made by hand without the first, the last and the most frequent level of each. Printed are
# the mean paired difference over domains (package - mean of the three) with its standard error, as
# a percentage of the score, and how far the three lie apart.
#   DOMGEN_DATA=... Rscript tests/bench/factor-levels.R [sets] [learners]

suppressMessages(library(domgen))
options(domgen.threads = 1L)

packaged <- function(name, package) {
  place <- new.env()
  if (!requireNamespace(package, quietly = TRUE)) return(NULL)
  utils::data(list = name, package = package, envir = place)
  as.data.frame(place[[name]])
}

# response, predictors (numbers or factors), domain
sets <- list(
  Exam = function() {
    d <- packaged("Exam", "mlmRev")
    if (!is.null(d)) list(y = d$normexam, x = d[c("standLRT", "sex", "vr", "intake", "schgend")],
                          domain = d$school)
  },
  ScotsSec = function() {
    d <- packaged("ScotsSec", "mlmRev")
    if (!is.null(d)) list(y = d$attain, x = data.frame(verbal = d$verbal, sex = d$sex,
                                                       social = factor(d$social)),
                          domain = d$second)
  },
  Contraception = function() {
    d <- packaged("Contraception", "mlmRev")
    if (!is.null(d)) list(y = d$use, x = d[c("livch", "age", "urban")], domain = d$district)
  },
  guPrenat = function() {
    d <- packaged("guPrenat", "mlmRev")
    if (is.null(d)) return(NULL)
    x <- d[c("childAge", "motherAge", "birthOrd", "indig", "momEd", "husEd", "husEmpl", "toilet",
             "TV", "pcInd81", "ssDist")]
    list(y = d$prenat, x = x, domain = d$cluster)
  },
  RiceFarms = function() {
    d <- packaged("RiceFarms", "plm")
    if (is.null(d)) return(NULL)
    x <- data.frame(log(d[c("size", "seed", "urea", "totlabor")]),
                    d[c("status", "varieties", "bimas")])
    list(y = log(d$goutput), x = x, domain = d$id)
  },
  dietox = function() {
    d <- packaged("dietox", "geepack")
    if (!is.null(d)) list(y = d$Weight, x = data.frame(Time = d$Time, Evit = factor(d$Evit),
                                                       Cu = factor(d$Cu)), domain = d$Pig)
  },
  ames = function() {
    d <- packaged("ames", "modeldata")
    if (is.null(d)) return(NULL)
    x <- data.frame(area = log(d$Lot_Area), living = log(d$Gr_Liv_Area),
                    d[c("Year_Built", "Full_Bath", "Garage_Cars", "MS_Zoning", "Lot_Shape",
                        "Bldg_Type", "House_Style", "Foundation", "Heating_QC", "Garage_Type")])
    list(y = log(d$Sale_Price), x = x, domain = d$Neighborhood)
  },
  GSSvocab = function() {
    d <- packaged("GSSvocab", "carData")
    if (!is.null(d)) list(y = d$vocab, x = d[c("gender", "nativeBorn", "ageGroup", "educGroup")],
                          domain = d$year)
  },
  Fatalities = function() {
    d <- packaged("Fatalities", "AER")
    if (is.null(d)) return(NULL)
    x <- data.frame(d[c("beertax", "unemp", "miles", "drinkage", "spirits", "jail", "service",
                        "breath")], region = factor(substr(d$state, 1, 1)))
    list(y = log(d$fatal / d$pop), x = x, domain = d$state)
  },
  InstEval = function() {
    d <- packaged("InstEval", "lme4")
    if (!is.null(d)) list(y = d$y, x = data.frame(studage = factor(d$studage, ordered = FALSE),
                                                  lectage = factor(d$lectage, ordered = FALSE),
                                                  service = d$service), domain = d$dept)
  },
  VerbAgg = function() {
    d <- packaged("VerbAgg", "lme4")
    if (!is.null(d)) list(y = d$r2, x = d[c("Anger", "Gender", "btype", "situ", "mode")],
                          domain = d$id)
  },
  ChickWeight = function() {
    d <- as.data.frame(datasets::ChickWeight)
    list(y = d$weight, x = d[c("Time", "Diet")], domain = d$Chick)
  },
  Machines = function() {
    d <- packaged("Machines", "nlme")
    list(y = d$score, x = d["Machine"], domain = d$Worker)
  },
  heart_disease = function() {
    file <- file.path(Sys.getenv("DOMGEN_DATA"), "heart_disease.csv.gz")
    if (!file.exists(file)) return(NULL)
    d <- utils::read.csv(file)
    x <- data.frame(d[c("age", "sex", "trestbps", "thalach", "oldpeak")],
                    lapply(d[c("cp", "restecg", "exang")], factor))
    list(y = factor(d$y), x = x, domain = d$domain)
  }
)

most_rows <- 1200L

read_set <- function(name) {
  set <- sets[[name]]()
  if (is.null(set)) return(NULL)
  whole <- stats::complete.cases(set$x, set$y)
  domain <- factor(as.character(set$domain))
  set.seed(1)
  # whole domains, of each at most as many rows as leave 1,200 in all
  kept <- sample(levels(domain))
  kept <- kept[seq_len(min(length(kept), 40L))]
  rows <- unlist(lapply(kept, function(g) {
    i <- which(whole & domain == g)
    i[sample.int(length(i), min(length(i), ceiling(most_rows / length(kept))))]
  }))
  list(y = if (is.factor(set$y)) droplevels(set$y[rows]) else set$y[rows],
       x = droplevels(set$x[rows, , drop = FALSE]), domain = droplevels(domain[rows]))
}

# which: which level has no column, a function of a factor; NULL: factors stay.
columns_of <- function(x, which) {
  if (is.null(which)) return(x)
  parts <- lapply(names(x), function(name) {
    v <- x[[name]]
    if (!is.factor(v)) return(stats::setNames(list(as.numeric(v)), name))
    dropped <- if (nlevels(v) < 3L) levels(v)[1L] else which(v)
    kept <- setdiff(levels(v), dropped)
    stats::setNames(lapply(kept, function(l) as.numeric(v == l)), make.names(paste0(name, kept)))
  })
  data.frame(do.call(c, parts))
}

codings <- list(
  package = NULL,
  first = function(v) levels(v)[1L],
  last = function(v) levels(v)[nlevels(v)],
  frequent = function(v) names(which.max(table(v)))
)

learners <- list(
  ridge = function(classes) dg_ridge(),
  pooled = function(classes) dg_ridge(domain_kernel = domain_pooled()),
  linear = function(classes) dg_ridge(kernel = kernel_linear(), domain_kernel = domain_pooled()),
  glm = function(classes) {
    dg_glm(family = if (classes) "binomial" else "gaussian", kernel = kernel_linear(),
           domain_kernel = domain_pooled())
  },
  laplace = function(classes) dg_ridge(kernel = kernel_laplace(), domain_kernel = domain_pooled()),
  svm = function(classes) if (classes) dg_svm(calibration = "platt") else dg_svm(),
  auto = function(classes) dg_auto(max_ard = 0)
)

score <- function(spec, set, coding) {
  data <- data.frame(columns_of(set$x, codings[[coding]]), y_ = set$y, domain_ = set$domain)
  metric <- if (!is.factor(set$y)) "rmse"
            else if (isTRUE(spec$method == "dg_ridge")) "auc" else "log_loss"
  set.seed(2)
  cv <- suppressMessages(suppressWarnings(
    dg_cv(spec, y_ ~ . | domain_, data = data, folds = min(5L, nlevels(set$domain)),
          metric = metric, progress = FALSE)
  ))
  scores <- stats::setNames(cv$domains$score, cv$domains$domain)
  list(scores = if (metric == "auc") 1 - scores else scores, metric = metric)
}

arguments <- commandArgs(trailingOnly = TRUE)
pick <- function(k, all) {
  if (length(arguments) < k || arguments[k] == "all") all else strsplit(arguments[k], ",")[[1L]]
}
cat(sprintf("%-14s %-7s %-8s %9s   %s   %s\n", "set", "learner", "metric", "dropped",
            "package - dropped, % (standard error)", "range of the three, %"))
differences <- list()
for (name in pick(1L, names(sets))) {
  set <- read_set(name)
  if (is.null(set)) {
    cat(sprintf("%-14s skipped: its package or file is not here\n", name))
    next
  }
  for (learner in pick(2L, names(learners))) {
    spec <- learners[[learner]](is.factor(set$y))
    found <- lapply(names(codings), function(coding) {
      tryCatch(score(spec, set, coding), error = function(e) conditionMessage(e))
    })
    names(found) <- names(codings)
    bad <- Filter(is.character, found)
    if (length(bad)) {
      cat(sprintf("%-14s %-7s %s\n", name, learner, bad[[1L]]))
      next
    }
    means <- vapply(found, function(f) mean(f$scores, na.rm = TRUE), 0)
    dropped <- vapply(found[-1L], `[[`, found$package$scores, "scores")
    level <- mean(dropped, na.rm = TRUE)
    d <- 100 * (found$package$scores - rowMeans(dropped)) / level
    d <- d[is.finite(d)]
    differences[[paste(name, learner)]] <- c(mean(d), sd(d) / sqrt(length(d)))
    cat(sprintf("%-14s %-7s %-8s %9.4f   %+8.3f (%.3f)   %.3f\n", name, learner,
                found$package$metric, level, mean(d), sd(d) / sqrt(length(d)),
                100 * diff(range(means[-1L])) / level))
  }
}
all <- do.call(rbind, differences)
for (learner in unique(sub(".* ", "", rownames(all)))) {
  of <- all[sub(".* ", "", rownames(all)) == learner, , drop = FALSE]
  cat(sprintf("%-7s mean difference %+.3f %% over %d sets (standard error over sets %.3f); ",
              learner, mean(of[, 1L]), nrow(of), sd(of[, 1L]) / sqrt(nrow(of))))
  cat(sprintf("better by two standard errors on %d, worse on %d\n",
              sum(of[, 1L] < -2 * of[, 2L]), sum(of[, 1L] > 2 * of[, 2L])))
}
