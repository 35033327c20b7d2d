# Losses of the support vector machine. One is a file with a function loss_<name>() that says
#   kind      for which response: "class" (targets -1 and 1) or "number"
#   squared   is it squared?
#   tube      function(y, costs, args): list(low, high, epsilon), one entry a row. The loss is 0
#             within epsilon of the target, and has the slope -high below and -low above. A squared
#             one grows with the square wherever low or high is not 0.
#             NULL for a loss that has no such form, whose machine takes Newton steps
#   smooth    function(y, f, args, width): list(value, slope, curvature) for numbers of one shape,
#             derivatives by f. Kinks of slope (not of curvature) are rounded within `width`, see
#             rounded_kink().
#   kinks     so many of them has the loss
#   log_odds  is f the logarithm of the odds of the classes?
#   help      its formula, for the help page
# It is then a value of dg_svm(loss = ), on the Gram matrix and on features.

new_loss <- function(kind, tube, smooth, help, squared = FALSE, kinks = 0L,
                     log_odds = FALSE) {
  list(kind = kind, squared = squared, tube = tube, smooth = smooth, kinks = kinks,
       log_odds = log_odds, help = help)
}

# The row of a name; at every fit, so not all are made.
named_loss <- function(name) {
  make <- get0(paste0("loss_", name), topenv(), mode = "function")
  if (is.null(make)) abort("model", "The model is damaged: it has no loss ", describe(name), ".")
  make()
}

# Newton's method is for a loss that has no dual problem with a box, see learner-svm-logistic.R.
takes_newton <- function(name) !is.null(name) && is.null(named_loss(name)$tube)

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

svm_losses <- function() {
  home <- topenv()
  names <- names(home)
  names <- sort(names[startsWith(names, "loss_")])
  losses <- lapply(mget(names, home), function(make) make())
  names(losses) <- sub("^loss_", "", names)
  # the plain one of each response first
  losses[order(vapply(losses, `[[`, NA, "squared"))]
}

# The list of them in the help page.
losses_help <- function() {
  named <- function(kind) {
    rows <- Filter(function(row) row$kind == kind, svm_losses())
    paste0("`\"", names(rows), "\"`, ", vapply(rows, `[[`, "", "help"), collapse = "; ")
  }
  paste0("For classes ", named("class"), ". For numbers ", named("number"), ".")
}

check_loss <- function(value, arg) check_choice(value, arg, names(svm_losses()))

# Does `epsilon` matter to it?
has_tube <- function(name) {
  tube <- named_loss(name)$tube
  !is.null(tube) && tube(1, 1, list(epsilon = 1))$epsilon > 0
}

default_losses <- c(class = "hinge", number = "epsilon_insensitive")

# The loss asked for, or that of the response when none was.
read_loss <- function(loss, kind) {
  if (is.null(loss)) loss <- default_losses[[kind]]
  row <- named_loss(loss)
  if (row$kind != kind) {
    fits <- names(Filter(function(row) row$kind == kind, svm_losses()))
    abort("argument", "`loss` must be ", enumerate(fits, quote = "\""), " when the response is ",
          if (kind == "class") "classes" else "a number", ", not \"", loss, "\".")
  }
  c(row, name = loss)
}

# The losses of rows with these costs around what is known of f, `start` (f0), as a box for one
# variable beta a row: list(target, epsilon, low, high, ridge). f0 moves the numbers, and the margin
# of a class: 1 - y (f0 + f) = (1 - y f0) - y f, which is y ((y - f0) - f) where y is -1 or 1.
# c (max(0, t))^2 is c t with the cost unbounded and 1/(2c) added to the diagonal of the dual. A row
# without cost has none.
tube_rows <- function(y, costs, loss, args, start = 0) {
  rows <- loss$tube(y, costs, args)
  squared <- rep(loss$squared, length(costs))
  unbounded <- function(bound) ifelse(squared & bound != 0, Inf * sign(bound), bound)
  list(target = y - start, epsilon = rep_len(rows$epsilon, length(costs)),
       low = unbounded(rows$low), high = unbounded(rows$high),
       ridge = ifelse(squared & costs > 0, 1 / (2 * costs), 0))
}

# The same with a variable a >= 0 for each side of the tube that a row has, beta = sum of s a:
#   min a'(Q + ridge)a/2 + p'a, 0 <= a <= u, with Q_ij = s_i s_j K[r_i, r_j]:
# one variable a row for the hinge (MTL paper, section 7.1), two for a tube. A row without sides
# keeps one, of which nothing comes.
dual_problem <- function(rows) {
  n <- length(rows$target)
  sides <- list(row = rep(seq_len(n), 2L), sign = rep(c(1, -1), each = n),
                p = c(rows$epsilon - rows$target, rows$epsilon + rows$target),
                upper = c(rows$high, -rows$low), ridge = rep(rows$ridge, 2L))
  used <- c(rows$high > 0 | rows$low == 0 & rows$target > 0,
            rows$low < 0 | rows$high == 0 & rows$target <= 0)
  if (any(rows$low < 0 & rows$high > 0)) used[] <- TRUE
  kept <- which(used)
  # where each row has one, they stand in the order of the rows
  if (!anyDuplicated(sides$row[kept])) kept <- kept[order(sides$row[kept])]
  lapply(sides, `[`, kept)
}
