# The data sets of the experiments: where they were published and what they must be. They are read
# from the folder that the environment variable DOMGEN_DATA names, as <name>.csv.gz with the columns
# `domain` and `y` first.

data_sets <- list(
  heart_disease = list(
    sha256 = "f99ddd8b60cca31f91098eb996f23d0ad70d9348feba318180fb7052b22d4328",
    source = "UCI Machine Learning Repository, data set 45, Heart Disease (four hospitals)"
  ),
  parkinsons = list(
    sha256 = "82d142500e05bbdfb6e46818630e68bb376fd75ba0410e1cbe6955c4ad73ffe4",
    source = "UCI Machine Learning Repository, data set 189, Parkinsons Telemonitoring"
  ),
  gvhd_flowcap1 = list(
    sha256 = "f4ea1002810fd0b4e5be5a6c9a1afe52e7f04870e7445a531b9fa256854733bb",
    source = "FlowCAP-I, the 12 samples of GvHD; copied in github.com/KlugerLab/deepcytof"
  ),
  har66 = list(
    sha256 = "c10057edf4ba55a8ec4bcd87b8113c4f8ca647903ec90fcc26751a5be2641a91",
    source = paste("UCI Machine Learning Repository, data set 240, Human Activity Recognition",
                   "(66 columns)")
  ),
  school_ilea = list(
    sha256 = "2db2a5bab520e86d701b71e5c3e0c7f85c21558a6c6ce2aeeec0c0b5c950699f",
    source = "the Inner London Education Authority's examination scores of 139 schools"
  ),
  landmine = list(
    sha256 = "9d94ded99af1fb39ba13d74c8e93dae47bd1bdd23ef0ef3cb6a4828eea7be43d",
    source = paste("Xue, Liao, Carin and Krishnapuram (2007); copied in",
                   "github.com/daizhongxiang/Federated_Bayesian_Optimization")
  ),
  cytof_multicenter16 = list(
    sha256 = "ebf8a576a4164c0d82225478e8d11877cc05041c3a3173569980d70050f4d2df",
    source = "the multi-centre mass cytometry samples copied in github.com/KlugerLab/deepcytof"
  ),
  mtl_synthetic256 = list(
    sha256 = "bf89387ca594e02d439ad88fd8c06b884bd131066734e6e0f647c9ee6069d071",
    source = "the MTL authors' draw, github.com/aniketde/DomainGeneralizationMarginal"
  )
)

data_file <- function(name) {
  folder <- Sys.getenv("DOMGEN_DATA")
  if (!nzchar(folder)) return("")
  file <- file.path(folder, paste0(name, ".csv.gz"))
  if (file.exists(file)) file else ""
}

# Which of the data sets an experiment has to do without, as sentences; none: character().
missing_data <- function(names) {
  folder <- Sys.getenv("DOMGEN_DATA")
  where <- if (!nzchar(folder)) "there, as DOMGEN_DATA, the folder of the data, is not set"
           else if (!dir.exists(folder)) paste0("there: DOMGEN_DATA names no folder (", folder, ")")
           else paste("in the folder that DOMGEN_DATA names:", folder)
  said <- vapply(names, function(name) {
    if (!nzchar(data_file(name))) {
      paste0(name, ".csv.gz is not ", where, "; published as: ", data_sets[[name]]$source,
             "; sha256 ", data_sets[[name]]$sha256)
    } else wrong_data(name)
  }, "", USE.NAMES = FALSE)
  said[nzchar(said)]
}

missing_packages <- function(names) {
  there <- vapply(names, requireNamespace, NA, quietly = TRUE)
  if (all(there)) character() else paste(names[!there], "is not installed")
}

# Is a file another than the results are of?
wrong_data <- function(name) {
  found <- sha256(data_file(name))
  if (is.na(found)) {
    message("sha256 of ", name, " was not checked: neither digest nor sha256sum is installed")
  }
  if (is.na(found) || found == data_sets[[name]]$sha256) return("")
  paste0(data_file(name), " is not the data set that the results are of: its sha256 is ", found,
         ", not ", data_sets[[name]]$sha256)
}

sha256 <- function(file) {
  if (exists("sha256sum", asNamespace("tools"))) { # from R 4.5 on
    return(unname(get("sha256sum", asNamespace("tools"))(file)))
  }
  if (requireNamespace("digest", quietly = TRUE)) {
    return(digest::digest(file = file, algo = "sha256"))
  }
  tool <- Sys.which(c("sha256sum", "shasum"))
  tool <- tool[nzchar(tool)]
  if (length(tool) == 0L) return(NA_character_)
  arguments <- c(if (names(tool)[1L] == "shasum") c("-a", "256"), shQuote(file))
  sub(" .*", "", system2(tool[1L], arguments, stdout = TRUE)[1L])
}

# Each file once, for up to seven experiments of a run share it.
read_data <- local({
  known <- list()
  function(name) {
    file <- data_file(name)
    if (is.null(known[[file]])) {
      d <- utils::read.csv(gzfile(file))
      d$domain <- factor(d$domain)
      known[[file]] <<- d
    }
    known[[file]]
  }
})
