# Prints the R library to install into: the first one that can be written to, else the personal
# one, which is made if need be.
writable <- Filter(function(folder) file.access(folder, 2) == 0, .libPaths())
library <- if (length(writable)) writable[1] else path.expand(Sys.getenv("R_LIBS_USER"))
library <- strsplit(library, .Platform$path.sep, fixed = TRUE)[[1]][1]
if (!dir.exists(library) && !dir.create(library, recursive = TRUE, showWarnings = FALSE)) {
  stop("No R library can be written to: set R_LIBS_USER to a folder of yours.", call. = FALSE)
}
cat(library)
