# A reader's own models, made learners by two functions each, beside those of the package: a random
# forest (ranger), boosted trees (xgboost) and a mixed model (lme4), each as it is and with the
# means of the domain ("means", contextual effects); dg_ridge() as it comes, with its kernel between
# domains; dg_auto(). All have the same folds of whole domains, and intervals by refits, see
# dg_compare(). The sets come with R, but that of the package gapminder; scores are RMSE.
#   score                    mean over domains
#   difference, se, p        from the method in the column `against`, paired by domain
# Where gapminder or xgboost is not installed, and in quick runs, they have no lines.

own_sets <- list(
  MathAchieve = function() {
    list(MathAch ~ SES + Sex + Minority | School, as.data.frame(nlme::MathAchieve))
  },
  gapminder = function() {
    d <- as.data.frame(gapminder::gapminder)
    list(lifeExp ~ year + pop + gdp | country, transform(d, pop = log(pop), gdp = log(gdpPercap)))
  },
  ChickWeight = function() {
    list(weight ~ Time + Diet | Chick, as.data.frame(datasets::ChickWeight))
  },
  Oxboys = function() list(height ~ age | Subject, as.data.frame(nlme::Oxboys))
)

# As vignette("which-method") shows them.
own_models <- function() list(
  ranger = learner_custom(function(x, y) ranger::ranger(x = x, y = y),
                          function(object, x) predict(object, x)$predictions, needs = "data"),
  xgboost = learner_custom(
    function(x, y) xgboost::xgb.train(list(eta = 0.1, max_depth = 4),
                                      xgboost::xgb.DMatrix(as.matrix(x), label = y), 100),
    function(object, x) predict(object, as.matrix(x))
  ),
  lme4 = learner_custom(
    function(x, y, domain) lme4::lmer(reformulate(c(names(x), "(1 | domain)"), "y"),
                                      cbind(x, y, domain)),
    function(object, x, domain) predict(object, cbind(x, domain), allow.new.levels = TRUE)
  )
)

compared_models <- function(packages) {
  own <- own_models()[packages]
  means <- lapply(own, update, domain_means = TRUE)
  names(means) <- paste0(packages, ", means")
  c(own, means, list(`dg_ridge()` = dg_ridge(), `dg_auto()` = dg_auto()))
}

difference_lines <- function(result, against) {
  table <- domgen:::new_comparison(result$runs, names(result$runs), against)$table
  table <- table[table$method != against, ]
  bind(lapply(c("difference", "se", "p"), function(measure) {
    data.frame(method = table$method, measure = measure, value = table[[measure]],
               paper = NA_real_, against = against)
  }))
}

experiment(
  paper = "domgen", item = "vignette which-method",
  title = "A reader's own ranger, xgboost and lme4 models beside dg_ridge() and dg_auto()",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.3, normal = 8, full = 8),
  packages = c("ranger", "lme4", "nlme"),
  tolerance = c(score = 0.005, difference = 0.005),
  cells = function(size) {
    if (size == "quick") return(data.frame(data = "Oxboys", refits = FALSE))
    there <- requireNamespace("gapminder", quietly = TRUE)
    data.frame(data = setdiff(names(own_sets), if (!there) "gapminder"), refits = TRUE)
  },
  run = function(cell, draw, data) {
    set <- own_sets[[cell$data]]()
    boosted <- cell$refits && requireNamespace("xgboost", quietly = TRUE)
    packages <- c("ranger", if (boosted) "xgboost", "lme4")
    specs <- compared_models(packages)
    # lme4 says which constant columns it drops
    result <- suppressMessages(dg_compare(specs, set[[1L]], data = set[[2L]], folds = 5,
                                          refits = cell$refits, progress = FALSE))
    table <- result$table
    scores <- data.frame(method = table$method, measure = "score", value = table$mean,
                         paper = NA_real_, against = "", seconds = table$seconds)
    against <- c("null", packages, paste0(packages, ", means"))
    bind(c(list(scores), lapply(against, difference_lines, result = result)))
  }
)
