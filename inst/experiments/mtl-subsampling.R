# MTL paper, section 6.2: how many rows per domain are enough. The bound (21) is a / sqrt(N) +
# b / sqrt(n). For n much larger than N, the paper concludes that rows can be subsampled to n' near
# N "without taking a significant hit to performance", in training and in testing.
#
# Rotated ellipses of n = 256 rows, N of them for training, n' rows of each drawn at random. 100 new
# ellipses of 256 rows are for testing.
#
#   error_n  error in % of all rows of new domains, of which n' are embedded
#   error    the same with all 256 embedded: rows are subsampled in training alone
#
# The model is the package's with its default search on held-out domains, and the product map of
# tables 1-2. The last cells of the list have N n' = 2,048 rows in all, beside three of the others.

experiment(
  paper = "MTL", item = "section 6.2",
  title = "Rotated ellipses: rows per domain subsampled to the number of domains",
  draws = c(quick = 1, normal = 10, full = 50), minutes = c(quick = 0.1, normal = 6, full = 30),
  tolerance = c(error = 0.3, error_n = 0.3),
  cells = function(size) {
    if (size == "quick") return(data.frame(domains = 16, rows = c(16, 64)))
    rbind(expand.grid(domains = c(16, 32, 64), rows = 2^(2:8)),
          data.frame(domains = c(8, 128, 256, 512), rows = 2048 / c(8, 128, 256, 512)))
  },
  run = function(cell, draw, data) {
    d <- simulate_ellipses(512, 256, seed = draw)
    d <- droplevels(d[d$domain %in% levels(d$domain)[seq_len(cell$domains)], ])
    train <- draw_rows(d, cell$rows)
    test <- simulate_ellipses(100, 256, seed = 1000 + draw)
    few <- draw_rows(test, cell$rows)
    spec <- ellipse_machine(domain_distribution(),
                            features_product(x = features_nystrom(24), rank = 12))
    fitted_lines("MTL", spec, train, ellipse_score(test, few))
  }
)
