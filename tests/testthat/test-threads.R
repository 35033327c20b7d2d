test_that("a forked process computes what its parent does", {
  skip_on_os("windows")
  X <- with_seed(1, matrix(rnorm(5000), 1000))
  old <- options(domgen.threads = 2L)
  on.exit(options(old))
  own <- sum(kernel_matrix(kernel_rbf(1), X))
  forked <- parallel::mclapply(1:2, function(i) sum(kernel_matrix(kernel_rbf(1), X)), mc.cores = 2)
  expect_identical(forked, list(own, own))
})

# Arenas made for each call piled up where worker threads hardly got a processor: a session grew
# slower and larger with each call.
test_that("thousands of short calls leave nothing behind", {
  skip_on_cran()
  skip_if(nzchar(Sys.getenv("ASAN_OPTIONS")), "the address sanitizer keeps what is freed")
  skip_if_not(file.exists("/proc/self/status"), "no /proc to read the memory of a process from")
  grown <- in_new_session({
    options(domgen.threads = 2L)
    resident <- function() {
      gc()
      lines <- readLines("/proc/self/status")
      as.numeric(gsub("[^0-9]", "", grep("^VmRSS", lines, value = TRUE)))
    }
    # two tiles: the shorter a call, the more arenas wait for a worker that sees they are empty
    program <- domgen:::kernel_program(kernel_rbf(1), input, input)
    call <- function(i) domgen:::kernel_gram_(program, input, NULL, NULL, 2L)
    # R's own heap grows in steps, what is left behind with every call: in each of the rounds
    sizes <- numeric(5)
    for (round in seq_along(sizes)) {
      for (i in 1:2000) call(i)
      sizes[round] <- resident()
    }
    min(diff(sizes))
  }, with_seed(1, matrix(rnorm(130), 65)))
  expect_lt(grown, 6000)
})
