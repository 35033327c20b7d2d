# Tables with several values in a column. In folds they are a matrix; in a result each of its
# columns is one of the table, `prob.yes`, that can be named, selected and written to files.

by_column <- function(table) {
  several <- vapply(table, function(values) length(colnames(values)) > 0L, NA)
  if (!any(several)) return(table)
  columns <- Map(function(name, values) {
    if (!several[[name]]) return(table[name])
    `names<-`(as.data.frame(unclass(values)), paste0(name, ".", colnames(values)))
  }, names(table), table)
  structure(do.call(cbind, unname(columns)), class = c("dg_predictions", "data.frame"))
}

# The list of columns, those of a matrix together again.
with_matrices <- function(table) {
  columns <- unique(sub("^(decision|prob|set|survival)\\..*", "\\1", names(table)))
  sapply(columns, function(name) `$.dg_predictions`(table, name), simplify = FALSE)
}

#' @export
`$.dg_predictions` <- function(x, name) {
  value <- .subset2(x, name)
  of <- startsWith(names(x), paste0(name, "."))
  if (!is.null(value) || !any(of)) return(value)
  `colnames<-`(do.call(cbind, unclass(x)[of]), substring(names(x)[of], nchar(name) + 2L))
}
