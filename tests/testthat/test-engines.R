# The same rows through real databases and on a real cluster give the same fit. `make test-engines`
# starts PostgreSQL and Slurm; where these are not, SQLite and processes of this machine stand for
# them.

test_that("a job of Slurm sees the package and the session's library, and has its resources", {
  skip_without_slurm()
  under_engine(slurm_jobs, {
    job <- future::value(future::future({
      list(version = utils::packageVersion("domgen"), where = find.package("domgen"),
           id = Sys.getenv("SLURM_JOB_ID"), threads = Sys.getenv("OPENBLAS_NUM_THREADS"),
           limit = system2("squeue", c("--noheader", "--format=%l", "--jobs",
                                       Sys.getenv("SLURM_JOB_ID")), stdout = TRUE))
    }))
  })
  expect_identical(job$version, utils::packageVersion("domgen"))
  expect_identical(job$where, find.package("domgen"))
  expect_match(job$id, "^[0-9]+$")
  expect_identical(job$threads, "1")
  expect_identical(trimws(job$limit), "10:00")
})
