# Which rows a fit was made of: a model that looks for its data again must find these, and not what
# has their name there.

# list(n: how many rows, sums: a checksum of the columns of `data` that the model uses, or of the
# matrix, and of each vector that was given beside them). input: see read_input().
row_origin <- function(input, blueprint) {
  columns <- if (is.null(input$parts)) list(input$x)
             else input$data[origin_columns(input, blueprint)]
  given <- given_vectors(input)
  if (!is.null(input$parts$domain)) given$domain <- NULL
  list(n = input_rows(input), sums = vapply(c(list(data = as.list(columns)), given), digest_of, ""))
}

# The columns of `data` that the model uses.
origin_columns <- function(input, blueprint) {
  intersect(c(variables_of(input$parts$response), names(blueprint$prototype),
              blueprint$domain_columns), names(input$data))
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
    if (is_bare_number(part)) md5_numbers_(part) else digest_of(part)
  }, ""))
}

# What differs, as text; NULL where nothing does. sums: the names of the checksums to compare.
origin_difference <- function(then, now, sums = names(then$sums)) {
  if (then$n != now$n) {
    return(paste0("they have ", plural(now$n, "row"), ", and had ", then$n))
  }
  other <- sums[!(then$sums[sums] == now$sums[sums]) %in% TRUE]
  if (length(other) == 0L) return(NULL)
  if ("data" %in% other) "their values are others" else paste0("`", other[1L], "` has other values")
}

# The rows in which two columns differ: by value, as for digest_of(). Numbers that went through a
# file of text may differ by rounding.
differing_rows <- function(one, other) {
  if (length(dim(one)) == 2L || length(dim(other)) == 2L) {
    both <- lapply(list(one, other), function(x) as.list(as.data.frame(unclass(x))))
    if (length(both[[1L]]) != length(both[[2L]])) return(seq_len(NROW(one)))
    return(sort(unique(unlist(Map(differing_rows, both[[1L]], both[[2L]])))))
  }
  number <- function(x) is_bare_number(x) || is.logical(x)
  same <- if (number(one) && number(other)) {
    one == other | abs(one - other) <= 1e-12 * abs(one)
  } else labels_if_any(one) == labels_if_any(other)
  which(!(same | is.na(one) & is.na(other)) %in% TRUE)
}

# NA for what no labels can be made of.
labels_if_any <- function(column) {
  none <- rep(NA_character_, NROW(column))
  if (length(dim(column)) == 2L) none else on_error(value_labels(column), function(e) none)
}
