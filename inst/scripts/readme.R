# Runs the README's R code as printed, up to its first plot; writes that plot, and the figures of the
# README and of the site's front page, each in the place of the last. From the root of the package:
#   Rscript inst/scripts/readme.R

# The chunks of R code, one string of lines each.
readme_code <- function(lines) {
  first <- grep("^```r$", lines)
  last <- vapply(first, function(line) min(setdiff(grep("^```$", lines), seq_len(line))), 0)
  lapply(Map(seq, first + 1L, last - 1L), function(at) lines[at])
}

# Sentences with figures, # in the place of each, with their values. result: of dg_compare().
readme_figures <- function(result, root = ".") {
  table <- result$table
  of <- function(method, column) table[[column]][table$method == method]
  sets <- data_sets(root)
  list(
    list(text = paste("RMSE # with the unlabelled pupils of the school, #"),
         values = c(of("distributional", "mean"), of("pooled", "mean")), digits = 3),
    list(text = "difference #, 95 % CI # to #",
         values = vapply(c("difference", "lower", "upper"), of, 0, method = "distributional"),
         digits = 3),
    list(text = "On # public data sets the distributional", values = sets$n, digits = 0),
    list(text = "better than the pooled one on #", values = sets$better[["pooled"]], digits = 0),
    list(text = "on the other # the interval includes 0",
         values = sets$n - sets$better[["pooled"]] - sets$worse[["pooled"]], digits = 0),
    list(text = "on the # sets it is worse on #",
         values = c(sets$n, sets$better[["lmer + means"]]), digits = 0)
  )
}

# The sets of vignette("evidence"): on how many does an interval exclude 0?
data_sets <- function(root) {
  stored <- utils::read.csv(file.path(root, "inst", "experiments", "results",
                                      "domgen-descriptions.csv"))
  stored <- stored[stored$refits, ]
  on <- function(measure, is) {
    rows <- stored[stored$measure == measure, ]
    tapply(is(rows$value), rows$method, sum)
  }
  list(n = sum(stored$method == "data" & stored$measure == "rows"),
       better = on("upper", function(x) x < 0), worse = on("lower", function(x) x > 0))
}

number <- "(-?[0-9]+(?:[.][0-9]+)?)"

# A sentence may be broken anywhere.
sentence_pattern <- function(text) {
  words <- gsub("([.*+?()])", "\\\\\\1", text)
  gsub("#", number, gsub(" ", "\\\\s+", words), fixed = TRUE)
}

# The numbers of a sentence in a text, NULL if it does not have it.
printed_figures <- function(whole, figure) {
  found <- regmatches(whole, regexec(sentence_pattern(figure$text), whole, perl = TRUE))[[1L]]
  if (length(found)) as.numeric(found[-1L])
}

with_figures <- function(whole, figure) {
  at <- regexpr(sentence_pattern(figure$text), whole, perl = TRUE)
  if (at < 0L) return(whole)
  start <- attr(at, "capture.start")
  end <- start + attr(at, "capture.length") - 1L
  for (k in rev(seq_along(start))) {
    value <- formatC(figure$values[k], figure$digits, format = "f")
    whole <- paste0(substr(whole, 1L, start[k] - 1L), value, substring(whole, end[k] + 1L))
  }
  whole
}

texts_with_figures <- c("README.md", file.path("pkgdown", "index.md"))

if (sys.nframe() == 0L) {
  code <- readme_code(readLines("README.md"))
  drawn <- which(vapply(code, function(chunk) any(grepl("plot(", chunk, fixed = TRUE)), NA))[1L]
  grDevices::png("man/figures/README-example.png", width = 960, height = 432, res = 120)
  # as at the console, where a plot object is drawn by printing it
  source(exprs = parse(text = unlist(code[seq_len(drawn)])), echo = FALSE, print.eval = TRUE)
  invisible(grDevices::dev.off())
  for (file in texts_with_figures) {
    whole <- paste(readLines(file), collapse = "\n")
    for (figure in readme_figures(result)) whole <- with_figures(whole, figure)
    writeLines(whole, file)
  }
}
