# Rows that are read in chunks, see row_source(): the survey, a random sample, and passes over all
# rows. rows_source() is the second constructor of rows, beside rows_frame().

# code(input, ctx) of a call that dg_resume() can continue. The rows of a source are read first, and
# all of its random numbers come from one seed. words(input): what the call is, see over_source();
# progress: as the user gave it.
over_input <- function(input, words, code, progress = NULL) {
  if (is.null(input$source)) {
    return(resumable(function(ctx) code(input, ctx), read_progress(progress)))
  }
  input$source$names <- source_names(input$source)
  over_source(input$source, function() spool_input(input)$source, words(input), function(source) {
    input$source <- source
    code(input, source$ctx)
  }, progress)
}

# What a call is that has a `store`.
fit_words <- function(spec, input) {
  home <- reader_home(input, split_formula(input$x),
                      stats::setNames(nm = as.list(source_names(input$source))))
  list(paste(spec$method, format_formula(input$x)), spec$args, input$weights, input$na.action,
       environment_words(home))
}

# Does a fit go over the rows in passes? NA: the response decides, and it does where the rows are
# too many for memory.
takes_passes <- function(spec) UseMethod("takes_passes")

#' @exportS3Method
takes_passes.default <- function(spec) FALSE

#' @exportS3Method
takes_passes.dg_learner_spec <- function(spec) {
  feature_map <- spec$args$feature_map
  if (is.null(feature_map)) !"kernel" %in% names(spec$args) else !is_exact(feature_map)
}

# The input of a call. Rows of a source are read into memory where a specification needs all at once
# and they are few.
collect_input <- function(specs, input) {
  if (is.null(input$source)) return(input)
  lapply(specs, check_source_terms)
  passes <- vapply(specs, takes_passes, NA)
  all_pass <- all(passes %in% TRUE)
  if (!all_pass) input <- spool_input(input)
  if (all_pass || input$source$n > sample_rows) {
    if (any(passes %in% FALSE)) {
      abort_whole(specs[passes %in% FALSE][[1L]], paste(", not", in_full(input$source$n)))
    }
    lapply(specs, check_source_spec)
    return(input)
  }
  parts <- split_formula(input$x)
  prototype <- prototype_of(input, parts)
  data <- collect_rows(input$source, prototype)
  end_rows(input$source)
  weights <- if (!is.null(input$weights)) evaluate(input$weights, data, input$env, "weights")
  read_input(list(x = input$x, data = check_data(data), weights = weights,
                  na.action = input$na.action))
}

check_source_terms <- function(spec) {
  if (is.null(spec_terms(spec))) return(invisible())
  abort("argument", "`terms` must be NULL with a source: write them in the formula.")
}

abort_whole <- function(spec, size = "") {
  part <- if (is.null(spec$projection) || isTRUE(takes_passes(spec$projection))) innermost(spec)
          else spec$projection
  most <- paste0("a source of at most ", in_full(sample_rows), " rows", size, ".")
  mapped <- part
  mapped$args$feature_map <- features_nystrom()
  if (!isFALSE(takes_passes(mapped))) {
    abort("argument", "`feature_map` must be a feature map, such as `features_nystrom(200)`, with ",
          "more rows than fit into a Gram matrix: `features_exact()` takes ", most)
  }
  family <- part$args$family
  abort("argument", "`", part$method, "(", if (!is.null(family)) paste("family =", format(family)),
        ")` needs all rows at once, and takes ", most)
}

check_source_spec <- function(spec) {
  if (!is.null(spec$object)) return(check_source_spec(spec$object))
  parts <- if (is.null(spec$projection)) list(spec) else spec[c("projection", "learner")]
  for (part in parts) {
    args <- part$args
    by_rows <- c(bandwidths = identical(args$bandwidths, "fitted"),
                 calibration = !is.null(args$calibration) && args$calibration != "none",
                 target = !is.null(args$target), unlabelled = !is.null(args$unlabelled),
                 smooth = isTRUE(args$smooth > 0))
    if (any(by_rows)) {
      name <- names(which(by_rows))[1L]
      abort("argument", "`", name, "` needs the rows themselves, and cannot be used with a ",
            "source.")
    }
  }
}

# The rows as a specification sees them. sample: scaled; reading: what a worker needs to make them
# of a block.
rows_source <- function(survey, spec) {
  scale <- spec_scale(spec)
  if (by_domain(scale) && is.null(survey$reader$domain)) {
    abort("data", "A domain is needed: give `y ~ x1 + x2 | domain`.")
  }
  sample <- survey$sample
  scaling <- survey_scaling(survey, scale)
  sample$blueprint$scaling <- scaling
  sample$X <- apply_scaling(sample$X, scaling, sample$domain)
  structure(list(
    survey = survey, sample = sample,
    reading = list(reader = survey$reader, scaling = scaling, domains = survey$domains,
                   classes = survey$classes)
  ), class = c("rows_source", "dg_rows"))
}

