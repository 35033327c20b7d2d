# Where predictions are written: nothing is removed that the package did not write.

rows <- simulate_dica(domains = 4, n = 15, p = 2, seed = 1)
model <- dg_lm(y ~ x1 + x2, data = rows)
source <- function() row_source(rows, partitions = 2)
to_place <- function(to, ...) predict(model, source(), to = to, ...)

# Of a folder, all that is in it, with the bytes.
contents <- function(folder) {
  files <- list.files(folder, recursive = TRUE, all.files = TRUE, full.names = TRUE)
  stats::setNames(tools::md5sum(files), files)
}

# An empty folder with these files, of which each has its name in it.
place <- function(...) {
  folder <- normalizePath(empty_folder())
  for (file in c(...)) {
    path <- file.path(folder, file)
    dir.create(dirname(path), showWarnings = FALSE, recursive = TRUE)
    writeLines(file, path)
  }
  folder
}
empty_folder <- function() {
  folder <- tempfile("place")
  dir.create(folder)
  folder
}

# The call is an error about `to`, and all that was there is there.
expect_refused <- function(folder, to, message, ..., rows = source()) {
  before <- contents(folder)
  expect_error(predict(model, rows, to = file.path(folder, to), ...), message,
               class = "domgen_error_argument")
  expect_identical(contents(folder), before)
}

test_that("a name with wildcards means itself: no other file is touched", {
  folder <- place("run1/a.csv", "run2/b.csv", "running/c.csv", "p1.csv", "p1.csv.part",
                  "p1.csv.part2/rows/part-00001.csv", "q/part-00001.csv")
  before <- contents(folder)
  for (to in c("run*", "p[1].csv", "?", "{q,run1}", "a b.csv", "~x.csv", "$HOME.csv", "(.csv",
               "+", "\\.csv", "csv", "two\nlines.csv", "p1.csv.part[2]")) {
    if (.Platform$OS.type == "windows" && grepl("[*?\\]", to)) next
    for (overwrite in c(FALSE, TRUE)) {
      made <- to_place(file.path(folder, to), overwrite = overwrite)
      expect_identical(contents(folder)[names(before)], before)
      expect_identical(sum(vapply(made$partitions, partition_count, 1)), nrow(rows) + 0)
    }
    expect_true(file.exists(file.path(folder, to)))
  }
  expect_identical(dir(folder, "[.]part$"), "p1.csv.part")
})

test_that("a name with wildcards is not mixed up with another one in a `store` either", {
  skip_on_os("windows")
  key <- strrep("0a", 16L)
  kept <- paste0("domgen-", key, "-seed.rds")
  folder <- place(file.path(c("st1", "a", "[sa]*"), kept), "[sa]*/mine.rds")
  before <- contents(folder)
  domgen:::forget(list(folder = file.path(folder, "[sa]*"), key = key))
  expect_identical(contents(folder), before[names(before) != file.path(folder, "[sa]*", kept)])
})

test_that("what is beside `to` and is not of the package is an error, and stays", {
  skip_on_os("windows")
  refused <- function(folder, to = "p.csv", message) {
    for (overwrite in c(FALSE, TRUE)) expect_refused(folder, to, message, overwrite = overwrite)
  }
  refused(place("p.csv.part"), message = "is a file")
  refused(place("p.csv.part/rows/mine.csv"), message = "mine.csv")
  refused(place("p.csv.part/rows/part-00001.csv"), message = "part-00001.csv")
  refused(place("p.csv.part/store/mine.rds"), message = "mine.rds")
  refused(place("p.csv.part/.hidden"), message = "[.]hidden")
  refused(place("p.csv.part/part-00001.rds"), message = "part-00001.rds")
  refused(place("p.csv.part/call.rds"), message = "call.rds")
  refused(place("p.csv.part/lock"), message = "lock")
  refused(place("p.csv.part/head.rds/a"), message = "head.rds")
  linked <- place("mine/rows/part-00001.csv")
  file.symlink(file.path(linked, "mine"), file.path(linked, "p.csv.part"))
  refused(linked, message = "symbolic link")
  linked <- place("mine/part-00001.csv", "p.csv.part/x")
  unlink(file.path(linked, "p.csv.part", "x"))
  file.symlink(file.path(linked, "mine"), file.path(linked, "p.csv.part", "rows"))
  refused(linked, message = "`rows`")
})

