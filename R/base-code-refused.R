# Code in a model: the expressions of its formula, which are evaluated when it is used, and the
# functions of the user that they bring along. A model may come from elsewhere, so that calls that a
# formula has no use for are refused before anything is evaluated, in one of the user's own as well.
# Calls are known by their names: no sandbox, see `?saved_models`.

# Functions of base R for other processes, for files, for code that is made of text or is out of
# sight, and for changes of anything but a value.
refused_calls <- strsplit(paste(
  "system system2 shell shell.exec pipe q quit setwd options Sys.setenv Sys.unsetenv",
  "Sys.setlocale Sys.chmod Sys.umask Sys.setFileTime Sys.setLanguage file gzfile bzfile xzfile",
  "unz url fifo gzcon socketConnection serverSocket socketAccept rawConnection textConnection",
  "open writeLines writeBin writeChar write write.dcf cat dput dump sink save save.image",
  "sys.save.image saveRDS serialize unserialize readRDS load sys.load.image dget source",
  "sys.source readRenviron attach detach unlink file.create file.remove file.rename file.append",
  "file.copy file.symlink file.link file.show dir.create curlGetHeaders eval evalq eval.parent",
  "parse str2lang str2expression as.call call as.name as.symbol as.function bquote body<-",
  "formals<- environment<- parent.env<- expression dynGet forceAndCall as.environment list2env",
  "globalenv baseenv topenv pos.to.env environment parent.env parent.frame sys.call sys.calls",
  "sys.function sys.frame sys.frames asNamespace getNamespace .getNamespace ..getNamespace",
  "getExportedValue loadNamespace attachNamespace unloadNamespace importIntoEnv library.dynam",
  "library.dynam.unload dyn.load dyn.unload lazyLoad lazyLoadDBfetch lazyLoadDBexec .Internal",
  ".Primitive .Call .External .External2 .External.graphics .Call.graphics .C .Fortran assign <<-",
  "delayedAssign autoload makeActiveBinding lockBinding unlockBinding lockEnvironment rm remove",
  "trace untrace debug debugonce undebug browser reg.finalizer addTaskCallback setHook",
  "registerS3method registerS3methods globalCallingHandlers closeAllConnections .BaseNamespaceEnv",
  ".GlobalEnv as.formula formula reformulate DF2formula"
), " ")[[1L]]

# The functions of R's other packages that a formula may call.
allowed_calls <- list(
  utils = c("head", "tail", "combn", "stack", "unstack", "type.convert", "hasName", "modifyList",
            "object.size", "strcapture", "compareVersion", "packageVersion", "str", "read.csv",
            "read.csv2", "read.table", "read.delim", "read.delim2", "read.fwf"),
  methods = c("new", "is", "as", "slot", "isVirtualClass", "validObject", "slotNames", "cbind2",
              "rbind2", "kronecker"),
  tools = c("toTitleCase", "file_ext", "file_path_sans_ext"),
  grDevices = c("extendrange", "nclass.FD", "nclass.Sturges", "nclass.scott", "boxplot.stats",
                "chull", "xy.coords", "convertColor", "col2rgb", "rgb2hsv"),
  graphics = character(), parallel = character(), compiler = character(), tcltk = character()
)

# Functions that call another one, which they find by its name too, and the argument that says it.
calls_by_name <- c(
  lapply = "FUN", sapply = "FUN", vapply = "FUN", mapply = "FUN", apply = "FUN", tapply = "FUN",
  outer = "FUN", sweep = "FUN", ave = "FUN", aggregate = "FUN", by = "FUN", eapply = "FUN",
  Vectorize = "FUN", match.fun = "FUN", rapply = "f", Map = "f", Reduce = "f", Filter = "f",
  Find = "f", Position = "f", Negate = "f", integrate = "f", uniroot = "f", optimize = "f",
  optimise = "f", nlm = "f", optim = "fn", nlminb = "objective", do.call = "what", get = "x",
  get0 = "x", mget = "x"
)

