# Which rows a fit was made of: a model that looks for its data again must find these, and not what
# has their name there.

# list(n: how many rows, sums: a checksum of the columns of `data` that the model uses, or of the
# matrix, and of each vector that was given beside them). input: see read_input().
row_origin <- function(input, blueprint) {
  parts <- input$parts
  rows <- if (is.null(parts)) list(input$x) else input$data[intersect(
    c(variables_of(parts$response), names(blueprint$prototype), blueprint$domain_columns),
    names(input$data)
  )]
  given <- given_vectors(input)
  if (!is.null(parts$domain)) given$domain <- NULL
  list(n = input_rows(input), sums = vapply(c(list(data = as.list(rows)), given), digest_of, ""))
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
  if (!is.list(value)) return(md5_texts_(typeof(value)))
  # of thousands of columns most are plain numbers
  md5_texts_(vapply(value, function(part) {
    if (is_plain_number(part)) md5_numbers_(part) else digest_of(part)
  }, ""))
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
