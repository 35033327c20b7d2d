# Memory that does not suffice.

limited_session <- function(kilobytes, script, seconds = 60) {
  file <- tempfile(fileext = ".R")
  writeLines(c(sprintf(".libPaths(%s)", paste(deparse(.libPaths()), collapse = "")),
               "suppressPackageStartupMessages(library(domgen))", script), file)
  suppressWarnings(system2("bash", c("-c", shQuote(paste0(
    if (is.finite(kilobytes)) sprintf("ulimit -v %.0f; ", kilobytes),
    "OPENBLAS_NUM_THREADS=2 exec timeout ", seconds, " ",
    file.path(R.home("bin"), "Rscript"), " --no-environ ", file
  ))), stdout = TRUE, stderr = TRUE))
}

skip_without_limits <- function() {
  skip_on_cran()
  skip_if(grepl("libasan", Sys.getenv("LD_PRELOAD")), "sanitizers take all of the address space")
  tools <- Sys.which(c("bash", "timeout"))
  skip_if(any(tools == "") || !file.exists("/proc/self/limits"), "no shell that limits memory")
}

# 69 MB in the Gram matrix of the first fit, 1 MB in that of the second.
too_large_then_small <- c(
  "rows <- function(n) { set.seed(1); d <- data.frame(domain = rep_len(letters[1:8], n),",
  "  x1 = rnorm(n), x2 = rnorm(n)); d$y <- d$x1 + rnorm(n); d }",
  "fits <- list(ridge = function(d) dg_ridge(y ~ . | domain, data = d, lambda = 1),",
  "  gp = function(d) dg_gp(y ~ . | domain, data = d, optimise = FALSE),",
  "  kpca = function(d) dg_kpca(~ x1 + x2 | domain, data = d, ncomp = 1),",
  "  mapped = function(d) dg_ridge(y ~ . | domain, data = d, lambda = 1,",
  "    feature_map = features_nystrom(150)))",
  "large <- rows(3000); small <- rows(400)",
  "for (name in names(fits)) {",
  "  said <- tryCatch({ fits[[name]](large); 'fitted' }, error = function(e) {",
  "    paste(class(e)[1L], conditionMessage(e)) })",
  "  set.seed(1)",
  "  value <- tryCatch(sum(abs(predict(fits[[name]](small), small))), error = conditionMessage)",
  "  cat('@', name, '@', if (is.numeric(value)) sprintf('%.8g', value) else value, '@', said, '\\n')",
  "}"
)

test_that("after a fit for which the memory did not suffice the next small one works", {
  skip_without_limits()
  read <- function(lines) {
    parts <- strsplit(grep("^@", lines, value = TRUE), " *@ *")
    stats::setNames(lapply(parts, function(part) trimws(part[3:4])), vapply(parts, `[`, "", 2L))
  }
  free <- limited_session(Inf, c(too_large_then_small,
                                 "cat(grep('^VmSize', readLines('/proc/self/status'), value = TRUE))"))
  used <- limited_session(Inf, "cat(grep('^VmSize', readLines('/proc/self/status'), value = TRUE))")
  used <- as.numeric(gsub("[^0-9]", "", grep("VmSize", used, value = TRUE)))
  expected <- read(free)
  expect_length(expected, 4L)
  failed <- 0
  # room for a part of the matrix, for one, and for two
  for (room in with_seed(1, sort(runif(if (long_form()) 25 else 5, 0.2, 2)))) {
    lines <- limited_session(used + room * 8 * 3000^2 / 1024, too_large_then_small)
    about <- paste(round(room, 2), paste(lines, collapse = "\n"))
    # 124: it hung
    expect_null(attr(lines, "status"), info = about)
    found <- read(lines)
    for (name in names(expected)) {
      expect_identical(found[[name]][1L], expected[[name]][1L], info = about)
      if (found[[name]][2L] == "fitted") next
      failed <- failed + 1
      expect_match(found[[name]][2L], "^domgen_error_memory .*GiB.*(features_nystrom|Fewer features)",
                   info = about)
    }
  }
  expect_gt(failed, 3)
})

test_that("errors of memory are told from others, in any language, and say what would need less", {
  raise <- function(text) within_memory(stop(text), fit_advice(20000))
  texts <- c("cannot allocate vector of size 3.0 Gb", "std::bad_alloc",
             "pthread_create has failed: Resource temporarily unavailable",
             gettext("vector memory exhausted (limit reached?)", domain = "R"))
  for (text in texts) {
    expect_domgen_error(raise(text), "20,000 rows takes 2.98 GiB.*features_nystrom", "domgen_error_memory")
  }
  expect_error(raise("no such column"), "^no such column$")
  expect_error(within_memory(abort("data", "cannot allocate")), class = "domgen_error_data")
  expect_domgen_error(core_result(stop("singular")), "core failed", "domgen_error_numeric")
  expect_error(core_result(stop("std::bad_alloc")), "^std::bad_alloc$")
})

test_that("a matrix that the address space has no room for is refused before it is allocated", {
  with_replaced("address_space_left", function() 1e8, {
    expect_silent(check_memory(3000))
    expect_domgen_error(check_memory(4000), "0.119 GiB, more than the 0.0931 GiB that `ulimit -v` leaves",
                        "domgen_error_memory")
  })
})
