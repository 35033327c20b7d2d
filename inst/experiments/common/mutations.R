# Faults that `run.R --check` must notice, put into results or into the package: is it an oracle?

# By the fault: a function of the package, and what becomes of its value.
mutations <- list(
  `rows not centred` = list("engine_terms", function(terms) {
    utils::modifyList(terms, list(centred = FALSE))
  }),
  `response not centred` = list("new_targets", function(targets) {
    targets$centre <- 0
    targets
  }),
  `bandwidth halved` = list("kernel_fit.kernel_stationary", function(kernel) {
    kernel$bandwidth <- kernel$bandwidth / 2
    kernel
  })
)

# Lines in which two methods have each other's values, where a cell has both.
swap_methods <- function(lines, a, b) {
  cell <- key(lines, setdiff(cell_columns(lines, NULL), "method"))
  of <- function(method) which(lines$method == method)
  other <- match(cell[of(a)], cell[of(b)])
  at <- of(a)[!is.na(other)]
  to <- of(b)[other[!is.na(other)]]
  lines$value[c(at, to)] <- lines$value[c(to, at)]
  lines
}

# For each pair of methods, is it noticed if they are swapped in stored lines? NA: there is nothing
# to notice, as all that is compared is the same. `here`: on which machine; "": another one.
swaps_noticed <- function(stored, tolerance, here) {
  stored <- stored[stored$measure %in% names(tolerance), ]
  methods <- unique(stored$method)
  if (length(methods) < 2L) return(logical())
  vapply(utils::combn(methods, 2L, simplify = FALSE), function(pair) {
    swapped <- swap_methods(stored, pair[1L], pair[2L])
    if (isTRUE(all.equal(swapped$value, stored$value, tolerance = 1e-4))) return(NA)
    length(deviations(swapped, stored, tolerance, here)) > 0L
  }, NA)
}

# Runs code with a fault in the package; returns how often it changed a value.
with_fault <- function(mutation, code) {
  name <- mutation[[1L]]
  space <- asNamespace("domgen")
  own <- get(name, space)
  put <- function(value) {
    unlockBinding(name, space)
    assign(name, value, space)
    lockBinding(name, space)
  }
  changed <- 0
  on.exit(put(own))
  put(function(...) {
    right <- own(...)
    wrong <- mutation[[2L]](right)
    changed <<- changed + !isTRUE(all.equal(wrong, right))
    wrong
  })
  force(code)
  changed
}

# What becomes of a fault in one experiment: "noticed" (here, and by the tolerances of another
# machine), "noticed here" (only), "MISSED", "no effect" where all that is compared stays as it was
# (a response that is not centred, before an intercept; rows that are not, in dg_kpca(): its scatter
# f'Hf is about the mean in any case, so that directions are the same, and scores lose their mean
# afterwards), or "" where the function is not called, or
# has nothing to change. A cell at a time, until it is noticed.
mutate_experiment <- function(name, known, folder, mutation) {
  e <- known[[name]]
  stored <- read_quick(name, folder, e)
  stored$blas <- machine()
  cells <- e$cells("quick")
  state <- c(made = FALSE, differs = FALSE, here = FALSE, there = FALSE)
  for (k in seq_len(nrow(cells))) {
    cell <- cells[k, , drop = FALSE]
    known[[name]]$cells <- function(size) cell
    changed <- with_fault(mutation, {
      utils::capture.output(new <- tryCatch(run_experiment(name, known, "quick"),
                                            error = function(e) "error"))
    })
    here <- if (length(cell)) key(stored, names(cell)) == key(cell, names(cell)) else TRUE
    own <- stored[here, ]
    failed <- identical(new, "error")
    is_off <- function(here, tolerance = e$tolerance) {
      failed || length(deviations(as_lines(new, e, cells), own, tolerance, here)) > 0L
    }
    state <- state | c(changed > 0, is_off("", 0 * e$tolerance), is_off(machine()), is_off(""))
    if (state[["there"]]) break
  }
  if (!state[["made"]]) "" else if (state[["there"]]) "noticed"
  else if (state[["here"]]) "noticed here" else if (state[["differs"]]) "MISSED" else "no effect"
}

# A line an experiment: of the pairs of methods that differ, how many are noticed when swapped, here
# and on another machine; then the mutations.
mutate_experiments <- function(names, known, folder) {
  bind(lapply(names, function(name) {
    e <- known[[name]]
    stored <- read_quick(name, folder, e)
    stored$blas <- machine()
    swapped <- function(here) {
      noticed <- swaps_noticed(stored, e$tolerance, here)
      paste(sum(noticed, na.rm = TRUE), "of", sum(!is.na(noticed)))
    }
    absent <- length(c(missing_data(e$data), missing_packages(e$packages))) > 0L
    found <- lapply(mutations, function(mutation) {
      if (absent) "skipped" else mutate_experiment(name, known, folder, mutation)
    })
    line <- data.frame(experiment = name, `swaps here` = swapped(machine()),
                       `swaps elsewhere` = swapped(""), found, check.names = FALSE)
    cat(paste(line, collapse = " | "), "\n")
    utils::flush.console()
    line
  }))
}
