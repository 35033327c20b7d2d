# The main question: do methods that use domains predict new domains better? With pupils in 160
# schools, or your own file (.csv, .tsv, .txt, .xlsx, .xls, .sav, .dta, .parquet, .rds):
#   make demo DATA=file.csv RESPONSE=y DOMAIN=hospital
# OMIT="patient date" leaves columns out.

library(domgen)
options(domgen.progress = TRUE, warn = 1)
set.seed(1)

setting <- function(name) {
  value <- trimws(Sys.getenv(name))
  if (nzchar(value)) value
}

stop_demo <- function(...) {
  message("demo: ", ...)
  quit(status = 1L)
}

schools <- function() {
  cat("Data: nlme::MathAchieve, mathematics scores of 7,185 pupils in 160 schools.\n")
  list(data = as.data.frame(nlme::MathAchieve), formula = MathAch ~ SES + Sex + Minority | School)
}

own_file <- function(file, response, domain, omit = NULL) {
  if (is.null(response) || is.null(domain)) {
    stop_demo("with DATA, also give RESPONSE and DOMAIN, the names of two of its columns.")
  }
  if (response == domain) {
    stop_demo("RESPONSE and DOMAIN must be different columns, not both ", domain, ".")
  }
  data <- read_table(file)
  if (!is.null(omit)) {
    omit <- strsplit(omit, if (grepl(",", omit)) " *, *" else " +")[[1L]]
  }
  check_names(c(RESPONSE = response, DOMAIN = domain, OMIT = omit), names(data), file)
  data <- data[!names(data) %in% omit]
  check_rows(data, response, domain)
  data[[domain]] <- factor(data[[domain]])
  data <- as_classes(data, response)
  say_columns(data[names(data) != domain])
  text <- vapply(data, is.character, NA)
  data[text] <- lapply(data[text], factor)
  data <- drop_useless(data, c(response, domain))
  bare <- stats::reformulate(".", as.name(response))
  bare[[3L]] <- call("|", bare[[3L]], as.name(domain))
  list(data = thin(data, domain), formula = bare)
}

# As row_source() reads it; columns without a name are the row numbers that programs write.
read_table <- function(file) {
  tryCatch(as.data.frame(row_source(file)),
           domgen_error = function(e) stop_demo(conditionMessage(e)))
}

check_names <- function(asked, there, file) {
  absent <- asked[!asked %in% there]
  if (length(absent) == 0L) return(invisible())
  distance <- utils::adist(absent[1L], there, ignore.case = TRUE)
  near <- there[which.min(distance)]
  is_near <- nchar(absent[1L]) > 2L && min(distance) <= nchar(absent[1L]) %/% 3
  stop_demo(file, " has no column ", absent[1L], ", which is ",
            sub("[0-9]+$", "", names(absent)[1L]), if (is_near) paste0("; did you mean ", near, "?")
            else paste0("; its columns are ", paste(there, collapse = ", "), "."))
}

check_rows <- function(data, response, domain) {
  if (all(is.na(data[[response]]))) {
    stop_demo("the response ", response, " has no value in any row.")
  }
  domains <- unique(data[[domain]][!is.na(data[[domain]]) & !is.na(data[[response]])])
  if (length(domains) < 2L) {
    stop_demo("whole domains are held out, so there must be at least two; ", domain, " has ",
              if (length(domains)) paste0("one, ", domains, ".") else "no value.")
  }
  if (length(domains) > nrow(data) / 2) {
    cat("Note: ", domain, " has ", length(domains), " values in ", nrow(data), " rows. Is it the ",
        "column that says which domain (hospital, school, device) a row is from?\n", sep = "")
  }
}

# What looks as if something else was meant. Nothing is changed.
say_columns <- function(data) {
  remarks <- summary(row_source(data))$columns
  if (nrow(remarks) == 0L) return(invisible())
  cat("Please check these columns, of which nothing is changed here (OMIT=\"a b\" leaves columns ",
      "out):\n", sep = "")
  for (line in remarks$remark) cat(strwrap(line, 90, initial = "- ", exdent = 2), sep = "\n")
  cat("\n")
}

as_classes <- function(data, response) {
  y <- data[[response]]
  if (is.character(y) || length(unique(stats::na.omit(y))) == 2L) y <- droplevels(factor(y))
  classes <- levels(y)
  if (is.factor(y) && length(classes) != 2L) {
    stop_demo("the response must be numeric or have two classes; ", response, " has ",
              length(classes), " (", paste(utils::head(classes, 5L), collapse = ", "),
              if (length(classes) > 5L) ", ...", "). If these have an order, give them as ",
              "numbers, in SPSS or Stata without value labels.")
  }
  if (is.factor(y)) {
    cat("The response ", response, " has two classes: ",
        paste0(classes, " (", table(y), " rows)", collapse = ", "), ".\n", sep = "")
  }
  data[[response]] <- y
  data
}

# Fits drop rows with a missing value, so a column with many missing values costs many rows.
drop_useless <- function(data, keep) {
  many <- vapply(data, function(v) is.factor(v) && nlevels(v) > 50L, logical(1))
  constant <- vapply(data, function(v) length(unique(stats::na.omit(v))) < 2L, logical(1))
  missing <- vapply(data, function(v) mean(is.na(v)) > 0.25, logical(1))
  out <- setdiff(names(data)[many | constant | missing], keep)
  if (length(out)) {
    cat("Dropped (constant, more than 50 levels, or missing in more than a quarter of the rows): ",
        paste(out, collapse = ", "), ".\n", sep = "")
  }
  data <- data[setdiff(names(data), out)]
  predictors <- setdiff(names(data), keep)
  if (length(predictors) == 0L) stop_demo("no column is left as a predictor.")
  cat(strwrap(paste0("Predictors: ", paste(predictors, collapse = ", "), "."), 90), sep = "\n")
  data
}

# The exact methods store an n x n matrix: at most 6,000 rows for a demonstration.
thin <- function(data, domain, most = 6000L) {
  if (nrow(data) <= most) return(data)
  cat("A random", most, "of", nrow(data), "rows are used.\n")
  data[sort(sample(nrow(data), most)), ]
}

task <- if (is.null(setting("DATA"))) schools() else
  own_file(setting("DATA"), setting("RESPONSE"), setting("DOMAIN"), setting("OMIT"))

parts <- as.character(task$formula[[3L]][[3L]])
domains <- nlevels(factor(task$data[[parts]]))
cat(nrow(task$data), "rows,", domains, "domains; whole domains are held out",
    if (domains > 10L) "in 5 folds.\n\n" else "one at a time.\n\n")

classes <- is.factor(task$data[[as.character(task$formula[[2L]])]])
methods <- list(
  `null model` = dg_null(),
  `least squares` = dg_lm(),
  `pooled SVM` = dg_svm(domain_kernel = domain_pooled()),
  `distributional SVM` = dg_svm(domain_kernel = domain_distribution()),
  # two classes have one component
  `DICA, distributional SVM` = dg_pipeline(dg_dica(ncomp = if (classes) 1 else 2),
                                     dg_svm(kernel = kernel_rbf()))
)
if (classes) names(methods)[2L] <- "logistic regression"

result <- tryCatch(
  dg_compare(methods, task$formula, data = task$data, folds = if (domains > 10L) 5L,
             baseline = "pooled SVM"),
  domgen_error = function(e) stop_demo(conditionMessage(e))
)
print(result)

ggplot2::ggsave("demo.png", plot(result), width = 9, height = 4.5, dpi = 120)
cat("\nPlot: ", normalizePath("demo.png"), "\n", sep = "")
