# Runs the code of README.md as printed, up to the installation, writes its plots, and puts the
# numbers that it prints, and those of stored experiments, where README.md and the site's first page
# say them. From the root of the package: Rscript inst/scripts/readme.R
# A test holds the texts against the same numbers.

# Sentences with numbers, by file: {name} stands for one of numbers_of().
sentences <- list(
  README.md = c(
    paste("{domains} held-out schools: RMSE {distributional} with the unlabelled pupils of the",
          "school, {pooled} for the"),
    "does not use the school; difference {difference}, 95 % CI {lower} to {upper}.",
    paste("> Mean RMSE was {rmse} (95 % CI {rmse_lower} to {rmse_upper}); the 95 % prediction",
          "interval for a new > school of the same kind was {new_lower} to {new_upper}."),
    "| `SES` | {ses} | {ses_lower} to {ses_upper} |",
    "| Sex: female | {sex} | {sex_lower} to {sex_upper} |",
    "| Minority: yes | {minority} | {minority_lower} to {minority_upper} |",
    paste("On {sets} public data sets the distributional ridge regression is better than the",
          "pooled one on {better} (the 95 % interval excludes 0) and worse on {worse}; on the",
          "other {same} the interval"),
    "on the {sets} sets it is worse on {mixed_worse} and better on {mixed_better}."
  ),
  "pkgdown/index.md" = c(
    paste("{domains} held-out schools: RMSE {distributional} with the unlabelled pupils of the",
          "school, {pooled} without (pooled);"),
    "difference {difference}, 95 % CI {lower} to {upper}.",
    paste("On {sets} public data sets the distributional model is better than the pooled one on",
          "{better} and worse on {worse}; on the")
  )
)

# Blocks of R code, each its lines, before those that install or take a file of the user.
code_blocks <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  lines <- lines[seq_len(c(which(lines == "## Install"), length(lines))[1L])]
  first <- grep("^``` ?r$", lines)
  last <- vapply(first, function(line) min(setdiff(grep("^```$", lines), seq_len(line))), 0)
  lapply(Map(seq, first + 1L, last - 1L), function(at) lines[at])
}

# The calls of a file. without: functions whose calls are left out, because the numbers do not come
# from them.
calls_of <- function(file, without = character()) {
  calls <- parse(text = unlist(code_blocks(file)), keep.source = FALSE)
  Filter(function(call) is.call(call) && !any(all.names(call) %in% without), as.list(calls))
}

# comparison: of dg_compare(); folder: of stored results.
numbers_of <- function(comparison, folder) {
  table <- as.data.frame(comparison)
  ours <- table[table$method == "distributional", ]
  sets <- utils::read.csv(file.path(folder, "domgen-descriptions.csv.gz"))
  # how many intervals are on one side of 0
  excluded <- function(method, measure, below) {
    ends <- sets[sets$method == method & sets$measure == measure, ]
    ends <- tapply(ends$value, ends$data, mean)
    sum(if (below) ends < 0 else ends > 0)
  }
  better <- excluded("pooled", "upper", TRUE)
  worse <- excluded("pooled", "lower", FALSE)
  count <- length(unique(sets$data))
  c(domains = nrow(comparison$scores), distributional = ours$mean,
    pooled = table$mean[table$method == "pooled"], difference = ours$estimate,
    lower = ours$conf.low, upper = ours$conf.high, sets = count, better = better, worse = worse,
    same = count - better - worse, mixed_worse = excluded("lmer + means", "upper", TRUE),
    mixed_better = excluded("lmer + means", "lower", FALSE))
}

