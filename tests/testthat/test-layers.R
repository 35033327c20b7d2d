# What ARCHITECTURE.md says of the modules and the sizes of things, held against the sources by
# .ci/layers.R, which prints what it finds: `make layers`.

# Calls upward that are known, and why they are there: "from -> to" = why. None is the aim.
known_upward <- c(
  ".onLoad -> fit_unknown" = "registers the default of a generic that others share",
  ".onLoad -> settle_in_parsnip" = "tells parsnip of a model, when both are loaded",
  ".onLoad -> settle_in_mlr3" = "waits for mlr3, which has no hook that a lower module could ask",
  "domain_kernel_fit.domain_embedding -> represent" =
    "an embedding is represented by the features of its own kernel",
  "domain_kernel_fit.domain_embedding -> embedding_map" = "the same",
  "domain_kernel_fit.domain_embedding -> feature_means" = "the same",
  "domain_kernel_fit.domain_embedding -> space_rows" = "the same",
  "domain_kernel_fit.domain_embedding -> without_seen" = "the same",
  "domain_coordinates.domain_embedding -> feature_means" = "the same"
)

# Questions for the class of a part outside its file, "function: class" = why.
known_questions <- c(
  "dg_pipeline: dg_projection_spec" = "its argument is checked",
  "read_specification: dg_projection_spec" = "its argument is checked",
  "check_part: features_exact" = "its argument is checked",
  "has_domain_learner: domain_learner" = "the model of a workflow is checked",
  "check_response: kernel_delta" = "its argument is checked",
  "has_posterior: dg_gp" = "the one place that asks for it",
  "is_stationary: kernel_stationary" = "the one place that asks for it",
  "is_custom: kernel_stationary" = "is it evaluated in R?",
  "kernel_profile.kernel_composite: kernel_sum" = "sums and products are one family",
  "format.kernel_composite: kernel_sum" = "the same",
  "kernel_profile_slope.kernel_composite: kernel_sum" = "the same",
  "bandwidth_profile_slope: kernel_sum" = "the same",
  "bandwidth_paths: kernel_composite" = "walks through them",
  "shown_path: kernel_mixed" = "hides wrappers that the user did not make"
)

layers <- function() {
  script <- checkout_file(".ci", "layers.R")
  skip_if_not_installed("codetools")
  skip_if_not(file.exists(script), "the script that reads the sources is not there")
  env <- new.env()
  sys.source(script, env)
  env$root <- checkout_file()
  env$definitions <- env$read_definitions(env$root)
  env
}

found <- NULL
the_layers <- function() {
  if (is.null(found)) found <<- layers()
  found
}

# What .ci/structure.R counts.
structure_of <- function(layers) {
  env <- new.env(parent = layers)
  env$structure_home <- checkout_file()
  sys.source(checkout_file(".ci", "structure.R"), env)
  env
}

expect_none <- function(found, what) {
  expect_identical(found, character(), label = paste0(what, ": ", paste(found, collapse = ", ")))
}

# known: a list of exceptions, by name.
expect_known <- function(found, known, what) {
  expect_none(setdiff(found, names(known)), what)
  expect_none(setdiff(names(known), found), "no longer there, to be taken off the list")
}

test_that("every file of R/ has a module", {
  layers <- the_layers()
  files <- unique(layers$column(layers$definitions, "file"))
  expect_gt(length(files), 60L)
  expect_none(files[is.na(layers$module_of(files))], "files without a module, see .ci/layers.R")
})

test_that("no module calls one above it, beyond what is known", {
  layers <- the_layers()
  expect_gt(length(layers$definitions), 2000L)
  up <- layers$upward_calls(layers$read_calls(layers$definitions, upward = TRUE))
  expect_known(paste(up$from, "->", up$to), known_upward, "calls upward")
})

test_that("the folders of the core call downwards, in no circle, and know neither R nor threads", {
  layers <- the_layers()
  includes <- layers$read_includes(layers$root)
  expect_gt(nrow(includes), 100L)
  folders <- setdiff(c(includes$from, includes$to), c("", "core", names(layers$core_layer)))
  expect_none(unique(folders), "folders without a layer, see .ci/layers.R")
  up <- layers$upward_includes(includes)
  expect_none(paste(up$file, up$include), "includes upward")
  between <- includes[includes$to != "" & includes$to != includes$from, ]
  expect_identical(layers$circles(between$from, between$to), list())
  expect_none(with(includes[includes$wrong, ], paste(file, include)), "includes of the core")
})

test_that("circles and upward calls are found where there are some", {
  layers <- the_layers()
  round <- layers$circles(c("a", "b", "c", "d"), c("b", "c", "a", "a"))
  expect_identical(round, list(c("a", "b", "c")))
  expect_identical(layers$circles("a", "b"), list())
  files <- c("kernel-rbf.R", "integration-parsnip.R", "base-words.R", "output-cv.R", "x.R")
  expect_identical(layers$module_of(files), c("kernel", "integration", "base", "output", NA))
  define <- function(file, name, code) {
    list(file = file, name = name, value = code, from = 1L, to = 1L,
         words = unlist(strsplit(deparse(code), "[^[:alnum:]._]+")))
  }
  definitions <- list(
    define("data-a.R", "low", quote(function(x, high = 1) list(high, lapply(x, above)))),
    define("score-b.R", "high", quote(function() low())),
    define("score-b.R", "above", quote(function() high()))
  )
  expect_identical(nrow(layers$read_calls(definitions)), 2L)
  for (upward in c(FALSE, TRUE)) {
    up <- layers$upward_calls(layers$read_calls(definitions, upward))
    # `high` is an argument there
    expect_identical(paste(up$from, up$to), "low above")
  }
})

