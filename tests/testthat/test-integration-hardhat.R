# The blueprint that hands the domain's role over to the model of a workflow.

skip_if_not_installed("hardhat")
skip_if_not_installed("recipes")
skip_if_not_installed("nlme")

pupils <- as.data.frame(nlme::MathAchieve)
schools <- levels(pupils$School)
train <- droplevels(pupils[pupils$School %in% schools[1:6], ])
test <- droplevels(pupils[pupils$School %in% schools[7:9], ])

with_role <- function(data = train) {
  recipe <- recipes::recipe(MathAch ~ SES + Sex + Minority + School, data = data)
  recipes::update_role(recipe, School, new_role = "domain")
}

test_that("domains that training had not keep their names: ordered, factors, text and numbers", {
  for (as in list(as.ordered, function(x) factor(as.character(x)), as.character,
                  function(x) as.integer(as.character(x)))) {
    data <- transform(train, School = as(School))
    molded <- hardhat::mold(with_role(data), data, blueprint = domain_blueprint())
    expect_identical(as.character(molded$predictors$.domain), as.character(train$School))
    new <- transform(test, School = as(School))
    forged <- hardhat::forge(new, molded$blueprint)
    expect_identical(as.character(forged$predictors$.domain), as.character(test$School))
    # levels of all schools, of which some are there
    forged <- hardhat::forge(new[1:3, ], molded$blueprint)
    expect_identical(as.character(forged$predictors$.domain), as.character(test$School[1:3]))
  }
  # text where there was a factor
  molded <- hardhat::mold(with_role(), train, blueprint = domain_blueprint())
  forged <- hardhat::forge(transform(test, School = as.character(School)), molded$blueprint)
  expect_identical(as.character(forged$predictors$.domain), as.character(test$School))
})

test_that("a blueprint hands the domain's column over, by its role", {
  molded <- hardhat::mold(with_role(), train, blueprint = domain_blueprint())
  expect_named(molded$predictors, c("SES", "Sex", "Minority", ".domain"))
  expect_identical(as.character(molded$predictors$.domain), as.character(train$School))
  forged <- hardhat::forge(test, molded$blueprint, outcomes = TRUE)
  expect_identical(as.character(forged$predictors$.domain), as.character(test$School))
  expect_identical(forged$outcomes$MathAch, test$MathAch)
  expect_s3_class(hardhat::update_blueprint(domain_blueprint(), intercept = TRUE),
                  "domgen_domain_blueprint")
  other <- recipes::update_role(with_role(), School, new_role = "place", old_role = "domain")
  molded <- hardhat::mold(other, train, blueprint = domain_blueprint("place"))
  expect_true(".domain" %in% names(molded$predictors))
  expect_domgen_error(hardhat::mold(other, train, blueprint = domain_blueprint()),
                      "must have the role \"domain\", not none")
  two <- recipes::update_role(with_role(), Sex, new_role = "domain")
  expect_domgen_error(hardhat::mold(two, train, blueprint = domain_blueprint()),
                      "not `Sex`, `School`")
  expect_domgen_error(domain_blueprint(3), "`role` must be the name of a role, not 3")
  expect_error(hardhat::forge(test["SES"], molded$blueprint))
})

test_that("a blueprint refuses what it cannot hand over, and arguments that hardhat has not", {
  expect_domgen_error(domain_blueprint(compositon = "matrix"), "did you mean `composition`")
  expect_domgen_error(hardhat::mold(with_role(), train,
                                    blueprint = domain_blueprint(composition = "matrix")),
                      "`composition` must be \"tibble\"")
  taken <- transform(train, .domain = SES)
  recipe <- recipes::recipe(MathAch ~ .domain + School, data = taken)
  recipe <- recipes::update_role(recipe, School, new_role = "domain")
  expect_domgen_error(hardhat::mold(recipe, taken, blueprint = domain_blueprint()),
                      "No predictor must be called `.domain`")
})

test_that("a domain that new data need not have is handed over where they have it", {
  skip_if_not_installed("recipes", "1.0.0")
  open <- recipes::update_role_requirements(with_role(), "domain", bake = FALSE)
  blueprint <- hardhat::mold(open, train, blueprint = domain_blueprint())$blueprint
  forged <- hardhat::forge(test, blueprint)$predictors
  expect_identical(as.character(forged$.domain), as.character(test$School))
  expect_domgen_error(hardhat::forge(test[c("SES", "Sex", "Minority")], blueprint),
                      "New data must have the column `School`, whose role is \"domain\"")
})