# validation: of dg_validate(); coefficients: of dg_coefficients().
published_numbers <- function(validation, coefficients) {
  rmse <- validation$summary[validation$summary$measure == "rmse", ]
  found <- unlist(rmse[c("mean", "lower", "upper", "new_lower", "new_upper")])
  table <- coefficients$table
  rows <- match(c("SES", "SexFemale", "MinorityYes"), table$term)
  estimates <- t(table[rows, c("estimate", "lower", "upper")])
  names <- outer(c("", "_lower", "_upper"), c("ses", "sex", "minority"),
                 function(end, name) paste0(name, end))
  c(stats::setNames(found, c("rmse", "rmse_lower", "rmse_upper", "new_lower", "new_upper")),
    stats::setNames(as.vector(estimates), as.vector(names)))
}

counts <- c("domains", "sets", "better", "worse", "same", "mixed_worse", "mixed_better")

as_text <- function(numbers) {
  # what is published has two decimals, as where it is printed
  compared <- c("distributional", "pooled", "difference", "lower", "upper")
  decimals <- ifelse(names(numbers) %in% counts, 0L, ifelse(names(numbers) %in% compared, 3L, 2L))
  text <- sprintf("%.*f", decimals, numbers)
  text[names(numbers) %in% counts & numbers == 0] <- "none"
  stats::setNames(text, names(numbers))
}

# A sentence as a pattern with a group for each number, wherever its lines end.
sentence_pattern <- function(sentence) {
  plain <- gsub("([.()*|+?^$])", "\\\\\\1", sentence)
  gsub(" +", "\\\\s+", gsub("[{][a-z_]+[}]", "(none|-?[0-9.]*[0-9])", plain))
}

sentence_names <- function(sentence) {
  gsub("[{}]", "", regmatches(sentence, gregexpr("[{][a-z_]+[}]", sentence))[[1L]])
}

# Where the numbers of a sentence stand in a text: a matrix of first and last characters. The
# sentence must be there once.
places_of <- function(text, sentence) {
  found <- gregexpr(sentence_pattern(sentence), text, perl = TRUE)[[1L]]
  if (length(found) != 1L || found < 0) stop("this sentence must be there once: ", sentence)
  first <- as.vector(attr(found, "capture.start"))
  cbind(first = first, last = first + as.vector(attr(found, "capture.length")) - 1L)
}

read_text <- function(file) paste(readLines(file, encoding = "UTF-8"), collapse = "\n")

# The numbers that a file says, by name.
numbers_said <- function(file, sentences) {
  text <- read_text(file)
  unlist(lapply(sentences, function(sentence) {
    at <- places_of(text, sentence)
    stats::setNames(substring(text, at[, "first"], at[, "last"]), sentence_names(sentence))
  }))
}

fill_in <- function(file, sentences, numbers) {
  text <- read_text(file)
  for (sentence in sentences) {
    at <- places_of(text, sentence)
    names <- sentence_names(sentence)
    # from the end, so that places stay what they are
    for (k in rev(seq_along(names))) {
      text <- paste0(substr(text, 1L, at[k, "first"] - 1L), numbers[[names[k]]],
                     substring(text, at[k, "last"] + 1L))
    }
  }
  writeLines(enc2utf8(text), file, useBytes = TRUE)
}

if (sys.nframe() == 0L) {
  library(domgen)
  plots <- list(`README-example` = 432, `README-validation` = 560)
  for (block in code_blocks("README.md")) {
    if (draws <- any(startsWith(block, "plot("))) {
      file <- file.path("man", "figures", paste0(names(plots)[1L], ".png"))
      grDevices::png(file, width = 960, height = plots[[1L]], res = 120)
      plots <- plots[-1L]
    }
    # as at the console, where a plot object is drawn by printing it
    source(exprs = parse(text = block), echo = FALSE, print.eval = TRUE)
    if (draws) grDevices::dev.off()
  }
  numbers <- as_text(c(
    numbers_of(result, file.path("inst", "experiments", "results")),
    published_numbers(validation, dg_coefficients(dg_lm(school, data = pupils)))
  ))
  for (file in names(sentences)) fill_in(file, sentences[[file]], numbers)
  print(numbers, quote = FALSE)
}
