# How much code there is and what a call runs through: the counts that say whether a reader is
# better off.
#
#   Rscript .ci/structure.R                              this checkout, with the domgen in reach
#   Rscript .ci/structure.R --base LIB --sources FOLDER  and, in a column before, another one:
#                                                        installed in LIB, its sources in FOLDER
#
# Base R and codetools. Definitions stand beside the counts; `make_counts()` reads the sources
# alone, `trace_counts()` runs calls with every function of the namespace made to report itself.

here <- if (exists("structure_home")) structure_home else "."
if (!exists("read_definitions")) sys.source(file.path(here, ".ci", "layers.R"), environment())

# ---- what the sources say ---------------------------------------------------------------------

# Lines with a part of the code: no comments (and so no help), no blank lines. A text over several
# lines is code on each of them.
code_lines <- function(file) {
  tokens <- utils::getParseData(parse(file, keep.source = TRUE))
  tokens <- tokens[tokens$terminal & tokens$token != "COMMENT", ]
  sort(unique(unlist(Map(seq, tokens$line1, tokens$line2))))
}

# Lines that are no comment, not blank and not the NULL below a help page, by module: nearly
# code_lines(), in no time.
module_lines <- function(root = ".") {
  files <- source_files(root, "R", "[.]R$")
  lines <- vapply(files, function(file) {
    sum(!grepl("^ *(#|$)|^NULL$", readLines(file, warn = FALSE, encoding = "UTF-8")))
  }, 0L)
  c(tapply(lines, module_of(files), sum))
}

# Words that have meant several things, with how many functions have an argument or a variable of
# that name.
word_counts <- function(definitions, words = c("rows", "own", "found", "known")) {
  named <- lapply(Filter(function(d) is_function(d$value), definitions), function(d) {
    unique(names_given(d$value))
  })
  vapply(words, function(word) sum(vapply(named, function(own) word %in% own, NA)), 0L)
}

# Arguments and variables, of functions inside too.
names_given <- function(code) {
  if (!is.call(code) && !is.pairlist(code)) return(NULL)
  given <- if (is_function(code)) names(code[[2L]])
           else if (is.call(code) && length(code) > 2L && is.name(code[[1L]]) &&
                      as.character(code[[1L]]) %in% c("<-", "<<-", "for") && is.name(code[[2L]])) {
             as.character(code[[2L]])
           }
  c(given, unlist(lapply(as.list(code), function(part) if (!missing(part)) names_given(part))))
}

# The fourth column of S3method() lines is not used here.
read_namespace <- function(root) {
  lines <- readLines(file.path(root, "NAMESPACE"))
  inside <- function(kind) {
    found <- grep(paste0("^", kind, "\\("), lines, value = TRUE)
    sub("\\)$", "", sub("^[A-Za-z0-9]*\\(", "", found))
  }
  methods <- strsplit(gsub('"', "", inside("S3method")), ",")
  list(exports = gsub('"', "", inside("export")),
       methods = data.frame(generic = vapply(methods, `[`, "", 1L),
                            class = vapply(methods, `[`, "", 2L)))
}

# Two functions that do the same for rows in memory and for rows of a source or of sums. Where one
# calls the other, itself or through one function more, they are two steps of one road, no twins.
twins <- list(
  c("evaluate_split", "pass_over_folds"),
  c("row_costs", "domain_costs"), c("read_sample", "survey_source"),
  c("read_sample", "block_reader"), c("read_sample", "new_sums"), c("block_reader", "read_piece"),
  c("gp_sums", "gp_group_sums"), c("choose_lambda", "choose_penalty"),
  c("choose_glm_penalty", "choose_lambda"), c("left_out_predictions", "left_out_errors"),
  c("left_out_predictions", "left_out_fits"), c("score_left_out", "scores_of_fits")
)

# What is printed, tabled, drawn or put in words.
is_output <- function(name, file) {
  grepl("^output-|^base-(print|words|table)|^integration-(knitr|flextable|tibble|report)", file) |
    grepl(paste0("^(print|format|summary|tidy|glance|augment|plot|autoplot|report_table|",
                 "knit_print|as_flextable|as_tibble|as[.]data[.]frame|describe_result)[.]"), name) |
    grepl("_(words|lines|line)$|^plot_", name)
}

learners <- c("dg_ridge", "dg_svm", "dg_glm", "dg_gp", "dg_null", "dg_lm")

