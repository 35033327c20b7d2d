# The last pass of predict() over rows that are read in chunks: blocks are predicted where the
# user's plan says, and written by this session, in their order.

# Writes all blocks and gives the notes on them. to: an open writer, see run-write.R.
write_pass <- function(source, work, to) {
  ctx <- source$ctx
  next_pass(ctx, "predictions")
  n <- length(source$blocks)
  seeds <- draw_seeds(n)
  bar <- pass_line(ctx, "predictions", 0)
  on.exit(bar$done())
  workers <- worker_count()
  done <- 0L
  notes <- NULL
  take <- function(k, results) {
    for (one in results) {
      done <<- done + 1L
      to$write(one$columns, done)
      notes <<- add_notes(notes, one$notes)
      bar$advance(ctx$counts[done])
    }
  }
  while (done < n) {
    runs <- if (workers == 1L) list(done + 1L) else next_runs(done, n, workers)
    pieces <- lapply(runs, function(run) {
      list(blocks = source$blocks[run], seeds = seeds[run], work = work)
    })
    if (workers > 1L) map_again(pieces, predict_run, take)
    else take(1L, predict_run(pieces[[1L]]))
  }
  notes
}

predict_run <- function(piece) {
  Map(function(block, seed) {
    with_seed(seed, walk_block(block, piece$work$prototype, function(data, first) {
      block_columns(piece$work, data, list(label = block$label, first = first))
    }))
  }, piece$blocks, piece$seeds)
}

# list(columns: of a file, or in memory what predict() gives; notes).
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
  described <- work$model$blueprint$impute$known
  if (is.null(described)) return(invisible())
  domains <- row_domains(work, data)
  new <- !is.na(domains) & !domains %in% names(described)
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

# One for each class of warning (new levels: for each predictor): where it came first, how often.
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

report_notes <- function(notes, object) {
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
