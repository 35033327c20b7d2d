# One table in every kind of file gives the same rows, types and fits.

# Writers of the kinds that the packages which are there can write, by the file's ending.
file_writers <- function() {
  csv <- function(sep, dec, encoding = "UTF-8", bom = FALSE) function(data, file) {
    numbers <- vapply(data, is.double, NA) & !vapply(data, inherits, NA, "Date")
    data[numbers] <- lapply(data[numbers], function(x) {
      replace(sub(".", dec, sprintf("%.17g", x), fixed = TRUE), is.na(x), NA)
    })
    text <- vapply(data, is.character, NA) & !numbers
    data[text] <- lapply(data[text], function(x) ifelse(is.na(x), NA, paste0("\"", x, "\"")))
    lines <- c(paste0("\"", names(data), "\"", collapse = sep),
               do.call(paste, c(lapply(data, as.character), sep = sep)))
    bytes <- iconv(paste0(enc2utf8(lines), collapse = "\n"), "UTF-8", encoding, toRaw = TRUE)[[1L]]
    writeBin(c(if (bom) as.raw(c(0xef, 0xbb, 0xbf)), bytes), file)
  }
  writers <- list(
    "comma.csv" = csv(",", "."), "bom.csv" = csv(",", ".", bom = TRUE),
    "semicolon.csv" = csv(";", "."), "german.csv" = csv(";", ","),
    "latin.csv" = csv(";", ",", "latin1"), "tab.tsv" = csv("\t", "."),
    "tab_comma.txt" = csv("\t", ",", bom = TRUE), "latin_tab.txt" = csv("\t", ".", "latin1"),
    "a.rds" = function(data, file) saveRDS(data, file),
    "a.sav" = function(data, file) haven::write_sav(data, file),
    "a.zsav" = function(data, file) haven::write_sav(data, file, compress = "zsav"),
    "a.dta" = function(data, file) haven::write_dta(data, file),
    "a.xlsx" = function(data, file) openxlsx::write.xlsx(data, file),
    "a.parquet" = function(data, file) nanoparquet::write_parquet(data, file)
  )
  package <- c(csv = "data.table", tsv = "data.table", txt = "data.table", sav = "haven",
               zsav = "haven", dta = "haven", xlsx = "openxlsx", parquet = "nanoparquet")
  needs <- package[sub(".*[.]", "", names(writers))]
  there <- is.na(needs) | vapply(needs, function(name) {
    is.na(name) || requireNamespace(name, quietly = TRUE)
  }, NA)
  if (!requireNamespace("readxl", quietly = TRUE)) there[names(writers) == "a.xlsx"] <- FALSE
  writers[there]
}

# A table with some of what tables have: numbers, whole ones, dates, text with letters of Latin-1,
# missing values; a response that all of it decides.
random_table <- function(i) {
  with_seed(i, {
    sites <- c("K\u00f6ln", "Z\u00fcrich", "Bonn", "\u00c5rhus", "Paris", "Bern")
    n <- sample(80:140, 1L)
    d <- data.frame(site = rep_len(sites[seq_len(sample(4:6, 1L))], n), x = stats::rnorm(n),
                    big = stats::rnorm(n, 1e5, 3e4), count = as.double(stats::rpois(n, 4)),
                    day = as.Date("2019-12-01") + sample(700L, n, TRUE),
                    kind = sample(c("gut", "m\u00e4\u00dfig", "schlecht, sehr"), n, TRUE),
                    wave = format(as.Date("2020-01-01") + 90 * sample(4L, n, TRUE)))
    d$y <- d$x + d$big / 1e5 + (d$kind == "gut") + d$count / 9 + stats::rnorm(n) / 4
    for (name in sample(names(d)[2:6], 2L)) d[[name]][sample(n, 3L)] <- NA
    names(d)[2:3] <- sample(c("Gr\u00f6\u00dfe", "x", "Gewicht", "\u00e9t\u00e9"), 2L)
    d[c("site", sample(setdiff(names(d), "site")))]
  })
}

