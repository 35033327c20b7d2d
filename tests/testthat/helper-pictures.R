# Pictures are kept as svg where vdiffr is, but not on CRAN: a font or a version that differs is no
# defect. plots: functions that draw a picture, or return one of ggplot2, by the pictures' titles.
# The files are announced before anything is skipped: testthat deletes those it has not heard of.
expect_pictures <- function(plots, ggplot = FALSE) {
  files <- paste0(gsub("[^a-z0-9]+", "-", tolower(names(plots))), ".svg")
  for (file in files) testthat::announce_snapshot_file(name = file)
  testthat::skip_on_cran()
  testthat::skip_if_not_installed("vdiffr")
  own <- startsWith(as.character(getRversion()), "4.2.")
  testthat::skip_if_not(own, "pictures were made with R 4.2")
  if (ggplot) skip_if_another_ggplot2()
  # and without ggrepel, which may be there or not
  with_replaced("can_repel", function() FALSE, for (title in names(plots)) {
    vdiffr::expect_doppelganger(title, if (ggplot) plots[[title]]() else plots[[title]])
  })
}

skip_if_another_ggplot2 <- function() {
  testthat::skip_if_not_installed("ggplot2")
  version <- as.character(utils::packageVersion("ggplot2"))
  testthat::skip_if_not(startsWith(version, "3.4"), "pictures were made with ggplot2 3.4")
}

# Drawn on a small device; what was given back.
drawn <- function(code, width = 700, height = 450, bg = "white", fg = "black") {
  file <- tempfile(fileext = ".png")
  grDevices::png(file, width, height, bg = bg)
  on.exit(unlink(file))
  graphics::par(fg = fg)
  watched <- c("mfrow", "mar", "oma", "cex", "col.axis", "col.lab", "col")
  before <- graphics::par(watched)
  value <- withVisible(code)
  after <- graphics::par(watched)
  grDevices::dev.off()
  testthat::expect_identical(after, before)
  testthat::expect_gt(file.size(file), 1000)
  value
}

# Every picture in base graphics (at two sizes, and on a dark page) and in ggplot2: a table and its
# layers, all of which are drawn.
expect_all_drawn <- function(x, ...) {
  result <- drawn(plot(x, ...))
  testthat::expect_false(result$visible)
  testthat::expect_identical(result$value, x)
  drawn(plot(x, ...), 400, 300, bg = "black", fg = "white")
  p <- picture(x, ...)
  testthat::expect_s3_class(p$data, "data.frame")
  testthat::expect_gt(nrow(p$data), 0)
  panels <- seq_along(p$panels)
  testthat::expect_true(all(vapply(p$layers, function(l) all(l$panel %in% panels), NA)))
  if (!requireNamespace("ggplot2", quietly = TRUE)) return(invisible())
  # measuring text opens a device
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  shown <- ggplot2::autoplot(x, ...)
  testthat::expect_silent({
    built <- ggplot2::ggplot_build(shown)
    ggplot2::ggplot_gtable(built)
  })
  testthat::expect_identical(vapply(built$data, nrow, 0L), vapply(p$layers, nrow, 0L))
  invisible(shown)
}
