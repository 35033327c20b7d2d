# Are these the call and the rows of which something was kept? A call goes on only if that is sure.

# Sets ctx$key, which no other call has: where rows cannot be recognised in another session (a
# database in memory) nothing is kept beyond this one, and its key is new.
recognise <- function(ctx, source, what) {
  keys <- lapply(source$partitions, partition_key)
  lost <- which(vapply(keys, is.null, NA))
  labels <- vapply(source$partitions, `[[`, "", "label")
  version <- as.character(utils::packageVersion("domgen"))
  key <- if (length(lost) == 0L) {
    on_error(fingerprint(list(version, labels, keys, source$levels, what)), function(e) {
      if (inherits(e, "domgen_error")) stop(e)
    })
  }
  if (is.null(key)) {
    if (!is.null(source$store)) {
      warn("store", "`store` is not used: ", if (length(lost)) paste0("`", labels[lost[1L]], "`")
           else "the call", " cannot be recognised in another session, as databases in memory, ",
           "drivers other than SQLite and PostgreSQL, and functions with connections cannot.")
    }
    if (is.null(ctx$memory$token)) ctx$memory$token <- fresh_token()
    key <- ctx$memory$token
    ctx$folder <- NULL
  }
  # by dg_resume()
  if (!is.null(ctx$memory$key) && ctx$memory$key != key) {
    abort("data", "The rows, or what the call was given, have changed since it was interrupted; ",
          "start it anew by calling it again.")
  }
  ctx$memory$key <- ctx$key <- key
}

# A text that was not there before; the user's random numbers stay as they are.
fresh_token <- function() {
  now <- format(as.numeric(Sys.time()), digits = 20)
  substr(fingerprint(list(now, Sys.getpid(), tempfile())), 1L, 12L)
}

# Are the partitions what they were when the call began, also where it was interrupted?
check_same_partitions <- function(source) {
  memory <- source$ctx$memory
  states <- vapply(source$partitions, partition_state, "")
  if (is.null(memory$states)) memory$states <- states
  changed <- which(!states %in% memory$states)
  if (length(changed)) {
    abort("data", "`", source$partitions[[changed[1L]]]$label, "` has changed since the call ",
          "began; start the call anew.")
  }
}