test_that("the same table in every kind of file gives the same fit", {
  writers <- file_writers()
  skip_if(length(writers) < 2L, "only .rds can be written")
  folder <- source_folder()
  for (i in if (nzchar(Sys.getenv("DOMGEN_LONG"))) 1:20 else 1:2) {
    data <- random_table(i)
    specs <- list(dg_ridge(lambda = 0.1), dg_lm(),
                  dg_ridge(lambda = 1, feature_map = features_nystrom(20)))
    found <- lapply(names(writers), function(name) {
      file <- file.path(folder, name)
      writers[[name]](data, file)
      lapply(specs, function(spec) {
        set.seed(i)
        quietly(predict(fit(spec, y ~ . | site, data = row_source(file)), row_source(file)))
      })
    })
    # in memory dates are dates
    memory <- transform(data, wave = as.Date(wave))
    names(memory) <- names(data)
    expected <- quietly(predict(fit(specs[[1L]], y ~ . | site, data = memory), memory))
    for (k in seq_along(writers)) {
      expect_equal(found[[k]], found[[1L]], tolerance = 1e-10, info = names(writers)[k])
    }
    expect_equal(found[[1L]][[1L]], as.vector(expected), tolerance = 1e-10)
  }
})

test_that("value labels make categories where each value has one, and declared missing is missing", {
  skip_if_not_installed("haven")
  n <- 40
  d <- with_seed(1, data.frame(
    each = haven::labelled(sample(c(2, 1), n, TRUE), c(yes = 2, no = 1, never = 3)),
    some = haven::labelled(sample(0:9 + 0, n, TRUE), c(least = 0, most = 9)),
    text = haven::labelled(sample(c("m", "f"), n, TRUE), c(male = "m", female = "f")),
    empty = sample(c("", "a"), n, TRUE)
  ))
  d$user <- haven::labelled_spss(replace(seq_len(n) + 0.5, 3:4, c(999, -9)), c(refused = 999),
                                 na_values = 999, na_range = c(-9, -1))
  spss <- file.path(source_folder(), "a.sav")
  haven::write_sav(d, spss)
  stata <- file.path(source_folder(), "a.dta")
  haven::write_dta(transform(d, user = haven::labelled(
    replace(seq_len(n) + 0.5, 3:4, c(haven::tagged_na("a"), NA)), c(refused = haven::tagged_na("a"))
  ), text = unclass(text)), stata)
  rds <- file.path(source_folder(), "a.rds")
  saveRDS(d, rds)
  for (file in c(spss, stata, rds)) {
    found <- as.data.frame(row_source(file))
    expect_identical(found$each, factor(d$each, 1:2, c("no", "yes")), info = file)
    expect_identical(found$some, as.double(d$some), info = file)
    expect_identical(which(is.na(found$user)), 3:4, info = file)
    expect_identical(found$user[-(3:4)], as.double(d$user)[-(3:4)], info = file)
    if (file != rds) expect_identical(found$empty, ifelse(d$empty == "a", "a", NA), info = file)
    if (file != stata) {
      expect_identical(as.character(found$text), ifelse(unclass(d$text) == "m", "male", "female"),
                       ignore_attr = TRUE)
    }
  }
  # as the name of a domain too
  d$y <- d$x <- stats::rnorm(n)
  haven::write_sav(d, spss)
  model <- dg_lm(y ~ x | each, data = row_source(spss))
  expect_identical(levels(model$domain), c("no", "yes"))
})

test_that("a sheet of Excel is read as a CSV file is", {
  skip_if_not_installed("readxl")
  skip_if_not_installed("openxlsx")
  file <- file.path(source_folder(), "a.XLSX")
  d <- data.frame(site = c("007", "a", "b"), day = as.Date("2024-02-28") + 0:2,
                  time = as.POSIXct("2024-01-01 12:00", tz = "UTC") + 0:2 * 3600, x = c(1.5, NA, 2),
                  code = c("1", "2", "3"), iso = c("2024-01-31", NA, "2024-02-01"))
  openxlsx::write.xlsx(list(rows = d, notes = data.frame(a = 1)), file)
  expect_message(found <- as.data.frame(row_source(file)), class = "domgen_message_source",
                 "has 2 sheets; the first is read, \"rows\"")
  expect_identical(found$day, d$day)
  expect_s3_class(found$time, "POSIXct")
  expect_equal(as.double(found$time), as.double(d$time))
  expect_identical(found[c("site", "x", "code")], transform(d[c("site", "x")], code = c(1, 2, 3)))
  expect_identical(found$iso, as.Date(d$iso))
  d$code[3] <- "n/a"
  openxlsx::write.xlsx(d, file)
  expect_domgen_error(as.data.frame(row_source(file)), "`a.XLSX`, row 3: `code` must be a number")
  expect_identical(as.data.frame(row_source(file, levels = list(code = c("1", "2", "n/a"))))$code,
                   factor(d$code))
  # of the older kind there is one that readxl brings
  old <- readxl::readxl_example("datasets.xls")
  expect_message(iris <- as.data.frame(row_source(old)), "4 sheets")
  expect_identical(nrow(iris), nrow(as.data.frame(readxl::read_excel(old))))
})