test_that("a name is given once: of two, the file that is read last would decide", {
  names <- vapply(the_layers()$definitions, `[[`, "", "name")
  expect_none(setdiff(names[duplicated(names)], "top level"), "defined twice")
})

test_that("lines have at most 100 characters", {
  layers <- the_layers()
  expect_none(as.character(layers$long_lines(layers$root)), "lines over 100 characters")
})

test_that("what part there is is asked outside its file only where there is a reason", {
  layers <- the_layers()
  asked <- layers$part_questions(layers$definitions)
  expect_known(paste0(asked$within, ": ", asked$class), known_questions, "asked without a reason")
  expect_lte(length(known_questions), 15L)
})

test_that("the counts of .ci/structure.R are of this checkout", {
  layers <- the_layers()
  env <- structure_of(layers)
  file <- tempfile(fileext = ".R")
  on.exit(unlink(file))
  writeLines(c("# no code", "", "f <- function(x) { # code", "  \"a text", "  over lines\"", "}"), file)
  expect_identical(env$code_lines(file), 3:6)
  # of some modules: the whole takes seconds to parse
  root <- tempfile("some")
  dir.create(file.path(root, "R"), recursive = TRUE)
  on.exit(unlink(root, recursive = TRUE), add = TRUE)
  some <- list.files(file.path(layers$root, "R"), "^(kernel|output-cv|base-words).*[.]R$")
  file.copy(file.path(layers$root, "NAMESPACE"), root)
  file.copy(file.path(layers$root, "R", some), file.path(root, "R"))
  own <- layers$column(layers$definitions, "file") %in% some
  counts <- env$make_counts(root, layers$definitions[own])
  expect_identical(counts$`files in R/`, length(some))
  expect_gt(counts$`functions (top level)`, counts$`internal functions`)
  expect_gt(counts$`lines of code in R/`, counts$`lines of output code`)
  expect_none(setdiff(unlist(env$twins), layers$column(layers$definitions, "name")),
              "twins that are not there")
})

# Names and texts in code.
words_of <- function(code) {
  if (is.name(code) || is.character(code)) return(as.character(code))
  if (!is.call(code)) return(NULL)
  unlist(lapply(as.list(code), function(part) if (!missing(part)) words_of(part)))
}

test_that("which rows a fit has is known by rows*.R; elsewhere few ask, by only_sums()", {
  layers <- the_layers()
  expect_identical(words_of(quote(if (a$b) f("c", x[, 1]))),
                   c("if", "$", "a", "b", "f", "c", "[", "x", ""))
  outside <- Filter(function(d) !startsWith(d$file, "rows"), layers$definitions)
  words <- lapply(outside, function(d) words_of(d$value))
  asking <- function(...) {
    asks <- vapply(words, function(own) any(c(...) %in% own), NA)
    as.character(layers$column(outside[asks], "name"))
  }
  expect_none(asking("keeps", "dg_rows"), "asked which rows they are")
  expect_lte(length(asking("only_sums")), 11L)
})

# Each bound is what there was: who lowers a count writes it down, lines to the next 50. Who adds a
# method or a kind raises the lines of its module by its own, in the same commit, which says so.
most_lines <- c(base = 1350, data = 4200, domain = 1050, feature = 404, inference = 3132,
                integration = 1550, kernel = 900, learner = 6180, method = 2550, output = 4400,
                projection = 750, run = 500, score = 3627, selection = 3057, space = 450)
most_words <- c(rows = 176, own = 0, found = 0, known = 0)

test_that("no module grows beyond its lines, and no word that means several things spreads", {
  layers <- the_layers()
  env <- structure_of(layers)
  lines <- env$module_lines(layers$root)
  expect_setequal(names(lines), names(most_lines))
  grown <- lines > most_lines[names(lines)]
  expect_none(paste(names(lines), lines)[grown], "modules with more lines than before")
  words <- env$word_counts(layers$definitions, names(most_words))
  expect_none(paste(names(words), words)[words > most_words],
              "words that more functions give to an argument or a variable than before")
  given <- env$names_given(quote(function(rows, n = 1) {
    own <- n
    for (found in own) lapply(n, function(known) known$other <- missing())
  }))
  expect_identical(given, c("rows", "n", "own", "found", "known"))
})

test_that("circles of files and the path of a fit do not grow", {
  skip_on_cran()
  layers <- the_layers()
  calls <- layers$read_calls(layers$definitions)
  expect_lte(max(lengths(layers$circles(calls$from_file, calls$to_file))), 17L)
  env <- structure_of(layers)
  traced <- env$trace_elsewhere(dirname(find.package("domgen")), checkout_file())$counts
  expect_lte(traced[["dg_svm(), cost open: functions of learners and methods"]], 102L)
  expect_lte(traced[["functions only over the source"]], 133L)
})

test_that("test files that R CMD check leaves out are there", {
  script <- checkout_file("tests", "testthat.R")
  skip_if_not(file.exists(script), "the script is not there")
  slow <- Filter(function(line) identical(line[[2L]], quote(slow)), as.list(parse(script)))
  files <- paste0("test-", eval(slow[[1L]][[3L]]), ".R")
  expect_gt(length(files), 50L)
  expect_none(setdiff(files, list.files(checkout_file("tests", "testthat"))),
              "files that are not there")
})
