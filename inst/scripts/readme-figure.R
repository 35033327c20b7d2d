# Runs the README's first example as printed and writes its picture. From the
# root of the package: Rscript inst/scripts/readme-figure.R

lines <- readLines("README.md")
first <- grep("^```r$", lines)[1L]
last <- grep("^```$", lines)
example <- lines[seq(first + 1L, last[last > first][1L] - 1L)]

grDevices::png("man/figures/README-example.png", width = 950, height = 330, res = 105)
eval(parse(text = example))
invisible(grDevices::dev.off())