# The rows of a block, scaled, from its numbers: list(X, y, domain, weights, at).
scale_block <- function(reading, block) {
  block$domain <- seen_factor(block, "domain", reading$domains)
  if (!is.null(reading$leave)) {
    kept <- !as.integer(block$domain) %in% reading$leave
    parts <- c("X", "y", "domain", "weights", "kept")
    block[parts] <- lapply(block[parts], take, kept)
  }
  block$X <- apply_scaling(block$X, reading$scaling, block$domain)
  if (!is.null(reading$classes)) {
    block$y <- seen_factor(block, "class", reading$classes)
  }
  if (!is.null(reading$through) && nrow(block$X)) block$X <- scores_of(reading$through, block)
  block
}

# A level that the survey did not see means that the rows have changed.
seen_factor <- function(block, what, seen) {
  values <- block[[c(domain = "domain", class = "y")[[what]]]]
  code <- match(levels(values), seen)[values]
  new <- is.na(code)
  if (!any(new)) return(structure(code, levels = seen, class = "factor"))
  abort_row(block$at, block$kept[new][1L],
            paste0("has another ", what, " than in the pass before, \"",
                   as.character(values[new][1L]),
                   "\": the rows must be the same in every pass"))
}

# The rows without some domains, given by number: their labels are not seen; scaling and embeddings,
# which need no labels, keep them.
leave_domains <- function(rows, domains) {
  survey <- rows$survey
  survey$n <- survey$n - sum(survey$sizes[domains])
  for (name in c("weights", "positive", "logs")) survey[[name]][domains] <- 0
  survey$response <- lapply(survey$response, function(values) {
    if (is.matrix(values)) values[domains, ] <- 0 else values[domains] <- 0
    values
  })
  kept <- !as.integer(rows$sample$domain) %in% domains
  parts <- c("X", "y", "domain", "weights")
  rows$sample[parts] <- lapply(rows$sample[parts], take, kept)
  rows$reading$leave <- domains
  if (!is.null(survey$classes)) {
    # a class that only those domains have is none
    table <- survey$response$classes
    classes <- intersect(survey$classes, colnames(table)[colSums(table) > 0])
    survey$classes <- rows$reading$classes <- classes
    rows$sample$y <- factor(rows$sample$y, classes)
  }
  rows$survey <- survey
  rows
}

#' @exportS3Method
pass.rows_source <- function(rows, work, label) {
  run_pass(rows$survey$source, number_walk(rows$reading$reader), reading_work(rows$reading, work),
           label)
}

# A function of its own, so that what goes to workers holds nothing else.
reading_work <- function(reading, work) {
  force(reading); force(work)
  pass_work(start = work$start, add = work$add, block = function(sums, numbers, at) {
    block <- scale_block(reading, c(numbers, list(at = at)))
    if (nrow(block$X) == 0L) sums else work$block(sums, block)
  })
}

# One pass for several views of one survey, each with its scaling. work$block(sums, blocks) gets the
# rows as each view sees them.
pass_views <- function(views, work, label) {
  readings <- lapply(views, `[[`, "reading")
  run_pass(views[[1L]]$survey$source, number_walk(readings[[1L]]$reader),
           views_work(readings, work), label)
}

views_work <- function(readings, work) {
  force(readings); force(work)
  pass_work(start = work$start, add = work$add, block = function(sums, numbers, at) {
    block <- c(numbers, list(at = at))
    if (nrow(block$X) == 0L) sums else work$block(sums, lapply(readings, scale_block, block))
  })
}

# The sample, whose domains are described by all rows: see domain_kernel_fit().
#' @exportS3Method
described_rows.rows_source <- function(rows) {
  sample <- rows$sample
  sample$described <- list(sizes = rows$survey$sizes,
                           means = function(map) described_means(map, rows))
  sample
}

# Means of features by domain, over all rows: [G x r].
described_means <- function(map, rows) {
  rows$reading["leave"] <- rows$reading["classes"] <- list(NULL)
  sums <- pass(rows, means_work(map, length(rows$survey$domains)), "embeddings")
  solved_means(map, sums)
}

means_work <- function(map, G) {
  force(map)
  pass_work(add = add_or_start, block = function(sums, block) {
    wanted <- list(cells = as.integer(block$domain), n_cells = G, second = FALSE)
    moments <- moments_of(unsolved(map), block[c("X", "domain")], NULL, wanted)
    add_or_start(sums, moments[c("sums", "counts")])
  })
}

add_or_start <- function(a, b) adding(add_moments)(a, b)

#' @exportS3Method
domain_sums.rows_source <- function(rows) {
  rows$survey[c("weights", "positive", "logs", "heaviest")]
}

#' @exportS3Method
rows_table.rows_source <- function(rows, space) {
  if (!uses_domain(space$domain_kernel)) return(NULL)
  domains <- rows$survey$domains
  domain_table(space, list(domain = factor(domains, domains), threads = space$threads,
                           coordinates = space$domain_kernel$coordinates))
}

# No row is kept.
#' @exportS3Method
fit_origin.rows_source <- function(rows, fitted, input) {
  survey <- rows$survey
  fitted$formula <- free_formula(survey$formula)
  fitted$rows <- list(kept = seq_len(0), padded = NULL, n = survey$n, sizes = survey$sizes,
                      weighted = survey$weighted)
  fitted$domain <- factor(survey$domains, survey$domains)
  fitted
}