test_that("`overwrite` replaces predictions, and nothing else", {
  skip_on_os("windows")
  refused <- function(...) expect_refused(..., overwrite = TRUE)
  refused(place("p.csv"), "p.csv", "no predictions")
  refused(place("p/a.csv"), "p", "a.csv")
  refused(place("p/part-00001.csv"), "p", "part-00001.csv")
  refused(place("p/a.csv"), "p/", "a.csv")
  refused(place("p.csv/a"), "p.csv", "is a folder")
  refused(place("p"), "p", "is a file")
  refused(place("p.csv"), "p.csv/", "is a file")
  folder <- place("p.csv")
  linked <- place()
  to_place(file.path(linked, "out"))
  file.rename(file.path(linked, "out/part-00001.csv"), file.path(linked, "mine.csv"))
  file.symlink(file.path(linked, "mine.csv"), file.path(linked, "out/part-00001.csv"))
  refused(linked, "out", "part-00001.csv")
  file.symlink(file.path(linked, "nowhere"), file.path(linked, "p.csv"))
  expect_refused(linked, "p.csv", "leads nowhere")
  here <- setwd(empty_folder())
  on.exit(setwd(here))
  for (to in c(".", getwd())) expect_error(to_place(to), "working folder",
                                           class = "domgen_error_argument")
})

test_that("a link to predictions stays a link, to the new ones", {
  skip_on_os("windows")
  folder <- place()
  for (name in c("out.csv", "out")) {
    link <- paste0("link-", name)
    to_place(file.path(folder, name))
    file.symlink(name, file.path(folder, link))
    expect_error(to_place(file.path(folder, link)), "is there already")
    made <- to_place(file.path(folder, link), keep = "x1", overwrite = TRUE)
    expect_identical(Sys.readlink(file.path(folder, link)), name)
    expect_true("x1" %in% source_names(made))
  }
})

test_that("rows that are read are not replaced, by whatever name", {
  skip_on_os("windows")
  folder <- place()
  # predictions that are rows again, so that they may be replaced as such
  to_place(file.path(folder, "in.csv"), keep = c("x1", "x2"))
  to_place(file.path(folder, "in"), keep = c("x1", "x2"))
  refused <- function(to, from, message = "read from") {
    expect_refused(folder, to, message, rows = row_source(from), overwrite = TRUE)
  }
  file.symlink("in.csv", file.path(folder, "link.csv"))
  file.symlink("in", file.path(folder, "link"))
  file.link(file.path(folder, "in.csv"), file.path(folder, "hard.csv"))
  for (to in c("in.csv", "./in.csv", "link/../in.csv", "link.csv")) {
    for (from in c("in.csv", "link.csv")) refused(to, file.path(folder, from))
  }
  for (to in c("in", "in/", "./in//", "link", "link/")) {
    for (from in c("in", "link")) refused(to, file.path(folder, from))
  }
  # in the folder that is read, the next reading would take them for rows
  refused("in/new.csv", file.path(folder, "in"), "would be read as rows")
  refused("link/new.csv", file.path(folder, "in"), "would be read as rows")
  refused("in/part-9.csv", file.path(folder, "in", "part-*.csv"), "would be read as rows")
  refused("in/part-7.csv", file.path(folder, "in", "part-[!9]*"), "would be read as rows")
  rows <- row_source(file.path(folder, "in", "part-0*.csv"))
  expect_s3_class(predict(model, rows, to = file.path(folder, "in", "new.csv")), "dg_source")
  # another name of the same file: it keeps its rows
  before <- readLines(file.path(folder, "in.csv"))
  predict(model, row_source(file.path(folder, "in.csv")), to = file.path(folder, "hard.csv"),
          overwrite = TRUE)
  expect_identical(readLines(file.path(folder, "in.csv")), before)
})

test_that("a file system that does not tell cases apart has one file of two names", {
  folder <- place()
  to_place(file.path(folder, "in.csv"), keep = c("x1", "x2"))
  source <- row_source(file.path(folder, "in.csv"))
  # as it would be there
  source$partitions[[1L]]$path <- file.path(folder, "IN.csv")
  expect_error(with_replaced("file_times", function(paths) {
    rep("size and time", length(paths))
  }, predict(model, source, to = file.path(folder, "in.csv"), overwrite = TRUE)), "read from",
  class = "domgen_error_argument")
})

test_that("a store is not kept inside of the predictions", {
  folder <- place()
  for (store in c("out", "out.part", "out/store")) {
    expect_error(predict(model, row_source(rows, store = file.path(folder, store)),
                         to = file.path(folder, "out")), "`store`",
                 class = "domgen_error_argument")
  }
  expect_identical(dir(folder), character())
})

