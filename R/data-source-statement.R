# What the text of a query says about what it does. PostgreSQL and SQLite read in a state in which
# nothing can be written; for other databases a query must not have a word that writes.

# Before anything is asked: one statement, which reads. A query that changes something would change
# it in each pass.
check_selects <- function(query) {
  plain <- gsub("^([[:space:](]|--[^\n]*\n|/[*].*?[*]/)*", "", query, perl = TRUE)
  reads <- grepl("^(select|with|values|table|from|show|exec|execute|call)\\b", lower_case(plain))
  if (!all(reads)) {
    abort("argument", "`query` must read rows, as SELECT or WITH do, not ",
          dQuote(substr(query[!reads][1L], 1L, 40L), FALSE), ".")
  }
  several <- grepl(";\\s*[^;[:space:]]", bare_statement(query))
  if (any(several)) {
    abort("argument", "`query` must be one statement, without a semicolon inside; several queries ",
          "are a vector. It is ", dQuote(substr(query[several][1L], 1L, 40L), FALSE), ".")
  }
  if (any(is_procedure(plain))) {
    warn("writes", "`query` calls a procedure, which may write to the database, in each pass over ",
         "the rows. Use SELECT where possible.")
  }
}

is_procedure <- function(query) grepl("^\\s*(exec|execute|call)\\b", lower_case(query))

writing_words <- paste0(
  "(?<![.\\w@])(delete|update|merge|into|drop|create|alter|grant|revoke|deny|exec|execute|call|",
  "shutdown|writetext|updatetext|((insert|truncate)\\b(?!\\s*[(])))\\b"
)

# Where the database itself cannot be told to read only. More is refused than need be.
check_modifies_nothing <- function(query) {
  bare <- bare_statement(query)
  if (is_procedure(bare)) bare <- sub("^\\s*\\w+", "", bare)
  bare <- lower_case(bare)
  at <- regexpr(writing_words, bare, perl = TRUE)
  if (at < 0L) return(invisible())
  abort("argument", "`query` must only read rows, and has the word ",
        upper_case(regmatches(bare, at)), ". Use a view for it, or put a name in double quotes.")
}

# Without what stands in quotes and comments. Databases do not agree on what is a quote or a comment
# where a statement has backslashes, $, #, [, nested or executable comments, or -- without a space:
# such a statement stays as it is.
bare_statement <- function(query) {
  unclear <- grepl("[\\\\$#\\[]|/[*]!|/[*](?s:(?![*]/).)*/[*]|--(?![ \t\r\n]|$)", query,
                   perl = TRUE)
  bare <- gsub("(?s)'[^']*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|/[*].*?[*]/", " ", query, perl = TRUE)
  ifelse(unclear, query, bare)
}

# Does a query mean the same, in the same order, inside another?
can_wrap <- function(query) {
  query <- lower_case(query)
  grepl("^\\s*select\\b", query) &&
    !grepl(";|--|/\\*|#|\\b(order|limit|offset|fetch|top|for|into)\\b", query)
}
