# The curve of error against the number of labelled rows, of a dg_cv with `shots`.

shots_picture <- function(x) {
  table <- x$shots
  frame <- table[c("shots", "mean", "lower", "upper")]
  single <- x$shot_scores[stats::complete.cases(x$shot_scores), , drop = FALSE]
  at <- seq_len(nrow(frame))
  new_picture(
    frame, title = paste0(x$spec$parts$title, ", with labels of the new domain"),
    caption = paste("Points and bars: the mean over held-out domains and its 95 % interval. Pale",
                    "lines: single domains."),
    x = picture_axis("labelled rows of each new domain", at, as.character(frame$shots), pad = 0.4),
    y = picture_axis(score_label(x$metrics[[1L]], Inf)),
    layers = c(
      list(layer("segment", rep(at[-length(at)], nrow(single)),
                 c(t(single[, -length(at), drop = FALSE])),
                 xend = rep(at[-1L], nrow(single)), yend = c(t(single[, -1L, drop = FALSE])),
                 ink = 0.2)),
      list(layer("segment", at, frame$lower, yend = frame$upper, ink = 0.7, width = 2),
           layer("line", at, frame$mean), layer("point", at, frame$mean))
    ))
}
