# Fits to rows that come in blocks, see row_source(): the survey, then the representation, whose
# maps are made from the sampled rows and whose domains are described by all of theirs, then sums of
# features over all rows. What a method does with the sums is its own, see fit_source().

# Fits a specification to the rows of a source: list(survey, reader with the scaling, domains,
# sample scaled).
fit_source <- function(spec, stage) UseMethod("fit_source")

fit_from_source <- function(spec, input, call) {
  what <- list(class(spec), spec$args, format_formula(input$x), input$weights, input$na.action)
  fitted <- over_source(input$source, what, function() {
    check_source_spec(spec)
    survey <- survey_source(input$source, block_reader(input, spec_needs(spec)))
    survey$formula <- input$x
    fit_source(spec, source_stage(survey, spec))
  })
  fitted$call <- call
  seal(fitted)
}

# Before the rows are read.
check_source_spec <- function(spec) {
  parts <- if (is.null(spec$projection)) list(spec) else spec[c("projection", "learner")]
  for (part in parts) {
    check_fits_source(part)
    args <- part$args
    if (!is.null(args$features) && is_exact(args$features)) {
      abort("argument", "`features` must be a feature map with a source, such as ",
            "`features_nystrom(200)`: `features_exact()` needs the Gram matrix of all rows.")
    }
    by_rows <- c(bandwidths = identical(args$bandwidths, "fitted"),
                 probability = !is.null(args$probability) && args$probability != "none",
                 target = !is.null(args$target), unlabelled = !is.null(args$unlabelled),
                 smooth = isTRUE(args$smooth > 0))
    if (any(by_rows)) {
      name <- names(which(by_rows))[1L]
      abort("argument", "`", name, "` needs the rows themselves, and must be left out with a ",
            "source.")
    }
  }
}

check_fits_source <- function(spec) {
  methods <- lapply(class(spec), function(name) {
    utils::getS3method("fit_source", name, optional = TRUE, envir = topenv())
  })
  if (!all(vapply(methods, is.null, NA))) return(invisible())
  abort("argument", "`", spec$method, "()` cannot be fitted to a source: it needs all rows at ",
        "once. Those that can are `dg_ridge()`, `dg_gp()`, `dg_svm()` and the projections, with a ",
        "feature map.")
}

# The rows as a specification sees them.
source_stage <- function(survey, spec) {
  scale <- spec_scale(spec)
  if (by_domain(scale) && is.null(survey$reader$domain)) {
    abort("data", "A domain is needed: give `y ~ x1 + x2 | domain`.")
  }
  sample <- survey$sample
  scaling <- survey_scaling(survey, scale)
  sample$blueprint$scaling <- scaling
  sample$X <- apply_scaling(sample$X, scaling, sample$domain)
  list(survey = survey, sample = sample,
       rows = list(reader = survey$reader, scaling = scaling, domains = survey$domains,
                   classes = survey$classes))
}

# What a worker makes of a block: list(X scaled, y, domain, weights). rows: of the stage.
stage_block <- function(rows, data, at) {
  block <- numbers_of(rows$reader, data, at)
  block$domain <- factor(block$domain, rows$domains)
  block$X <- apply_scaling(block$X, rows$scaling, block$domain)
  if (!is.null(rows$classes)) block$y <- factor(block$y, rows$classes)
  if (!is.null(rows$through) && nrow(block$X)) block$X <- scores_of(rows$through, block)
  block
}

# A pass over the stage's rows. work: as in run_pass(), with block(sums, rows) of scaled rows.
stage_pass <- function(stage, work, label) {
  source <- stage$survey$source
  run_pass(source, stage$rows$reader$prototype, staged_work(stage$rows, work), label)
}

# Of its own, so that what goes to workers holds nothing else.
staged_work <- function(rows, work) {
  force(rows)
  force(work)
  list(start = work$start, add = work$add, block = function(sums, data, at) {
    block <- stage_block(rows, data, at)
    if (nrow(block$X) == 0L) sums else work$block(sums, block)
  })
}

