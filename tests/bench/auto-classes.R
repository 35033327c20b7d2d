# dg_auto() of two classes beside plain models, on domains that none has seen: sets of packages,
# most of them social, clinical and ecological. Each split trains on 60 % of the domains, at most
# 1,500 rows; scores are means over the domains of test.
#   Rscript tests/bench/auto-classes.R [results.csv] [splits] [library]
# The sets were used while the selection by the Brier score and the logistic members were designed
# (splits 1 and 2), so that later splits say more. `library`: another version of domgen, for
# comparison.

arguments <- c(commandArgs(TRUE), c("auto-classes.csv", "3", ""))[1:3]
library(domgen, lib.loc = if (nzchar(arguments[3L])) arguments[3L])
options(domgen.threads = 1L)

packaged <- function(package, name) {
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  as.data.frame(found[[name]])
}
yes <- function(condition) factor(ifelse(condition, "yes", "no"))

sets <- list(
  guImmun = function() list(immun ~ kid2p + mom25p + ord + ethn + momEd + husEd + momWork + rural +
                              pcInd81 | comm, packaged("mlmRev", "guImmun")),
  guPrenat = function() list(prenat ~ childAge + motherAge + birthOrd + indig + momEd + husEd +
                               husEmpl + toilet + TV + pcInd81 + ssDist | cluster,
                             packaged("mlmRev", "guPrenat")),
  toenail = function() list(outcome ~ treatment + time | patientID, packaged("HSAUR3", "toenail")),
  attrition = function() {
    d <- packaged("modeldata", "attrition")
    ordered <- vapply(d, is.ordered, NA)
    d[ordered] <- lapply(d[ordered], as.integer)
    list(Attrition ~ . | JobRole, d)
  },
  churn = function() {
    d <- packaged("modeldata", "mlc_churn")
    list(churn ~ . | state, d[setdiff(names(d), "area_code")])
  },
  lending = function() {
    d <- packaged("modeldata", "lending_club")
    d <- d[d$addr_state %in% names(which(table(d$addr_state) >= 60)), ]
    numbers <- names(d)[vapply(d, is.numeric, NA)]
    list(stats::as.formula(paste("Class ~", paste(numbers, collapse = "+"), "| addr_state")), d)
  },
  Males = function() list(union ~ school + exper + ethn + married + health + wage + year +
                            residence | industry, stats::na.omit(packaged("plm", "Males"))),
  grouseticks = function() {
    list(y ~ HEIGHT + YEAR | LOCATION,
         transform(packaged("lme4", "grouseticks"), y = yes(TICKS > 0)))
  },
  Salamanders = function() {
    list(y ~ mined + cover + DOP + Wtemp + DOY + spp | site,
         transform(packaged("glmmTMB", "Salamanders"), y = yes(count > 0)))
  },
  Owls = function() {
    list(y ~ FoodTreatment + SexParent + ArrivalTime + BroodSize | Nest,
         transform(packaged("glmmTMB", "Owls"), y = yes(SiblingNegotiation > 3)))
  },
  MathAchieve = function() {
    list(y ~ Minority + Sex + SES | School,
         transform(packaged("nlme", "MathAchieve"), y = yes(MathAch > 13)))
  },
  Chem97 = function() list(y ~ gender + age + gcsescore | lea,
                           transform(packaged("mlmRev", "Chem97"), y = yes(score >= 8))),
  nlschools = function() list(y ~ IQ + SES + GS + COMB | class,
                              transform(packaged("MASS", "nlschools"), y = yes(lang > 42)))
)

probabilities_of <- function(model, new) predict(model, new, type = "prob")[, 2L]
methods <- list(
  null = function(f, d, new) probabilities_of(dg_null(f, d), new),
  glm = function(f, d, new) probabilities_of(dg_lm(f, d), new),
  glmnet = function(f, d, new) probabilities_of(dg_net(f, d), new),
  forest = function(f, d, new) probabilities_of(dg_forest(f, d), new),
  dg_glm = function(f, d, new) {
    probabilities_of(dg_glm(f, d, domain_kernel = domain_pooled()), new)
  },
  # probabilities of least-squares members where a version has those
  dg_auto = function(f, d, new) {
    model <- dg_auto(f, d, progress = FALSE)
    tryCatch(probabilities_of(model, new), error = function(e) {
      pmin(pmax((1 + drop(predict(model, new, type = "decision"))) / 2, 0), 1)
    })
  }
)

area <- function(p, y) {
  ranks <- rank(p)
  positive <- sum(y)
  (sum(ranks[y]) - positive * (positive + 1) / 2) / (positive * sum(!y))
}

# Means over domains; probabilities of 0 and 1 count as 0.001 and 0.999.
scores_of <- function(p, y, domain) {
  inside <- pmin(pmax(p, 1e-3), 1 - 1e-3)
  mean_by <- function(value) mean(tapply(value, domain, mean), na.rm = TRUE)
  areas <- vapply(split(seq_along(p), domain), function(i) area(p[i], y[i]), 0)
  c(auc = mean(areas, na.rm = TRUE), log_loss = mean_by(-log(ifelse(y, inside, 1 - inside))),
    accuracy = mean_by((p > 0.5) == y))
}

run_split <- function(name, split) {
  found <- sets[[name]]()
  f <- found[[1L]]
  d <- as.data.frame(found[[2L]])
  d <- droplevels(d[stats::complete.cases(d[intersect(all.vars(f), names(d))]), ])
  domain <- factor(d[[all.vars(f[[3L]][[3L]])]])
  set.seed(split)
  train <- domain %in% sample(levels(domain), max(2, round(0.6 * nlevels(domain))))
  few <- function(rows, most) if (length(rows) > most) sort(sample(rows, most)) else rows
  rows <- few(which(train), 1500L)
  new <- few(which(!train), 3000L)
  y <- as.integer(factor(d[[all.vars(f)[1L]]])) == 2L
  do.call(rbind, lapply(names(methods), function(method) {
    time <- system.time(p <- suppressWarnings(
      methods[[method]](f, droplevels(d[rows, ]), droplevels(d[new, ]))))
    scores <- scores_of(unname(p), y[new], droplevels(domain[new]))
    data.frame(set = name, split = split, method = method,
               domains = nlevels(droplevels(domain[rows])), as.list(round(scores, 5)),
               seconds = round(sum(time[1:2]), 2))
  }))
}

if (!interactive()) {
  splits <- eval(parse(text = arguments[2L]))
  for (name in names(sets)) for (split in splits) {
    part <- run_split(name, split)
    known <- file.exists(arguments[1L])
    utils::write.table(part, arguments[1L], sep = ",", row.names = FALSE, append = known,
                       col.names = !known)
  }
  results <- utils::read.csv(arguments[1L])
  for (score in c("auc", "log_loss", "accuracy", "seconds")) {
    table <- tapply(results[[score]], list(paste(results$set, results$split), results$method), mean)
    better <- if (score %in% c("auc", "accuracy")) -table else table
    cat("\n", score, ": mean and mean rank\n", sep = "")
    print(rbind(mean = colMeans(table, na.rm = TRUE),
                rank = colMeans(t(apply(better, 1L, rank)))), digits = 4)
  }
}