# The call of to_place() ends in an error when so many blocks are written, or what stands in `how`.
cut_short <- function(to, ..., at = 2, how = function() domgen:::abort("write", "no room.")) {
  calls <- 0
  real <- domgen:::append_bytes
  with_replaced("append_bytes", function(...) {
    calls <<- calls + 1
    if (calls == at) how()
    real(...)
  }, expect_error(to_place(to, ...), "no room|no predictions|is there already"))
}

test_that("what comes while the call is at work is not lost either", {
  folder <- place()
  # a foreign file among the rows, and one at the place itself
  to <- file.path(folder, "out")
  mine <- file.path(paste0(to, ".part"), "rows", "mine.txt")
  cut_short(to, at = 3, how = function() writeLines("mine", mine))
  expect_identical(readLines(mine), "mine")
  unlink(mine)
  to <- file.path(folder, "out.csv")
  cut_short(to, at = 3, how = function() writeLines("mine", to))
  expect_identical(readLines(to), "mine")
  unlink(to)
  to_place(to)
  expect_identical(nrow(read.csv(to)), nrow(rows))
})

test_that("a folder of predictions is there, old or new, whenever the call is killed", {
  folder <- place()
  to <- file.path(folder, "out")
  to_place(to)
  before <- contents(to)
  work <- paste0(to, ".part")
  # killed between the two renames, and begun again by another call
  cut_short(to, overwrite = TRUE, keep = "x1")
  file.rename(to, file.path(work, "old"))
  expect_error(to_place(to), "is there already")
  expect_identical(contents(to), before)
  cut_short(to, overwrite = TRUE)
  file.rename(to, file.path(work, "old"))
  to_place(to, overwrite = TRUE)
  expect_identical(contents(to), before)
  expect_identical(dir(folder), "out")
})

test_that("a part that another process has changed is not taken for finished", {
  folder <- place()
  to <- file.path(folder, "out")
  changed <- function(bytes) {
    first <- file.path(paste0(to, ".part"), "rows", "part-00001.csv")
    cut_short(to, at = 4, how = function() {
      writeBin(bytes, first)
      domgen:::abort("write", "no room.")
    })
  }
  changed(raw())
  to_place(to)
  expect_identical(sum(vapply(dir(to, full.names = TRUE), function(f) nrow(read.csv(f)), 1L)),
                   nrow(rows))
})

test_that("a pattern is one of names, not of the folder that they are in", {
  skip_on_os("windows")
  folder <- place("d[1]/a.csv", "d1/b.csv")
  source <- row_source(file.path(folder, "d[1]", "*.csv"))
  expect_identical(basename(vapply(source$partitions, `[[`, "", "path")), "a.csv")
  # and a link to a folder is no file
  file.symlink(file.path(folder, "d1"), file.path(folder, "d[1]", "link.csv"))
  expect_length(row_source(file.path(folder, "d[1]"))$partitions, 1L)
  expect_length(row_source(file.path(folder, "d[1]", "*.csv"))$partitions, 1L)
})

test_that("no code of the package removes files by a pattern", {
  skip_if(checkout_file("R") == "", "the sources are not there")
  files <- list.files(c(checkout_file("R"), checkout_file("inst"), checkout_file(".ci")), "[.]R$",
                      recursive = TRUE, full.names = TRUE)
  expect_gt(length(files), 100L)
  loose <- function(code) {
    if (is.function(code) || !is.recursive(code)) return(character())
    own <- is.call(code) && identical(code[[1L]], as.name("unlink")) && !isFALSE(code$expand)
    c(if (own) paste(deparse(code), collapse = ""), unlist(lapply(as.list(code), loose)))
  }
  files <- Filter(function(file) any(grepl("unlink", readLines(file, warn = FALSE))), files)
  expect_gt(length(files), 3L)
  expect_identical(unlist(lapply(files, function(file) loose(parse(file)))), character())
})

test_that("a call that comes when another has just ended leaves nothing behind", {
  folder <- place()
  to <- file.path(folder, "out.csv")
  hold <- domgen:::hold_folder
  # between the door and the lock
  expect_error(with_replaced("hold_folder", function(...) {
    writeLines("partition,row", to)
    hold(...)
  }, to_place(to)), "is there already", class = "domgen_error_argument")
  expect_identical(dir(folder), "out.csv")
})

test_that("a file that comes at the very last moment is not replaced", {
  folder <- place()
  to <- file.path(folder, "out.csv")
  put <- domgen:::put_in_place
  expect_error(with_replaced("put_in_place", function(...) {
    writeLines("mine", to)
    put(...)
  }, to_place(to)), "is there already", class = "domgen_error_argument")
  expect_identical(readLines(to), "mine")
  # the rows are kept, and come when there is room
  remove_files(to)
  to_place(to)
  expect_identical(dir(folder), "out.csv")
})
