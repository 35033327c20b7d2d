# A model that describes domains by their rows may get one row of a domain, or far fewer than
# training had: it then predicts for a domain that does not exist. Means, deviations, embeddings and
# imputed values come from the same rows, so a call gives one warning for all of them, where the
# rows come in: read_new() for frames, describe_domains() for sources and references.

# Are domains described by the rows that come with them? Members scale their rows themselves, parts
# of a pipeline do not.
described_by_rows <- function(object) {
  blueprint <- object$blueprint
  asks_moments(blueprint$scaling) ||
    imputes_by_domain(blueprint) && is.null(blueprint$impute$known) || embeds_rows(object) ||
    any(vapply(object$members, described_by_rows, NA))
}

embeds_rows <- function(object) {
  needs_domain_rows(object$space$domain_kernel) ||
    any(vapply(Filter(Negate(is.null), object[c("projection", "learner")]), embeds_rows, NA))
}

# sizes: by domain, how many rows describe it.
warn_few_rows <- function(object, sizes) {
  usual <- usual_size(object)
  few <- which(sizes == 1L & usual > 1L | sizes < usual / 5 & sizes < enough_rows)
  if (length(few) == 0L) return(invisible())
  names <- names(sizes)[few]
  one <- length(few) == 1L
  single <- all(sizes[few] == 1L)
  counts <- if (single) "" else paste0(" (", vapply(sizes[few], plural, "", "row"), ")")
  warn("small_domain", if (one) "A domain is" else "Domains are", " described by ",
       if (single) "a single row" else "few rows", if (single && !one) " each",
       if (is.finite(usual)) paste0(" (in training most have ", in_full(usual), " or more)"), ": ",
       enumerate(paste0("\"", names, "\"", counts), quote = ""), ".")
}

# The mean of this many rows is near enough to the domain's, however large training domains are.
enough_rows <- 20L

# Three of four training domains have at least this many rows (a few may have hardly any); Inf where
# the model does not know.
usual_size <- function(object) {
  sizes <- object$rows$sizes
  if (is.null(sizes) && is.factor(object$domain)) sizes <- tabulate(object$domain)
  sizes <- sizes[sizes > 0]
  if (length(sizes) == 0L) return(Inf)
  stats::quantile(sizes, 0.25, type = 1L, names = FALSE)
}

# Of new rows with these domains, a factor; reference: see scale_new().
describing_sizes <- function(object, domain, reference) {
  sizes <- sizes_by_domain(domain)
  if (identical(reference, "training")) sizes <- sizes[!names(sizes) %in% levels(object$domain)]
  if (!is.list(reference)) return(sizes)
  described <- sizes_by_domain(reference$domain)
  at <- match(names(sizes), names(described))
  replace(sizes, which(!is.na(at)), described[at[!is.na(at)]])
}

sizes_by_domain <- function(domain) {
  domain <- factor(domain)
  stats::setNames(tabulate(domain, nlevels(domain)), levels(domain))
}

# From the answers to questions about rows, see method-known-domains.R.
answered_sizes <- function(answer) {
  if (is.null(answer$rows)) {
    return(stats::setNames(c(answer[["counts"]], answer[["count"]]), answer$domains))
  }
  sizes_by_domain(unlist(lapply(answer$rows, `[[`, "domain")))
}

# The advice to a user of predict(), whose argument the predict() of other packages lacks. env:
# where it was called.
advising <- function(code, env) {
  package <- calling_package(env)
  if (identical(package, "domgen")) return(code)
  withCallingHandlers(code, domgen_warning_small_domain = function(w) {
    warn("small_domain", conditionMessage(w), " More unlabelled rows of the domain, as ",
         if (is.null(package)) "`reference =` of predict() or once by set_reference()"
         else "`data` of set_reference()",
         ", describe it better.")
    invokeRestart("muffleWarning")
  })
}

# The package of whose function it is the call, or NULL: R's own lapply() and the like do what users
# say.
calling_package <- function(env) {
  frames <- sys.frames()
  while (!isNamespace(env) && !identical(env, globalenv()) && !identical(env, emptyenv())) {
    at <- which(vapply(frames, identical, NA, env))
    home <- if (length(at)) environment(sys.function(at[1L]))
    # of a method of R6
    if (!is.null(home$self)) home <- parent.env(home)
    name <- if (isNamespace(home)) environmentName(home) else "base"
    if (!name %in% c("base", "stats", "utils")) return(name)
    env <- parent.env(env)
  }
  NULL
}
