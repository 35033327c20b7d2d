#' The papers' experiments
#'
#' @description
#' Which tables and figures of the papers can be run anew, what each needs and how long it takes.
#' Each is one short script beside `run.R` in the installed package, which says what is compared, on
#' which data, by which protocol, and what differs from the paper.
#'
#' @details
#' In a shell, with the folder that is shown by `system.file("experiments", package = "domgen")`:
#'
#' ```
#' Rscript FOLDER/run.R dica-table-1 --quick          # seconds
#' Rscript FOLDER/run.R dica-table-1                  # the size of the stored results
#' Rscript FOLDER/run.R dica-table-1 --full           # the size of the paper
#' ```
#'
#' Each writes a table, one line per draw and method, into the working folder (`--out FOLDER` for
#' another), and goes on where it was stopped. Results that come with the package are read by
#' `read.csv()` from the folder `results` beside the scripts. Real data are read from the folder
#' that the environment variable `DOMGEN_DATA` names; an experiment whose data are not there says
#' where they were published and is skipped.
#'
#' @return A data frame with a line per experiment:
#'   \item{name}{what `run.R` is given}
#'   \item{paper, item}{DICA (Muandet, Balduzzi and Schoelkopf, 2013), MTL (Blanchard and others,
#'     2021) or DCM (Wu), and its table or figure}
#'   \item{title}{what is compared, on which data}
#'   \item{data}{names of the files in `DOMGEN_DATA`, empty for simulations}
#'   \item{quick_minutes, minutes, full_minutes}{about how long a run takes}
#'   \item{draws, full_draws}{how often it is repeated}
#'   \item{stored}{does the package come with its results?}
#' @section Errors:
#' There are none.
#' @references
#' Muandet, K., Balduzzi, D. and Schoelkopf, B. (2013). Domain generalization via invariant feature
#' representation. *ICML*.
#'
#' Blanchard, G., Deshmukh, A. A., Dogan, U., Lee, G. and Scott, C. (2021). Domain generalization by
#' marginal transfer learning. *JMLR* 22(2).
#'
#' Wu, A. Domain generalization via domain-based covariance minimization.
#' @examples
#' domgen_experiments()[c("name", "paper", "item", "minutes")]
#' @export
domgen_experiments <- function() {
  folder <- system.file("experiments", package = "domgen")
  common <- new.env(parent = asNamespace("domgen"))
  for (file in list.files(file.path(folder, "common"), "[.]R$", full.names = TRUE)) {
    sys.source(file, common)
  }
  table <- common$list_experiments(common$read_experiments(folder, common))
  table$stored <- file.exists(file.path(folder, "results", paste0(table$name, ".csv")))
  table
}
