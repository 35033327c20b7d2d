# The main question: do methods that use domains predict new domains better? With pupils in 160
# schools, or your own CSV file:
#   make demo DATA=file.csv RESPONSE=y DOMAIN=hospital

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

own_file <- function(file, response, domain) {
  if (is.null(response) || is.null(domain)) {
    stop_demo("with DATA, also give RESPONSE and DOMAIN, the names of two of its columns.")
  }
  if (response == domain) {
    stop_demo("RESPONSE and DOMAIN must be different columns, not both ", domain, ".")
  }
  data <- read_table(file)
  absent <- setdiff(c(response, domain), names(data))
  if (length(absent)) {
    stop_demo(file, " has no column ", paste(absent, collapse = ", "), "; its columns are ",
              paste(names(data), collapse = ", "), ".")
  }
  data[[domain]] <- factor(data[[domain]])
  data <- drop_useless(as_classes(data, response), c(response, domain))
  bare <- stats::reformulate(".", as.name(response))
  bare[[3L]] <- call("|", bare[[3L]], as.name(domain))
  list(data = thin(data, domain), formula = bare)
}

# The separator is the most frequent of comma, semicolon and tab in the first line. With semicolons,
# a comma may be the decimal point.
read_table <- function(file) {
  if (!file.exists(file)) stop_demo("there is no file ", file, ".")
  if (dir.exists(file)) stop_demo(file, " is a folder, not a CSV file.")
  if (file.size(file) == 0) stop_demo(file, " is empty.")
  unreadable <- function(problem) {
    stop_demo(file, " cannot be read by read.csv()",
              if (length(problem)) paste0(": ", conditionMessage(problem)), ".")
  }
  # gzfile() also unpacks; text contains no NUL
  connection <- gzfile(file, "rb")
  start <- readBin(connection, "raw", 1e5)
  close(connection)
  if (any(start == as.raw(0))) unreadable(NULL)
  # R warns of a last line without line break
  tryCatch(suppressWarnings({
    first <- readLines(file, 1L, warn = FALSE)
    marks <- vapply(c(",", ";", "\t"), function(mark) sum(strsplit(first, "")[[1L]] == mark), 0)
    sep <- names(marks)[which.max(marks)]
    read <- function(dec) {
      utils::read.csv(file, sep = sep, dec = dec, stringsAsFactors = TRUE, check.names = FALSE,
                      strip.white = TRUE)
    }
    data <- read(".")
    if (sep != ";") return(without_index(data))
    comma <- read(",")
    numbers <- function(d) sum(vapply(d, is.numeric, NA))
    without_index(if (numbers(comma) > numbers(data)) comma else data)
  }), error = unreadable)
}

# The row numbers that write.csv() and pandas write have no name.
without_index <- function(data) {
  # the byte order mark of some programs
  names(data) <- sub("^\ufeff", "", names(data))
  unnamed <- is.na(names(data)) | names(data) == ""
  if (any(unnamed)) cat("Dropped: a column without a name.\n")
  twice <- unique(names(data)[!unnamed & duplicated(names(data))])
  if (length(twice)) stop_demo("two columns are called ", paste(twice, collapse = ", "), ".")
  if (nrow(data) == 0L) stop_demo("the table has no rows.")
  data[!unnamed]
}

as_classes <- function(data, response) {
  values <- unique(stats::na.omit(data[[response]]))
  if (length(values) == 2L) data[[response]] <- factor(data[[response]])
  if (is.factor(data[[response]]) && length(values) != 2L) {
    stop_demo("the response must be numeric or have two classes; ", response, " has ",
              length(values), ".")
  }
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
  own_file(setting("DATA"), setting("RESPONSE"), setting("DOMAIN"))

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
