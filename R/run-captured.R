# What a function is: its code, and the values that it takes from where it was made. A value outside
# of R, as a connection's, is an error.

# seen: an environment that knows what was looked at, so that circles end.
function_value <- function(f, seen) {
  code <- deparse(utils::removeSource(f))
  if (is.primitive(f)) return(code)
  if (is.null(seen)) seen <- new.env()
  names <- setdiff(all.names(as.call(c(quote(f), unname(formals(f)), body(f))), unique = TRUE),
                   names(formals(f)))
  list(code, captured_values(names, environment(f), seen))
}

# In an order that no locale changes; none of what packages have, and of local variables.
captured_values <- function(names, where, seen) {
  found <- lapply(stats::setNames(nm = sort(names, method = "radix")), function(name) {
    while (!is_package(where) && !exists(name, where, inherits = FALSE)) {
      where <- parent.env(where)
    }
    if (is_package(where) || !first_seen(paste(format(where), name), seen)) return(NULL)
    # an argument that nobody gave has no value
    plain_value(on_error(list(get(name, where)), function(e) NULL), seen)
  })
  found[lengths(found) > 0L]
}

environment_value <- function(value, seen) {
  if (is_package(value) || identical(value, globalenv()) || !first_seen(format(value), seen)) {
    return(NULL)
  }
  captured_values(ls(value, all.names = TRUE, sorted = FALSE), value, seen)
}

first_seen <- function(id, seen) {
  if (!is.null(seen[[id]])) return(FALSE)
  assign(id, TRUE, seen)
  TRUE
}

is_package <- function(where) {
  isNamespace(where) || identical(where, emptyenv()) || identical(where, baseenv()) ||
    !is.null(attr(where, "name"))
}
