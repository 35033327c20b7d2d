# The data sets of defaults.R: functions that give list(formula, data), by the packages they come
# with. Sets of more than `most` rows lose whole domains first, then rows of each.

thin_domains <- function(data, domain, most, at_least = 12L) {
  data[[domain]] <- factor(data[[domain]])
  if (nrow(data) <= most) return(droplevels(data))
  rows <- split(seq_len(nrow(data)), data[[domain]])
  rows <- rows[sample.int(length(rows))]
  kept <- max(at_least, sum(cumsum(lengths(rows)) <= most))
  rows <- rows[seq_len(min(kept, length(rows)))]
  share <- max(2L, most %/% length(rows))
  i <- unlist(lapply(rows, function(i) if (length(i) > share) i[sample.int(length(i), share)] else i))
  droplevels(data[sort(i), ])
}

from_package <- function(package, name, formula, change = identity) {
  force(change)
  function() {
    space <- new.env()
    utils::data(list = name, package = package, envir = space)
    list(formula = formula, data = change(as.data.frame(space[[name]])), package = package)
  }
}

from_folder <- function(name) {
  function() {
    folder <- Sys.getenv("DOMGEN_DATA")
    file <- file.path(folder, paste0(name, ".csv.gz"))
    if (folder == "" || !file.exists(file)) return(NULL)
    data <- utils::read.csv(file)
    keep <- grep("^(y|y2|gate|id|test_time|age|sex|year)$", names(data), value = TRUE, invert = TRUE)
    if (name == "heart_disease") {
    keep <- setdiff(union(keep, c("age", "sex")), c("slope", "ca", "thal"))
  }
    if (name == "school_ilea") {
      for (v in setdiff(keep, c("domain", "fsm", "vr1percent"))) data[[v]] <- factor(data[[v]])
    }
    data <- data[c("y", keep)]
    if (name %in% c("heart_disease", "landmine", "gvhd_flowcap1", "cytof_multicenter16", "har66")) {
      data$y <- factor(data$y)
    }
    list(formula = y ~ . | domain, data = stats::na.omit(data), package = "shared")
  }
}

as_two <- function(y, yes) factor(ifelse(y %in% yes, "yes", "no"))

bench_sets <- list(
  sleepstudy = from_package("lme4", "sleepstudy", Reaction ~ Days | Subject),
  InstEval = from_package("lme4", "InstEval", y ~ studage + lectage + service + dept | d,
                          function(d) transform(d, y = as.numeric(y))),
  Penicillin = from_package("lme4", "Penicillin", diameter ~ sample | plate),
  Pastes = from_package("lme4", "Pastes", strength ~ cask | batch),
  cake = from_package("lme4", "cake", angle ~ temp + recipe | replicate),
  grouseticks = from_package("lme4", "grouseticks", log1p(TICKS) ~ HEIGHT + YEAR | LOCATION),
  cbpp = from_package("lme4", "cbpp", I(incidence / size) ~ period + size | herd),
  VerbAgg = from_package("lme4", "VerbAgg", r2 ~ Anger + Gender + btype + situ + mode | id),
  Oxboys = from_package("nlme", "Oxboys", height ~ age | Subject),
  MathAchieve = from_package("nlme", "MathAchieve", MathAch ~ SES + Sex + Minority | School),
  Orthodont = from_package("nlme", "Orthodont", distance ~ age + Sex | Subject),
  Machines = from_package("nlme", "Machines", score ~ Machine | Worker),
  Dialyzer = from_package("nlme", "Dialyzer", rate ~ pressure + QB | Subject),
  Ovary = from_package("nlme", "Ovary", follicles ~ Time | Mare),
  nlschools = from_package("MASS", "nlschools", lang ~ IQ + SES + GS + COMB | class),
  bacteria = from_package("MASS", "bacteria", y ~ ap + hilo + week | ID),
  Exam = from_package("mlmRev", "Exam", normexam ~ standLRT + sex + schavg | school),
  Chem97 = from_package("mlmRev", "Chem97", score ~ gcsescore + gender + age | school),
  Contraception = from_package("mlmRev", "Contraception", use ~ age + urban + livch | district),
  ChickWeight = from_package("datasets", "ChickWeight", weight ~ Time + Diet | Chick),
  CO2 = from_package("datasets", "CO2", uptake ~ conc + Type + Treatment | Plant),
  Loblolly = from_package("datasets", "Loblolly", height ~ age | Seed),
  Theoph = from_package("datasets", "Theoph", conc ~ Time + Dose + Wt | Subject),
  warpbreaks = from_package("datasets", "warpbreaks", breaks ~ wool | tension),
  iris = from_package("datasets", "iris", Sepal.Length ~ Sepal.Width + Petal.Length + Petal.Width |
                        Species),
  airquality = from_package("datasets", "airquality", Ozone ~ Solar.R + Wind + Temp | Month,
                            stats::na.omit),
  parkinsons = from_folder("parkinsons"),
  school_ilea = from_folder("school_ilea"),
  heart_disease = from_folder("heart_disease"),
  landmine = from_folder("landmine"),
  gvhd = from_folder("gvhd_flowcap1"),
  cytof = from_folder("cytof_multicenter16"),
  har66 = from_folder("har66")
)

# Plain data frames with factors; ordered ones and classes of nlme are stripped.
read_set <- function(name, most) {
  set <- bench_sets[[name]]()
  if (is.null(set)) return(NULL)
  set$data <- data.frame(lapply(set$data, function(v) {
    if (is.factor(v)) factor(as.character(v), levels = levels(v)) else v
  }))
  domain <- all.vars(set$formula[[3L]][[3L]])
  set.seed(1)
  set$data <- thin_domains(set$data, domain, most)
  set$domain <- domain
  set
}
