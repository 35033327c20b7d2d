# dg_novelty(): how often is p at most 0.1 for a new domain that is exchangeable with the training
# domains (`level`), and for one that is not (`power`), with the code of commit 478831f9 and now on
# the same draws? Rows of two predictors in 15 training domains: of 60 rows each (`sizes` "equal"),
# or 10 to 400 (uniform logarithm). A new domain has `rows` rows, whatever the others have. So p is
# at most 1/16 = 0.0625 of exchangeable domains at 0.1, if p is uniform.
#   differ  means N(0, 0.5) and standard deviations exp(N(0, 0.2)) by domain and predictor, and a
#           curve of the second predictor along the first whose strength differs too
#   same    all domains have the same distribution
# The shift adds 3 |x1 - its mean| to x2, which each scaling leaves to be seen.
#   gaussian, linear   domain_distribution() of that kernel
#   rows               domain_pooled(): the default domain kernel describes the domains
#   nystroem, fourier  feature maps, with domain_distribution() and with domain_pooled()
#   wasserstein        domain_wasserstein()
# `one`: proportion of p = 1 among exchangeable domains. `code`: the version that made the lines;
# those of "478831f9" with that commit installed and DOMGEN_CODE=478831f9 in the environment.

novelty_domains <- function(sizes, world) {
  bind(lapply(seq_along(sizes), function(g) {
    n <- sizes[g]
    differs <- if (world == "differ") 1 else 0
    at <- stats::rnorm(5)
    z <- cbind(stats::rnorm(n), stats::rnorm(n))
    z[, 2L] <- z[, 2L] + differs * 0.3 * at[5L] * (z[, 1L]^2 - 1)
    data.frame(x1 = differs * 0.5 * at[1L] + exp(differs * 0.2 * at[3L]) * z[, 1L],
               x2 = differs * 0.5 * at[2L] + exp(differs * 0.2 * at[4L]) * z[, 2L], domain = g)
  }))
}

novelty_models <- list(
  gaussian = list(domain_kernel = domain_distribution()),
  linear = list(domain_kernel = domain_distribution(kernel_linear())),
  rows = list(domain_kernel = domain_pooled()),
  nystroem = list(feature_map = features_nystrom(40)),
  fourier = list(feature_map = features_rff(40), domain_kernel = domain_pooled()),
  wasserstein = list(domain_kernel = domain_wasserstein())
)

novelty_rows <- c(20, 60, 150, 300)

# p of new domains with each number of rows: exchangeable ones, then shifted ones.
one_novelty <- function(cell) {
  G <- 15L
  range <- if (cell$sizes == "large") c(300, 1500) else c(10, 400)
  sizes <- if (cell$sizes == "equal") rep(60, G)
           else round(exp(stats::runif(G, log(range[1L]), log(range[2L]))))
  train <- novelty_domains(sizes, cell$world)
  train$y <- stats::rnorm(nrow(train))
  new <- novelty_domains(rep(novelty_rows, 2L), cell$world)
  shifted <- new$domain > length(novelty_rows)
  x1 <- new$x1 - stats::ave(new$x1, new$domain)
  new$x2 <- new$x2 + 3 * shifted * abs(x1)
  new$domain <- factor(sprintf("new%d", new$domain))
  given <- c(list(lambda = 1, scale = cell$scale), novelty_models[[cell$model]])
  model <- fit(do.call(dg_ridge, given), y ~ x1 + x2 | domain, data = train)
  dg_novelty(model, new, max_rows = 500)$domains$p
}

experiment(
  paper = "domgen", item = "?dg_novelty",
  title = "How often is p small for domains like the others, and for others?",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.1, normal = 40, full = 200),
  outcomes = c("level", "power", "one"), tolerance = c(level = 0.3, power = 0.3, one = 0.3),
  cells = function(size) {
    code <- Sys.getenv("DOMGEN_CODE", "now")
    cell <- function(world, model, scale, sizes, replications) {
      expand.grid(code = code, world = world, model = model, scale = scale, sizes = sizes,
                  replications = replications, stringsAsFactors = FALSE)
    }
    if (size == "quick") return(cell("differ", "gaussian", c("pooled", "domain"), "unequal", 4))
    times <- c(normal = 200, full = 1000)[[size]]
    scales <- c("domain", "pooled", "none", "both", "rank")
    of <- function(world, models, scales) {
      cell(world, models, scales, c("equal", "unequal"), times)
    }
    both <- rbind(of("differ", "gaussian", scales), of("same", "gaussian", scales[1:2]),
                  of("differ", "nystroem", scales[1:2]))
    if (code != "now") return(both)
    large <- cell("differ", "gaussian", scales[1:2], "large", times)
    others <- setdiff(names(novelty_models), c("gaussian", "nystroem"))
    if (size == "normal") rbind(both, of("differ", c("linear", "fourier"), "pooled"), large)
    else rbind(both, large, of("differ", "nystroem", scales[-(1:2)]), of("differ", others, scales))
  },
  run = function(cell, draw, data) {
    p <- vapply(seq_len(cell$replications), function(r) {
      set.seed(7000 + r)
      one_novelty(cell)
    }, numeric(2L * length(novelty_rows)))
    exchangeable <- seq_along(novelty_rows)
    data.frame(rows = novelty_rows, level = rowMeans(p[exchangeable, ] <= 0.1),
               power = rowMeans(p[-exchangeable, ] <= 0.1),
               one = rowMeans(p[exchangeable, ] == 1), row.names = NULL)
  }
)
