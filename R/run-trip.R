# A call that goes over a source several times: it draws one seed, so that it does the same again
# when it is repeated after an interrupt or a crash, and keeps what is finished.

# session$trip, an environment: memory, an environment of what is finished; folder and key: where it
# is kept beyond the session, or NULL; passes: how many there were; part: what passes are kept under
# in a call of several parts, one of which may fail at any pass; counts: rows of the partitions.

# what: list of all that decides about the call's numbers; code: a function, whose random numbers
# all come from the seed. A call inside a call is part of it.
over_source <- function(source, what, code) {
  if (!is.null(session$trip)) return(code())
  memory <- new.env(parent = emptyenv())
  resumable(function() {
    trip <- list2env(list(memory = memory, folder = source$store, passes = 0L))
    if (!is.null(trip$folder)) {
      version <- as.character(utils::packageVersion("domgen"))
      trip$key <- fingerprint(list(version, source_key(source), source_frames(source), what))
    }
    session$trip <- trip
    on.exit(session$trip <- NULL)
    seed <- kept("seed", draw_seeds(1L))
    value <- with_seed(seed, {
      trip$counts <- count_rows(source)
      code()
    })
    forget(trip)
    value
  }, memory)
}

source_key <- function(source) list(lapply(source$partitions, partition_key), source$levels)

# Rows in memory have no name that tells of a change.
source_frames <- function(source) {
  lapply(source$partitions, function(p) if (!is.null(p$data)) fingerprint(p$data))
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

# Under another name first: a file is there as a whole or not at all.
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
  if (write_kept(content, file) || write_kept(content, file)) return(invisible())
  abort("write", "`store` cannot be written: `", file, "`. Is the disk full?")
}

# The same call may run twice at once: each writes a file of its own, of which one is the last. One
# that ends removes those of the other too, which tries again.
write_kept <- function(content, file) {
  part <- paste0(file, ".", Sys.getpid(), ".part")
  written <- on_error(suppressWarnings({
    saveRDS(content, part, compress = FALSE)
    file.rename(part, file)
  }), function(e) FALSE)
  if (!written) unlink(part)
  written
}

kept_file <- function(trip, name) {
  if (is.null(trip$folder)) return(NULL)
  file.path(trip$folder, paste0("domgen-", trip$key, "-", gsub("[^a-z0-9]+", "-", name), ".rds"))
}

# What was kept is of no use to a call that has ended.
forget <- function(trip) {
  if (is.null(trip$folder)) return(invisible())
  unlink(list.files(trip$folder, paste0("^domgen-", trip$key, "-"), full.names = TRUE))
}

# The same text for the same value in any session: of functions their code, of environments nothing.
fingerprint <- function(value) {
  file <- tempfile()
  on.exit(unlink(file))
  saveRDS(plain_value(value), file, compress = FALSE)
  unname(tools::md5sum(file))
}

plain_value <- function(value) {
  if (is.environment(value)) return(NULL)
  if (is.function(value) || is.language(value)) return(deparse(utils::removeSource(value)))
  attributes <- attributes(value)
  attributes$.Environment <- NULL
  if (is.list(value)) value <- lapply(unclass(value), plain_value)
  list(value = as.vector(unclass(value), if (is.list(value)) "list" else "any"),
       attributes = if (length(attributes)) lapply(attributes, plain_value))
}
