#' Distances between training and new domains
#'
#' Distances between the mean embeddings of a model's training domains and of new ones ([dg_mmd()]),
#' with the kernel of rows and the scaling of the model. Their plot is a map,
#' see [plot.domgen_mmd()]. [dg_novelty()] tests whether a new domain is unusually far.
#'
#' @param object A fitted model that keeps its training rows (no feature map).
#' @param newdata Data frame (or matrix, if the model was fitted to one) of new rows, with the
#'   domain column or `domain`. Default `NULL`: training domains only. If a new domain has the name
#'   of a training domain, `" (new)"` is added to its name.
#' @param domain Domain of each row of `newdata`, if it is not a column of it; one value if all rows
#'   are from one domain.
#' @inheritParams kernel_matrix
#' @param ... Must be empty.
#' @return An object of class `dg_domain_map` and `domgen_mmd`: the elements of [dg_mmd()] and
#'   \item{`unseen`}{names of the domains of `newdata`}
#'   \item{points}{data frame: `domain`, `unseen` (`TRUE` for domains of `newdata`), `first`,
#'     `second`: feature dimensions of the domains by classical scaling ([stats::cmdscale()])}
#'   \item{shown}{proportion of the squared distances in these two dimensions}
#'   \item{labels}{names of the response and domain variables}
#' @section Errors:
#' A model without training rows, or with one domain and no `newdata`; those of
#' [predict.dg_projection()] for `newdata`.
#' @seealso [dg_novelty()], [dg_mmd()], [plot.domgen_mmd()]
#' @examples
#' pupils <- as.data.frame(nlme::MathAchieve)
#' schools <- levels(pupils$School)
#' train <- subset(pupils, School %in% schools[seq(1, 160, 8)])
#' model <- dg_ridge(MathAch ~ SES + Sex + Minority | School, data = train, lambda = 1)
#' map <- domain_map(model, subset(pupils, School %in% schools[c(2, 50, 100)]))
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(map)
#' @export
domain_map <- function(object, newdata = NULL, domain = NULL, threads = NULL, ...) {
  enter_session()
  check_no_dots(list(...), names(formals(domain_map)))
  check_given(object, "object")
  if (!inherits(object, "dg_fit")) {
    abort("argument", "`object` must be a fitted model, not ", describe(object),
          "; for data alone use dg_mmd().")
  }
  check_sealed(object)
  mapped <- map_rows(object, newdata, domain)
  # a pipeline has it in its projection
  kernel <- described_part(object)$space$kernel
  if (is.null(kernel)) kernel <- kernel_rbf()
  result <- dg_mmd(mapped$X, mapped$domain, kernel, threads = threads)
  result$unseen <- mapped$unseen
  map <- map_points(result$squared, mapped$unseen)
  result[c("points", "shown")] <- map[c("points", "shown")]
  result$labels <- variable_names(object$blueprint)
  class(result) <- c("dg_domain_map", class(result))
  result
}

map_rows <- function(model, newdata, domain) {
  training <- tryCatch(training_rows(model), domgen_error = function(e) NULL)
  # some models keep their domains, but no rows
  if (NCOL(training$X) == 0L || is.null(training)) {
    abort("argument", "`object` must keep its training rows; a model with a feature map, ",
          "`dg_lm()`, `dg_null()` or a learner of another package does not.")
  }
  if (nlevels(training$domain) < 2L && is.null(newdata)) {
    abort("data", "`newdata` must be given, because the model has only one domain.")
  }
  if (is.null(newdata)) return(list(X = training$X, domain = training$domain, unseen = character()))
  blueprint <- model$blueprint
  new <- replay(blueprint, newdata, domain, needs_domain = TRUE)
  new$X <- scale_new(blueprint$scaling, new$X, new$domain, NULL)$X
  names <- levels(new$domain)
  names <- ifelse(names %in% levels(training$domain), paste(names, "(new)"), names)
  labels <- c(as.character(training$domain), names[as.integer(new$domain)])
  list(X = rbind(training$X, new$X), domain = factor(labels, c(levels(training$domain), names)),
       unseen = names)
}

# Classical scaling of MMD^2: list(points, shown).
map_points <- function(squared, unseen) {
  if (anyNA(squared)) {
    abort("data", "Some distances between domains are missing: for a map use ",
          "`dg_mmd(unbiased = FALSE)`.")
  }
  G <- nrow(squared)
  if (G < 2L) abort("data", "A map needs at least 2 domains, not ", G, ".")
  # the unbiased estimate can be below zero
  scaled <- suppressWarnings(stats::cmdscale(sqrt(pmax(squared, 0)), k = min(2L, G - 1L),
                                             eig = TRUE))
  at <- matrix(0, G, 2L)
  at[, seq_len(ncol(scaled$points))] <- scaled$points
  # the sign of a coordinate is arbitrary; the largest is positive
  at <- apply(at, 2L, function(v) v * if (v[which.max(abs(v))] < 0) -1 else 1)
  list(points = data.frame(domain = rownames(squared), unseen = rownames(squared) %in% unseen,
                           first = at[, 1L], second = at[, 2L]),
       shown = scaled$GOF[1L])
}
