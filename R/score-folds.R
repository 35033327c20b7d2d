#' Folds of whole domains
#'
#' @description
#' `domain_folds()` assigns whole domains to folds: held-out domains are new. `row_folds()` assigns
#' the rows of each domain to folds: held-out rows are of *known* domains (as in the experiments of
#' the MTL paper, section 8.1), and their scores do not estimate those on new domains.
#'
#' With `time`, `domain_folds()` holds out rows as a model is used: in a later period, at new
#' domains, or both. No training row is in a later period than a held-out row.
#'
#' @param domain Vector: the domain of each row.
#' @param folds Number of folds, assigned at random (use [set.seed()]). `domain_folds()`: at most
#'   the number of domains; default `NULL`: one domain per fold. `row_folds()`: at most the number
#'   of rows of the largest domain; default 5.
#' @param repeats Number of assignments; scores are means over them. Default 1.
#' @param balance Balance of folds: `"size"` (similar numbers of rows), `"class"` (similar numbers
#'   of rows of each class of `y`) or `"none"` (the default). Domains are assigned from the largest
#'   to the smallest, each to the fold that is then most even.
#' @param y Vector: the class of each row, for `balance = "class"`.
#' @param time Vector: the time of each row, as numbers (such as years), dates (`Date`), date-times
#'   (`POSIXct`) or an ordered factor. Default `NULL`: folds without time.
#' @param periods Number of periods, at least 2, with similar numbers of rows. Rows of the same time
#'   are in the same period. Default 5. If `time` has fewer different values, each of them is a
#'   period, with a message.
#' @param cuts Times at which a new period begins, in place of `periods`; of the same class as
#'   `time`. Rows of that very time are in the new period. One cut gives two periods, before and
#'   after. Default `NULL`.
#' @param new What is new about held-out rows: `"both"` (domain and time; the default), `"time"` or
#'   `"domain"`; see below.
#' @param ... Must be empty.
#' @return `domain_folds()`: an integer vector of class `domgen_folds`, the fold of each domain,
#'   named by the domains; with `repeats` a matrix, domains x repeats. `row_folds()`: an integer
#'   vector of class `domgen_row_folds`, the fold of each row, or a matrix, rows x repeats. With
#'   `time`, a list of class `domgen_time_folds`: `period` (integer) and `domain` (factor) of each
#'   row; `periods`, a data frame with a row per period: `period`, `from`, `to` (the first and last
#'   time in it), `rows`, and `held_out`, the number of rows held out (in the first repeat); `folds`
#'   of the domains as without `time` (`NULL` for `new = "time"`); and `new`.
#' @section Folds with time:
#' Rows are cut into periods 1, 2, ... by `time`. For each period p, and each fold k of the domains:
#'
#' | `new` | held-out rows | training rows | a score estimates |
#' |---|---|---|---|
#' | `"both"` | of fold k in period p | of the other folds before p | a new domain, later |
#' | `"time"` | of known domains in p | of all domains before p | a known domain, later |
#' | `"domain"` | of fold k in period p | of the other folds up to and with p | a new domain, now |
#'
#' * With `"both"` and `"time"` all training rows are strictly earlier than all held-out rows. With
#'   `"domain"` no training row is in a later period; within the period, rows of other domains may
#'   be later by less than its length.
#' * Rows without a training row are not held out: with `"both"` and `"time"` those of the first
#'   period.
#' * With `"time"` a domain is known if it has a row in an earlier period. Rows of its first period
#'   are not held out; a domain with rows in one period only is never held out, but is trained on
#'   later. All domains are held out together, so `folds`, `repeats` and `balance` cannot be given.
#' * Training sets grow from period to period, so there are (number of held-out periods) x
#'   `folds` fits
#'   on about half of the rows.
#' * A [domain kernel][domain_distribution] describes a held-out domain by its rows of the period
#'   alone. Missing values that are left out by `na.action` later do not change the periods.
#'
#' `folds` of [dg_cv()], [dg_tune()] and [dg_compare()] can have time, [as_rsample()] converts them;
#' [dg_cv()] also gives scores by period and their trend, see [nested_domains]. `domain` must
#' be the domains that are held out, of the same rows; with several factors one of them (`hold_out`
#' of [dg_cv()]), by the names in its result. Searches inside of folds, [dg_auto()],
#' [dg_importance()], `shots` and a [row_source()] do not take them.
#' @section Errors:
#' Fewer than two domains, more folds than domains (or than rows of the largest domain), and missing
#' values. With `time`: missing or infinite times (remove these rows first), the same time in all
#' rows, text and unordered factors, `cuts` outside of the times, and folds in which no row has a
#' training row.
#' @seealso [dg_cv()], [as_rsample()]
#' @examples
#' domain_folds(c("a", "a", "b", "c"))
#' set.seed(1)
#' domain_folds(nlme::MathAchieve$School, folds = 5, balance = "size")
#' row_folds(iris$Species, folds = 3)
#'
#' # new chicks at a later age than those of training; known chicks at a later age
#' domain_folds(ChickWeight$Chick, folds = 5, time = ChickWeight$Time)
#' later <- domain_folds(ChickWeight$Chick, time = ChickWeight$Time, cuts = c(8, 16), new = "time")
#' dg_cv(dg_lm(), weight ~ Time + Diet | Chick, data = ChickWeight, folds = later)
#' @export
domain_folds <- function(domain, folds = NULL, repeats = 1, balance = c("none", "size", "class"),
                         y = NULL, time = NULL, periods = 5, cuts = NULL,
                         new = c("both", "time", "domain"), ...) {
  enter_session()
  check_no_dots(list(...), names(formals(domain_folds)))
  if (is.null(time) && !(missing(periods) && is.null(cuts) && missing(new))) {
    abort("argument", "`time` must be given with `periods`, `cuts` or `new`.")
  }
  domain <- check_fold_domain(domain)
  if (!is.null(time)) {
    if (!is.null(cuts) && !missing(periods)) {
      abort("argument", "`periods` must not be given with `cuts`.")
    }
    return(time_folds(domain, folds, repeats, balance, y, time, periods, cuts, new))
  }
  folds_of_domains(domain, folds, repeats, balance, y)
}

