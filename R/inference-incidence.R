#' Cumulative incidence of competing events
#'
#' @description
#' The probability that a row of a new domain has an event of each kind until given times, if events
#' of other kinds can come first: death without relapse, for example. It combines one model for each
#' kind of event.
#'
#' @details
#' Each model is that of a cause-specific hazard: it is fitted to `survival::Surv(time, status ==
#' "relapse")`, where events of other kinds are censored (Prentice and others, 1978). 1 - S of a
#' single one is not the probability of its event, because rows with another event are counted as if
#' their event could still come. With the cumulative hazards \eqn{\Lambda_k(t \mid x) = -\log S_k(t
#' \mid x)}{L_k(t | x) = -log S_k(t | x)} of the models ([predict(type =
#' "survival")][prediction_types]) and the times \eqn{t_1 < t_2 < \dots}{t_1 < t_2 < ...} of all
#' events in training,
#' \deqn{P(T \le t, k \mid x) = \sum_{j:\ t_j \le t} \left[S(t_{j-1} \mid x) - S(t_j \mid x)\right]
#'   \frac{\Delta\Lambda_k(t_j \mid x)}{\sum_l \Delta\Lambda_l(t_j \mid x)}, \qquad
#'   S(t \mid x) = \exp\left(-\sum_l \Lambda_l(t \mid x)\right).}{
#'   P(T <= t, k | x) = sum_(j: t_j <= t) [S(t_(j-1) | x) - S(t_j | x)] dL_k(t_j | x) /
#'     sum_l dL_l(t_j | x),  S(t | x) = exp(-sum_l L_l(t | x)).}
#' This is the integral of \eqn{S\,d\Lambda_k}{S dL_k} (Benichou and Gail, 1990) for hazards that
#' are constant between events. The probabilities of all kinds and S(t) add up to 1. S = exp(-H) is
#' above the product-limit estimate, so that the probabilities are somewhat too low if many rows
#' have their events at the same few times.
#'
#' @param objects Named list of two or more models of censored times, one for each kind of event:
#'   `list(relapse = , death = )`. All are fitted to the same rows. They may be of different
#'   methods, predictors and domain kernels.
#' @param newdata Rows to predict.
#' @param times Non-negative numbers in the unit of the response.
#' @param domain,reference,reference_domain,new_levels As in [predict()][predict.dg_learner].
#' @param ... Must be empty.
#' @return An array \[rows x times x kinds\] of probabilities, with the times and the names of
#'   `objects` as its names; NA where a row has missing values.
#' @section Errors:
#' Fewer than two models, or models without names; models without survival probabilities; models
#' whose training rows have different times, or of which two have an event in the same row; `times`
#' that are negative or missing. Times after the last one of training give a warning.
#' @references
#' Benichou, J. and Gail, M. H. (1990). Estimates of absolute cause-specific risk in cohort studies.
#' *Biometrics* 46, 813-826.
#'
#' Prentice, R. L., Kalbfleisch, J. D., Peterson, A. V., Flournoy, N., Farewell, V. T. and Breslow,
#' N. E. (1978). The analysis of failure times in the presence of competing risks. *Biometrics* 34,
#' 541-554.
#' @seealso [dg_glm()]; `riskRegression::Score()`, which scores such probabilities
#' @examples
#' if (requireNamespace("survival", quietly = TRUE)) {
#'   # progression or death first, by year of diagnosis
#'   mgus <- subset(survival::mgus2, !is.na(hgb + creat + mspike))
#'   mgus$time <- ifelse(mgus$pstat == 1, mgus$ptime, mgus$futime)
#'   mgus$event <- ifelse(mgus$pstat == 1, "progression", ifelse(mgus$death == 1, "death", "none"))
#'   mgus$period <- cut(mgus$dxyr, c(0, 1975, 1980, 1985, 1990, 2000))
#'   model <- function(kind) {
#'     dg_lm(survival::Surv(time, event == kind) ~ age + hgb + mspike | period, data = mgus)
#'   }
#'   causes <- list(progression = model("progression"), death = model("death"))
#'   dg_incidence(causes, mgus[1:3, ], times = c(60, 120))
#' }
#' @export
dg_incidence <- function(objects, newdata, times, domain = NULL, reference = NULL,
                         reference_domain = NULL, new_levels = "na", ...) {
  enter_session()
  check_no_dots(list(...), names(formals(dg_incidence)))
  check_given(objects, "objects")
  check_given(newdata, "newdata")
  check_given(times, "times")
  check_causes(objects)
  times <- check_horizons(times)
  ends <- unlist(lapply(objects, event_times))
  at <- sort(unique(c(times, ends[ends >= 0 & ends <= max(times)])))
  incidence <- array(NA_real_, c(NROW(newdata), length(times), length(objects)),
                     list(rownames(newdata), horizon_names(times), names(objects)))
  if (nrow(incidence) == 0L) return(incidence)
  state <- list(hazards = rep(list(numeric(nrow(incidence))), length(objects)),
                P = matrix(0, nrow(incidence), length(objects)))
  # a few times at once: hazards at all of them may need more memory than there is
  parts <- split(at, (seq_along(at) - 1L) %/% max(1L, incidence_cells %/% nrow(incidence)))
  once(for (part in parts) {
    left <- lapply(objects, stats::predict, newdata, type = "survival", times = part,
                   domain = domain, reference = reference, reference_domain = reference_domain,
                   new_levels = new_levels)
    # finite where a probability underflows
    hazards <- lapply(left, function(S) -log(pmax(S, .Machine$double.xmin)))
    for (k in seq_along(part)) {
      state <- incidence_step(state, lapply(hazards, function(hazard) hazard[, k]))
      for (j in which(times == part[k])) incidence[, j, ] <- state$P
    }
  }, paste0("domgen_warning_", c("missing", "late_times", "far_domain", "small_domain")))
  incidence
}

