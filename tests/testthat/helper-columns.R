# Columns of many classes, each with what it says put in by hand: plain numbers, text or NA. In a
# role the fit to a column is the fit to that, or an error of ours that names the column and its
# class; where there is nothing plain, it is that error.

# A kind: list(make: positive whole numbers and which of them are missing to a column; plain: the
# same by hand, NULL where there is nothing; package).
column_kind <- function(make, plain = NULL, package = NULL) {
  list(make = make, plain = plain, package = package)
}

with_gaps <- function(v, gone) replace(as.double(v), gone, NA)

coded_values <- function(v, gone, code) replace(as.double(v), gone, code)

of_class <- function(class, ...) function(v, gone) structure(with_gaps(v, gone), class = class, ...)

as_text <- function(v, gone) replace(paste0("t", v), gone, NA)

# As bit64 keeps them: the upper half of a missing one has the first bit alone.
bits64 <- function(v, gone, high = 0) {
  high <- rep(high, length(v))
  low <- as.integer(v)
  low[gone] <- 0L
  high[gone] <- NA
  bytes <- writeBin(as.integer(rbind(low, high)), raw(), endian = "little")
  structure(readBin(bytes, "double", length(v), endian = "little"), class = "integer64")
}

spss <- function(v, gone, ...) {
  structure(coded_values(v, gone, 9999), ...,
            class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "double"))
}

methods::setClass("domgen_minutes", contains = "numeric",
                  representation(minute = "numeric"), where = globalenv())
methods::setClass("domgen_words", contains = "character", where = globalenv())

