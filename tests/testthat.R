library(testthat)
library(domgen)

test_check("domgen")
