# The modules of the package and what they know of each other.
#
#   Rscript .ci/layers.R                 what the code says: calls upward, circles, sizes
#   Rscript .ci/layers.R draw FILE.png   the picture in ARCHITECTURE.md
#
# tests/testthat/test-layers.R holds the checkout to it. Base R and codetools only; nothing of the
# package is run. A call is a name of one of the package's functions in the code of another file,
# where no argument or local variable has that name. Calling a generic is a call to the file of the
# generic, not to those of its methods.

# ---- the modules, lowest layer first ------------------------------------------------------------

# x: where it stands in the picture, from 0 to 3.
modules <- utils::read.table(header = TRUE, row.names = 1L, text = "
  module            layer  x     contents
  base            1      1.5   'argument checks, messages, records'
  data            2      1.5   'rows in, and replayed on new data'
  kernel          3      0.75  'between rows'
  domain          3      2.25  'between domains'
  feature         4      0.75  'maps in the place of a Gram matrix'
  space           4      2.25  'Gram matrix, features, sums of them'
  method          5      0.5   'specification, parameters, fit'
  projection      5      1.5   'a ratio of scatters'
  learner         5      2.5   'a function of the rows'
  run             2      0.5   'pieces of work, progress, resume'
  score           6      1.85  'folds, measures, domains left out'
  selection       7      0.75  'tune, compare, diagnose'
  inference       8      2.5   'is a domain like those of training?'
  output          9      1.4   'tables and plots'
  integration     9      2.5   'with other packages'
")

# A file belongs to the module that its name begins with. Other names:
also <- list(base = c("domgen-package", "RcppExports"), method = c("rows", "fit"),
             learner = c("loss", "solve", "targets"))

# The modules of the C++ core are its folders, in the same way.
core_layer <- c(data = 1, simd = 1, linalg = 1, kernel = 2, feature = 3, projection = 4, svm = 4,
                ridge = 4, gp = 4, cox = 4)

# The longest name that the file's begins with, up to a hyphen, wins.
module_of <- function(files) {
  names <- c(stats::setNames(rownames(modules), rownames(modules)),
             stats::setNames(rep(names(also), lengths(also)), unlist(also)))
  stems <- sub("[.]R$", "", basename(files))
  vapply(stems, function(stem) {
    fits <- names[startsWith(paste0(stem, "-"), paste0(names(names), "-"))]
    if (length(fits)) fits[[which.max(nchar(names(fits)))]] else NA_character_
  }, "", USE.NAMES = FALSE)
}

# ---- what the code says -----------------------------------------------------------------------

source_files <- function(root, folder, pattern) {
  list.files(file.path(root, folder), pattern, full.names = TRUE, recursive = TRUE)
}

# Every top-level expression of R/: list(file, name, value: the code, words of its text, lines:
# from, to).
read_definitions <- function(root = ".") {
  unlist(lapply(source_files(root, "R", "[.]R$"), function(file) {
    code <- parse(file, keep.source = TRUE)
    words <- strsplit(readLines(file, encoding = "UTF-8"), "[^[:alnum:]._]+")
    lapply(seq_along(code), function(i) {
      assigned <- is.call(code[[i]]) && identical(code[[i]][[1L]], as.name("<-"))
      position <- as.integer(attr(code, "srcref")[[i]])
      list(file = basename(file), words = unique(unlist(words[position[1L]:position[3L]])),
           value = if (assigned) code[[i]][[3L]] else code[[i]],
           name = if (assigned) paste(deparse(code[[i]][[2L]]), collapse = "") else "top level",
           from = position[1L], to = position[3L])
    })
  }), recursive = FALSE)
}

column <- function(definitions, name) unlist(lapply(definitions, `[[`, name))

is_function <- function(value) is.call(value) && identical(value[[1L]], as.name("function"))

# Data frame: from, to (functions), from_file, to_file, from_module, to_module. upward: those calls
# and some others; only what names something of a module above is looked at.
read_calls <- function(definitions, upward = FALSE) {
  names <- column(definitions, "name")
  files <- stats::setNames(column(definitions, "file"), names)
  level <- modules[module_of(files), "layer"]
  # an operator is no word
  above <- lapply(seq_len(max(level, na.rm = TRUE)), function(l) {
    names[which(level > l & grepl("^[[:alnum:]._]+$", names))]
  })
  at <- stats::setNames(level, files)
  calls <- do.call(rbind, lapply(definitions, function(d) {
    if (upward && !any(d$words %in% above[[at[[d$file]]]])) return(NULL)
    used <- codetools::findGlobals(eval(call("function", NULL, d$value)))
    used <- setdiff(used[files[used] %in% setdiff(files, d$file)], "top level")
    if (length(used)) {
      data.frame(from = d$name, to = used, from_file = d$file, to_file = files[used])
    }
  }))
  calls$from_module <- module_of(calls$from_file)
  calls$to_module <- module_of(calls$to_file)
  rownames(calls) <- NULL
  calls
}

upward_calls <- function(calls) {
  calls[modules[calls$to_module, "layer"] > modules[calls$from_module, "layer"], ]
}

# Methods that a module has for generics of a module above it: it need not know them, but its file
# speaks of them.
upward_methods <- function(definitions) {
  names <- column(definitions, "name")
  at <- module_of(column(definitions, "file"))
  level <- modules[at, "layer"]
  generic <- vapply(definitions, function(d) {
    is_function(d$value) && "UseMethod" %in% all.names(d$value)
  }, NA)
  unlist(lapply(which(generic), function(g) {
    mine <- startsWith(names, paste0(names[g], ".")) & level < level[g]
    if (any(mine)) paste0(names[mine], " (", at[mine], "), generic in ", at[g])
  }))
}

# The sets of nodes that reach each other. edges: two columns.
circles <- function(from, to) {
  nodes <- sort(unique(c(from, to)))
  reach <- matrix(FALSE, length(nodes), length(nodes), dimnames = list(nodes, nodes))
  reach[cbind(from, to)] <- TRUE
  for (k in nodes) reach <- reach | outer(reach[, k], reach[k, ], "&")
  both <- reach & t(reach)
  diag(both) <- TRUE
  sets <- unique(lapply(nodes, function(node) nodes[both[node, ]]))
  sets[lengths(sets) > 1L]
}

# Data frame of the #include lines of src/core: file, from and to (folders, "core" for headers that
# are in none, "" for headers that are not of the core), include, wrong (R, threads or the exports).
read_includes <- function(root = ".") {
  core <- file.path(root, "src", "core")
  files <- source_files(root, file.path("src", "core"), "[.](h|cpp)$")
  do.call(rbind, lapply(files[!grepl("/core/test/", files)], function(file) {
    lines <- grep("^ *# *include", readLines(file, warn = FALSE), value = TRUE)
    if (length(lines) == 0L) return(NULL)
    target <- sub('^[^"<]*["<]([^">]*)[">].*', "\\1", lines)
    path <- file.path(dirname(file), target)
    path[!file.exists(path)] <- file.path(core, target)[!file.exists(path)]
    own <- grepl('"', lines, fixed = TRUE) & file.exists(path)
    outside <- "^(R|Rcpp.*|Rinternals|Rmath|R_ext/.*|tbb/.*|thread|mutex|atomic|future)([.]h)?$"
    data.frame(file = basename(file), from = folder_in(file, core),
               to = ifelse(own, folder_in(path, core), ""), include = target,
               wrong = grepl(outside, target) | grepl('"', lines, fixed = TRUE) & !own |
                 own & !startsWith(normalizePath(path, mustWork = FALSE), normalizePath(core)))
  }))
}

# Includes between folders of the core whose layer is below.
upward_includes <- function(includes) {
  includes[which(core_layer[includes$to] > core_layer[includes$from]), ]
}

folder_in <- function(path, core) {
  inside <- substring(normalizePath(dirname(path), mustWork = FALSE),
                      nchar(normalizePath(core)) + 2L)
  ifelse(nzchar(inside), sub("/.*", "", inside), "core")
}

# ---- long lines, and questions for classes ----------------------------------------------------

# Lines over 100 characters of R/ and src/, but for what Rcpp writes: "file: number".
long_lines <- function(root = ".") {
  files <- c(source_files(root, "R", "[.]R$"), source_files(root, "src", "[.](h|cpp)$"))
  unlist(lapply(files[!grepl("RcppExports", files)], function(file) {
    long <- which(nchar(readLines(file, warn = FALSE), "chars") > 100L)
    if (length(long)) paste0(basename(file), ": ", long)
  }))
}

# inherits(x, "kernel_rbf") asks which part it has: where another part is added, such a question
# may need another answer. Data frame: file, within (function), class; where the class is made, its
# own file may ask.
part_questions <- function(definitions) {
  part <- paste0("^(kernel|domain|features|product)_|_map$|",
                 "^dg_(projection|pipeline|gp|ridge|svm|lm|null|auto)")
  asked <- do.call(rbind, lapply(definitions, function(d) {
    classes <- if ("inherits" %in% d$words) {
      unlist(lapply(calls_of(d$value, "inherits"), function(call) constants(as.list(call)[-(1:2)])))
    }
    classes <- classes[grepl(part, classes)]
    if (length(classes)) data.frame(file = d$file, within = d$name, class = classes)
  }))
  homes <- class_homes(definitions)
  known <- mapply(function(file, class) file %in% homes[[class]], asked$file, asked$class)
  asked[!known, ]
}

calls_of <- function(code, name) {
  if (!is.call(code) && !is.pairlist(code)) return(list())
  mine <- if (is.call(code) && identical(code[[1L]], as.name(name))) list(code)
  c(mine, unlist(lapply(as.list(code), function(part) {
    if (!missing(part)) calls_of(part, name)
  }), recursive = FALSE))
}

constants <- function(code) {
  if (is.character(code)) code
  else if (is.call(code) || is.list(code) || is.pairlist(code)) {
    unlist(lapply(as.list(code), function(part) if (!missing(part)) constants(part)))
  }
}

# The files that make objects of a class: structure(class = ) and constructors named like it.
class_homes <- function(definitions) {
  made <- do.call(rbind, lapply(definitions, function(d) {
    classes <- c(d$name, if ("structure" %in% d$words) {
      unlist(lapply(calls_of(d$value, "structure"), function(call) constants(call$class)))
    })
    data.frame(class = classes, file = d$file)
  }))
  split(made$file, made$class)
}

# ---- the report -------------------------------------------------------------------------------

say <- function(title, lines) {
  cat(title, ": ", length(lines), "\n", sep = "")
  if (length(lines)) cat(paste0("  ", lines, "\n"), sep = "")
}

report <- function(root = ".") {
  definitions <- read_definitions(root)
  calls <- read_calls(definitions)
  up <- upward_calls(calls)
  files <- unique(column(definitions, "file"))
  say("Files without a module", files[is.na(module_of(files))])
  say("Calls upward", sprintf("%s -> %s  (%s > %s, %s)", up$from, up$to, up$from_module,
                              up$to_module, up$from_file))
  say("Methods for generics of a module above", upward_methods(definitions))
  # those through a call upward go with it
  level <- calls[!rownames(calls) %in% rownames(up), ]
  say("Circles of modules in a layer", vapply(circles(level$from_module, level$to_module),
                                             toString, ""))
  rounds <- circles(calls$from_file, calls$to_file)
  say("Circles of files", sprintf("%d: %s", lengths(rounds), vapply(rounds, toString, "")))
  includes <- read_includes(root)
  between <- includes[includes$to != "" & includes$to != includes$from, ]
  say("Circles of core folders", vapply(circles(between$from, between$to), toString, ""))
  up <- upward_includes(includes)
  say("Includes upward in the core", sprintf("%s: %s", up$file, up$include))
  say("Includes of the core that are not its own",
      with(includes[includes$wrong, ], sprintf("%s: %s", file, include)))
  say("Lines over 100 characters", long_lines(root))
  asked <- part_questions(definitions)
  say("Questions for the class of a part outside its file",
      sprintf("%s: %s (%s)", asked$within, asked$class, asked$file))
}

if (sys.nframe() == 0L) {
  arguments <- commandArgs(trailingOnly = TRUE)
  if (length(arguments) == 2L && arguments[1L] == "draw") {
    source(".ci/draw-layers.R")
    draw_layers(read_calls(read_definitions()), arguments[2L])
  } else report()
}
