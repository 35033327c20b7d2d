# Runs the README's R code as printed, up to its first plot, and writes that plot. From the
# root of the package: Rscript inst/scripts/readme-figure.R

lines <- readLines("README.md")
first <- grep("^```r$", lines)
last <- vapply(first, function(line) min(setdiff(grep("^```$", lines), seq_len(line))), 0)
code <- lapply(Map(seq, first + 1L, last - 1L), function(at) lines[at])
drawn <- which(vapply(code, function(chunk) any(grepl("plot(", chunk, fixed = TRUE)), NA))[1L]

grDevices::png("man/figures/README-example.png", width = 960, height = 432, res = 120)
# as at the console, where a plot object is drawn by printing it
source(exprs = parse(text = unlist(code[seq_len(drawn)])), echo = FALSE, print.eval = TRUE)
invisible(grDevices::dev.off())