# The response, as encode_response() makes it of rows, from the survey.
source_response <- function(stage, standardise) {
  survey <- stage$survey
  if (survey$reader$kind == "class") {
    if (length(survey$classes) < 2L) abort_one_class(factor(survey$classes))
    response <- list(kind = "class", levels = survey$classes, centre = 0, scale = 1)
    if (length(response$levels) > 2L) response$pairs <- each_class(response$levels)
    return(response)
  }
  moments <- pool_moments(survey$response)
  spread <- if (standardise) sqrt(moments$square / moments$count) else 1
  list(kind = "number", centre = if (standardise) moments$mean else 0,
       scale = if (spread > 0) spread else 1)
}

# Targets of a block, [n x m]: see ridge_targets().
block_targets <- function(response, y) {
  if (response$kind == "number") return(matrix((y - response$centre) / response$scale))
  response$target <- 2 * (as.integer(y) == 2L) - 1
  ridge_targets(response, y)
}

# What the weights of a domain's rows are multiplied by, see row_costs().
domain_costs <- function(survey, domain_weights) {
  weights <- survey$weights
  if (domain_weights == "size") return(rep(1, length(weights)))
  ifelse(weights > 0, sum(weights) / (sum(weights > 0) * weights), 0)
}

# The representation: kernels and maps are fitted to the sample, whose domains are described by all
# rows of the source.
source_space <- function(args, stage) {
  sample <- described_sample(stage)
  product <- represent(args$features, args$kernel, args$domain_kernel, sample, args$threads)
  check_described(product$domain_kernel)
  check_feature_memory(product$dim)
  product
}

described_sample <- function(stage) {
  sample <- stage$sample
  sample$described <- list(
    sizes = stage$survey$sizes, means = function(map) described_means(map, stage)
  )
  sample
}

check_described <- function(domain_kernel) {
  if (!judges_rows(domain_kernel) || !is.null(domain_kernel$map)) return(invisible())
  abort("argument", "`domain_kernel` must describe a domain by sums over its rows, as ",
        "`domain_distribution()` does; ", format(domain_kernel), " does not.")
}

# Means of features by domain, over all rows: [G x r].
described_means <- function(map, stage) {
  G <- length(stage$survey$domains)
  sums <- stage_pass(stage, means_work(map, G), "embeddings")
  check_overflow(sums$sums, map$kernel)
  t(sums$sums) / sums$counts
}

means_work <- function(map, G) {
  force(map)
  list(start = function() NULL, add = add_or_start, block = function(sums, rows) {
    wanted <- list(cells = as.integer(rows$domain), n_cells = G, second = FALSE)
    own <- moments_of(map, rows[c("X", "domain")], NULL, wanted)[c("sums", "counts")]
    add_or_start(sums, own)
  })
}

add_or_start <- function(a, b) {
  if (is.null(a)) b else if (is.null(b)) a else add_moments(a, b)
}

# The table of all domains of the source, see domain_table().
source_table <- function(product, stage) {
  if (!uses_domain(product$domain_kernel)) return(NULL)
  domains <- stage$survey$domains
  rows <- list(domain = factor(domains, domains), threads = product$threads,
               coordinates = product$domain_kernel$coordinates)
  domain_table(product, rows)
}

# What every fit carries, without rows.
finish_source <- function(fitted, spec, stage) {
  survey <- stage$survey
  fitted$spec <- spec
  fitted$blueprint <- stage$sample$blueprint
  fitted$formula <- plain_formula(stage$survey$formula)
  fitted$rows <- list(kept = seq_len(0), padded = NULL, n = survey$n)
  fitted$domain <- factor(survey$domains, survey$domains)
  fitted
}

# Sums of products of features by groups of domains, over all rows: see representation-groups.R.
stage_groups <- function(product, stage, response, costs) {
  G <- length(stage$survey$domains)
  by_domain <- sums_by_domain(product, G)
  group <- group_domains(product, G)
  space <- summed_space(product, by_domain)
  table <- source_table(product, stage)
  work <- group_work(space, if (!by_domain) table, group, target_count(response) + 1L,
                     targets_of(response), costs)
  sums <- stage_pass(stage, work, "features")
  new_group_sums(sums, space, group, if (by_domain) table)
}

target_count <- function(response) max(NROW(response$pairs), 1L)

targets_of <- function(response) {
  force(response)
  function(y) block_targets(response, y)
}
