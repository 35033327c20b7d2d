# A finished fit gets a record, list(format, parts): the version of domgen's fits, and the class,
# type and size of each part. It is compared with the parts before each use: a model of another
# version, or one that was cut or lost a part, must not predict, nor recycle what is too short.
# Values are not recorded. Of objects of other packages, foreign(), only the outermost parts are: a
# forest has a hundred thousand parts, and environments change with use.

model_format <- 2L

# Call when all parts that predictions use exist.
seal <- function(object) {
  object$seal <- NULL
  object$seal <- list(format = model_format, parts = part_shapes(object)$shapes)
  object
}

# arg: the user's name for the object.
check_sealed <- function(object, arg = "object") {
  seal <- object$seal
  if (is.null(seal)) {
    abort("model", "`", arg, "` has no integrity record: it was fitted by an earlier version of ",
          "domgen, or was changed. Fit it again.")
  }
  if (!is.list(seal) || !identical(seal$format, model_format)) {
    abort("model", "`", arg, "` has format ", describe(if (is.list(seal)) seal[["format"]]),
          ", but this version of domgen reads format ", model_format, ". Fit it again.")
  }
  parts <- part_shapes(object)
  compare_parts(seal$parts, parts$shapes, arg)
  home <- attr(object[["blueprint"]][["terms"]], ".Environment")
  check_code(parts$code, home, columns_of(object), arg)
  invisible(object)
}

# Code that uses a model. A changed part of the same shape is only detected by its errors.
from_whole <- function(object, code, arg = "object") {
  check_sealed(object, arg)
  on_error(without_exponents(code), function(e) {
    if (inherits(e, "domgen_error") || is_out_of_memory(e)) stop(e)
    abort("model", "`", arg, "` is damaged (", conditionMessage(e), "). Use another copy, or fit ",
          "it again.")
  })
}

compare_parts <- function(sealed, present, arg) {
  damaged <- function(part, now, then) {
    abort("model", "`", arg, "` is damaged: `", part, "` is ", now, ", but was ", then,
          " in the fit. Use another copy, or fit it again.")
  }
  if (!is.character(sealed) || is.null(names(sealed))) damaged("seal", "cut", "whole")
  wrong <- which(sealed != present[names(sealed)] | is.na(match(names(sealed), names(present))))
  if (length(wrong)) {
    name <- names(sealed)[wrong[1L]]
    damaged(name, if (is.na(present[name])) "missing" else present[[name]], sealed[[wrong[1L]]])
  }
  # users may add elements next to the parts, not inside
  added <- setdiff(names(present), names(sealed))
  inside <- added[sub("[$[].*", "", added) %in% sub("[$[].*", "", names(sealed))]
  if (length(inside)) damaged(inside[1L], present[[inside[1L]]], "not there")
}

# list(shapes: kind and shape of all parts, and classes of these, a named vector; code: those that
# are code, by name). The class of the whole has been dispatched on.
part_shapes <- function(object) {
  parts <- part_shapes_(unclass(object), other_shape)
  parts$shapes <- parts$shapes[!duplicated(names(parts$shapes), fromLast = TRUE)]
  parts
}

# Names that new data must have, or have where they are looked for.
columns_of <- function(object) {
  blueprint <- object[["blueprint"]]
  formula <- object[["formula"]]
  c(names(blueprint[["prototype"]]), blueprint[["domain_columns"]],
    if (length(formula) > 2L) response_columns(formula[[2L]]))
}

# Names in a response are columns, unless they are of functions that the response hands on.
response_columns <- function(response) {
  names <- all.vars(response)
  setdiff(names, intersect(refused_names(), setdiff(names, operands(response))))
}

# Names on which nothing but arithmetic and the like is done.
operands <- function(expr) {
  if (is.name(expr)) return(as.character(expr))
  plain <- c("(", "+", "-", "*", "/", "^", "==", "!=", "<", ">", "<=", ">=", "!", "&", "|", "%in%",
             "I", "log", "log2", "log10", "log1p", "exp", "sqrt", "abs", "factor", "as.factor",
             "ordered", "cbind", "Surv")
  if (!is.call(expr) || !call_name(expr) %in% plain) return(character())
  unlist(lapply(as.list(expr)[-1L], operands))
}

# What stands in the record for an object of another package, or a model in the model.
other_shape <- function(value, path) {
  if (inherits(value, "foreign")) return(foreign_shape(value$object))
  # with its own record, which is checked
  check_sealed(unclass(value), path)
  "a model"
}

# An object of unknown structure.
foreign <- function(object) structure(list(object = object), class = "foreign")

foreign_shape <- function(object) {
  kinds <- if (typeof(object) != "list") typeof(object) else {
    parts <- unclass(object)
    size <- vapply(parts, function(part) {
      if (is.atomic(part) || typeof(part) == "list") paste0(" ", length(unclass(part))) else ""
    }, "")
    paste0(names(parts), " ", vapply(parts, typeof, ""), size)
  }
  paste0(dQuote(class(object)[1L], FALSE), " of ", paste(kinds, collapse = ", "))
}