makes_functions <- c("function", "::", ":::", "Vectorize", "Negate", "ecdf", "approxfun",
                     "splinefun", "stepfun")

code_search <- new.env(parent = emptyenv())

# Of base R, and what loaded packages export but for what is allowed: made anew when one of them has
# been loaded, as what was searched before may call it from then on. Functions of packages that are
# not loaded come with the name of these.
refused_names <- function() {
  loaded <- Filter(isNamespaceLoaded, names(allowed_calls))
  if (!identical(loaded, code_search$packages)) {
    exported <- lapply(loaded, function(package) {
      setdiff(getNamespaceExports(package), allowed_calls[[package]])
    })
    code_search$packages <- loaded
    code_search$refused <- c(refused_calls, unlist(exported))
    code_search$seen <- NULL
  }
  code_search$refused
}

# parts: expressions by their place in the model; home: the environment that it brings along;
# columns: names that mean data. What was looked at in the last calls is not looked at again.
check_code <- function(parts, home, columns, arg) {
  refused_names()
  asked <- list(parts, columns)
  for (seen in code_search$seen) if (identical(seen, asked)) return(invisible())
  for (place in names(parts)) {
    refused <- refused_code(parts[[place]], home, columns)
    if (!is.null(refused)) {
      abort("model", "`", arg, "` is not used: its part `", place, "` has ", refused, ", for ",
            "which no formula has a use. If the model is from where you think it is, set ",
            "`options(domgen.trust = TRUE)`.")
    }
  }
  if (isTRUE(getOption("domgen.trust"))) return(invisible())
  code_search$seen <- utils::head(c(list(asked), code_search$seen), 20L)
}

# The first call in an expression that is refused, as text, NULL where none is. home: an environment
# with what it brings along, unless it has one of its own.
refused_code <- function(expr, home, columns) {
  if (isTRUE(getOption("domgen.trust"))) return(NULL)
  env <- attr(expr, ".Environment")
  if (is.null(env) || identical(env, globalenv())) env <- home
  # terms() has its calls in attributes
  for (part in unique(c(list(expr), attributes(expr)[c("variables", "predvars")]))) {
    refused <- refused_in(part, env, columns, new.env(parent = emptyenv()))
    if (!is.null(refused)) return(refused)
  }
}

# visited: has the functions that were looked at.
refused_in <- function(expr, home, bound, visited) {
  if (!is.language(expr)) return(NULL)
  if (odd_code_(expr)) return("an object in the place of code")
  refused <- NULL
  # field: is it what stands around `$`?
  walk_code(expr, function(part, bound, field) {
    named <- if (is.call(part)) part[[1L]] else part
    for (name in if (is.name(named) || is.character(named)) as.character(named)) {
      if (is.null(refused)) refused <<- refused_carried(name, home, bound, visited)
    }
    if (is.null(refused) && is.call(part)) refused <<- refused_call(part, home, bound)
    # a function that is handed on may be called under another name
    if (is.null(refused) && is.name(part) && !field && is_refused_value(part, home, bound)) {
      refused <<- paste0("a call of `", part, "()`")
    }
    is.call(part) && call_name(part) %in% c("$", "@")
  }, context = FALSE, bound = bound)
  refused
}

refused_call <- function(expr, home, bound) {
  said <- function(name) paste0("a call of `", shorten(name, 80L), "()`")
  head <- expr[[1L]]
  name <- called_name(head)
  if (is.null(name)) {
    # (system)("ls"); what a function does that is made there is looked at by itself
    names <- names_in(head)
    if ("function" %in% names) return(NULL)
    for (one in setdiff(names, bound)) if (is_refused(one, home, FALSE)) return(said(one))
    return(NULL)
  }
  computed <- "a call of a function that is computed"
  if (is.na(name)) return(computed)
  if (name %in% c("::", ":::")) {
    # of a function that is handed on
    if (is_refused_of_package(expr)) return(said(called_name(expr)))
    return(NULL)
  }
  spaced <- is.call(head)
  if (is_refused(name, home, spaced) || spaced && is_refused_of_package(head)) return(said(name))
  arguments <- Filter(function(one) !identical(one, as.name("...")), as.list(expr))
  if (name %in% names(calls_by_name)) {
    called <- on_error(function_argument(name, arguments, home), function(e) NA)
    if (anyNA(called)) return(computed)
    for (one in called) if (is_refused(one, home, FALSE)) return(said(one))
  }
  NULL
}

