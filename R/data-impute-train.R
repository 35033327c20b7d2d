# What is learned from the training rows for the place of missing values.

# rows: those that count; category: which places are categorical beside those that look it.
# list(columns, indicators, impute: what the blueprint remembers).
impute_training <- function(action, columns, places, rows, domain,
                            category = rep(FALSE, length(places$label))) {
  # what is wrong with all rows is told by the reader
  if (!any(rows)) return(list(columns = columns))
  own <- if (action$by == "domain") {
    domain <- read_domain(domain, length(rows), needed = TRUE)
    values_by_domain(columns, places, replace(domain, !rows, NA), category)
  }
  typical <- typical_values(columns, places, rows, category)
  empty <- is.na(typical$number) & is.na(typical$text)
  if (any(empty)) {
    abort("data", "No training row knows a value of ", enumerate(places$label[empty]),
          ", and none can be imputed: leave ", if (sum(empty) == 1L) "it" else "them", " out.")
  }
  gappy <- count_gaps(columns, places, rows) > 0L
  indicated <- if (action$indicators) which(gappy) else integer()
  impute <- list(by = action$by, places = places, category = category, typical = typical, own = own,
                 levels = lapply(which(category), function(k) {
                   sort(unique(value_at(columns, places, k)[rows]))
                 }), gappy = gappy, indicated = indicated,
                 columns = paste0(places$label[indicated], rep(".missing", length(indicated))))
  list(columns = fill_columns(impute, columns, domain, own),
       indicators = gap_indicators(impute, columns), impute = impute)
}

# Of the data of a formula; given: y, domain and weights that are known; names: of its variables.
impute_frame <- function(input, given, names, terms, wishes) {
  action <- as_imputation(input$na.action)
  data <- input$data
  parts <- input$parts
  if (is.null(action)) return(list(columns = data))
  names <- setdiff(intersect(names, names(data)), all.vars(parts$response))
  names <- names[vapply(data[names], is.atomic, NA)]
  names <- setdiff(names, id_names(wishes, data[names]))
  rows <- !Reduce(`|`, lapply(given, is.na), rep(FALSE, nrow(data)))
  if (!is.null(parts$response)) {
    response <- with_environment(call("~", parts$response), parts$bare)
    rows <- evaluate_terms(terms_of(response), data, rows & !missing_rows(data, all.vars(response)))
    rows <- rows$usable
  }
  places <- places_of(data, names)
  impute_training(action, data, places, rows, given$domain,
                  places$name %in% made_categories(terms, data, environment(parts$bare)))
}

# Numbers of which a term makes categories, each its own.
made_categories <- function(terms, data, env) {
  calls <- Filter(is.call, as.list(attr(terms, "variables"))[-1L])
  unlist(lapply(calls, function(call) {
    name <- intersect(all.vars(call), names(data))
    if (length(name) != 1L || !is_plain_number(data[[name]])) return(NULL)
    known <- data[!is.na(data[[name]]), , drop = FALSE]
    value <- on_error(suppressWarnings(eval(call, known, env)), function(e) NULL)
    if (is_category(value) && length(unique(value)) == length(unique(known[[name]]))) name
  }))
}

# An id that is missing is no other's.
id_names <- function(wishes, variables) {
  unlist(lapply(Filter(is.list, wishes), function(wish) {
    on_error(id_column(wish, variables)$name, function(e) NULL)
  }))
}

impute_matrix <- function(input, given, wishes) {
  action <- as_imputation(input$na.action)
  X <- input$x
  columns <- list(x = X)
  if (is.null(action)) return(list(columns = columns))
  rows <- !Reduce(`|`, lapply(given, is.na), rep(FALSE, nrow(X)))
  places <- places_of(columns, "x", colnames(X))
  ids <- places$label %in% id_names(wishes, if (!is.null(wishes)) as.data.frame(X, optional = TRUE))
  impute_training(action, columns, lapply(places, `[`, !ids), rows, given$domain)
}
