# Representations of rows that come in blocks, and sums of their features.

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
  if (!judges_rows(domain_kernel) || !is.null(describing_map(domain_kernel))) return(invisible())
  abort("argument", "`domain_kernel` must describe a domain by sums over its rows, as ",
        "`domain_distribution()` does; ", format(domain_kernel), " does not.")
}

# Means of features by domain, over all rows: [G x r].
described_means <- function(map, stage) {
  G <- length(stage$survey$domains)
  stage$rows["leave"] <- stage$rows["classes"] <- list(NULL)
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

add_or_start <- function(a, b) adding(add_moments)(a, b)

# The table of all domains of the source, see domain_table().
source_table <- function(product, stage) {
  if (!uses_domain(product$domain_kernel)) return(NULL)
  domains <- stage$survey$domains
  rows <- list(domain = factor(domains, domains), threads = product$threads,
               coordinates = product$domain_kernel$coordinates)
  domain_table(product, rows)
}

# Sums of products of features by groups of domains, over all rows: see representation-groups.R.
# group: of each domain, a function of the product and the number of domains.
stage_groups <- function(product, stage, response, costs, group = group_domains) {
  task <- groups_task(product, stage, response, costs, group)
  task$join(stage_pass(stage, task$work, "features"))
}

# list(work: for a pass, join: what makes sums by groups of its result)
groups_task <- function(product, stage, response, costs, group) {
  G <- length(stage$survey$domains)
  by_domain <- sums_by_domain(product, G)
  group <- if (by_domain) seq_len(G) else group(product, G)
  space <- summed_space(product, by_domain)
  table <- source_table(product, stage)
  list(work = group_work(space, if (!by_domain) table, group, target_count(response) + 1L,
                         targets_of(response), costs),
       join = function(sums) new_group_sums(sums, space, group, if (by_domain) table))
}
