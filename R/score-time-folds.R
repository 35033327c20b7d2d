# Folds with time: rows are cut into periods, and no row is trained on that is in a later period
# than those held out. See "Folds with time" of domain_folds().

# list(period [rows], domain [rows], periods, folds, new), class domgen_time_folds.
time_folds <- function(domain, v, repeats, balance, y, time, periods, cuts, new) {
  new <- check_choice(new, "new", c("both", "time", "domain"))
  alone <- new == "time"
  if (alone && !(is.null(v) && identical(as.numeric(repeats), 1) &&
                   check_choice(balance, "balance", c("none", "size", "class")) == "none")) {
    abort("argument", "`folds`, `repeats` and `balance` must not be given with `new = \"time\"`: ",
          "all domains are held out together in each period.")
  }
  time <- base_column(time)
  z <- read_times(time, length(domain))
  at <- sort(unique(z))
  if (length(at) < 2L) {
    abort("data", "`time` must have at least 2 different values, not the same in all rows.")
  }
  place <- match(z, at)
  of_time <- if (is.null(cuts)) even_periods(tabulate(place), periods)
             else cut_periods(at, read_cuts(cuts, time), cuts)
  period <- of_time[place]
  first <- match(at[!duplicated(of_time)], z)
  last <- match(at[!duplicated(of_time, fromLast = TRUE)], z)
  made <- structure(list(
    period = period, domain = domain,
    periods = data.frame(period = seq_along(first), from = time[first], to = time[last],
                         rows = tabulate(period)),
    folds = if (!alone) folds_of_domains(domain, v, repeats, balance, y), new = new
  ), class = "domgen_time_folds")
  splits <- fold_splits(made, list(domain = domain, row = seq_along(domain)))
  made$periods$held_out <- held_by_period(splits, nrow(made$periods))
  made
}

# Times as numbers in the same order.
read_times <- function(time, n) {
  fine <- is_understood(time) && (is_understood(time, "offset") ||
                                   inherits(time, c("Date", "POSIXct", "ordered")))
  if (!fine || length(dim(time))) {
    abort("argument", "`time` must be numbers, dates, date-times or an ordered factor, not ",
          describe(time), if (is.factor(time)) {
            ". If its levels are numbers, use `as.numeric(as.character(time))`"
          }, ".")
  }
  if (length(time) != n) {
    abort("data", "`time` must have one entry per row (", n, "), not ", length(time), ".")
  }
  z <- as.double(xtfrm(time))
  lost <- sum(!is.finite(z))
  if (lost) {
    abort("data", "`time` must not have missing or infinite values; found ", lost, ". Remove ",
          "these rows first, here and from the data.")
  }
  z
}

read_cuts <- function(cuts, time) {
  cuts <- base_column(cuts)
  alike <- if (is.numeric(time)) is.numeric(cuts) else if (is.factor(time)) {
    as.character(cuts) %in% levels(time)
  } else inherits(cuts, intersect(class(time), c("Date", "POSIXct")))
  if (length(cuts) == 0L || !all(alike) || anyNA(cuts)) {
    abort("argument", "`cuts` must be times like those of `time`, ",
          if (is.factor(time)) "levels of the factor" else if (is.numeric(time)) "numbers"
          else paste("of class", dQuote(class(time)[1L], FALSE)), ", not ", describe(cuts), ".")
  }
  if (is.factor(time)) match(as.character(cuts), levels(time)) else as.double(xtfrm(cuts))
}

# counts: rows of each time, in order. The period of each time: ends are where the rows so far are
# nearest to equal parts, and each period has a time.
even_periods <- function(counts, periods) {
  periods <- check_count(periods, "periods", at_least = 2L)
  times <- length(counts)
  if (times < periods) {
    inform("periods", "`time` has ", times, " different values: ", times, " periods, not ",
           periods, ".")
    periods <- times
  }
  so_far <- cumsum(as.numeric(counts))
  last <- integer(periods)
  for (p in seq_len(periods)) {
    open <- seq.int(if (p == 1L) 1L else last[p - 1L] + 1L, times - periods + p)
    last[p] <- open[which.min(abs(so_far[open] - so_far[times] * p / periods))]
  }
  rep(seq_len(periods), diff(c(0L, last)))
}

# given: cuts as in the call, for messages.
cut_periods <- function(at, cuts, given) {
  cuts <- sort(unique(cuts))
  of_time <- findInterval(at, cuts)
  period <- match(of_time, unique(of_time))
  if (max(period) < 2L) {
    abort("argument", "`cuts` must lie between the first and the last time: all rows are on the ",
          "same side of ", enumerate(time_words(given), quote = ""), ".")
  }
  if (max(period) <= length(cuts)) {
    inform("periods", "Between some `cuts` there are no rows: ", max(period), " periods, not ",
           length(cuts) + 1L, ".")
  }
  period
}

