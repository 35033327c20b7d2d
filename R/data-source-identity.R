# Whether a database has the rows that it had when a call began, and whether a statement reads a
# table that is to be replaced. Each driver that is known has its own answer.

identity_rows <- 1000

# NULL where rows cannot be recognised in another session: databases in memory, temporary tables,
# drivers of which nothing is known.
#' @exportS3Method
partition_key.partition_dbi <- function(partition) {
  on_error({
    link <- connect(partition)
    on.exit(link$close())
    place <- database_place(link$connection, partition$table)
    if (!is.null(place)) list(place, partition$query, sampled_rows(link$connection, partition))
  }, function(e) NULL)
}

database_place <- function(connection, table) {
  name <- if (!is.null(table)) as.character(DBI::dbQuoteIdentifier(connection, table))
  if (is_sqlite(connection)) {
    place <- sqlite_place(connection)
  } else if (is_postgres(connection)) {
    place <- postgres_place(connection)
    if (!is.null(table)) name <- c(name, postgres_number(connection, table))
  } else place <- NULL
  if (!is.null(place)) list(class(connection)[1L], place, name)
}

# Their number, and about so many of them, from all parts of the result.
sampled_rows <- function(connection, partition) {
  from <- paste0(" FROM (", statement_of(connection, partition), "\n) AS q")
  ask <- function(query) suppressWarnings(fetch_all(connection, query))
  n <- as.numeric(ask(paste0("SELECT COUNT(*) AS n", from))[[1L]])
  step <- max(1, ceiling(n / identity_rows))
  rows <- ask(sprintf("SELECT * FROM (SELECT q.*, ROW_NUMBER() OVER () AS domgen_row%s) AS r %s",
                      from, sprintf("WHERE (domgen_row - 1) %% %.0f = 0", step)))
  list(n, rows)
}

statement_of <- function(connection, partition) {
  if (is.null(partition$table)) return(sub(";\\s*$", "", partition$query))
  paste("SELECT * FROM", DBI::dbQuoteIdentifier(connection, partition$table))
}

# Does a partition read the table that a sink makes? Of databases that cannot be asked, one that has
# its name in it may.
reads_table <- function(partition, connection, other, table) {
  known <- function(connection) c(is_sqlite(connection), is_postgres(connection))
  both <- known(connection) & known(other)
  if (any(known(connection)) && any(known(other)) && !any(both)) return(FALSE)
  statement <- statement_of(connection, partition)
  name <- if (is.character(table)) table else table@name[[length(table@name)]]
  named <- function(e = NULL) grepl(tolower(name), tolower(statement), fixed = TRUE)
  if (!any(both)) return(named())
  reads <- if (both[1L]) sqlite_reads else postgres_reads
  on_error(reads(connection, statement, other, table), named)
}
