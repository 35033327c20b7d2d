# The table of losses. A row is a file with a function loss_<name>() (no other function's name may
# begin so), which says of l(y, f), for one row,
#   learner   who offers it: "dg_svm" in its `loss`, "dg_glm" in its `family`
#   kinds     of responses it is for: "class", "number", "censored"
#   smooth    function(y, f, par, width): list(value, slope, curvature) for numbers of one shape,
#             derivatives by f. Kinks of slope (not of curvature) are rounded within `width`, see
#             rounded_kink(). par: see `parameters`, or a family with its own parameters.
#             The default cost follows from the curvature at y = 1, f = 0, or where there is none
#             from the slope there, see choose_cost().
#   kinks     so many of them has the loss
#   parameters  names of its parameters, arguments of dg_svm() or its own: it gets these as `par`
#   together  in the place of `smooth` where rows are no sum: function(Y, f, costs), list(value of
#             all rows, slope, curvature [n]), with the costs in them
#   help      its formula, for the help page
# That is enough for dg_svm(loss = ), whose targets are -1 and 1 or numbers, on the Gram matrix and
# on features, in memory and over sources. A loss that grows along straight lines, or their squares,
# has a faster solver if it says
#   tube      function(y, costs, par): list(low, high, epsilon), one entry a row. The loss is 0
#             within epsilon of the target, and has the slope -high below and -low above. A squared
#             one grows with the square wherever low or high is not 0.
#   squared   is it squared?
#   log_odds  is f the logarithm of the odds of the classes?
# A family of dg_glm() has half the unit deviance as its loss, and says
#   reads     which responses are read, see read_response(): "any", "open" or "ordinal"
#   check     function(y): an error unless the family has such responses
#   targets   function(y): Y [n x m]; where rows are coupled, a second column says more of them
#   constant  function(Y, costs, offset): [m], the best f that is a constant, where fits begin and
#             which bears no penalty; offset: of f [n x 1], or NULL
#   no_zero   why there must be a constant, after "must be TRUE with "; NULL: it need not
#   begin     function(par, Y, costs, offset): par with own parameters, at that constant
#   update    function(par, Y, f, costs): the best own parameters where f is known
#   link      its name, where users may read it
#   coupled   what ties the submodels of a fit together, which has a solver for it: "nothing",
#             "classes", "thresholds" or "rows", see glm_solver()
#   scores    function(f, par): decision values
#   mean      function(values, par): means or probabilities of decision values
#   range     which numbers a response can be, c(low, high)
#   deviance  function(y, mu, par): unit deviances of means, infinite where there is none
#   variance  function(mu, par)
#   quadratic is it a parabola, whose fits are in closed form?

new_loss <- function(kinds, smooth, help = "", learner = "dg_svm", kinks = 0L,
                     parameters = character(), together = NULL, tube = NULL, squared = FALSE,
                     log_odds = FALSE, reads = "any", check = NULL,
                     targets = function(y) matrix(as.numeric(y), ncol = 1L),
                     constant = function(Y, costs, offset) rep(0, ncol(Y)), no_zero = NULL,
                     begin = function(par, Y, costs, offset) par, update = NULL, link = NULL,
                     coupled = "nothing", scores = function(f, par) f, mean = NULL,
                     range = c(-Inf, Inf), deviance = NULL, variance = NULL, quadratic = FALSE) {
  as.list(environment())
}

# The row of a name; at every fit, so not all are made.
named_loss <- function(name) {
  make <- get0(paste0("loss_", name), topenv(), mode = "function")
  if (is.null(make)) abort("model", "The model is damaged: it has no loss ", describe(name), ".")
  make()
}

# The rows that a learner offers, by name.
losses_of <- function(learner) {
  home <- topenv()
  names <- sort(names(home)[startsWith(names(home), "loss_")])
  losses <- lapply(mget(names, home), function(make) make())
  names(losses) <- sub("^loss_", "", names)
  Filter(function(row) row$learner == learner, losses)
}

# The sum of c_i l(y_i, f_i) over rows. Rows without cost may have an infinite loss.
sum_losses <- function(loss, par, Y, f, costs) {
  if (!is.null(loss$together)) return(loss$together(Y, f, costs)$value)
  used <- costs > 0
  value <- loss$smooth(Y[used, , drop = FALSE], f[used, , drop = FALSE], par, 0)$value
  sum(costs[used] * rowSums(value))
}

# ---- of submodels ------------------------------------------------------------------------------

# The row of a loss as users give it: its name, or one of their own.
as_loss <- function(loss) if (is.list(loss)) loss else named_loss(loss)

