# Lists the words that texts of the package do without, and names that arguments and functions no
# longer have: in help pages, messages, vignettes and README, and in the code of vignettes, tests,
# experiments and benches. The last line is the count; the status
# is 1 if there are any. Usage: Rscript .ci/words.R [counts]

# Pattern of Perl, and what to write.
words <- c(
  "(?<!vector )(?<!kernel )\\bmachines?\\b(?! learning)" = "submodel, learner, computer",
  "\\b(told|tells?|telling)\\b" = "known, identified, distinguished, reported",
  "\\bjudg(e|es|ed|ing)\\b" = "uses the domain's other rows, predicted from, scored",
  "\\brooms?\\b" = "headroom, module",
  "\\bleft-out\\b" = "held-out",
  "\\bkernels? between domains\\b" = "domain kernel",
  "\\bat home\\b" = "integration",
  "\\b(unseen|never seen|nobody has seen)\\b" = "new",
  "\\bdealt out\\b" = "permuted",
  "\\btoo good\\b" = "optimistic",
  "\\btaken off\\b" = "corrected",
  "\\b(goes|go|went) on\\b" = "continues",
  "\\bclearly (better|worse)\\b" = "interval excludes 0",
  "\\bchains?\\b(?! Monte)" = "pipeline",
  "(^|[.:;] )(Of|What|Whose) (?!is new)" = "a sentence that starts with its subject"
)

functions <- c("dica", "udica", "coir", "kpca", "dcm", "tca", "sca", "mda", "cidg", "kfd", "chain",
               "lodo", "dg_cost", "fix_reference", "fix_intervals", "adapt", "mmd", "domain_scale",
               "domain_tau")
names <- c(
  stats::setNames(rep("dg_ and the name, see NEWS", length(functions)),
                  paste0("(?<![\\w.:$]|kernlab::|mda::)", functions, "\\(")),
  "`(sigma|outer|per_predictor|budget|against)`" = "see NEWS",
  "(?<![\\w.])(sigma|outer|per_predictor|against|budget|features|probability) = [^=]" = "see NEWS"
)

# Lines of text by file: roxygen comments without examples and references, strings of code, prose.
lines_of_help <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  help <- startsWith(lines, "#'")
  tag <- ifelse(grepl("^#' @[a-zA-Z]", lines), sub("^#' @([a-zA-Z]+).*", "\\1", lines), NA)
  section <- Reduce(function(a, b) if (is.na(b)) a else b, tag, accumulate = TRUE)
  skipped <- section %in% c("examples", "examplesIf", "references", "usage", "name", "rdname",
                            "inheritParams", "keywords", "family", "export", "exportS3Method")
  keep <- help & !skipped
  # the name of an argument is code
  text <- sub("^#' @param ([^ ]+)", "`\\1`", lines[keep])
  stats::setNames(sub("^#' ?(@\\w+ )?", "", text), which(keep))
}

strings_of_code <- function(file) {
  data <- utils::getParseData(parse(file, keep.source = TRUE))
  strings <- data[data$token == "STR_CONST" & grepl("[a-z] [a-z]", data$text), ]
  stats::setNames(substring(strings$text, 2L, nchar(strings$text) - 1L), strings$line1)
}

prose_of <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  code <- cumsum(grepl("^ *```", lines)) %% 2L == 1L
  keep <- !code & !grepl("^ *```", lines)
  stats::setNames(lines[keep], which(keep))
}

without_code <- function(lines) {
  gsub("`[^`]*`|\\\\(code|link|eqn|deqn)\\{[^}]*\\}|\\]\\([^)]*\\)", "", lines)
}

# Each line of prose after the last word of the one before.
joined <- function(lines) {
  plain <- without_code(lines)
  before <- c("", utils::head(sub(".*[ ]", "", plain), -1L))
  stats::setNames(paste(before, plain), base::names(lines))
}

found <- list()
look <- function(file, lines, patterns) {
  for (pattern in base::names(patterns)) {
    hit <- grepl(pattern, lines, perl = TRUE)
    if (any(hit)) {
      found[[length(found) + 1L]] <<- data.frame(
        file = file, line = base::names(lines)[hit], pattern = pattern, write = patterns[[pattern]],
        text = trimws(lines[hit])
      )
    }
  }
}
code <- setdiff(list.files("R", full.names = TRUE), "R/RcppExports.R")
for (file in code) {
  help <- lines_of_help(file)
  strings <- strings_of_code(file)
  look(file, joined(help), words)
  look(file, without_code(strings), words)
  look(file, c(help, strings), names)
}
for (file in c("README.md", list.files("vignettes", "[.]Rmd$", full.names = TRUE))) {
  prose <- prose_of(file)
  look(file, joined(prose), words)
  look(file, prose, names)
}

# Code that uses a function by an old name and does not define one of that name.
old_in_code <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  if (endsWith(file, ".Rmd")) {
    fence <- startsWith(lines, "```")
    opens <- which(startsWith(lines, "```{r"))
    closes <- vapply(opens, function(at) which(fence & seq_along(lines) > at)[1L], 0L)
    inside <- unlist(Map(function(from, to) seq(from + 1L, length.out = to - from - 1L), opens,
                         closes))
    lines[-c(inside, length(lines) + 1L)] <- ""
  }
  data <- utils::getParseData(parse(text = lines, keep.source = TRUE))
  data <- data[data$terminal, ]
  before <- c("", utils::head(data$token, -1L))
  after <- c(data$token[-1L], "")
  used <- data$token %in% c("SYMBOL", "SYMBOL_FUNCTION_CALL") & data$text %in% functions
  other <- before %in% c("'$'", "NS_GET", "'@'") | after %in% c("'$'", "'['", "LBB")
  defined <- data$text[(used & after %in% c("LEFT_ASSIGN", "EQ_ASSIGN")) |
                         data$token == "SYMBOL_FORMALS"]
  at <- unique(data$line1[used & !other & !(data$text %in% defined)])
  stats::setNames(lines[at], at)
}
written <- c(list.files("vignettes", "[.]Rmd$", full.names = TRUE),
             list.files(c("tests", "inst"), "[.]R$", full.names = TRUE, recursive = TRUE))
for (file in written) {
  lines <- old_in_code(file)
  if (length(lines)) look(file, lines, c("." = "dg_ and the name, see NEWS"))
}
found <- do.call(rbind, found)
if (is.null(found)) found <- data.frame(pattern = character())
if ("counts" %in% commandArgs(TRUE)) {
  print(sort(table(found$pattern), decreasing = TRUE))
} else if (nrow(found)) {
  cat(sprintf("%s:%s: %s\n    -> %s\n", found$file, found$line, found$text, found$write), sep = "")
}
cat(nrow(found), "words or names to replace\n")
quit(status = nrow(found) > 0L)
