# The rows of the DICA paper's tables: a learner on the input, or on the scores of a projection with
# the linear kernel on them, which is the paper's eq. (5); pooled or with the kernel (14).

# Values of the projection's parameters that are searched; the learner's come beside them.
projection_grids <- list(
  Input = list(times = c(0.5, 1, 2)),
  KPCA = list(kpca.times = c(0.5, 1, 2), kpca.ncomp = c(2, 4, 8, 16)),
  COIR = list(coir.times = c(0.5, 1, 2), coir.lambda = 10^(-2:1)),
  UDICA = list(udica.times = c(0.5, 1, 2), udica.ncomp = c(2, 4, 8, 16), udica.lambda = 10^(-2:1)),
  DICA = list(dica.times = c(0.5, 1, 2), dica.lambda = 10^(-2:1))
)

projection_of <- function(method, kernel_y = NULL, ncomp = 1) {
  rest <- if (!is.null(kernel_y)) list(kernel_y = kernel_y)
  switch(method,
    Input = NULL,
    KPCA = kpca(ncomp = 8),
    UDICA = udica(ncomp = 8),
    COIR = do.call(coir, c(list(ncomp = ncomp), rest)),
    DICA = do.call(dica, c(list(ncomp = ncomp), rest))
  )
}

in_chain <- function(projection, learner) {
  if (is.null(projection)) learner else chain(projection, learner)
}

domain_kernels <- list(pooling = domain_pooled, distributional = domain_distribution)

# All methods in both settings, fitted to `train` with what is left open chosen on `searched` by
# domain; `score(model)` gives the measures, `paper(method, setting)` their published values. The
# first line is the model that knows no predictors. `chooser`: a cheaper learner that stands in for
# `learner` while the projection's parameters are chosen; without a projection it is not needed.
projections_and_learners <- function(train, score, learner, grid, paper, searched = train,
                                     chooser = NULL, folds = NULL, kernel_y = NULL, ncomp = 1) {
  model <- fit(dg_null(), y ~ . | domain, data = train)
  found <- list(result_lines("null", score(model)))
  for (setting in names(domain_kernels)) for (method in names(projection_grids)) {
    projection <- projection_of(method, kernel_y, ncomp[1L])
    kernel <- domain_kernels[[setting]]()
    spec <- in_chain(projection, learner(kernel))
    chosen <- list(parameters = list(), search_seconds = 0)
    if (is.null(chooser) || !is.null(projection)) {
      own <- c(projection_grids[[method]], grid)
      if (method %in% c("COIR", "DICA") && length(ncomp) > 1L) {
        own[[paste0(tolower(method), ".ncomp")]] <- ncomp
      }
      search <- in_chain(projection, (if (is.null(chooser)) learner else chooser)(kernel))
      chosen <- choose(search, y ~ . | domain, searched, own, folds)
      spec <- with_parameters(spec, chosen$parameters)
    }
    last <- fit_timed(spec, y ~ . | domain, train)
    found <- c(found, list(result_lines(
      paste(method, setting, sep = ", "), score(last$model), paper(method, setting),
      parameters = in_words(chosen$parameters), seconds = last$seconds,
      search_seconds = chosen$search_seconds
    )))
  }
  bind(found)
}
