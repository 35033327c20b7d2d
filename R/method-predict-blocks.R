# The last pass of predict() over rows that are read in chunks: each partition is predicted block by
# block, where the user's plan says, and its predictions go to a sink.

# The finished partitions: list of list(notes, ...), in order.
write_pass <- function(source, work) {
  ctx <- source$ctx
  next_pass(ctx, "predictions")
  n <- length(source$partitions)
  seeds <- draw_seeds(n)
  bar <- pass_line(ctx, "predictions", 0)
  on.exit(bar$done())
  workers <- worker_count()
  # a transaction stays in its session: what goes there is sent by the workers
  sink <- work$sink
  sent <- workers > 1L && inherits(sink, "sink_table")
  if (sent) work$sink <- memory_sink()
  finished <- list()
  take <- function(k, parts) {
    finished <<- c(finished, if (sent) lapply(parts, write_blocks, sink) else parts)
  }
  while (length(finished) < n) {
    runs <- next_runs(length(finished), n, workers)
    pieces <- lapply(runs, function(run) {
      list(partitions = source$partitions[run], numbers = run, rows = source$block_size,
           seeds = seeds[run], expected = ctx$counts[run], work = work)
    })
    if (workers > 1L) map_again(pieces, predict_run, take)
    else take(1L, predict_run(pieces[[1L]], bar))
    if (workers > 1L) bar$advance(sum(ctx$counts[unlist(runs)]))
  }
  finished
}

# A finished partition whose blocks are still to be written.
write_blocks <- function(part, sink) {
  write <- sink_part(sink)$write
  for (block in part$blocks) write(block)
  part["notes"]
}

predict_run <- function(piece, bar = NULL) {
  lapply(seq_along(piece$partitions), function(k) {
    with_seed(piece$seeds[k], predict_partition(piece, k, bar))
  })
}

check_same_connection <- function(sink, source) {
  same <- vapply(source$partitions, function(p) {
    !is.null(p$connection) && !is.function(p$connection) &&
      identical(p$connection, sink$partition$connection)
  }, NA)
  if (any(same)) {
    abort("argument", "`to` must have a connection of its own: rows are written while others are ",
          "read. Give a function that makes one.")
  }
}

predict_partition <- function(piece, k, bar) {
  partition <- piece$partitions[[k]]
  label <- partition$label
  at_place <- function(first, code) writing(piece$work$sink, label, first, code)
  part <- at_place(1, sink_part(piece$work$sink, piece$numbers[k]))
  on.exit(part$close())
  notes <- part$notes
  if (!part$finished) {
    n <- 0
    walk_blocks(partition, piece$work$prototype, piece$rows, function(data, first) {
      n <<- n + nrow(data)
      if (n > part$done) {
        found <- block_columns(piece$work, data, list(label = label, first = first))
        notes <<- add_notes(notes, found$notes)
        at_place(first, part$write(found$columns, n, notes))
      }
      if (!is.null(bar)) bar$advance(nrow(data))
      TRUE
    })
    check_same_rows(label, n, piece$expected[k])
  } else if (!is.null(bar)) bar$advance(piece$expected[k])
  at_place(1, part$finish(notes))
}

# Where in the source it was when something could not be written, and what is left of it.
writing <- function(sink, label, first, code) {
  tryCatch(code, domgen_error_write = function(e) {
    abort("write", row_label(label, first), " on: ", conditionMessage(e), " ", sink$left)
  })
}

