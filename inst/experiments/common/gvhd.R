# The public stand-in for the papers' 30 patients with graft-versus-host disease: the 12 samples of
# FlowCAP-I; whether each is of another patient is not stated. T cells (gates cd4t and cd8t, 3 to
# of a sample) against all other gated cells; ungated ones are left out, or with `ungated` are among
# the others, which is harder, as they are what the gates are to be told from. The class of interest
# is the second level.

gvhd_cells <- function(data, ungated = FALSE) {
  d <- if (ungated) data else data[data$y != "ungated", ]
  d$y <- factor(ifelse(d$y %in% c("cd4t", "cd8t"), "t_cell", "other"), c("other", "t_cell"))
  d[c("domain", "y", "fsc", "ssc", "fl1", "fl2", "fl3", "fl4")]
}