#' @exportS3Method
read_folds.domgen_time_folds <- function(folds, task) {
  if (!is.null(task$crossed)) {
    abort("argument", "`folds` must not have time if several factors are held out. Name one of ",
          "them as `hold_out`.")
  }
  if (length(folds$period) != task$n) {
    abort("argument", "`folds` with time must be made from the same rows: they have ",
          plural(length(folds$period), "row"), ", not ", task$n, ".")
  }
  given <- as.character(folds$domain)[task$row]
  held <- as.character(task$domain)
  if (!identical(given, held)) {
    first <- which(given != held)[1L]
    abort("argument", "`folds` with time must be made from the same rows and the domains that are ",
          "held out: row ", task$row[first], " is of domain \"", given[first], "\" in the folds ",
          "and of \"", held[first], "\" here.")
  }
  folds
}

#' @exportS3Method
fold_splits.domgen_time_folds <- function(folds, task) {
  period <- folds$period[task$row]
  domain <- as.character(task$domain)
  # one fold of all domains if time alone is new
  fold <- if (is.null(folds$folds)) matrix(1L, length(domain), 1L) else {
    table <- as.matrix(unclass(folds$folds))
    unname(table[match(domain, rownames(table)), , drop = FALSE])
  }
  made <- lapply(seq_len(ncol(fold)), function(r) {
    splits <- list()
    for (p in sort(unique(period))) {
      before <- if (folds$new == "domain") period <= p else period < p
      if (!any(before)) next
      for (k in sort(unique(fold[, r]))) {
        split <- if (folds$new == "time") {
          list(train = which(before), held = which(period == p & domain %in% domain[before]))
        } else {
          list(train = which(before & fold[, r] != k, useNames = FALSE),
               held = which(period == p & fold[, r] == k, useNames = FALSE))
        }
        if (length(split$train) == 0L || length(split$held) == 0L) next
        splits <- c(splits, list(c(split, list(fold = length(splits) + 1L, rep = r, period = p,
                                               part = k, new = folds$new))))
      }
    }
    splits
  })
  made <- do.call(c, made)
  if (length(made) == 0L) {
    abort("data", "No row can be held out: ", if (folds$new == "time") {
      "every domain has rows in one period only. Use `new = \"both\"` for new domains."
    } else "none has a training row in an earlier period.")
  }
  made
}

# Rows that are held out in the first repeat.
held_by_period <- function(splits, periods) {
  first <- Filter(function(split) split$rep == splits[[1L]]$rep, splits)
  at <- factor(vapply(first, `[[`, 0L, "period"), seq_len(periods))
  vapply(split(lengths(lapply(first, `[[`, "held")), at), sum, 0L, USE.NAMES = FALSE)
}

time_fold_words <- c(both = "new domains in a later period",
                     time = "known domains in a later period",
                     domain = "new domains in the period of the last training rows")

#' @export
print.domgen_time_folds <- function(x, ...) {
  held <- sum(x$periods$held_out)
  cat_line("Folds with time: ", time_fold_words[[x$new]], " are held out")
  cat_line(plural(length(x$period), "row"), " of ", plural(nlevels(x$domain), "domain"), " in ",
           plural(nrow(x$periods), "period"), if (!is.null(x$folds)) {
             paste0("; ", folds_words(x$folds, "domain"))
           })
  cat_line("")
  table <- x$periods
  text <- if (!is.numeric(table$from)) c("from", "to")
  table[text] <- lapply(table[text], time_words)
  names(table)[names(table) == "held_out"] <- "held out"
  cat_table(table, text = c(text, ""))
  cat_line("")
  cat_line("Training rows: ", switch(x$new, both = "of other folds, from earlier periods.",
                                     time = "of all domains, from earlier periods.",
                                     domain = "of other folds, up to and with the period."),
           if (held < length(x$period)) {
             paste0(" ", plural(length(x$period) - held, "row"), " without one, never held out.")
           })
  invisible(x)
}

# Numbers with as few digits as tell them apart.
time_words <- function(time) {
  if (!is.numeric(time) || inherits(time, c("Date", "POSIXct"))) {
    return(trimws(without_exponents(format(time))))
  }
  for (digits in 4:15) {
    text <- trimws(without_exponents(format(time, digits = digits)))
    if (length(unique(text)) == length(unique(time))) break
  }
  text
}
