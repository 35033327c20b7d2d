# Sets of auto.R that ship with packages of R, each a formula response ~ predictors | domain. Left
# out as copies of others: Hsb82 (the rows of MathAchieve), bdf (those of nlschools); Rail and the
# like have too few rows.

read_packaged <- function(package, name) {
  if (!requireNamespace(package, quietly = TRUE)) stop("the package ", package, " is needed")
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  as.data.frame(place[[name]])
}

# Terms of the formula as columns; incomplete rows are left out.
packaged_set <- function(package, name, formula, metric = "rmse", ...) {
  data <- read_packaged(package, name)
  parts <- formula[[3L]]
  labels <- attr(stats::terms(stats::reformulate(deparse1(parts[[2L]]))), "term.labels")
  x <- lapply(stats::setNames(labels, make.names(labels)), function(l) eval(str2lang(l), data))
  x <- as.data.frame(x)
  y <- eval(formula[[2L]], data)
  if (metric != "rmse") y <- factor(as.character(y))
  whole <- stats::complete.cases(x, y)
  domain <- factor(as.character(eval(parts[[3L]], data)))
  new_set(y[whole], domain[whole], as_numbers(droplevels(x[whole, , drop = FALSE])), metric, ...)
}

package_sets <- list(
  # High School and Beyond: mathematics of pupils; 160 schools. The second adds the school's mean
  MathAchieve = function() packaged_set("nlme", "MathAchieve",
    MathAch ~ SES + Sex + Minority | School),
  MathAchieve_mean = function() packaged_set("nlme", "MathAchieve",
    MathAch ~ SES + Sex + Minority + MEANSES | School),
  # gapminder.org: life expectancy every five years; 142 countries, or 5 continents
  gapminder = function() packaged_set("gapminder", "gapminder",
    lifeExp ~ year + log(pop) + log(gdpPercap) | country),
  gapminder_continent = function() packaged_set("gapminder", "gapminder",
    lifeExp ~ year + log(pop) + log(gdpPercap) | continent, splits = 5L),
  # Belenky et al. (2003): reaction times by days of little sleep; 18 persons
  sleepstudy = function() packaged_set("lme4", "sleepstudy", Reaction ~ Days | Subject,
    splits = 3L),
  # Goldstein (1987): heights of boys of Oxford by standardised age; 26 boys
  Oxboys = function() packaged_set("nlme", "Oxboys", height ~ age | Subject, splits = 3L),
  # Potthoff and Roy (1964): jaws of children by age and sex; 27 children
  Orthodont = function() packaged_set("nlme", "Orthodont", distance ~ age + Sex | Subject,
    splits = 3L),
  # Goldstein et al. (1993): examinations in inner London; 65 schools, whose mean intake is left out
  Exam = function() packaged_set("mlmRev", "Exam",
    normexam ~ standLRT + sex + vr + intake + type | school),
  # Snijders and Bosker (1999): language test in the Netherlands; 133 classes
  nlschools = function() packaged_set("MASS", "nlschools", lang ~ IQ + SES + GS + COMB | class),
  # ETH Zurich: students rate lectures from 1 to 5; 14 departments
  InstEval = function() packaged_set("lme4", "InstEval", y ~ studage + lectage + service | dept),
  # Munnell (1990): product of states of the USA by their capital; 48 states
  Produc = function() packaged_set("plm", "Produc",
    log(gsp) ~ log(hwy) + log(water) + log(util) + log(pc) + log(emp) + unemp + year | state),
  # A-level chemistry 1997 by earlier marks, centred; 131 local authorities
  Chem97 = function() packaged_set("mlmRev", "Chem97", score ~ gcsecnt + gender + age | lea),
  # Crowder and Hand (1990): weights of chicks by days and diet; 50 chicks
  ChickWeight = function() packaged_set("datasets", "ChickWeight", weight ~ Time + Diet | Chick,
    splits = 3L),
  # Fife, Scotland: attainment at 16; 19 secondary schools
  ScotsSec = function() packaged_set("mlmRev", "ScotsSec",
    attain ~ verbal + sex + social | second, splits = 3L),
  # Sustaining Effects Study, USA: mathematics of primary schools; 60 schools, whose numbers (size,
  # shares of poor and of moving pupils) identify them and are left out
  egsingle = function() packaged_set("mlmRev", "egsingle",
    math ~ year + grade + retained + female + black + hispanic | schoolid),
  # Bangladesh Fertility Survey 1988: use of contraception; districts of 20 women and more
  Contraception = function() packaged_set("mlmRev", "Contraception",
    use ~ livch + age + urban | district, "auc", at_least = 20L),
  # Vansteelandt (2000): does a person react with verbal aggression? 316 persons, 24 situations
  VerbAgg = function() packaged_set("lme4", "VerbAgg",
    r2 ~ Anger + Gender + btype + situ + mode | id, "accuracy"),
  # Baltagi and Griffin (1983): petrol by income, price, cars; 18 countries
  Gasoline = function() packaged_set("plm", "Gasoline",
    lgaspcar ~ lincomep + lrpmg + lcarpcap + year | country, splits = 3L),
  # Baltagi and Levin (1992): cigarettes sold by prices and income; 46 states
  Cigar = function() packaged_set("plm", "Cigar",
    log(sales) ~ log(price) + log(ndi) + log(pimin) + log(pop) + I(pop16 / pop) + cpi + year |
      state),
  # Druska and Horrace (2004): rice of 171 Indonesian farms by what was put in
  RiceFarms = function() packaged_set("plm", "RiceFarms",
    log(goutput) ~ log(size) + log(seed) + log(urea) + log1p(phosphate) + log1p(pesticide) +
      log(totlabor) + status + varieties + bimas | id),
  # Lauridsen et al. (1999): weights of pigs by weeks and feed; 72 pigs. Feed eaten is a second
  # response, the weight at the start identifies the pig
  dietox = function() packaged_set("geepack", "dietox", Weight ~ Time + Evit + Cu | Pig),
  # Deterding (1989): which of 11 vowels; 15 speakers
  Vowel = function() packaged_set("mlbench", "Vowel",
    Class ~ V2 + V3 + V4 + V5 + V6 + V7 + V8 + V9 + V10 | V1, "accuracy", splits = 3L),
  # Ames, Iowa: prices of houses by their size, age, rooms; 28 neighbourhoods
  ames = function() packaged_set("modeldata", "ames",
    log(Sale_Price) ~ Lot_Frontage + log(Lot_Area) + Year_Built + Year_Remod_Add + Mas_Vnr_Area +
      Total_Bsmt_SF + First_Flr_SF + Second_Flr_SF + log(Gr_Liv_Area) + Full_Bath + Half_Bath +
      Bedroom_AbvGr + TotRms_AbvGrd + Fireplaces + Garage_Cars + Garage_Area + Wood_Deck_SF +
      Open_Porch_SF | Neighborhood)
)

# The same rows as another set: no rank of their own.
variants <- c("MathAchieve_mean", "gapminder_continent")