# Named list of counts, each a text; nothing of the package is run.
make_counts <- function(root = ".", definitions = read_definitions(root)) {
  lines <- sapply(source_files(root, "R", "[.]R$"), code_lines, simplify = FALSE)
  names(lines) <- basename(names(lines))
  made <- Filter(function(d) is_function(d$value), definitions)
  names <- column(made, "name")
  files <- column(made, "file")
  length_of <- function(d) sum(lines[[d$file]] >= d$from & lines[[d$file]] <= d$to)
  sizes <- vapply(made, length_of, 0L)
  space <- read_namespace(root)
  methods <- do.call(paste, c(space$methods, sep = "."))
  # internal: neither exported nor a method. A place is where the code of another definition, or of
  # its own, has the name: called, or handed on
  own <- setdiff(names, c(space$exports, methods))
  used <- table(factor(unlist(lapply(definitions, function(d) all.names(d$value))), own))
  wrappers <- length(lines[["RcppExports.R"]])
  calls <- stats::setNames(lapply(made, function(d) intersect(all.names(d$value), names)), names)
  reaches <- function(from, to) {
    to %in% calls[[from]] || any(vapply(calls[[from]], function(via) to %in% calls[[via]], NA))
  }
  there <- Filter(function(pair) {
    all(pair %in% names) && !reaches(pair[1L], pair[2L]) && !reaches(pair[2L], pair[1L])
  }, twins)
  stems <- sub("-source[.]R$", "", grep("-source[.]R$", names(lines), value = TRUE))
  beside <- stems[paste0(stems, ".R") %in% names(lines)]
  state <- Filter(function(d) is.call(d$value) && identical(d$value[[1L]], quote(new.env)) &&
                    d$name != "top level", definitions)
  per_learner <- vapply(learners, function(class) {
    mine <- paste0(space$methods$generic, ".", class)[space$methods$class == class]
    sprintf("%d over %d files", length(mine), length(unique(files[names %in% mine])))
  }, "")
  c(list(
    `lines of code in R/` = sum(lengths(lines)), `  of these RcppExports.R` = wrappers,
    `files in R/` = length(lines), `functions (top level)` = length(made),
    `  median lines of one` = stats::median(sizes),
    `internal functions` = length(own),
    `  with their name in one place` = sprintf("%d (%.0f %%)", sum(used == 1L),
                                               100 * mean(used == 1L)),
    `lines of output code` = sum(vapply(definitions, function(d) {
      if (is_output(d$name, d$file)) length_of(d) else 0L
    }, 0L)),
    `pairs of twins` = length(there),
    `  which` = toString(vapply(there, paste, "", collapse = " / ")),
    `files *-source.R beside a twin` = sprintf("%d (%s)", length(beside), toString(beside)),
    `environments of the package` = sprintf("%d (%s)", length(state),
                                            toString(column(state, "name")))
  ), stats::setNames(as.list(per_learner), paste("S3 methods of", learners)))
}

# ---- what a call runs through -----------------------------------------------------------------

# Every function of the namespace, generated wrappers and registered methods too, notes its name
# first. Functions inside functions are part of what makes them.
instrument <- function(space) {
  # a name of its own for each call: a vector in here would be copied at every one
  seen <- new.env(parent = emptyenv())
  n <- 0L
  note <- function(name) {
    # finalizers, which may run at any time, note themselves too
    n <<- at <- n + 1L
    assign(as.character(at), name, envir = seen)
  }
  counted <- function(f, name) {
    body(f) <- as.call(list(quote(`{`), as.call(list(note, name)), body(f)))
    f
  }
  for (at in list(space, get(".__S3MethodsTable__.", space, inherits = FALSE))) {
    for (name in ls(at, all.names = TRUE)) {
      f <- get(name, at)
      if (!is.function(f) || is.primitive(f) || !identical(environment(f), space)) next
      if (bindingIsLocked(name, at)) unlockBinding(name, at)
      assign(name, counted(f, name), at)
    }
  }
  function(code) {
    n <<- 0L
    suppressMessages(suppressWarnings(force(code)))
    unlist(mget(as.character(seq_len(n)), envir = seen), use.names = FALSE)
  }
}

