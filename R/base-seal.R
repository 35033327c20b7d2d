# What a fit consists of is written down when it is finished, and looked at before it is used: a
# model that was cut, or lost a part, on its way through a file must not predict in silence, nor
# hand C++ a matrix of another shape than it expects. The seal is
#   list(format, parts): the version of this record, and for each part its class, kind and shape.
# Finite numbers in the place of finite numbers are not noticed. Of what another package or a user's
# function made, foreign(), only the outermost parts are written down: a forest has a hundred
# thousand of them, and environments change as they are used.

model_format <- 1L

# To be called when all that predictions use is there.
seal <- function(object) {
  object$seal <- NULL
  object$seal <- list(format = model_format, parts = part_shapes(object))
  object
}

# arg: what the user calls the object.
check_sealed <- function(object, arg = "object") {
  known <- object$seal
  if (is.null(known)) {
    abort("model", "`", arg, "` has no record of its parts: it was fitted by an earlier version ",
          "of domgen, or was changed; fit it again.")
  }
  if (!is.list(known) || !identical(known$format, model_format)) {
    abort("model", "`", arg, "` has format ", describe(known[["format"]]), ", and this version of ",
          "domgen reads ", model_format, "; fit it again.")
  }
  compare_parts(known$parts, part_shapes(object), arg)
  invisible(object)
}

# What is said of a model. That a part is another of the same shape is seen where it is used.
from_whole <- function(object, code, arg = "object") {
  check_sealed(object, arg)
  on_error(plain_numbers(code), function(e) {
    if (inherits(e, "domgen_error")) stop(e)
    abort("model", "`", arg, "` is damaged (", conditionMessage(e), "); use another copy, or fit ",
          "it again.")
  })
}

compare_parts <- function(known, found, arg) {
  damaged <- function(part, now, then) {
    abort("model", "`", arg, "` is damaged: `", part, "` is ", now, ", and was ", then,
          " when it was fitted; use another copy, or fit it again.")
  }
  if (!is.character(known) || is.null(names(known))) damaged("seal", "cut", "whole")
  wrong <- which(known != found[names(known)] | is.na(match(names(known), names(found))))
  if (length(wrong)) {
    name <- names(known)[wrong[1L]]
    damaged(name, if (is.na(found[name])) "missing" else found[[name]], known[[wrong[1L]]])
  }
  # what users add of their own stands beside the parts, not inside
  added <- setdiff(names(found), names(known))
  inside <- added[sub("[$[].*", "", added) %in% sub("[$[].*", "", names(known))]
  if (length(inside)) damaged(inside[1L], found[[inside[1L]]], "not there")
}

# Kind and shape of all parts, a named vector. A part with a seal of its own answers for itself.
part_shapes <- function(object) {
  found <- list()
  walk <- function(value, path) {
    # what the parts mean; that of the whole has found the way here
    kind <- attr(value, "class")
    if (path != "" && !is.null(kind)) {
      found[[paste0("class(", path, ")")]] <<- paste(kind, collapse = ", ")
    }
    if (!is.list(value) || length(value) == 0L) {
      found[[path]] <<- if (!endsWith(path, "$threads")) part_shape(value)
                        # their number is the user's to change, within reason
                        else if (is_number(value) && value >= 1 && value <= most_threads)
                          "a number of threads" else paste0("not a number from 1 to ", most_threads)
      return(invisible())
    }
    if ("foreign" %in% kind) {
      found[[path]] <<- foreign_shape(value$object)
      return(invisible())
    }
    value <- unclass(value)
    if (path != "" && !is.null(value$seal)) {
      check_sealed(value, path)
      found[[path]] <<- "a model"
      return(invisible())
    }
    names <- names(value)
    if (is.null(names)) names <- rep("", length(value))
    for (i in seq_along(value)) {
      if (path == "" && names[i] == "seal") next
      walk(value[[i]], paste0(path, if (path != "" && names[i] != "") "$",
                              if (names[i] == "") paste0("[[", i, "]]") else names[i]))
    }
  }
  walk(object, "")
  unlist(found)
}

part_shape <- function(value) {
  size <- if (is.null(dim(value))) length(value) else paste(dim(value), collapse = " x ")
  shape <- paste0(typeof(value), " (", size, ")")
  if (!is.atomic(value) || length(value) == 0L) return(shape)
  # a class may have rules of its own for what follows
  value <- unclass(value)
  # the sum is finite where all are, and takes no memory
  gaps <- if (is.double(value) && is.finite(sum(value))) 0
          else c(sum(is.na(value)), if (is.double(value)) sum(is.infinite(value)))
  paste0(shape,
         if (is.integer(value) && gaps == 0L) paste0(" of ", min(value), " to ", max(value)),
         if (any(gaps > 0L)) paste0(", ", paste(gaps, c("missing", "infinite")[seq_along(gaps)],
                                                collapse = ", ")))
}

# An object of which nothing is known.
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
