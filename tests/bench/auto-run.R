# Methods of auto.R, and the loop over sets, splits and methods. A line of the results is a method
# on the test domains of a split; domains holds the scores of each (number of the domain = score).

bench_threads <- as.integer(Sys.getenv("DOMGEN_THREADS", getOption("domgen.threads", 2L)))
options(domgen.threads = bench_threads)

fit_auto <- function(task) {
  model <- dg_auto(task$X, task$y, task$domain, metric = task$metric, progress = FALSE)
  # the response of the test rows is not handed over
  type <- if (task$metric == "auc") "decision" else "response"
  value <- predict(model, task$new, domain = task$new_domain, type = type)
  expected <- model$choice$expected$mean
  structure(drop(value), inner = if (is.null(expected)) NA_real_ else expected,
            chosen = chosen_words(model))
}

chosen_words <- function(model) {
  table <- model$choice$table
  lines <- table[table$member %in% TRUE, intersect(c("scale", "kernel", "domain_kernel"),
                                                   names(table))]
  paste(do.call(paste, lines), collapse = "; ")
}

tuned_peers <- list(glmnet = peer_glmnet, ranger = peer_ranger, svm = peer_svm,
                    xgboost = peer_xgboost)
mixed_peers <- list(lme4 = peer_lme4)
methods <- c(
  list(null = peer_null), tuned_peers, mixed_peers,
  with_forms(c(tuned_peers, mixed_peers), standardised_by_domain, "_both"),
  with_forms(mixed_peers, means_of_domain, "_means"), list(dg_auto = fit_auto)
)

missing_peers <- function() {
  needs <- c(ranger = "ranger", glmnet = "glmnet", svm = "e1071", lme4 = "lme4")
  missing <- names(needs)[!vapply(needs, requireNamespace, NA, quietly = TRUE)]
  missing <- c(missing, if (is.null(python_with("xgboost"))) "xgboost")
  grep(paste0("^(", paste(missing, collapse = "|"), ")(_|$)"), names(methods), value = TRUE)
}

# An argument of the command line: names separated by commas, all or none.
pick <- function(given, known, all = known) {
  chosen <- if (given == "all") all else if (given == "none") character()
            else strsplit(given, ",")[[1L]]
  unknown <- setdiff(chosen, known)
  if (length(unknown)) stop("unknown: ", paste(unknown, collapse = ", "))
  chosen
}

# A method that fails has no score.
run_one <- function(name, i, method, task) {
  hidden <- task[setdiff(names(task), c("truth", "number"))]
  gc(verbose = FALSE)
  set.seed(i)
  failed <- ""
  time <- system.time(value <- tryCatch(suppressWarnings(methods[[method]](hidden)),
                                        error = function(e) {
    failed <<- paste("failed:", conditionMessage(e))
    rep(NA, length(task$truth))
  }))
  known <- function(what, otherwise) {
    if (is.null(attr(value, what))) otherwise else attr(value, what)
  }
  # processor time: that of children too
  seconds <- known("seconds", c(time[["elapsed"]], sum(time[-3L])))
  scores <- score_domains(task$truth, as.vector(value), task$number, task$metric)
  data.frame(set = name, split = i, method = method, metric = task$metric,
             score = mean(scores, na.rm = TRUE),
             error = stats::sd(scores, na.rm = TRUE) / sqrt(sum(!is.na(scores))),
             elapsed = seconds[1L], processor = seconds[2L],
             inner = known("inner", NA_real_), task = fingerprint(task),
             chosen = paste0(known("chosen", ""), failed),
             domains = paste0(names(scores), "=", signif(scores, 6), collapse = " "))
}

# NULL for a set whose file or package is missing.
read_or_leave_out <- function(make, name) {
  tryCatch(make(), error = function(e) {
    cat(name, "is left out:", conditionMessage(e), "\n")
    NULL
  })
}

# What the file has already is not computed again. Of a set whose splits are drawn there are as many
# as are named.
run_all <- function(sets, methods, file, splits, named = FALSE) {
  done <- if (!is.null(file) && file.exists(file)) read_results(file)
  for (name in names(sets)) {
    set <- NULL
    known <- done[done$set == name, ]
    for (i in splits) {
      todo <- setdiff(methods, known$method[known$split == i])
      if (length(todo) == 0L) next
      if (is.null(set)) set <- read_or_leave_out(sets[[name]], name)
      if (is.null(set) || i > set$splits && !(named && is_drawn(set))) break
      task <- make_task(set, i)
      if (set$metric != "rmse") todo <- grep("^lme4", todo, value = TRUE, invert = TRUE)
      for (method in todo) {
        row <- run_one(name, i, method, task)
        cat(sprintf("%-20s %d %-13s %s %.4f (%.4f)  %6.1f s  %s\n", name, i, method, row$metric,
                    row$score, row$error, row$elapsed, row$chosen))
        done <- rbind(done, row)
        if (!is.null(file)) utils::write.csv(done, file, row.names = FALSE)
      }
    }
  }
  done
}

read_results <- function(files) {
  do.call(rbind, lapply(files, utils::read.csv, colClasses = c(task = "character")))
}