# Newton's method is for a loss that has no dual problem with a box, see solve-newton-gram.R.
takes_newton <- function(loss) !is.null(loss) && is.null(as_loss(loss)$tube)

# Where nothing but sums over rows is known, see learner-svm-newton.R, a kink is rounded within this
# of it, on either side. The loss differs by at most a quarter of that for each kink.
kink_width <- 0.05

# max(0, t), within `width` of 0 the parabola that goes on in both its arms with their slopes:
# list(value, slope, curvature). The largest difference is width / 4, at 0.
rounded_kink <- function(t, width) {
  bent <- abs(t) < width
  above <- t >= width
  # of t within the bend
  s <- (pmin(pmax(t, -width), width) + width) / (2 * width)
  list(value = above * t + bent * s^2 * width, slope = s, curvature = bent / (2 * width))
}

# Those of dg_svm(), the plain one of each response first.
svm_losses <- function() {
  losses <- losses_of("dg_svm")
  losses[order(vapply(losses, `[[`, NA, "squared"))]
}

# The list of them in the help page.
losses_help <- function() {
  named <- function(kind) {
    losses <- Filter(function(row) kind %in% row$kinds, svm_losses())
    paste0("`\"", names(losses), "\"`, ", vapply(losses, `[[`, "", "help"), collapse = "; ")
  }
  paste0("For classes ", named("class"), ". For a numeric response ", named("number"), ".")
}

default_losses <- c(class = "hinge", number = "epsilon_insensitive")

# The loss asked for, or that of the response when none was, with its parameters: those of its own,
# else arguments of dg_svm(). asked: what it is found by, also on workers.
read_loss <- function(loss, kind, args) {
  if (is.null(loss)) loss <- default_losses[[kind]]
  row <- as_loss(loss)
  if (!kind %in% row$kinds) {
    fits <- names(Filter(function(row) kind %in% row$kinds, svm_losses()))
    abort("argument", "`loss` must be ", enumerate(fits, quote = "\""), " when the response is ",
          if (kind == "class") "classes" else "numeric", ", not ",
          if (is.list(loss)) format(loss) else quoted(loss), ".")
  }
  c(row, list(asked = loss, par = own_par(row, args)))
}

# Exactly what a loss names: one from outside has it with it.
own_par <- function(row, args) c(row, args)[row$parameters]

# The parameters of a loss; a family has them in `args`.
par_of_loss <- function(loss, args) if (is.null(loss[["par"]])) args else loss[["par"]]

# The losses of rows with these costs around what is known of f, `start` (f0), as a box for one
# variable beta a row: list(target, epsilon, low, high, ridge). f0 moves the numbers, and the margin
# of a class: 1 - y (f0 + f) = (1 - y f0) - y f, which is y ((y - f0) - f) where y is -1 or 1.
# c (max(0, t))^2 is c t with the cost unbounded and 1/(2c) added to the diagonal of the dual. A row
# without cost has none.
tube_rows <- function(y, costs, loss, args, start = 0) {
  tube <- loss$tube(y, costs, par_of_loss(loss, args))
  squared <- rep(loss$squared, length(costs))
  unbounded <- function(bound) ifelse(squared & bound != 0, Inf * sign(bound), bound)
  list(target = y - start, epsilon = rep_len(tube$epsilon, length(costs)),
       low = unbounded(tube$low), high = unbounded(tube$high),
       ridge = ifelse(squared & costs > 0, 1 / (2 * costs), 0))
}

# The same with a variable a >= 0 for each side of the tube that a row has, beta = sum of s a:
#   min a'(Q + ridge)a/2 + p'a, 0 <= a <= u, with Q_ij = s_i s_j K[r_i, r_j]:
# one variable a row for the hinge (MTL paper, section 7.1), two for a tube. A row without sides
# keeps one, of which nothing comes.
dual_problem <- function(tube) {
  n <- length(tube$target)
  sides <- list(row = rep(seq_len(n), 2L), sign = rep(c(1, -1), each = n),
                p = c(tube$epsilon - tube$target, tube$epsilon + tube$target),
                upper = c(tube$high, -tube$low), ridge = rep(tube$ridge, 2L))
  used <- c(tube$high > 0 | tube$low == 0 & tube$target > 0,
            tube$low < 0 | tube$high == 0 & tube$target <= 0)
  if (any(tube$low < 0 & tube$high > 0)) used[] <- TRUE
  kept <- which(used)
  # where each row has one, they stand in the order of the rows
  if (!anyDuplicated(sides$row[kept])) kept <- kept[order(sides$row[kept])]
  lapply(sides, `[`, kept)
}
