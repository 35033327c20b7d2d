# Sets of auto.R that are read from the folder DOMGEN_DATA (not distributed with the package; the
# notes beside the files say where each is published).

read_set <- function(name) {
  folder <- Sys.getenv("DOMGEN_DATA")
  if (!nzchar(folder)) stop("DOMGEN_DATA must name the folder of the data sets")
  path <- file.path(folder, paste0(name, ".csv.gz"))
  if (!file.exists(path)) stop("the file ", basename(path), " is needed in DOMGEN_DATA")
  utils::read.csv(gzfile(path))
}

shared_sets <- list(
  # UCI, Anguita et al. (2013): activities by smartphone; 30 persons
  har66 = function() {
    d <- read_set("har66")
    new_set(factor(d$y), d$domain, d[-(1:2)], "accuracy")
  },
  # UCI, Detrano et al. (1989): heart disease; 4 hospitals, each is left out once. Missing numbers:
  # the median of the training rows, with an indicator; missing categories are one of their own;
  # cholesterol 0 means missing. y2 holds y.
  heart_disease = function() {
    d <- read_set("heart_disease")
    x <- d[-(1:3)]
    x$chol[x$chol == 0] <- NA
    X <- as_numbers(x, c("cp", "restecg", "slope", "thal", "fbs", "exang"))
    for (name in c("trestbps", "chol", "thalach", "oldpeak", "ca")) {
      X[[paste0(name, ".missing")]] <- as.numeric(is.na(X[[name]]))
    }
    new_set(factor(d$y), d$domain, X, "accuracy", splits = 4L)
  },
  # Inner London Education Authority (Goldstein, 1987): examination scores; 139 schools
  school_ilea = function() {
    d <- read_set("school_ilea")
    X <- as_numbers(d[-(1:2)], c("gender", "vrband", "ethnicity", "schoolgender", "schooldenom"))
    new_set(as.numeric(d$y), d$domain, X, "rmse")
  },
  # Mass cytometry of several centres (flow repository): cell class; 16 samples
  cytof_multicenter16 = function() {
    d <- read_set("cytof_multicenter16")
    new_set(factor(d$y), d$domain, asinh(d[-(1:2)] / 5), "accuracy")
  },
  # FlowCAP I: T cells against the rest, ungated cells are left out; 12 samples
  gvhd_flowcap1 = function() {
    d <- read_set("gvhd_flowcap1")
    d <- d[d$y != "ungated", ]
    y <- factor(ifelse(d$y == "other", "other", "t"), c("other", "t"))
    new_set(y, d$domain, d[-(1:3)], "auc")
  },
  # Xue et al. (2007): mines by radar; 29 fields
  landmine = function() {
    d <- read_set("landmine")
    new_set(factor(d$y), d$domain, d[-(1:2)], "auc")
  },
  # UCI, Tsanas et al. (2010): motor score by voice, as in the papers without age and sex, which
  # identify the 42 patients; the total score is a second response
  parkinsons = function() {
    d <- read_set("parkinsons")
    new_set(d$y, d$domain, d[startsWith(names(d), "v_")], "rmse")
  },
  # Blanchard et al. (2021): two classes whose border turns with the domain; the first 60 of 256
  mtl_synthetic256 = function() {
    d <- read_set("mtl_synthetic256")
    d <- d[d$domain <= 60, ]
    new_set(factor(d$y), d$domain, d[-(1:2)], "accuracy")
  }
)
