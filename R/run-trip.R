# A call that goes over a source several times: it draws one seed, so that it does the same again
# when it is repeated after an interrupt or a crash, and keeps what is finished.

# session$trip, an environment: memory, an environment of what is finished; folder: where it is kept
# beyond the session, or NULL; key: of the call and its rows, or NULL where nobody asks; passes: how
# many there were; part: what passes are kept under in a call of several parts, one of which may
# fail at any pass; counts: rows of the partitions.

# what: list of all that decides about the call's numbers; code: a function, whose random numbers
# all come from the seed; asked: is a key needed? A call inside a call is part of it. hold(): takes
# the place where results are written before anything is kept there, as in sink_hold(); again when
# the call is resumed.
over_source <- function(source, what, code, folder = source$store, asked = !is.null(folder),
                        hold = function() NULL) {
  if (!is.null(session$trip)) return(while_held(hold, code))
  memory <- new.env(parent = emptyenv())
  resumable(function() while_held(hold, function() {
    trip <- list2env(list(memory = memory, folder = folder, passes = 0L))
    if (asked) recognise(trip, source, what)
    session$trip <- trip
    on.exit(session$trip <- NULL)
    seed <- kept("seed", draw_seeds(1L))
    value <- with_seed(seed, {
      trip$counts <- count_rows(source)
      code()
    })
    forget(trip)
    value
  }), memory)
}

while_held <- function(hold, code) {
  let_go <- NULL
  on.exit(if (!is.null(let_go)) let_go())
  suspendInterrupts(let_go <- hold())
  code()
}

# Numbers of rows, so that a pass knows how far it is, and of each row which one it is.
count_rows <- function(source) {
  kept("counts", {
    unlist(if (worker_count() > 1L) count_by_workers(source$partitions)
           else lapply(source$partitions, partition_count))
  })
}

# As many pieces as there are workers.
count_by_workers <- function(partitions) {
  runs <- split(partitions, sort(rep_len(seq_len(worker_count()), length(partitions))))
  map_again(lapply(unname(runs), function(run) list(partitions = run)), count_partitions)
}

count_partitions <- function(piece) vapply(piece$partitions, partition_count, numeric(1))

next_pass <- function(trip, label) {
  trip$passes <- trip$passes + 1L
  # what an interrupt says of them
  key <- paste0(trip$part, sprintf("pass %d, %s", trip$passes, label))
  trip$memory$pass <- key
  key
}

# Is it the first time in this call on a source that this is said?
first_in_trip <- function(what) {
  trip <- session$trip
  if (what %in% trip$said) return(FALSE)
  if (!is.null(trip)) trip$said <- c(trip$said, what)
  TRUE
}

# The value of an expression, or the one that was kept before the call was interrupted.
kept <- function(name, code) {
  trip <- session$trip
  found <- trip$memory[[name]]
  if (!is.null(found)) return(found[[1L]])
  file <- kept_file(trip, name)
  if (!is.null(file) && file.exists(file)) {
    found <- on_error(suppressWarnings(readRDS(file)), function(e) NULL)
    if (is.list(found) && identical(found$name, name)) {
      trip$memory[[name]] <- found["value"]
      return(found$value)
    }
    # the same call in another session may have ended and removed it
    if (file.exists(file)) abort("data", "`store` has a damaged file, `", file, "`; remove it.")
  }
  force(code)
  keep(name, code)
  code
}

keep <- function(name, value) {
  trip <- session$trip
  trip$memory[[name]] <- list(value)
  file <- kept_file(trip, name)
  if (is.null(file)) return(invisible())
  if (!dir.exists(trip$folder)) suppressWarnings(dir.create(trip$folder, recursive = TRUE))
  if (!dir.exists(trip$folder)) {
    abort("write", "The folder `", trip$folder, "` cannot be made; finished sums would be kept ",
          "there.")
  }
  content <- list(name = name, value = value)
  # the same call may run twice at once, of which one that ends removes the files of both
  if (save_whole(content, file) || save_whole(content, file)) return(invisible())
  abort("write", "`store` cannot be written: `", file, "`. Is the disk full?")
}

kept_file <- function(trip, name) {
  if (is.null(trip$folder)) return(NULL)
  file.path(trip$folder, paste0("domgen-", trip$key, "-", gsub("[^a-z0-9]+", "-", name), ".rds"))
}

# What was kept is of no use to a call that has ended.
forget <- function(trip) {
  if (is.null(trip$folder)) return(invisible())
  remove_files(list.files(trip$folder, paste0("^domgen-", trip$key, "-"), full.names = TRUE))
}

# The same text for the same value in any session: of functions their code and the values that they
# take from where they were made, of other environments nothing. Made in memory, of a million values
# at a time: a file would be that of a full disk, too.
fingerprint <- function(value) {
  sum <- ""
  add <- function(part) sum <<- md5_(sum, serialize(part, NULL, version = 2L))
  walk <- function(plain) {
    add(c(typeof(plain), length(plain), names(plain)))
    if (is.list(plain)) for (part in plain) walk(part)
    else for (k in seq_len(ceiling(length(plain) / 1e6))) {
      add(plain[seq(1e6 * (k - 1) + 1, min(1e6 * k, length(plain)))])
    }
  }
  walk(plain_value(value))
  sum
}

# seen: what functions have taken from where they were made, run-captured.R; NULL outside of them.
plain_value <- function(value, seen = NULL) {
  if (is.environment(value)) return(if (!is.null(seen)) environment_value(value, seen))
  if (is.function(value)) return(function_value(value, seen))
  if (is.language(value)) return(deparse(utils::removeSource(value)))
  if (typeof(value) %in% c("externalptr", "weakref")) stop("a pointer has no value")
  attributes <- attributes(value)
  attributes$.Environment <- NULL
  if (is.list(value)) value <- lapply(unclass(value), plain_value, seen)
  list(value = as.vector(unclass(value), if (is.list(value)) "list" else "any"),
       attributes = if (length(attributes)) lapply(attributes, plain_value, seen))
}
