# Fits to sources of every kind, their predictions and scores, beside the stored ones of the code
# before it last changed: `Rscript tests/golden/golden.R` fails where a number differs by more than
# 1e-10 of itself, or a text at all. `Rscript tests/golden/golden.R record` stores them anew, from a
# data frame; what differs by intention is said in the commit.
# Needs data.table, DBI, RSQLite, dplyr and dbplyr.
library(domgen)
options(domgen.threads = 1)
stored <- "tests/golden/golden.rds"

golden_rows <- function(seed) {
  set.seed(seed)
  rows <- simulate_dica(domains = 8, n = 24, p = 3, seed = seed)
  rows$g <- sample(c("a", "b", "c"), nrow(rows), TRUE)
  rows$id <- sprintf("r\"%d, x\n2", seq_len(nrow(rows)))
  rows$w <- stats::runif(nrow(rows))
  rows$k <- ifelse(rows$x1 + stats::rnorm(nrow(rows)) / 2 > 0, "yes", "no")
  rows$domain <- as.character(rows$domain)
  rows
}

# One kind of source each, of the same rows; 70 rows are no multiple of a domain's.
golden_sources <- function(rows) {
  folder <- tempfile("golden")
  dir.create(folder)
  csv <- file.path(folder, "rows.csv")
  text <- rows
  numbers <- vapply(rows, is.double, NA)
  text[numbers] <- lapply(text[numbers], sprintf, fmt = "%.17g")
  utils::write.csv(text, csv, row.names = FALSE, quote = which(!numbers))
  con <- DBI::dbConnect(RSQLite::SQLite(), file.path(folder, "rows.sqlite"))
  DBI::dbWriteTable(con, "t", rows)
  lapply(list(frame = list(rows), CSV = list(csv), table = list(con, table = "t"),
              query = list(con, query = "SELECT * FROM t WHERE id IS NOT NULL"),
              lazy = list(dplyr::tbl(con, "t"))),
         function(args) do.call(row_source, c(args, list(block_size = 70))))
}

pooled <- domain_pooled()
specs <- list(
  ridge = dg_ridge(feature_map = features_rff(20), domain_kernel = pooled),
  weighted = dg_ridge(lambda = 1, feature_map = features_nystrom(20)),
  svm = dg_svm(cost = 1, feature_map = features_rff(20), domain_kernel = pooled),
  dica = dg_dica(feature_map = features_nystrom(20)),
  glm = dg_glm(lambda = 1, feature_map = features_rff(20), domain_kernel = pooled),
  pipeline = dg_pipeline(dg_dica(feature_map = features_nystrom(20)),
                         dg_ridge(lambda = 1, feature_map = features_nystrom(20))),
  exact = dg_ridge(lambda = 1)
)
formulas <- list(ridge = y ~ x1 + x2 + x3 + g | domain, weighted = y ~ x1 + x2 | domain,
                 svm = k ~ x1 + x2 + x3 | domain, dica = y ~ x1 + x2 + x3 | domain,
                 glm = k ~ x1 + g | domain, pipeline = y ~ x1 + x2 + x3 | domain,
                 exact = y ~ x1 + x2 | domain)

golden_results <- function(rows, source) {
  # whose making draws random numbers
  force(source)
  found <- list()
  for (name in names(specs)) {
    set.seed(9)
    model <- if (name == "weighted") {
      fit(specs[[name]], formulas[[name]], data = source, weights = w)
    } else fit(specs[[name]], formulas[[name]], data = source)
    set.seed(4)
    to <- tempfile(fileext = ".csv")
    predict(model, source, to = to, keep = "id")
    written <- data.table::fread(to, data.table = FALSE)
    found[[name]] <- list(
      coefficients = as.numeric(unlist(model$coefficients)), lambda = model$lambda,
      written = as.list(written[setdiff(names(written), "partition")]),
      predicted = predict(model, source), of_frame = predict(model, rows)
    )
  }
  for (name in c("ridge", "svm", "pipeline")) {
    set.seed(5)
    found[[name]]$scored <- as.list(dg_cv(specs[[name]], formulas[[name]], data = source)$domains)
  }
  found
}

# Leaves of a nested list, by name.
leaves <- function(x, name = "") {
  if (!is.list(x)) return(stats::setNames(list(x), name))
  unlist(unname(Map(leaves, x, paste0(name, " ", names(x)))), recursive = FALSE)
}

# Largest difference of numbers, Inf of text.
difference <- function(a, b) {
  if (!is.numeric(a)) return(if (identical(as.character(a), as.character(b))) 0 else Inf)
  if (!is.numeric(b) || length(a) != length(b) || any(is.na(a) != is.na(b))) return(Inf)
  max(0, abs(a - b) / pmax(1, abs(a)), na.rm = TRUE)
}

seeds <- 1:2
if (identical(commandArgs(TRUE), "record")) {
  results <- lapply(seeds, function(seed) {
    rows <- golden_rows(seed)
    golden_results(rows, golden_sources(rows)$frame)
  })
  saveRDS(results, stored, version = 2L)
  quit()
}
expected <- readRDS(stored)
worst <- c()
for (seed in seeds) {
  rows <- golden_rows(seed)
  sources <- golden_sources(rows)
  for (kind in names(sources)) {
    found <- leaves(golden_results(rows, sources[[kind]]))
    like <- leaves(expected[[seed]])
    stopifnot(identical(names(found), names(like)))
    differ <- mapply(difference, like, found)
    worst <- c(worst, stats::setNames(differ, paste0("seed ", seed, ", ", kind, names(differ))))
  }
}
print(utils::head(sort(worst, decreasing = TRUE), 5L))
cat(length(worst), "results, of which", sum(worst > 1e-10), "differ by more than 1e-10\n")
quit(status = as.integer(any(worst > 1e-10)))
