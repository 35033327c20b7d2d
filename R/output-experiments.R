#' The papers' experiments
#'
#' @description
#' Lists the tables and figures of the papers that can be run again, with the data that each needs
#' and its run time. Each is one short script next to `run.R` in the installed package, which
#' states the comparison, the data, the protocol, and the differences from the paper.
#'
#' @details
#' Run them in a shell, where FOLDER is `system.file("experiments", package = "domgen")`:
#'
#' ```
#' Rscript FOLDER/run.R dica-table-1 --quick          # seconds
#' Rscript FOLDER/run.R dica-table-1                  # the size of the stored results
#' Rscript FOLDER/run.R dica-table-1 --full           # the size of the paper
#' ```
#'
#' A run writes a table, a row per draw and method, into the working folder (`--out FOLDER` for
#' another), and resumes if it was interrupted. Stored results are CSV files in the folder
#' `results` next to the scripts. Real data are read from the folder in the environment variable
#' `DOMGEN_DATA`; an experiment without its data names their source and is skipped.
#'
#' @return A data frame with a row per experiment:
#'   \item{name}{argument of `run.R`}
#'   \item{paper, item}{DICA (Muandet, Balduzzi and Schoelkopf, 2013), MTL (Blanchard and others,
#'     2021) or DCM (Wu), and its table or figure}
#'   \item{title}{comparison and data}
#'   \item{data}{names of the files in `DOMGEN_DATA`, empty for simulations}
#'   \item{quick_draws, draws, full_draws}{numbers of repetitions with `--quick`, without an option
#'     and with `--full`}
#'   \item{quick_minutes, minutes, full_minutes}{approximate run times of the same}
#'   \item{stored}{`TRUE` if the package contains the results}
#' @references
#' Muandet, K., Balduzzi, D. and Schoelkopf, B. (2013). Domain generalization via invariant feature
#' representation. *ICML*.
#'
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain generalization by
#' marginal transfer learning. *JMLR* 22(2).
#'
#' Wu, A. Domain generalization via domain-based covariance minimization.
#' @examples
#' domgen_experiments()[c("name", "paper", "item", "draws", "minutes")]
#' @export
domgen_experiments <- function() {
  folder <- system.file("experiments", package = "domgen")
  common <- new.env(parent = asNamespace("domgen"))
  for (file in list.files(file.path(folder, "common"), "[.]R$", full.names = TRUE)) {
    sys.source(file, common)
  }
  table <- common$list_experiments(common$read_experiments(folder, common))
  table$stored <- vapply(table$name, common$is_stored, NA, USE.NAMES = FALSE)
  table
}
