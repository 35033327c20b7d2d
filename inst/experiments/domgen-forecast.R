# Is the skill that dg_forecast() prints the true one, and does it say so where scores cannot be
# forecast? At site g x = m_g + v_g N(0, I) has two columns, m_g ~ N(0, 0.5), log v_g ~ N(0, 0.4).
#   number   y = x_1 + x_2 + exp(r_g + c x_1) e, e standard normal
#   class    logit P(y = 1) = (1 + b_g) (x_1 + x_2), b_g >= -1
# Signal
#   none     numbers: c = 0, r_g ~ N(0, 0.3); classes: v_g = 1, m_g = 0 and b_g ~ N(0, 0.5)
#   weak     numbers: c = 0.3, r_g ~ N(0, 0.2); classes: b_g ~ N(0, 0.5)
#   strong   numbers: c = 0.5, r_g = 0; classes: b_g = 0
#   curve    numbers: c = 0, r_g ~ N(0, 0.2) and 0.3 x_1^2 more, which the linear model lacks
#   far      numbers: c = r_g = 0, and N(0, 1) more for all rows of the site; m_g ~ N(0, 1), and the
#            model is a kernel ridge regression, which is worse far from its rows
# Sites have 40 to 120 rows. `true`: of the variance of the expected scores (on their scale, given
# the predictors of the rows) of 100 further sites of 80 rows, the share that the regression
# explains, were it used or not, compared with the mean of the training sites; `printed`: the skill
# that is printed (medians over draws); `forecast`: the proportion of draws in which scores can be
# forecast; `covered`: proportion of the further sites in the 95 % interval; `gain`: the true skill
# of what is printed as forecast.
# `cell$response` "data": sets that ship with R and its recommended or suggested packages.

draw_site <- function(g, n, response, signal) {
  still <- response == "class" && signal == "none"
  m <- if (still) c(0, 0) else stats::rnorm(2, 0, if (signal == "far") 1 else 0.5)
  v <- if (still) 1 else exp(stats::rnorm(1, 0, 0.4))
  r <- switch(signal, none = stats::rnorm(1, 0, 0.3), weak = , curve = stats::rnorm(1, 0, 0.2), 0)
  b <- if (signal == "strong") 0 else max(stats::rnorm(1, 0, 0.5), -1)
  x <- matrix(stats::rnorm(2 * n), n) * v + rep(m, each = n)
  f <- x[, 1] + x[, 2] + switch(signal, curve = 0.3 * x[, 1]^2, far = stats::rnorm(1), 0)
  slope <- c(none = 0, weak = 0.3, strong = 0.5, curve = 0, far = 0)[[signal]]
  if (response == "number") {
    noise <- exp(r + slope * x[, 1])
    return(data.frame(y = f + noise * stats::rnorm(n), x1 = x[, 1], x2 = x[, 2],
                      site = paste0("s", g), mean = f, noise = noise))
  }
  p <- stats::plogis((1 + b) * f)
  data.frame(y = factor(stats::rbinom(n, 1, p), 0:1), x1 = x[, 1], x2 = x[, 2],
             site = paste0("s", g), mean = p, noise = 0)
}

draw_world <- function(sites, response, signal, rows, from = 0) {
  bind(lapply(seq_len(sites), function(g) draw_site(from + g, rows[g], response, signal)))
}

# The logarithm of the expected score of each site.
expected_truth <- function(model, data, response) {
  number <- response == "number"
  p <- if (number) predict(model, data) else predict(model, data, type = "prob")[, 2]
  loss <- if (number) (data$mean - p)^2 + data$noise^2
          else data$mean * (1 - p)^2 + (1 - data$mean) * p^2
  log(tapply(loss, data$site, mean)) / if (number) 2 else 1
}

one_world <- function(cell) {
  train <- draw_world(cell$sites, cell$response, cell$signal,
                      round(stats::runif(cell$sites, 40, 120)))
  further <- draw_world(100, cell$response, cell$signal, rep(80, 100), from = 1000)
  model <- if (cell$signal == "far") dg_ridge(y ~ x1 + x2 | site, data = train, lambda = 1)
           else dg_lm(y ~ x1 + x2 | site, data = train)
  found <- dg_forecast(model, further[c("x1", "x2", "site")], permutations = 199,
                       metric = if (cell$response == "number") "rmse" else "brier")
  truth <- expected_truth(model, further, cell$response)[found$sites$domain]
  # sites that are too far have no forecast
  near <- !is.na(found$sites$forecast)
  skill <- function(table) {
    1 - mean((truth - log(table$forecast))[near]^2) / mean((truth - log(found$mean$mean))[near]^2)
  }
  inside <- log(found$sites$lower) <= truth & truth <= log(found$sites$upper)
  c(printed = found$skill$skill, true = skill(found$regression), forecast = found$can,
    covered = mean(inside[near]), gain = skill(found$sites))
}