# Names of the function that another one is to call; NA where it is computed, none where it is made
# there and then.
function_argument <- function(name, arguments, home) {
  given <- match.call(get(name, asNamespace("stats"), mode = "function"), as.call(arguments))
  given <- given[[calls_by_name[[name]]]]
  while (is.call(given) && identical(given[[1L]], as.name("("))) given <- given[[2L]]
  if (is.call(given)) {
    maker <- called_name(given[[1L]])
    if (is.null(maker) || !maker %in% makes_functions) {
      return(if (is.call(given[[1L]]) && !is.na(maker)) maker else NA_character_)
    }
    return(if (maker %in% c("::", ":::")) as.character(given[[3L]]) else character())
  }
  if (is.name(given)) {
    value <- carried_value(as.character(given), home)[[1L]]
    if (is.character(value)) given <- value
  }
  as.character(given)
}

# Does a name mean a function of R itself, of none that the session or the expression has?
is_of_r <- function(name, home) {
  if (!is.null(carried_value(name, home))) return(FALSE)
  here <- get0(name, globalenv(), mode = "function")
  typeof(here) != "closure" || environmentName(topenv(environment(here))) %in% packages_of_r
}

packages_of_r <- c("base", "stats", names(allowed_calls), "splines", "stats4", "grid")

# spaced: with its package, or out of a list.
is_refused <- function(name, home, spaced) {
  name %in% refused_names() && (spaced || is_of_r(name, home))
}

is_refused_value <- function(part, home, bound) {
  name <- as.character(part)
  nzchar(name) && !name %in% bound && is_refused(name, home, FALSE)
}

# head: package::name, or another one that has a name in it.
is_refused_of_package <- function(head) {
  package <- as.character(head[[2L]])[1L]
  name <- as.character(head[[3L]])[1L]
  as.character(head[[1L]]) %in% c("::", ":::") &&
    (name %in% refused_calls || package %in% names(allowed_calls) &&
       !name %in% allowed_calls[[package]])
}

# list(value) of a name that an expression brings along; list(NULL) of one that is computed when it
# is looked at.
carried_value <- function(name, home) {
  while (is.environment(home) && !identical(home, globalenv()) && !identical(home, emptyenv()) &&
           !isNamespace(home)) {
    if (exists(name, envir = home, inherits = FALSE)) {
      if (bindingIsActive(name, home)) return(list(NULL))
      # of a promise the expression
      return(list(do.call(substitute, list(as.name(name), home))))
    }
    home <- parent.env(home)
  }
}

refused_carried <- function(name, home, bound, visited) {
  carried <- carried_value(name, home)
  if (is.null(carried)) return(NULL)
  value <- carried[[1L]]
  if (is.null(value)) return(paste0("`", name, "`, which is computed"))
  if (is.language(value)) return(refused_in(value, home, bound, visited))
  for (one in Filter(is.function, if (is.list(value)) value else list(value))) {
    refused <- refused_function(one, visited)
    if (!is.null(refused)) return(paste0(refused, " in `", name, "`"))
  }
}

refused_function <- function(fun, visited) {
  for (seen in visited$functions) if (identical(seen, fun)) return(NULL)
  visited$functions <- c(visited$functions, fun)
  if (typeof(fun) != "closure" || isNamespace(environment(fun))) {
    refused <- mget(refused_calls, asNamespace("stats"), inherits = TRUE, ifnotfound = NA)
    same <- vapply(refused, identical, NA, fun)
    return(if (any(same)) paste0("`", refused_calls[same][1L], "()`"))
  }
  refused_in(function_code(fun), environment(fun), character(), visited)
}

function_code <- function(f) as.call(list(quote(`function`), formals(f), body(f)))