incidence_cells <- 2e6

# From one time to the next, where the cumulative hazards are these. state: list(hazards, a vector
# for each kind; P [rows x kinds]).
incidence_step <- function(state, hazards) {
  left <- exp(-Reduce(`+`, state$hazards))
  lost <- left - exp(-Reduce(`+`, hazards))
  risen <- matrix(unlist(Map(`-`, hazards, state$hazards)), length(left))
  share <- risen / rowSums(risen)
  share[rowSums(risen) %in% 0, ] <- 0
  list(hazards = hazards, P = state$P + lost * share)
}

# Times of events in training; those of a model that does not keep its response are where its
# baseline hazard rises.
event_times <- function(model) {
  learner <- learner_of(model)
  y <- learner$y
  if (is.null(y)) learner$response$family$baseline$time else Re(as.vector(unclass(y)))[has_event(y)]
}

check_causes <- function(objects) {
  names <- names(objects)
  named <- !is.null(names) && !anyNA(names) && all(nzchar(names)) && !anyDuplicated(names)
  if (!is.list(objects) || inherits(objects, "dg_fit") || length(objects) < 2L || !named) {
    abort("argument", "`objects` must be a list of two or more models with names, one for each ",
          "kind of event, such as `list(relapse = , death = )`.")
  }
  for (name in names) {
    model <- objects[[name]]
    arg <- paste0("objects$", name)
    if (!inherits(model, "dg_fit") || !identical(model$response$kind, "censored")) {
      abort("argument", "`", arg, "` must be a fitted model of censored times, not ",
            if (inherits(model, "dg_fit")) paste("one of", kind_words(model$response$kind))
            else describe(model), ".")
    }
  }
  y <- Filter(Negate(is.null), lapply(objects, function(model) learner_of(model)$y))
  if (length(y) == 0L) return()
  time <- function(y) Re(as.vector(unclass(y)))
  same <- vapply(y, function(one) identical(time(one), time(y[[1L]])), NA)
  if (!all(same)) {
    abort("argument", "`objects` must be models of the same rows; the times of `objects$",
          names(y)[!same][1L], "` are others than those of `objects$", names(y)[1L], "`.")
  }
  kinds <- Reduce(`+`, lapply(y, has_event))
  if (any(kinds > 1)) {
    abort("argument", "`objects` must be models of different kinds of events; ",
          plural(sum(kinds > 1), "row"), " ", if (sum(kinds > 1) == 1L) "has" else "have",
          " an event of several.")
  }
}
