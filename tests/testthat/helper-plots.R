# Plots are kept as svg where vdiffr is, but not on CRAN: a font or a version that differs is no
# defect. plots: plots of ggplot2 by their titles. The files are announced before anything is
# skipped: testthat deletes those it has not heard of.
expect_pictures <- function(plots) {
  files <- paste0(gsub("[^a-z0-9]+", "-", tolower(names(plots))), ".svg")
  for (file in files) testthat::announce_snapshot_file(name = file)
  testthat::skip_on_cran()
  testthat::skip_if_not_installed("vdiffr")
  testthat::skip_if_not_installed("ggplot2")
  testthat::skip_if_not(startsWith(as.character(getRversion()), "4.2."),
                        "svg files were made with R 4.2")
  testthat::skip_if_not(startsWith(as.character(utils::packageVersion("ggplot2")), "3.4"),
                        "svg files were made with ggplot2 3.4")
  # and without ggrepel, which may be there or not
  with_replaced("can_repel", function() FALSE, for (title in names(plots)) {
    vdiffr::expect_doppelganger(title, plots[[title]]())
  })
}

# plot() gives a ggplot that is drawn without a message, 4.5 inches wide. The first of each class is
# compared with that of autoplot() and drawn in a theme of the user's, too: for others the same code
# of the package would run.
expect_plots <- function(x, ...) {
  testthat::skip_if_not_installed("ggplot2")
  p <- withVisible(plot(x, ...))
  testthat::expect_true(p$visible)
  p <- p$value
  testthat::expect_s3_class(p, "ggplot")
  grDevices::pdf(NULL, 4.5, 3.5)
  on.exit(grDevices::dev.off())
  # the second half of the time puts on the page what ggplot2 laid out, the same for such layers
  of_its_kind <- is_first_plot(c(class(x)[1L], vapply(p$layers, function(l) class(l$geom)[1L], "")))
  testthat::expect_silent(if (of_its_kind) print(p) else ggplot2::ggplotGrob(p))
  if (is_first_plot(class(x)[1L])) {
    same <- ggplot2::autoplot(x, ...)
    testthat::expect_identical(same$labels, p$labels)
    testthat::expect_identical(same$data, p$data)
    layers <- function(p) lapply(p$layers, `[[`, "data")
    testthat::expect_identical(layers(same), layers(p))
    testthat::expect_silent(print(p + ggplot2::theme_bw()))
  }
  invisible(p)
}

plots_drawn <- new.env()

is_first_plot <- function(kind) {
  kind <- paste(kind, collapse = " ")
  first <- is.null(plots_drawn[[kind]])
  plots_drawn[[kind]] <- TRUE
  first
}

# What layers of a geom ("point") draw, one data frame for each layer that draws something.
drawn_by <- function(p, geom) {
  found <- which(vapply(p$layers, function(l) {
    inherits(l$geom, paste0("Geom", geom))
  }, NA))
  drawn <- lapply(found, function(i) ggplot2::layer_data(p, i))
  Filter(nrow, drawn)
}

# A text of a plot in one line.
said <- function(p, what = "caption") gsub("\n", " ", p$labels[[what]])
