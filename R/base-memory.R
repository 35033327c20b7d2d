# Memory: what may be allocated is checked before, and what fails all the same ends in an error that
# leaves room for the next call. A BLAS that finds no room for its buffer waits for ever, so that it
# gets one when the package is loaded, before data can take all there is.

# code: what may allocate a lot; advice: what it needs, and what needs less.
within_memory <- function(code, advice = NULL) {
  if (!isTRUE(computer$blas)) prepare_blas()
  # garbage is no room for what is not R's
  else if (address_space_left() < 2 * blas_buffer) gc()
  on_error(code, function(e) stop(as_memory_error(e, advice)))
}

# An error that is one of memory as one of ours, others as they are. By now what the call had is
# garbage, which would be in the way of allocations that are not R's.
as_memory_error <- function(e, advice = NULL) {
  if (inherits(e, "domgen_error") || !is_out_of_memory(e)) return(e)
  gc()
  said <- sub("[.]?$", "", conditionMessage(e))
  left <- address_space_left()
  if (is.null(advice)) {
    advice <- "Fewer rows need less, and so does a feature map such as `features_nystrom()`."
  }
  on_error(abort("memory", "The memory does not suffice (", said,
                 if (is.finite(left)) paste0("; `ulimit -v` leaves ", in_gib(left)), "). ", advice),
           identity)
}

is_out_of_memory <- function(e) {
  said <- c("cannot allocate vector of size %0.1f Gb", "cannot allocate vector of size %0.1f Mb",
            "cannot allocate vector of size %0.1f Kb", "cannot allocate vector of length %d",
            "vector memory exhausted (limit reached?)",
            "cannot allocate memory block of size %0.1f")
  said <- c(said, vapply(said, gettext, "", domain = "R"))
  # of C++, of its threads, of other packages
  said <- c(sub("%.*", "", said), "std::bad_alloc", "bad allocation", "pthread_create has failed",
            "Cannot allocate memory", "cannot allocate")
  any(vapply(said, grepl, NA, conditionMessage(e), fixed = TRUE))
}

in_gib <- function(bytes) {
  paste(format(signif(bytes / 2^30, 3), big.mark = big_mark(), scientific = FALSE), "GiB")
}

memory_limit <- function() {
  limit <- getOption("domgen.memory_limit")
  if (!is.null(limit)) {
    if (!is.numeric(limit) || length(limit) != 1L || is.na(limit) || limit <= 0) {
      abort("argument", "Option `domgen.memory_limit` must be one positive number of bytes, not ",
            describe(limit), ".")
    }
    return(limit)
  }
  if (is.null(computer$memory)) computer$memory <- computer_memory()
  computer$memory / 2
}

computer <- new.env(parent = emptyenv())

computer_memory <- function() {
  bytes <- proc_bytes("/proc/meminfo", "^MemTotal:", 1024)
  if (is.na(bytes)) 8 * 2^30 else bytes
}

# A number from a file of Linux's /proc, NA where there is none. unit: of the number, in bytes.
proc_bytes <- function(file, line, unit) {
  lines <- on_error(suppressWarnings(readLines(file)), function(e) character())
  text <- sub(line, "", grep(line, lines, value = TRUE))
  value <- suppressWarnings(as.numeric(sub("^\\s*([0-9]+).*", "\\1", text)))
  if (length(value) == 1L && is.finite(value)) unit * value else NA_real_
}

# Bytes that a limit of the address space, as by `ulimit -v`, leaves this process; Inf without one.
address_space_left <- function() {
  if (identical(computer$space, Inf)) return(Inf)
  limit <- proc_bytes("/proc/self/limits", "^Max address space", 1)
  computer$space <- if (is.na(limit)) Inf else limit
  if (is.na(limit)) return(Inf)
  used <- proc_bytes("/proc/self/status", "^VmSize:", 1024)
  if (is.na(used)) Inf else max(limit - used, 0)
}

# What the BLAS asks for at its first use, and threads at theirs.
blas_buffer <- 160 * 2^20

prepare_blas <- function() {
  left <- address_space_left()
  if (left < blas_buffer) {
    gc()
    left <- address_space_left()
  }
  if (left < blas_buffer) {
    abort("memory", "`ulimit -v` leaves ", in_gib(left), ", and the BLAS needs ",
          in_gib(blas_buffer), " to begin with. Raise it, or remove objects from the session.")
  }
  ready_blas_()
  computer$blas <- TRUE
}

# Refuse before allocating. `n`, `m`: sides of the matrix; `copies`: how many; `what`: other than a
# Gram matrix; `instead`: what takes less.
check_memory <- function(n, m = n, copies = 1, what = NULL, instead = "Reduce it, or ") {
  need <- 8 * as.numeric(n) * as.numeric(m) * copies
  limit <- memory_limit()
  room <- room_left(need)
  if (need <= min(limit, room)) return(invisible(need))
  bound <- if (room < limit) {
    list(than = paste("the", in_gib(room), "that `ulimit -v` leaves"), raise = "`ulimit -v`")
  } else {
    list(than = paste("the limit of", in_gib(limit)),
         raise = "`options(domgen.memory_limit = )` (bytes)")
  }
  abort("memory", if (is.null(what)) paste("The Gram matrix of", plural(n, "row")) else what,
        " would take ", in_gib(need), ", more than ", bound$than, ". ",
        if (is.null(what)) {
          paste("Use `feature_map = features_nystrom()` or `features_rff()`, which need no Gram",
                "matrix, or ")
        } else instead, "raise ", bound$raise, ".")
}

# What a limit on the address space leaves, in bytes; small matrices are not worth the question.
room_left <- function(need) {
  if (need < 2^24) return(Inf)
  left <- address_space_left()
  if (need <= left) return(left)
  gc()
  address_space_left()
}
