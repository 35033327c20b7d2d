# One comparison for each data set: the null model, pooled, domain-scaled and distributional
# ridge regressions, and ridge regressions on the scores of DICA and DCM, on unseen domains. lambda
# is chosen inside each training set, by domain.
#   DOMGEN_DATA=folder Rscript inst/experiments/comparisons.R [output.txt [folder for pictures]]
# The data are described, with their sources, in the folder's own README. results/comparisons.txt says
# what made it.

library(domgen)

folder <- Sys.getenv("DOMGEN_DATA")
if (!nzchar(folder)) {
  stop("DOMGEN_DATA must be a folder with gvhd_flowcap1.csv.gz, landmine.csv.gz, parkinsons.csv.gz, ",
       "har66.csv.gz, heart_disease.csv.gz and school_ilea.csv.gz.")
}
output <- commandArgs(TRUE)
if (length(output)) sink(output[1L], split = TRUE)
pictures <- if (length(output) > 1L) output[2L]

# At most `rows` rows, as many from each domain, and at most `domains` domains.
read_domains <- function(name, rows, drop = character(), classes = FALSE, domains = Inf) {
  d <- utils::read.csv(gzfile(file.path(folder, paste0(name, ".csv.gz"))), stringsAsFactors = TRUE)
  d$domain <- factor(d$domain)
  d <- d[setdiff(names(d), drop)]
  d <- d[vapply(d, function(column) mean(is.na(column)) < 0.1, NA)]
  d <- stats::na.omit(d)
  if (classes) d$y <- factor(d$y)
  set.seed(1)
  kept <- sample(levels(d$domain), min(domains, nlevels(d$domain)))
  each <- ceiling(rows / length(kept))
  i <- unlist(lapply(kept, function(g) {
    own <- which(d$domain == g)
    own[sample.int(length(own), min(each, length(own)))]
  }))
  droplevels(d[sort(i), ])
}

methods <- function(n, ncomp, folds) {
  lambdas <- n * 10^(-5:0)
  ridge <- function(...) dg_ridge(..., offset = TRUE)
  tuned <- function(spec, name = "lambda") {
    dg_tune(spec, grid = stats::setNames(list(lambdas), name), folds = folds)
  }
  pooled <- domain_pooled()
  list(
    pooled = tuned(ridge(domain_kernel = pooled)),
    `domain-scaled` = tuned(ridge(domain_kernel = pooled, scale = "domain")),
    distributional = tuned(ridge()),
    DICA = tuned(chain(dica(ncomp = ncomp), ridge(domain_kernel = pooled)), "ridge.lambda"),
    DCM = tuned(chain(dcm(ncomp = ncomp), ridge(domain_kernel = pooled)), "ridge.lambda")
  )
}

compare <- function(name, rows, folds = 6, metric = NULL, ncomp = 3, ...) {
  d <- read_domains(name, rows, ...)
  cat("\n== ", name, ": ", nrow(d), " rows, ", nlevels(d$domain), " domains\n\n", sep = "")
  set.seed(1)
  # the projections say how many components there are
  specs <- methods(nrow(d), ncomp, if (nlevels(d$domain) > 7) 5)
  found <- suppressWarnings(dg_compare(specs, y ~ . | domain, data = d, metric = metric,
                                       folds = min(folds, nlevels(d$domain))))
  print(found)
  if (is.null(pictures)) return(invisible())
  grDevices::png(file.path(pictures, paste0("comparison-", name, ".png")), 900, 450)
  plot(found)
  grDevices::dev.off()
}

compare("gvhd_flowcap1", 1200, classes = TRUE)
compare("landmine", 1500, classes = TRUE, metric = "auc")
compare("parkinsons", 1200, drop = c("y2", "age", "sex", "test_time"))
compare("har66", 1200, classes = TRUE, ncomp = 5)
compare("heart_disease", 920, classes = TRUE, drop = "y2")
compare("school_ilea", 1500, domains = 60)