test_that("the decimal mark is that of most numbers, and not that of thousands", {
  skip_if_not_installed("data.table")
  read <- function(text) as.data.frame(row_source(source_file(text)))
  expect_identical(read("x\ty\n1,5\t1\n2,25\t2\n")$x, c(1.5, 2.25))
  expect_identical(read("x\ty\n1,500\t1.5\n2,250\t2.5\n")$y, c(1.5, 2.5))
  expect_identical(read("x\ty\n1,500\t1\n2,250\t2\n")$x, c("1,500", "2,250"))
  # one version number among decimal commas
  expect_identical(read("x;v\n1,5;1.2\n2,5;a\n3,5;b\n")$x, c(1.5, 2.5, 3.5))
})

test_that("a missing package is named with the command that installs it, an empty file is one", {
  for (name in c("a.sav", "a.xlsx", "a.parquet", "a.dta")) {
    package <- c(sav = "haven", xlsx = "readxl", parquet = "nanoparquet", dta = "haven")
    package <- package[[sub("a[.]", "", name)]]
    file <- source_file("", name)
    with_replaced("need_package", function(package, what) stop(package), {
      expect_error(row_source(file), package)
    })
    if (requireNamespace(package, quietly = TRUE)) {
      expect_domgen_error(row_source(file), "is empty", "domgen_error_data")
      expect_domgen_error(as.data.frame(row_source(source_file("no such file", name))),
                          "cannot be read", "domgen_error_data")
    }
  }
})

test_that("names and labels beyond ASCII give the same numbers in every locale", {
  skip_on_cran()
  skip_if_not_installed("data.table")
  folder <- source_folder()
  kinds <- c("german.csv", "latin.csv", "bom.csv", "a.sav", "a.dta", "a.xlsx", "a.parquet", "a.rds")
  writers <- file_writers()
  writers <- writers[names(writers) %in% kinds]
  data <- random_table(1)
  for (name in names(writers)) writers[[name]](data, file.path(folder, name))
  # a locale of Latin-1, made where there is none
  locales <- file.path(folder, "locales")
  dir.create(locales)
  made <- nzchar(Sys.which("localedef")) && suppressWarnings(system2(
    "localedef", c("--no-archive", "-i", "en_US", "-f", "ISO-8859-1",
                   file.path(locales, "en_US.ISO-8859-1")), stdout = FALSE, stderr = FALSE)) == 0
  script <- file.path(folder, "script.R")
  writeLines(c(
    paste0(".libPaths(c(", paste(shQuote(.libPaths()), collapse = ", "), "))"),
    "library(domgen)",
    paste0("setwd(", shQuote(folder), ")"),
    paste0("for (file in c(", paste(shQuote(names(writers)), collapse = ", "), ")) {"),
    "  model <- suppressWarnings(dg_ridge(y ~ . | site, data = row_source(file), lambda = 0.1))",
    "  data <- as.data.frame(row_source(file))",
    "  p <- suppressWarnings(predict(model, data))",
    "  labels <- utf8ToInt(paste(sort(enc2utf8(c(names(data), unique(data$site),",
    "    levels(model$domain))), method = 'radix'), collapse = ''))",
    "  labels <- sum(labels * seq_along(labels))",
    "  cat('value', sprintf('%.12e', sum(p^2, na.rm = TRUE)), labels, '\\n')",
    "}"
  ), script)
  values <- function(locale, path = "") {
    output <- system2(file.path(R.home("bin"), "Rscript"), c("--no-environ", shQuote(script)),
                                      env = c(paste0("LC_ALL=", locale), paste0("LOCPATH=", path)[nzchar(path)]),
                      stdout = TRUE, stderr = TRUE)
    grep("^value", output, value = TRUE)
  }
  plain <- values("C.UTF-8")
  expect_length(plain, length(writers))
  expect_length(unique(plain), 1L)
  expect_identical(values("C"), plain)
  if (made) expect_identical(values("en_US.ISO-8859-1", locales), plain)
})

test_that("text with labels is its labels, where some of it is empty too", {
  skip_if_not_installed("haven")
  codes <- c(male = "m", female = "f")
  value <- c(sample(c(codes, ""), 20, TRUE), "m", "f", "")
  path <- tempfile(fileext = ".sav")
  haven::write_sav(data.frame(s = haven::labelled(unname(value), codes)), path)
  expect_identical(as.character(as.data.frame(row_source(path))$s),
                   names(codes)[match(value, codes)])
})
