# Spells DESCRIPTION, the help, the vignettes, README.md and NEWS.md in the language that
# DESCRIPTION names. Fails on a word that neither the dictionary nor inst/WORDLIST knows, and says
# where it stands. An entry of the list that no text needs any more is printed and fails nothing,
# for texts and list may change in different commits.
# Usage: Rscript .ci/spelling.R [update]   update: inst/WORDLIST gets all unknown words and loses
#                                          those without use; look at what git then shows

known <- readLines("inst/WORDLIST", encoding = "UTF-8")
found <- suppressMessages(spelling::spell_check_package(".", use_wordlist = FALSE))
words <- found$word

# What is no word: what stands between dollars in vignettes, products of matrices in help (B'KQKB),
# and letters of other scripts.
vignettes <- vapply(list.files("vignettes", "[.]Rmd$", full.names = TRUE), function(file) {
  text <- paste(readLines(file, encoding = "UTF-8"), collapse = "\n")
  gsub("(?s)```.*?```|`[^`]*`", "", text, perl = TRUE) # code has dollars too
}, "")
formulas <- unlist(regmatches(vignettes, gregexpr("[$]+[^$]+[$]+", vignettes)))
in_formulas <- unlist(strsplit(formulas, "[^A-Za-z']+"))
in_vignettes <- vapply(found$found, function(places) all(grepl("[.]Rmd:", places)), NA)
is_formula <- words %in% in_formulas & in_vignettes | grepl("^[BCKPQZ']+$", words) |
  grepl("^z'[a-z]$", words) | !grepl("[A-Za-z]", words)

# Packages are named in DESCRIPTION; where their name ends in digits the checker cuts these off.
description <- read.dcf("DESCRIPTION")[1L, ]
packages <- unlist(strsplit(description[c("Package", "Imports", "Suggests")], "[^A-Za-z0-9.]+"))
packages <- c(packages, sub("[0-9]+$", "", packages))

# DICA's is spelled as DICA is, and a term in capitals or at the head of a sentence as elsewhere.
bare <- sub("('s|')$", "", words)
dictionary <- hunspell::dictionary(sub("-", "_", description[["Language"]]))
is_word <- bare != words & hunspell::hunspell_check(bare, dict = dictionary)
open <- !is_formula & !is_word & !bare %in% packages

unknown <- which(open & !tolower(bare) %in% tolower(known))
unused <- known[!tolower(known) %in% tolower(bare[open])]
if (length(unused)) cat("in inst/WORDLIST without use:", unused, fill = 100L)

if (identical(commandArgs(trailingOnly = TRUE), "update")) {
  writeLines(sort(unique(c(setdiff(known, unused), bare[unknown])), method = "radix"),
             "inst/WORDLIST")
  cat(length(unknown), "words added,", length(unused), "removed\n")
} else {
  for (k in unknown) cat(words[k], ": ", toString(found$found[[k]]), "\n", sep = "")
  cat(length(unknown), "unknown words\n")
  quit(status = as.integer(length(unknown) > 0L))
}