column_kinds <- function() {
  days <- function(v, gone) as.Date("2020-01-01") + with_gaps(v, gone)
  seconds <- function(v, gone) as.POSIXct("2020-01-01", tz = "UTC") + with_gaps(v, gone)
  in_zoo <- function(v, gone) zoo::zoo(with_gaps(v, gone), seq_along(v))
  list(
    double = column_kind(with_gaps, with_gaps),
    integer = column_kind(function(v, gone) replace(as.integer(v), gone, NA), with_gaps),
    protected = column_kind(function(v, gone) I(with_gaps(v, gone)), with_gaps),
    "array of one dimension" = column_kind(function(v, gone) array(with_gaps(v, gone)), with_gaps),
    counted = column_kind(of_class("table"), with_gaps),
    "with a label" = column_kind(of_class(c("labelled", "numeric"), label = "size"), with_gaps),
    series = column_kind(function(v, gone) stats::ts(with_gaps(v, gone)), with_gaps),
    hexadecimal = column_kind(function(v, gone) {
      structure(replace(as.integer(v), gone, NA), class = "hexmode")
    }, with_gaps),
    octal = column_kind(function(v, gone) {
      structure(replace(as.integer(v), gone, NA), class = "octmode")
    }, with_gaps),
    logical = column_kind(function(v, gone) replace(v %% 2 == 0, gone, NA),
                          function(v, gone) replace(v %% 2 == 0, gone, NA)),
    text = column_kind(as_text, as_text),
    noquote = column_kind(function(v, gone) noquote(as_text(v, gone)), as_text),
    factor = column_kind(function(v, gone) factor(as_text(v, gone)), as_text),
    "level NA" = column_kind(function(v, gone) addNA(factor(as_text(v, gone))), as_text),
    "factor with a label" = column_kind(function(v, gone) {
      f <- factor(as_text(v, gone))
      structure(f, class = c("labelled", "factor"))
    }, as_text),
    ordered = column_kind(function(v, gone) factor(as_text(v, gone), ordered = TRUE),
                          function(v, gone) factor(as_text(v, gone), ordered = TRUE)),
    Date = column_kind(days, days),
    IDate = column_kind(function(v, gone) {
      structure(as.integer(days(v, gone)), class = c("IDate", "Date"))
    }, days),
    POSIXct = column_kind(seconds, seconds),
    POSIXlt = column_kind(function(v, gone) as.POSIXlt(seconds(v, gone)), seconds),
    difftime = column_kind(function(v, gone) as.difftime(with_gaps(v, gone), units = "hours"),
                           function(v, gone) as.difftime(with_gaps(v, gone), units = "hours")),
    hms = column_kind(function(v, gone) {
      structure(with_gaps(v, gone), units = "secs", class = c("hms", "difftime"))
    }, function(v, gone) as.difftime(with_gaps(v, gone), units = "secs")),
    units = column_kind(function(v, gone) units::set_units(with_gaps(v, gone), "m"), with_gaps,
                        "units"),
    integer64 = column_kind(bits64, with_gaps, "bit64"),
    "large integer64" = column_kind(function(v, gone) bits64(v, gone, 2^23),
                                    function(v, gone) {
                                      replace(paste0("36028797018963", 968 + v), gone, NA)
                                    }, "bit64"),
    labelled = column_kind(of_class(c("haven_labelled", "vctrs_vctr", "double"),
                                    labels = c(small = 1)), with_gaps),
    "labelled whole" = column_kind(function(v, gone) {
      structure(replace(as.integer(v), gone, NA), labels = c(small = 1L),
                class = c("haven_labelled", "vctrs_vctr", "integer"))
    }, with_gaps),
    "labelled text" = column_kind(function(v, gone) {
      structure(as_text(v, gone), class = c("haven_labelled", "vctrs_vctr", "character"))
    }, as_text),
    "missing codes" = column_kind(function(v, gone) spss(v, gone, na_values = 9999), with_gaps),
    "range of missing codes" = column_kind(function(v, gone) {
      spss(v, gone, na_range = c(9000, Inf))
    }, with_gaps),
    "missing text" = column_kind(function(v, gone) {
      structure(replace(paste0("t", v), gone, "none"), na_values = "none",
                class = c("haven_labelled_spss", "haven_labelled", "vctrs_vctr", "character"))
    }, as_text),
    "haven's own" = column_kind(function(v, gone) {
      haven::labelled_spss(coded_values(v, gone, 9999), c(refused = 9999), na_values = 9999)
    }, with_gaps, "haven"),
    "tagged NA" = column_kind(function(v, gone) {
      value <- with_gaps(v, gone)
      value[gone] <- haven::tagged_na("a")
      haven::labelled(value)
    }, with_gaps, "haven"),
    # ---- of which nothing plain is known ----
    Period = column_kind(function(v, gone) lubridate::hours(v), NULL, "lubridate"),
    Duration = column_kind(function(v, gone) lubridate::dhours(v), NULL, "lubridate"),
    Interval = column_kind(function(v, gone) {
      lubridate::interval(seconds(v, gone), seconds(v + 1, gone))
    }, NULL, "lubridate"),
    zoo = column_kind(in_zoo, NULL, "zoo"),
    xts = column_kind(function(v, gone) {
      xts::xts(with_gaps(v, gone), as.Date("2020-01-01") + seq_along(v))
    }, NULL, "xts"),
    yearmon = column_kind(of_class("yearmon")), yearqtr = column_kind(of_class("yearqtr")),
    "own numbers" = column_kind(of_class("millions")),
    "own is.na()" = column_kind(function(v, gone) {
      structure(coded_values(v, gone, 9999), class = "coded_by_domgen")
    }),
    "own factor" = column_kind(function(v, gone) {
      structure(factor(as_text(v, gone)), class = c("severity", "factor"))
    }),
    "own date" = column_kind(function(v, gone) structure(days(v, gone), class = c("fiscal", "Date"))),
    "own matrix" = column_kind(function(v, gone) {
      structure(cbind(with_gaps(v, gone), 1), class = c("pairs", "matrix"))
    }),
    "of S4" = column_kind(function(v, gone) {
      methods::new("domgen_minutes", rep(0, length(v)), minute = v)
    }),
    "text of S4" = column_kind(function(v, gone) methods::new("domgen_words", as_text(v, gone))),
    roman = column_kind(function(v, gone) utils::as.roman(with_gaps(v, gone))),
    version = column_kind(function(v, gone) numeric_version(v)),
    vctr = column_kind(of_class(c("percent", "vctrs_vctr", "double"))),
    record = column_kind(function(v, gone) {
      vctrs::new_rcrd(list(a = v, b = rev(v)), class = "pair_record")
    }, NULL, "vctrs"),
    list = column_kind(function(v, gone) as.list(v)),
    "protected list" = column_kind(function(v, gone) I(as.list(v))),
    frame = column_kind(function(v, gone) data.frame(a = v, b = v)),
    complex = column_kind(function(v, gone) with_gaps(v, gone) + 0i,
                          function(v, gone) replace(paste0(v, " + 0i"), gone, NA)),
    raw = column_kind(function(v, gone) as.raw(v %% 256)),
    clock = column_kind(of_class("ITime")), bytes = column_kind(of_class(c("fs_bytes", "numeric")))
  )
}

# Rows of a world, of whole numbers that a column of a kind takes the place of.
column_world <- function(seed) {
  with_seed(seed, {
    n <- 60L
    d <- data.frame(site = rep(1:6, each = 10L), x = sample(30L, n, TRUE),
                    z = stats::rnorm(n), w = sample(5L, n, TRUE), u = rep(1:12, each = 5L))
    d$y <- 10L + d$x + sample(9L, n, TRUE)
    d
  })
}

# Roles of a column, by its name in the world; where they are tried; and what they are.
column_roles <- list(
  predictor = "x", inside = "x", new = "x", offset = "w", response = "y", domain = "site",
  weights = "w", unit = "u", labels = "y", reference = "x", time = "w", matrix = "x"
)

