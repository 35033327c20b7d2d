# Calls every function of the C++ core as .ci/core-calls.R does, with each argument, and each
# element of a list, spoilt in many ways, which must be an error and never the end of R. Prints what
# was none.
recorded <- list()
sys.source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))),
                     "core-calls.R"), globalenv())

# What says how much there is, rather than having to be as long as something else.
free <- c(
  "^(feature_(apply|rows|columns)|neighbour_graph)_ X rows$",
  "^kernel_(diag|cross|apply|pivoted_cholesky)_ [XY] rows$",
  "^(kernel_gram|gp_factor|feature_pivots|neighbour_graph|kernel_pivoted_cholesky)_ [XY] columns$",
  "^median_distance_ X (rows|columns)$", "^ridge_conjugate_ U columns$",
  "(linear_svm_ Zt|variance_of_means_ Z|ridge_group_sums_ F) rows$",
  " (W|A|B|Y|F|codes|penalised|combine) columns$",
  " (data|moments)[$](response|domain|numerator|denominator) columns$",
  " terms[$].* rows$",
  " program[$](x[$]frequencies columns|(table|values) rows)$",
  "(lambda|ridges|which) (length|empty)$", "(path|separator|kernels) type$", "memory foreign$",
  # of rows that have reached no time
  "^cox_.*_ plan[$](until|since)[$](first|last|reached) zero$", "^cox_plan_ event zero$",
  # empty where sums of the kernel are solved later
  "^feature_(apply|rows|columns|moments|group_moments)_ program[$]factor empty$",
  # sums and shapes of any values
  "^(md5_|part_shapes_ object|odd_code_)"
)

# Codes are not looked at where a map has no domains, and rows where their features are given.
is_ignored <- function(args, k) {
  program <- args$program
  map <- isTRUE(program$type %in% c("landmarks", "fourier", "given"))
  is.null(args[[k]]) || names(args)[k] == "X" && identical(program$type, "given") ||
    names(args)[k] == "domain" && map && is.null(program$kappa) && is.null(program$offset)
}

spoilt <- function(value) {
  if (is.environment(value) || typeof(value) == "externalptr") {
    return(list(type = 1, empty = NULL, foreign = new.env()))
  }
  if (is.function(value)) return(list(type = 1, empty = NULL))
  ways <- list(type = "a", function_ = sum)
  if (is.list(value)) return(c(ways, list(missing = NA)))
  if (is.raw(value)) return(ways)
  ways$missing <- value[NA_integer_]
  ways$empty <- value[0L]
  if (is.matrix(value)) {
    return(c(ways, list(rows = value[-nrow(value), , drop = FALSE],
                        columns = value[, -ncol(value), drop = FALSE],
                        flat = as.vector(value)[-1L])))
  }
  first <- function(x) replace(value, 1L, x)
  if (length(value) > 1L) ways <- c(ways, list(length = value[-1L], first_missing = first(NA)))
  if (is.integer(value) && length(value) > 1L) {
    ways <- c(ways, list(zero = first(0L), far = first(.Machine$integer.max), below = first(-7L)))
  }
  if (is.integer(value) && length(value) == 1L) ways$below <- -7
  if (is.character(value)) ways$long <- c(value, value)
  ways
}

# Every way to spoil a part of `value`, as list(what, value).
variants <- function(value, what) {
  own <- spoilt(value)
  found <- Map(function(bad, way) list(what = paste(what, way), value = bad), own, names(own))
  if (is.list(value)) {
    names <- if (is.null(names(value))) seq_along(value) else names(value)
    for (i in seq_along(value)) if (!is.null(value[[i]])) {
      inner <- variants(value[[i]], paste0(what, "$", names[i]))
      found <- c(found, lapply(inner, function(v) {
        whole <- value
        whole[i] <- list(v$value)
        list(what = v$what, value = whole)
      }))
    }
  }
  found
}

calls <- 0L
passed <- character()
for (name in exports) for (args in recorded[[name]]) for (k in seq_along(args)) {
  if (is_ignored(args, k)) next
  for (v in variants(args[[k]], paste(name, names(args)[k]))) {
    bad <- args
    bad[k] <- list(v$value)
    if (Sys.getenv("DOMGEN_TRACE") != "") cat(v$what, "\n")
    calls <- calls + 1L
    ended <- tryCatch({
      do.call(core[[name]], unname(bad))
      "value"
    }, error = function(e) "error")
    if (ended == "value") passed <- c(passed, v$what)
  }
}
passed <- passed[!grepl(paste(free, collapse = "|"), passed)]
if (length(passed) > 0L) cat("no error:", unique(passed), sep = "\n")
cat(calls, "spoilt calls\n")