# list(columns: of a file, or for the sink in memory what predict() gives; notes).
block_columns <- function(work, data, at) {
  said <- list()
  check_imputed(work, data, at)
  values <- withCallingHandlers(at_rows(at, nrow(data), function(i) {
    predict_block(work$model, data[i, , drop = FALSE], work$of, work$asked)
  }), domgen_warning = function(w) {
    said[[length(said) + 1L]] <<- list(class = class(w)[1L], text = conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  lost <- sum(is.na(prediction_columns(values, work$asked$type)[[1L]]))
  list(columns = if (work$written) written_columns(work, data, at, values) else values,
       notes = list(rows = nrow(data), lost = lost, said = name_notes(said, at)))
}

# A domain that a reference for imputation lacks.
check_imputed <- function(work, data, at) {
  known <- work$model$blueprint$impute$known
  if (is.null(known)) return(invisible())
  domains <- row_domains(work, data)
  new <- !is.na(domains) & !domains %in% names(known)
  if (any(new)) {
    abort_row(at, new, paste0("is of the domain \"", domains[new][1L],
                              "\", which `reference` does not have"))
  }
}

row_domains <- function(work, data) {
  as.character(new_domain(work$model$blueprint, data, work$of$domain, nrow(data), FALSE, "newdata",
                          NA))
}

# A row of a file: where it stands, what is copied, and its prediction.
written_columns <- function(work, data, at, values) {
  n <- nrow(data)
  beside <- list(partition = rep(at$label, n), row = at$first - 1 + seq_len(n))
  if (work$shown) beside$domain <- row_domains(work, data)
  beside <- c(beside, as.list(data)[work$keep])
  columns <- prediction_columns(values, work$asked$type)
  stats::setNames(c(beside, columns), make.unique(c(names(beside), names(columns))))
}

# What predict() gives, as named columns.
prediction_columns <- function(values, type) {
  if (is.data.frame(values)) {
    names(values)[1L] <- "prediction"
    return(as.list(values))
  }
  if (is.list(values)) {
    return(c(prediction_columns(values$fit, type), list(se = unname(values$se.fit))))
  }
  if (!is.matrix(values)) {
    name <- if (type %in% c("decision", "similarity")) type else "prediction"
    return(stats::setNames(list(unname(values)), name))
  }
  stats::setNames(lapply(seq_len(ncol(values)), function(j) unname(values[, j])),
                  paste0(if (type == "survival") "survival_", colnames(values)))
}

# In the form that predict() gives for all rows at once.
join_predictions <- function(blocks) {
  if (length(blocks) == 0L) return(numeric())
  first <- blocks[[1L]]
  if (is.data.frame(first)) return(do.call(rbind, blocks))
  if (is.list(first)) {
    for (name in c("fit", "se.fit")) first[[name]] <- join_predictions(lapply(blocks, `[[`, name))
    return(first)
  }
  if (is.matrix(first)) return(do.call(rbind, blocks))
  if (!is.factor(first)) return(unlist(blocks))
  codes <- unlist(lapply(blocks, as.integer))
  structure(codes, levels = levels(first), class = class(first))
}

# ---- warnings, given once ----------------------------------------------------------------------

# One for each class, and of new levels for each predictor: where it came first, and how often.
name_notes <- function(said, at) {
  said <- Filter(function(s) s$class != "domgen_warning_missing", said)
  keys <- vapply(said, function(s) {
    paste(s$class, if (s$class == "domgen_warning_new_level") sub("` has .*", "", s$text))
  }, "")
  said <- lapply(said, c, list(place = row_label(at$label, at$first), blocks = 1))
  stats::setNames(said, keys)[!duplicated(keys)]
}

add_notes <- function(a, b) {
  if (is.null(a)) return(b)
  if (is.null(b)) return(a)
  said <- a$said
  for (key in names(b$said)) {
    if (is.null(said[[key]])) said[[key]] <- b$said[[key]]
    else said[[key]]$blocks <- said[[key]]$blocks + b$said[[key]]$blocks
  }
  list(rows = a$rows + b$rows, lost = a$lost + b$lost, said = said)
}

report_notes <- function(finished, object) {
  notes <- Reduce(add_notes, lapply(finished, `[[`, "notes"))
  if (is.null(notes)) return(invisible())
  if (notes$lost > 0) {
    one <- notes$lost == 1
    warn("missing", plural(notes$lost, "row"), " of ", in_full(notes$rows),
         if (one) " has" else " have", " missing values: the prediction is NA",
         if (describes_domain(object)) {
           paste0(", and ", if (one) "its domain is described by its" else
             "their domains are described by their", " other rows")
         }, ".")
  }
  for (said in notes$said) {
    again <- said$blocks - 1
    warn(sub("^domgen_warning_", "", said$class), said$text, " (chunk from ", said$place, " on",
         if (again > 0) paste0("; also in ", plural(again, "further chunk")), ")")
  }
}
