# The rows of the DICA paper's tables: a learner on the input, or on the scores of a projection with
# the linear kernel on them, which is the paper's eq. (5); pooled or with the kernel (14).

# Values of the projection's parameters that are searched; the learner's come beside them.
projection_grids <- list(
  Input = list(bandwidth_factor = c(0.5, 1, 2)),
  KPCA = list(kpca.bandwidth_factor = c(0.5, 1, 2), kpca.ncomp = c(2, 4, 8, 16)),
  COIR = list(coir.bandwidth_factor = c(0.5, 1, 2), coir.lambda = 10^(-2:1)),
  UDICA = list(udica.bandwidth_factor = c(0.5, 1, 2),
               udica.ncomp = c(2, 4, 8, 16), udica.lambda = 10^(-2:1)),
  DICA = list(dica.bandwidth_factor = c(0.5, 1, 2), dica.lambda = 10^(-2:1))
)

projection_of <- function(method, kernel_y = NULL, ncomp = 1) {
  switch(method,
    Input = NULL,
    KPCA = dg_kpca(ncomp = 8),
    UDICA = dg_udica(ncomp = 8),
    COIR = dg_coir(ncomp = ncomp, kernel_y = kernel_y),
    DICA = dg_dica(ncomp = ncomp, kernel_y = kernel_y)
  )
}

in_chain <- function(projection, learner) {
  if (is.null(projection)) learner else dg_pipeline(projection, learner)
}

domain_kernels <- list(pooling = domain_pooled, distributional = domain_distribution)

# The paper's (14) to the letter: where scores are the input, embeddings are of the kernel (5) too,
# which is linear in them.
printed_kernel <- function() domain_distribution(kernel_linear(), kernel_rbf())

# All methods in both settings, fitted to `train` with what is left open chosen on `searched` by
# domain; `score(model)` gives the measures, `paper(method, setting)` their published values.
# `chooser`: a cheaper learner that stands in for `learner` while the projection's parameters are
# chosen; without a projection it is not needed. `printed`: also with printed_kernel(), at the
# parameters of the distributional setting?
projections_and_learners <- function(train, score, learner, grid, paper, searched = train,
                                     chooser = NULL, folds = NULL, kernel_y = NULL, ncomp = 1,
                                     printed = FALSE) {
  methods <- list()
  for (setting in names(domain_kernels)) for (method in names(projection_grids)) {
    projection <- projection_of(method, kernel_y, ncomp[1L])
    kernel <- domain_kernels[[setting]]()
    own <- c(projection_grids[[method]], grid)
    if (method %in% c("COIR", "DICA") && length(ncomp) > 1L) {
      own[[paste0(tolower(method), ".ncomp")]] <- ncomp
    }
    methods[[paste(method, setting, sep = ", ")]] <- list(
      spec = in_chain(projection, learner(kernel)),
      grid = if (is.null(chooser) || !is.null(projection)) own,
      chooser = if (!is.null(chooser)) in_chain(projection, chooser(kernel)),
      paper = paper(method, setting)
    )
  }
  if (printed) for (method in setdiff(names(projection_grids), "Input")) {
    methods[[paste(method, "eq. 5", sep = ", ")]] <- list(
      spec = in_chain(projection_of(method, kernel_y, ncomp[1L]), learner(printed_kernel())),
      from = paste(method, "distributional", sep = ", "), paper = paper(method, "distributional")
    )
  }
  method_lines(train, score, methods, searched, folds)
}
