# One process at a time writes to a place. Who does is the name of an empty file in a folder
# `lock`, which is there or not as a whole: it is made under another name and renamed, and of two
# that take over one that was left behind, one renames the file. Works where there is room for no
# byte more, and on file systems that several computers share.

# computer, processes that see each other on it, number of the process, and a name of its own.
lock_names <- "[A-Za-z0-9._-]*,[0-9]*,[0-9]+,[0-9a-f]+"

# The locks of this session.
held <- new.env(parent = emptyenv())

held$locks <- character()

# Gives a function that lets go of the folder, and removes it where nothing is in it.
hold_folder <- function(folder, label) {
  make_folder(folder, label)
  lock <- file.path(folder, "lock")
  mine <- lock_name()
  for (attempt in seq_len(20L)) {
    if (make_lock(lock, mine) || take_over(lock, mine, label)) {
      held$locks <- c(held$locks, file.path(lock, mine))
      return(function() let_go(file.path(lock, mine)))
    }
    make_folder(folder, label)
  }
  abort("write", "`", label, "` cannot be written: the folder `", folder, "` cannot be locked.")
}

let_go <- function(file) {
  held$locks <- setdiff(held$locks, file)
  remove_files(file)
  remove_folders(c(dirname(file), dirname(dirname(file))))
}

# Before what was written takes its place.
check_held <- function(folder, label) {
  ours <- held$locks[dirname(dirname(held$locks)) == folder]
  if (!all(file.exists(ours))) abort_changed(file.path(folder, "lock"), label)
}

lock_name <- function() {
  host <- gsub("[^A-Za-z0-9.-]", "_", Sys.info()[["nodename"]])
  # containers of one computer may have one name
  space <- gsub("[^0-9]", "", Sys.readlink("/proc/self/ns/pid"))
  paste(host, space, Sys.getpid(), sub("^x", "", basename(tempfile("x"))), sep = ",")
}

make_lock <- function(lock, mine) {
  remove_folders(lock)
  made <- tempfile("lock-", dirname(lock))
  on.exit({
    remove_files(file.path(made, mine))
    remove_folders(made)
  })
  suppressWarnings(dir.create(made) && file.create(file.path(made, mine)) &&
                     file.rename(made, lock))
}

# Is the lock ours now? Nothing but the one that was seen is taken.
take_over <- function(lock, mine, label) {
  theirs <- list_all(lock)
  if (length(theirs) == 0L) return(FALSE)
  file <- file.path(lock, theirs[1L])
  if (!is_left_behind(theirs[1L], mine, process_owner(file))) {
    abort_held(lock, theirs[1L], label)
  }
  suppressWarnings(file.rename(file, file.path(lock, mine)))
}

lock_parts <- function(name) strsplit(name, ",", fixed = TRUE)[[1L]]

# Whose process is gone, as far as can be known here. name, mine: of locks; owner: of the first one.
is_left_behind <- function(name, mine, owner) {
  theirs <- lock_parts(name)
  mine <- lock_parts(mine)
  if (!identical(theirs[1:2], mine[1:2])) return(FALSE)
  # this number was that of another process before
  if (theirs[3L] == mine[3L]) return(!name %in% basename(held$locks))
  owner == process_owner() && !is_running(as.integer(theirs[3L]))
}

# The user whose process made a file, by default this one: a user may not ask for processes of
# others. "" on Windows, where it is no matter.
process_owner <- function(file = tempdir()) paste(file.info(file)$uid, collapse = "")

# Of a process of this user.
is_running <- function(process) {
  if (.Platform$OS.type == "windows") {
    asked <- paste("PID eq", process)
    found <- on_error(system2("tasklist", c("/NH", "/FI", shQuote(asked)), stdout = TRUE),
                      function(e) as.character(process))
    return(any(grepl(process, found, fixed = TRUE)))
  }
  # one that has ended, and that nobody has asked for
  state <- on_error(suppressWarnings(readLines(file.path("/proc", process, "stat"))),
                    function(e) "")
  isTRUE(tools::pskill(process, 0L)) && !any(grepl("[)] Z ", state))
}

abort_held <- function(lock, name, label) {
  theirs <- lock_parts(name)
  abort("write", "`", label, "`: another process writes here, number ", theirs[3L], " on `",
        theirs[1L], "`. Wait until it has ended, or give another `to`. If there is no such ",
        "process any more, remove the folder `", lock, "`.")
}
