# Rows in files for rows.R: 20 predictors that follow 3 latent ones, in domains of unequal size
# whose means and spreads differ, and a response that depends on the row and on its domain's
# distribution:
#   u ~ N(m_d, s_d^2 I),  x = u A + 0.4 e,
#   y = sin(1.5 u_1) + u_2 u_3 / 2 + sin(2 m_d1) + m_d2 u_1 + 0.5 e.
# A row is of a domain drawn by size, so that each file has rows of nearly all domains.

spread_of_noise <- 0.5

# The world that a seed makes: what all files of it, and those of fresh domains, share.
rows_world <- function(domains = 2000L, fresh = 200L, p = 20L, seed = 1L) {
  set.seed(seed)
  all <- domains + fresh
  list(loadings = matrix(rnorm(3L * p), 3L) / sqrt(3),
       means = matrix(rnorm(all * 3L, sd = 0.7), all),
       spreads = exp(rnorm(all, sd = 0.3)), sizes = exp(rnorm(all)), p = p,
       known = seq_len(domains), fresh = domains + seq_len(fresh), seed = seed)
}

# n rows of the domains `from`; digits are cut off, not rounded, which is quicker.
draw_rows <- function(world, n, from) {
  d <- sample(from, n, TRUE, world$sizes[from])
  m <- world$means[d, ]
  u <- m + world$spreads[d] * matrix(rnorm(3L * n), n)
  x <- u %*% world$loadings + matrix(rnorm(n * world$p, sd = 0.4), n)
  y <- sin(1.5 * u[, 1L]) + u[, 2L] * u[, 3L] / 2 + sin(2 * m[, 1L]) + m[, 2L] * u[, 1L] +
    rnorm(n, sd = spread_of_noise)
  x <- trunc(1000 * cbind(y, x)) / 1000
  colnames(x) <- c("y", paste0("x", seq_len(world$p)))
  data.frame(domain = sprintf("d%04d", d), x)
}

# Files part-01.csv, ... with `rows` rows in all, and fresh.csv of domains that are in none of them.
# Memory is that of a block. The paths.
write_rows <- function(folder, rows, files = 20L, world = rows_world(), block = 50000L,
                       fresh_rows = 50000L) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  paths <- file.path(folder, sprintf("part-%02d.csv", seq_len(files)))
  ends <- round(rows / files * seq_len(files))
  for (i in seq_len(files)) {
    set.seed(world$seed + i)
    write_blocks(paths[i], ends[i] - c(0, ends)[i], world, world$known, block)
  }
  set.seed(world$seed + files + 1L)
  write_blocks(file.path(folder, "fresh.csv"), fresh_rows, world, world$fresh, block)
  paths
}

write_blocks <- function(path, rows, world, from, block) {
  first <- TRUE
  while (rows > 0) {
    n <- min(block, rows)
    data.table::fwrite(draw_rows(world, n, from), path, append = !first)
    first <- FALSE
    rows <- rows - n
  }
}