storages_of <- function(role) {
  stored <- c("frame", "environment", "source", "rds")
  switch(role, unit = , labels = , reference = , time = , matrix = "frame",
         response = , domain = , weights = c(stored, "vectors"), new = c("frame", "source", "rds"),
         stored)
}

# A data frame of d and a column with this value, of which no function of R is asked to understand
# the class.
with_value <- function(d, name, value) {
  columns <- unclass(d)
  columns[[name]] <- value
  attributes(columns) <- list(names = names(columns), class = "data.frame",
                              row.names = seq_len(nrow(d)))
  columns
}

# What a fit says of the rows of d, one of whose columns is of a kind; plain: the same without it. A
# row where the column is missing is left out of the fit, and has no prediction where it is a
# predictor.
fit_in_role <- function(role, d, plain, storage, na.action) {
  env <- list2env(list(plain = plain, na.action = na.action), parent = globalenv())
  if (storage == "environment") list2env(unclass(d), envir = env)
  rows <- switch(storage, frame = , vectors = d, source = row_source(d, block_size = 17), rds = {
    file <- tempfile(fileext = ".rds")
    saveRDS(d, file)
    row_source(file)
  })
  formula <- switch(role, inside = y ~ log(x) + z | site, offset = y ~ z + offset(w) | site,
                    y ~ x + z | site)
  environment(formula) <- env
  if (storage == "vectors") {
    given <- list(x = as.matrix(plain[c("x", "z")]), y = plain$y, domain = plain$site, lambda = 1)
    given[[if (role == "response") "y" else role]] <- d[[column_roles[[role]]]]
    return(values_of_model(do.call(dg_ridge, given), given$x, domain = plain$site))
  }
  ridge <- function(data, ...) dg_ridge(formula, data = data, lambda = 1, ...)
  switch(role,
    predictor = , inside = {
      values_of_model(dg_lm(formula, data = rows, na.action = na.action), d)
    },
    new = predict(dg_lm(formula, data = plain), rows),
    offset = values_of_model(dg_glm(formula, data = rows, family = "gaussian", lambda = 1,
                                    kernel = kernel_linear()), d),
    response = values_of_model(ridge(rows, domain_kernel = domain_pooled()), plain),
    domain = values_of_model(ridge(rows), d),
    weights = values_of_model(eval(call("dg_lm", formula, data = rows, weights = quote(w)), env),
                              plain),
    unit = {
      set.seed(1)
      dg_mmd(as.matrix(plain["z"]), plain$site, unit = d$u, permutations = 9)$p
    },
    labels = predict(dg_adapt(ridge(plain), transform(plain, site = 9), d$y, lambda = 1)),
    reference = predict(ridge(plain, scale = "domain"), plain, reference = d),
    time = domain_folds(plain$site, time = d$w, periods = 2)$period,
    matrix = dg_ridge(d$x, plain$y, plain$site, lambda = 1)$decision)
}

values_of_model <- function(model, newdata, ...) {
  predict(model, newdata, type = if (model$response$kind == "class") "decision" else "response",
          ...)
}

# "right", or what is wrong.
column_outcome <- function(kind, role, storage = "frame", na.action = stats::na.omit, seed = 1) {
  plain <- column_world(seed)
  name <- column_roles[[role]]
  v <- as.integer(plain[[name]])
  if (role == "response" || role == "labels") v <- 1L + v %% 3L
  if (role == "labels") plain$y <- v
  gone <- if (role %in% c("unit", "time", "matrix")) integer() else c(3L, 25L)
  value <- kind$make(v, gone)
  run <- function(column) {
    tryCatch(suppressMessages(suppressWarnings(
      fit_in_role(role, with_value(plain, name, column), plain, storage, na.action)
    )), error = identity)
  }
  found <- run(value)
  if (inherits(found, "error")) {
    if (!inherits(found, "domgen_error")) return(paste("R error:", conditionMessage(found)))
    said <- conditionMessage(found)
    called <- switch(role, unit = , labels = , time = role, matrix = "x",
                     if (storage == "vectors" && role != "response") role else name)
    named <- grepl(paste0("`([^`]*[^a-z`])?", called, "[^a-z]*`"), said)
    class <- class(value)[1L]
    if (named && (grepl(class, said, fixed = TRUE) || grepl("2^53", said, fixed = TRUE))) {
      return("refused")
    }
    # a class that is understood is another type than that of training
    if (role %in% c("new", "reference") && named && !is.null(kind$plain)) return("refused")
    if (is.null(kind$plain)) return(paste("does not name column and class:", said))
  } else if (is.null(kind$plain)) return("taken")
  right <- run(kind$plain(v, gone))
  if (inherits(right, "error")) {
    return(if (inherits(found, "error")) "refused" else "taken, and its values are refused")
  }
  if (inherits(found, "error")) return(paste("refused:", conditionMessage(found)))
  if (isTRUE(all.equal(found, right, tolerance = 1e-10))) "right" else "other values"
}
