# Which rows a fit was made of: a model that looks for its data again must find these, and not what
# has their name there.

# list(n: how many rows, sums: a checksum of the columns of `data` that the model uses, or of `x`,
# and of each vector that was given beside them). input: as read_sample() takes it.
row_origin <- function(input, blueprint) {
  rows <- origin_columns(input, blueprint)
  given <- Filter(Negate(is.null), input[c("y", "domain", "weights", "unit")])
  list(n = max(0L, vapply(rows, NROW, 0L)),
       sums = vapply(c(list(data = rows), given), digest_of, ""))
}

origin_columns <- function(input, blueprint) {
  x <- input$x
  if (is.data.frame(x)) return(as.list(x)[names(blueprint$prototype)])
  if (!inherits(x, "formula")) return(list(x))
  response <- all.vars(split_formula(x)$response)
  names <- unique(c(response, names(blueprint$prototype), blueprint$domain_columns))
  found <- stats::setNames(as.list(input$data)[names], names)
  beside <- setdiff(names, names(input$data))
  env <- if (is.null(environment(x))) globalenv() else environment(x)
  found[beside] <- lapply(beside, get0, envir = env)
  found
}

# How the values are stored makes no difference, nor what their rows are called: integers are
# numbers, factors are text.
digest_of <- function(value) {
  if (inherits(value, "POSIXlt")) value <- as.POSIXct(value)
  if (inherits(value, "difftime")) value <- as.double(value, units = "secs")
  if (is.factor(value)) value <- as.character(value)
  value <- unclass(value)
  if (is.character(value)) return(md5_texts_(enc2utf8(value)))
  if (is.raw(value)) value <- as.integer(value)
  if (is.numeric(value) || is.logical(value)) return(md5_numbers_(value))
  if (is.complex(value)) value <- list(Re(value), Im(value))
  md5_texts_(if (is.list(value)) vapply(value, digest_part, "") else typeof(value))
}

# Of thousands of columns most are plain numbers.
digest_part <- function(value) {
  if (is_plain_number(value)) md5_numbers_(value) else digest_of(value)
}

# What differs, as text; NULL where nothing does. sums: the names of the checksums to compare.
origin_difference <- function(known, found, sums = names(known$sums)) {
  if (known$n != found$n) {
    return(paste0("they have ", plural(found$n, "row"), ", and had ", known$n))
  }
  other <- sums[!(known$sums[sums] == found$sums[sums]) %in% TRUE]
  if (length(other) == 0L) return(NULL)
  if ("data" %in% other) "their values are others" else paste0("`", other[1L], "` has other values")
}