folds_of_domains <- function(domain, v, repeats, balance, y) {
  repeats <- check_count(repeats, "repeats", at_most = most_repeats)
  balance <- check_choice(balance, "balance", c("none", "size", "class"))
  counts <- if (balance != "none") fold_counts(domain, balance, y)
  folds <- vapply(seq_len(repeats), function(r) assign_folds(levels(domain), v, counts),
                  integer(nlevels(domain)))
  if (repeats == 1) folds <- drop(folds) else colnames(folds) <- paste0("repeat", seq_len(repeats))
  structure(folds, class = "domgen_folds")
}

#' @rdname domain_folds
#' @export
row_folds <- function(domain, folds = 5, repeats = 1, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(row_folds)))
  domain <- check_fold_domain(domain)
  repeats <- check_count(repeats, "repeats", at_most = most_repeats)
  v <- check_count(folds, "folds", at_least = 2L)
  largest <- max(tabulate(domain))
  if (v > largest) {
    abort("argument", "`folds` must be at most the number of rows of the largest domain (", largest,
          "), not ", v, ".")
  }
  # a random start, so that the small domains do not all fill the first folds
  deal <- function(n) rep_len(sample.int(v), n)[sample.int(n)]
  folds <- vapply(seq_len(repeats), function(r) {
    unsplit(lapply(tabulate(domain, nlevels(domain)), deal), domain)
  }, integer(length(domain)))
  structure(if (repeats == 1) drop(folds) else folds, class = "domgen_row_folds")
}

most_repeats <- 10000L

check_fold_domain <- function(domain) {
  check_given(domain, "domain")
  given <- domain
  domain <- read_groups(given, NROW(given), "domain")
  if (length(domain) < 2L) {
    abort("argument", "`domain` must be the domain of each row, not ", describe(given), ". For ",
          "the number of folds use `folds`.")
  }
  if (anyNA(domain)) {
    abort("data", "`domain` must not have missing values; found ", sum(is.na(domain)), ".")
  }
  domain
}

# Rows of each domain and class, [domains x classes]; one class for "size".
fold_counts <- function(domain, balance, y) {
  if (balance == "size") return(matrix(tabulate(domain)))
  if (is.null(y)) abort("argument", "`y` must be given with `balance = \"class\"`.")
  y <- read_vector(y, length(domain), "y")
  if (is.numeric(y) && length(unique(y)) > 20L) {
    abort("argument", "`y` must be classes with `balance = \"class\"`, not ", describe(y), ".")
  }
  unclass(table(domain, factor(y, exclude = NULL)))
}

assign_folds <- function(levels, v, counts = NULL) {
  n <- length(levels)
  if (n < 2L) abort("data", "Holding out domains needs at least 2 domains, not ", n, ".")
  fold <- if (is.null(v)) seq_along(levels) else {
    v <- check_count(v, "folds", at_least = 2L)
    if (v > n) {
      abort("argument", "`folds` must be at most the number of domains (", n, "), not ", v, ".")
    }
    if (is.null(counts)) sample(rep_len(seq_len(v), n)) else even_folds(counts, v)
  }
  structure(stats::setNames(as.integer(fold), levels), class = "domgen_folds")
}

# From the largest domain on, each goes where the sum of squared shares grows least.
even_folds <- function(counts, v) {
  share <- sweep(counts, 2L, pmax(colSums(counts), 1), "/")
  order <- order(-rowSums(counts), stats::runif(nrow(counts)))
  fold <- integer(nrow(counts))
  filled <- matrix(0, v, ncol(counts))
  for (step in seq_along(order)) {
    g <- order[step]
    empty <- which(rowSums(filled) == 0)
    # no fold may stay empty
    open <- if (length(empty) >= length(order) - step + 1L) empty else seq_len(v)
    growth <- vapply(open, function(k) sum((2 * filled[k, ] + share[g, ]) * share[g, ]), 0)
    fold[g] <- open[which.min(growth)]
    filled[fold[g], ] <- filled[fold[g], ] + share[g, ]
  }
  fold
}

#' @export
print.domgen_folds <- function(x, ...) {
  cat_line(folds_words(x, "domain"))
  cat_numbers(unclass(x))
  invisible(x)
}

#' @export
print.domgen_row_folds <- function(x, ...) {
  cat_line(folds_words(x, "row"), " within domains: scores are for known domains")
  invisible(x)
}

folds_words <- function(x, what) {
  table <- as.matrix(unclass(x))
  paste0(plural(nrow(table), what), " in ", plural(length(unique(table[, 1L])), "fold"),
         if (ncol(table) > 1L) paste(",", ncol(table), "times"))
}
