# Runs code while something of the package is another one.
with_replaced <- function(name, value, code) {
  space <- asNamespace("domgen")
  own <- get(name, space)
  put <- function(value) {
    unlockBinding(name, space)
    assign(name, value, space)
    lockBinding(name, space)
  }
  on.exit(put(own))
  put(value)
  force(code)
}
