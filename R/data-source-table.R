# Tables and queries of databases, through DBI: one SELECT around what the user gives, inside of
# which nothing that writes can stand. PostgreSQL, whose functions may write, reads in a transaction
# that cannot.

#' @exportS3Method
tables_of.DBIConnection <- function(x, table = NULL, query = NULL) database_tables(x, table, query)

#' @exportS3Method
tables_of.tbl_lazy <- function(x, table = NULL, query = NULL) {
  need_package("dbplyr", "row_source()")
  database_tables(dbplyr::remote_con(x), NULL, as.character(dbplyr::sql_render(x)))
}

# connection: a DBI connection, or a function that makes one.
database_tables <- function(connection, table, query) {
  need_package("DBI", "row_source()")
  if (is.null(table) == is.null(query)) {
    abort("argument", "Either `table` or `query` must be given with a database connection",
          if (!is.null(table)) ", not both", ".")
  }
  if (!is.null(query)) {
    check_sql(query, "query")
    label <- if (length(query) == 1L) "query" else paste("query", seq_along(query))
    return(unname(Map(function(query, label) {
      query_table(connection, label, function(con) {
        paste0("(", one_statement(con, sub(";\\s*$", "", query)), "\n) AS q")
      })
    }, query, label)))
  }
  tables <- if (inherits(table, "Id")) list(table) else as.list(check_sql(table, "table"))
  lapply(tables, function(name) {
    label <- if (is.character(name)) name else paste(name@name, collapse = ".")
    query_table(connection, label, function(con) as.character(DBI::dbQuoteIdentifier(con, name)),
                place = list(connection = connection, name = name))
  })
}

check_sql <- function(value, arg) {
  if (!is.character(value) || length(value) == 0L || anyNA(value) || !all(nzchar(value))) {
    abort("argument", "`", arg, "` must be text that is not empty, not ", describe(value), ".")
  }
  value
}

# These drivers take one statement at a time; others might do what stands behind a semicolon.
one_statement <- function(connection, query) {
  alone <- inherits(connection, c("SQLiteConnection", "PqConnection"))
  if (alone || !grepl(";", query, fixed = TRUE)) return(query)
  stop("`query` must have no semicolon with a connection of class ", class(connection)[1L],
       call. = FALSE)
}

# from: function(connection): what stands behind FROM; place: see row_table().
query_table <- function(connection, label, from, place = NULL) {
  ask <- function(con, columns, end = "") {
    asking(DBI::dbSendQuery(con, paste("SELECT", columns, "FROM", from(con), end)),
           DBI::dbClearResult)
  }
  names_in <- function(con) {
    result <- ask(con, "*", "WHERE 1 = 0")
    on.exit(DBI::dbClearResult(result))
    names(asking(DBI::dbFetch(result)))
  }
  row_table(label, function() while_reading(connection, names_in),
            function(columns, text, n, f) while_reading(connection, function(con) {
    there <- intersect(columns, names_in(con))
    quoted <- vapply(there, function(name) as.character(DBI::dbQuoteIdentifier(con, name)), "")
    result <- ask(con, paste(if (length(there)) quoted else "*", collapse = ", "))
    on.exit(DBI::dbClearResult(result))
    while (nrow(block <- asking(DBI::dbFetch(result, n))) > 0L) f(block)
  }), function() while_reading(connection, function(con) list(from(con), database_of(con))), place)
}

# As far as the driver says it.
database_of <- function(connection) {
  said <- on_error(DBI::dbGetInfo(connection), function(e) NULL)
  lapply(said[intersect(c("dbname", "host", "port"), names(said))], as.character)
}

# What the database says against it is an error, and so are warnings of values or statements that
# are lost: RSQLite makes 0 of text among numbers, and asks but for the first of two statements.
# RPostgreSQL answers NULL, with a warning, where it cannot ask.
asking <- function(code, undo = function(value) NULL) {
  said <- NULL
  refused <- function(said) stop("the database says: ", trimws(said), call. = FALSE)
  value <- on_error(withCallingHandlers(code, warning = function(w) {
    said <<- c(said, conditionMessage(w))
    invokeRestart("muffleWarning")
  }), function(e) refused(conditionMessage(e)))
  if (is.null(value)) refused(c(said, "nothing")[1L])
  lost <- grep("mixed type|remaining part", said, value = TRUE)
  if (length(lost)) {
    on_error(undo(value), function(e) NULL)
    refused(lost[1L])
  }
  for (one in said) warning(one, call. = FALSE)
  value
}

# f(connection); one that a function made is closed behind it.
while_reading <- function(connection, f) {
  con <- connect(connection)
  if (is.function(connection)) on.exit(on_error(DBI::dbDisconnect(con), function(e) NULL))
  if (!is_postgres(con)) return(f(con))
  finish <- begin_reading(con)
  on.exit(on_error(finish(), function(e) NULL), add = TRUE, after = FALSE)
  f(con)
}

connect <- function(connection) {
  if (is.function(connection)) {
    made <- on_error(connection(), function(e) {
      stop("no connection: ", trimws(conditionMessage(e)), call. = FALSE)
    })
    if (inherits(made, "DBIConnection")) return(made)
    stop("its function must make a DBI connection, not ", describe(made), call. = FALSE)
  }
  # RPostgreSQL does not know dbIsValid()
  open <- on_error(DBI::dbIsValid(connection), function(e) {
    on_error(is.list(DBI::dbGetInfo(connection)), function(e) FALSE)
  })
  if (isTRUE(open)) return(connection)
  stop("its connection is closed, or was made in another process; give a function that makes it",
       call. = FALSE)
}

# ---- PostgreSQL -------------------------------------------------------------------------------

is_postgres <- function(connection) inherits(connection, c("PqConnection", "PostgreSQLConnection"))

# Is a transaction under way? One that has failed takes no statement, BEGIN neither, and counts for
# none: whoever begins then gets an error, and has begun nothing that could be rolled back.
within_transaction <- function(connection) {
  say <- function(statement) DBI::dbExecute(connection, statement)
  within <- on_error(is.numeric(say("SAVEPOINT domgen")), function(e) FALSE)
  if (within) say("RELEASE SAVEPOINT domgen")
  within
}

# Begins to read; gives a function that ends it. In the caller's own transaction, up to a savepoint,
# with which the settings are restored, else in one that ends with it.
begin_reading <- function(connection) {
  say <- function(statement) DBI::dbExecute(connection, statement)
  within <- within_transaction(connection)
  say(if (within) "SAVEPOINT domgen" else "BEGIN")
  finish <- function() {
    clear_results(connection)
    say(if (within) "ROLLBACK TO SAVEPOINT domgen" else "ROLLBACK")
    if (within) say("RELEASE SAVEPOINT domgen")
  }
  begun <- FALSE
  on.exit(if (!begun) on_error(finish(), function(e) NULL))
  say("SET TRANSACTION READ ONLY")
  begun <- TRUE
  finish
}

# RPostgreSQL takes no statement while there is a result that an interrupt has left open.
clear_results <- function(connection) {
  if (!inherits(connection, "PostgreSQLConnection")) return(invisible())
  for (result in DBI::dbListResults(connection)) DBI::dbClearResult(result)
}