# list(package, data, formula, and what makes the data frame).
real_sets <- list(
  MathAchieve = list("nlme", MathAch ~ SES + Sex + Minority | School),
  Orthodont = list("nlme", distance ~ age + Sex | Subject),
  Oxboys = list("nlme", height ~ age | Subject),
  BodyWeight = list("nlme", weight ~ Time + Diet | Rat),
  Wafer = list("nlme", current ~ voltage | Wafer),
  Alfalfa = list("nlme", Yield ~ Variety + Date | Block),
  Machines = list("nlme", score ~ Machine | Worker),
  ChickWeight = list("datasets", weight ~ Time + Diet | Chick),
  CO2 = list("datasets", uptake ~ conc + Treatment | Plant),
  sleepstudy = list("lme4", Reaction ~ Days | Subject),
  InstEval = list("lme4", y ~ studage + lectage + service | dept),
  cbpp = list("lme4", incidence ~ period + size | herd),
  Exam = list("mlmRev", normexam ~ standLRT + sex | school),
  ScotsSec = list("mlmRev", attain ~ verbal + sex + social | primary),
  Contraception = list("mlmRev", use ~ age + urban + livch | district),
  nlschools = list("MASS", lang ~ IQ + SES + COMB | class),
  bacteria = list("MASS", y ~ ap + hilo + week | ID),
  Chem97 = list("mlmRev", score ~ gcsescore + gender + age | lea),
  Gcsemv = list("mlmRev", course ~ written + gender | school)
)

real_set <- function(name) {
  set <- real_sets[[name]]
  if (!requireNamespace(set[[1]], quietly = TRUE)) return(NULL)
  home <- new.env()
  if (!tryCatch({
    suppressWarnings(utils::data(list = name, package = set[[1]], envir = home))
    exists(name, home)
  }, error = function(e) FALSE)) return(NULL)
  data <- as.data.frame(home[[name]])
  formula <- set[[2]]
  domain <- all.vars(formula[[3]][[3]])
  data <- data[stats::complete.cases(data[all.vars(formula)]), all.vars(formula)]
  for (column in c(domain, all.vars(formula[[3]][[2]]))) {
    if (is.factor(data[[column]]) || is.character(data[[column]])) {
      data[[column]] <- factor(as.character(data[[column]]))
    }
  }
  size <- table(data[[domain]])
  keep <- names(sort(size[size >= 4], decreasing = TRUE))
  # at most 50 sites of at most 100 rows
  keep <- keep[round(seq(1, length(keep), length.out = min(50, length(keep))))]
  data <- data[data[[domain]] %in% keep, ]
  data <- data[stats::ave(seq_len(nrow(data)), data[[domain]], FUN = seq_along) <= 100, ]
  data[[domain]] <- factor(as.character(data[[domain]]))
  list(data = data, formula = formula)
}

one_set <- function(name) {
  set <- real_set(name)
  if (is.null(set)) return(NULL)
  environment(set$formula) <- environment()
  model <- dg_lm(set$formula, data = set$data)
  numbers <- is.numeric(set$data[[all.vars(set$formula)[1]]])
  found <- dg_forecast(model, set$data[1:2, ], y = c(NA, NA)[1:2],
                       metric = if (numbers) "rmse" else "brier", permutations = 499)
  c(printed = found$skill$skill, p = found$skill$p, forecast = found$can,
    sites = found$skill$domains)
}

experiment(
  paper = "domgen", item = "?dg_forecast",
  title = "Printed and true skill of forecasts of a new site's score",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.3, normal = 10, full = 10),
  tolerance = c(printed = 0.05, true = 0.05, covered = 0.05),
  cells = function(size) {
    if (size == "quick") {
      return(data.frame(response = c("number", "class", "data"),
                        signal = c("strong", "none", "Orthodont"),
                        sites = c(8, 15, NA), replications = c(1, 1, 1)))
    }
    simulated <- expand.grid(response = c("number", "class"), signal = c("none", "weak", "strong"),
                             sites = c(8, 15, 30), replications = 10, stringsAsFactors = FALSE)
    simulated <- rbind(simulated, expand.grid(response = "number", signal = c("curve", "far"),
                                              sites = c(8, 15, 30), replications = 10,
                                              stringsAsFactors = FALSE))
    # that it seldom sees what is not there needs more draws
    simulated$replications[simulated$signal == "none"] <- 30
    rbind(simulated, data.frame(response = "data", signal = names(real_sets), sites = NA,
                                replications = 1))
  },
  run = function(cell, draw, data) {
    if (cell$response == "data") {
      found <- one_set(cell$signal)
      if (is.null(found)) return(NULL)
      return(result_lines("regression", found))
    }
    found <- vapply(seq_len(cell$replications), function(r) {
      set.seed(7000 + 1000 * draw + r)
      suppressWarnings(one_world(cell))
    }, numeric(5))
    means <- rowMeans(found, na.rm = TRUE)
    # one bad draw of few sites decides a mean
    medians <- apply(found[c("printed", "true"), , drop = FALSE], 1, stats::median, na.rm = TRUE)
    result_lines("regression", c(medians, means[c("forecast", "covered", "gain")]))
  }
)