trace_counts <- function(root = ".") {
  space <- asNamespace("domgen")
  definitions <- read_definitions(root)
  home <- stats::setNames(column(definitions, "file"), column(definitions, "name"))
  path <- instrument(space)
  domgen <- function(name) get(name, space)
  set.seed(1)
  classes <- domgen("simulate_dcm")(domains = 5, n = 25, p = 3, seed = 1)
  numbers <- domgen("simulate_dica")(domains = 15, n = 20, p = 3, seed = 1)
  map <- domgen("features_nystrom")(20)
  few <- function(...) domgen("dg_ridge")(y ~ . | domain, feature_map = map, lambda = 1, ...)
  paths <- list(
    `dg_svm(), cost given` = path(domgen("dg_svm")(y ~ . | domain, data = classes, cost = 1)),
    `dg_svm(), cost open` = path(domgen("dg_svm")(y ~ . | domain, data = classes)),
    `dg_ridge(), memory` = path(few(data = numbers)),
    `dg_ridge(), source` = path(few(data = domgen("row_source")(numbers))),
    `dg_compare(), 45 fits` = path(domgen("dg_compare")(
      list(ridge = domgen("dg_ridge")(lambda = 1), svm = domgen("dg_svm")(cost = 1),
           null = domgen("dg_null")()), y ~ . | domain, data = numbers, refits = TRUE))
  )
  counts <- unlist(lapply(names(paths), function(name) {
    calls <- paths[[name]]
    through <- module_of(ifelse(is.na(home[calls]), "", home[calls]))
    method <- grepl("^(learner|method|loss|solve|targets|fit)[-.]", home[unique(calls)])
    found <- list(calls = length(calls), functions = length(unique(calls)),
                  files = length(unique(home[calls])),
                  `changes of module` = sum(through[-1L] != through[-length(through)], na.rm = TRUE),
                  `functions of learners and methods` = sum(method),
                  `formula split` = sum(calls == "split_formula"),
                  `single_column()` = sum(calls == "single_column"))
    stats::setNames(found, paste0(name, ": ", names(found)))
  }), recursive = FALSE)
  beyond <- setdiff(paths[["dg_ridge(), source"]], paths[["dg_ridge(), memory"]])
  module <- module_of(home[beyond])
  listed <- lapply(split(beyond, module), function(names) toString(sort(names)))
  names(listed) <- sprintf("only over the source, %s (%d)", names(listed), table(module))
  list(counts = c(counts, list(`functions only over the source` = length(beyond))),
       lists = listed)
}

# In a process of its own, whose namespace may be changed.
trace_elsewhere <- function(library, root) {
  out <- tempfile(fileext = ".rds")
  on.exit(unlink(out, expand = FALSE))
  code <- sprintf(".libPaths(c(%s, .libPaths())); structure_home <- %s; source(%s); %s",
                  deparse1(library), deparse1(here),
                  deparse1(file.path(here, ".ci", "structure.R")),
                  sprintf("saveRDS(trace_counts(%s), %s)", deparse1(root), deparse1(out)))
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  system2(file.path(R.home("bin"), "Rscript"), shQuote(script))
  unlink(script, expand = FALSE)
  readRDS(out)
}

# ---- the table --------------------------------------------------------------------------------

show_table <- function(columns) {
  names <- unique(unlist(lapply(columns, names)))
  cells <- vapply(columns, function(counts) vapply(names, function(name) {
    if (is.null(counts[[name]])) "-" else format(counts[[name]], big.mark = ",")
  }, ""), character(length(names)))
  long <- apply(nchar(cells) > 18L, 1L, any)
  cat(sprintf("%-52s%s\n", "", paste(sprintf("%18s", names(columns)), collapse = "")))
  for (i in seq_along(names)) {
    if (!long[i]) {
      cat(sprintf("%-52s%s\n", names[i], paste(sprintf("%18s", cells[i, ]), collapse = "")))
    } else {
      cat(sprintf("%s\n", names[i]))
      for (k in names(columns)) {
        cat(strwrap(paste0(k, ": ", cells[i, k]), 98, indent = 4L, exdent = 6L), sep = "\n")
      }
    }
  }
}

report_structure <- function(arguments) {
  option <- function(name) {
    at <- match(name, arguments)
    if (!is.na(at)) arguments[at + 1L]
  }
  one <- function(library, root) {
    traced <- trace_elsewhere(library, root)
    list(counts = c(make_counts(root), traced$counts), lists = traced$lists)
  }
  now <- one(dirname(find.package("domgen")), here)
  base <- option("--base")
  found <- c(if (!is.null(base)) list(before = one(base, option("--sources"))), list(now = now))
  show_table(lapply(found, `[[`, "counts"))
  for (name in names(found)) {
    cat("\nFunctions of a ridge fit only over a source, ", name, "\n", sep = "")
    lists <- found[[name]]$lists
    for (module in names(lists)) {
      cat(strwrap(paste0(module, ": ", lists[[module]]), 98, indent = 2L, exdent = 4L), sep = "\n")
    }
  }
}

if (sys.nframe() == 0L) report_structure(commandArgs(trailingOnly = TRUE))
