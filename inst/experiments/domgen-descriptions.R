# Does the description of an unseen domain, its unlabelled rows, help to predict in it? Data sets
# that come with R packages, each with predictors of the rows alone: what the data say of a domain
# (mean status of a school, its type) is left out. Sets, predictors, methods and folds were fixed
# before the first result, and no set was taken out; four of the sets are also those of
# domgen-own-models.R, whose results were known.
#   distributional   dg_ridge() as it comes, with its kernel between domains
#   pooled, pooled + means    the same without that kernel; with the domain's means as predictors
#   forest, lmer     dg_forest() and dg_mixed() as they come, and with the domain's means
# Five folds of whole domains, intervals by refits, see dg_compare(); scores are RMSE.
#   score                   mean over domains
#   difference, se, p, lower, upper     distributional less the method in the column `method`
# A set whose package is not installed has no lines.

panel_of <- function(name, package = "plm") {
  found <- new.env()
  utils::data(list = name, package = package, envir = found)
  as.data.frame(found[[name]])
}
# as pdata.frame() has it: rows of 7 and 8 years, a person after the other
person <- function(d, years) factor(rep(seq_len(nrow(d) / years), each = years))

described_sets <- list(
  MathAchieve = list("nlme", function() as.data.frame(nlme::MathAchieve),
                     MathAch ~ SES + Sex + Minority | School),
  bdf = list("nlme", function() as.data.frame(nlme::bdf),
             langPOST ~ IQ.verb + IQ.perf + sex + Minority + ses | schoolNR),
  Exam = list("mlmRev", function() panel_of("Exam", "mlmRev"), normexam ~ standLRT + sex | school),
  Gcsemv = list("mlmRev", function() panel_of("Gcsemv", "mlmRev"),
                course ~ written + gender | school),
  egsingle = list("mlmRev", function() panel_of("egsingle", "mlmRev"),
                  math ~ year + grade + retained + female + black + hispanic | schoolid),
  star = list("mlmRev", function() {
    d <- panel_of("star", "mlmRev")
    d <- d[as.character(d$gr) == "3" & d$eth %in% c("W", "B"), ]
    droplevels(transform(d, born = as.numeric(as.character(birthy))))
  }, read ~ cltype + sx + eth + ses + born | sch),
  ScotsSec = list("mlmRev", function() panel_of("ScotsSec", "mlmRev"),
                  attain ~ verbal + sex + social | primary),
  Chem97 = list("mlmRev", function() panel_of("Chem97", "mlmRev"),
                score ~ gcsescore + gender + age | lea),
  InstEval = list("lme4", function() {
    transform(as.data.frame(lme4::InstEval), studage = as.numeric(studage),
              lectage = as.numeric(lectage))
  }, y ~ studage + lectage + service | d),
  ChickWeight = list("datasets", function() as.data.frame(datasets::ChickWeight),
                     weight ~ Time + Diet | Chick),
  Oxboys = list("nlme", function() as.data.frame(nlme::Oxboys), height ~ age | Subject),
  Milk = list("nlme", function() as.data.frame(nlme::Milk), protein ~ Time + Diet | Cow),
  Earthquake = list("nlme", function() {
    d <- as.data.frame(nlme::Earthquake)
    transform(d, accel = log(accel), distance = log(distance))
  }, accel ~ distance + soil | Quake),
  DNase = list("datasets", function() as.data.frame(datasets::DNase),
               log(conc) ~ log(density) | Run),
  pbcseq = list("survival", function() {
    d <- survival::pbcseq
    d[c("bili", "ast", "alk.phos")] <- log(d[c("bili", "ast", "alk.phos")])
    d
  }, bili ~ albumin + ast + alk.phos + platelet + protime + day | id),
  Blackmore = list("carData", function() carData::Blackmore,
                   log2(exercise + 5 / 60) ~ age + group | subject),
  GSSvocab = list("carData", function() carData::GSSvocab,
                  vocab ~ gender + nativeBorn + age + educ | year),
  gapminder = list("gapminder", function() {
    d <- as.data.frame(gapminder::gapminder)
    transform(d, pop = log(pop), gdp = log(gdpPercap))
  }, lifeExp ~ year + pop + gdp | country),
  Wages = list("plm", function() {
    d <- panel_of("Wages")
    transform(d, person = person(d, 7))
  }, lwage ~ exp + wks + bluecol + ind + south + smsa + married + union | person),
  Males = list("plm", function() panel_of("Males"),
               wage ~ exper + union + married + health + year | nr),
  Produc = list("plm", function() panel_of("Produc"),
                log(gsp) ~ log(pcap) + log(pc) + log(emp) + unemp + year | state),
  Cigar = list("plm", function() panel_of("Cigar"),
               log(sales) ~ log(price / cpi) + log(ndi / cpi) + log(pimin / cpi) + year | state),
  Crime = list("plm", function() panel_of("Crime"),
               lcrmrte ~ lprbarr + lprbconv + lprbpris + lavgsen + lpolpc + ldensity + year |
                 county),
  RiceFarms = list("plm", function() panel_of("RiceFarms"),
                   log(goutput) ~ log(size) + log(seed) + log(urea) + log(totlabor) + varieties |
                     id),
  Gasoline = list("plm", function() panel_of("Gasoline"),
                  lgaspcar ~ lincomep + lrpmg + lcarpcap + year | country),
  EmplUK = list("plm", function() panel_of("EmplUK"),
                log(emp) ~ log(wage) + log(capital) + output + year | firm),
  Hedonic = list("plm", function() panel_of("Hedonic"),
                 mv ~ crim + nox + rm + age + dis + blacks + lstat | townid),
  SumHes = list("plm", function() panel_of("SumHes"), log(gdp) ~ year + log(pop) + sr | country)
)

most <- c(domains = 160, rows = 5000)

# Complete rows in at most so many domains, as many of each as there may be; at least two of each.
described_rows <- function(set) {
  frame <- set[[2L]]()
  parts <- set[[3L]][[3L]]
  d <- stats::model.frame(stats::as.formula(call("~", set[[3L]][[2L]])), frame,
                          na.action = stats::na.pass)
  terms <- stats::model.frame(stats::as.formula(call("~", parts[[2L]])), frame,
                              na.action = stats::na.pass)
  names(terms) <- gsub("[^A-Za-z0-9]+", "_", names(terms))
  domain <- factor(frame[[as.character(parts[[3L]])]])
  out <- data.frame(y = as.numeric(d[[1L]]), terms, domain = domain)
  out <- out[stats::complete.cases(out) & is.finite(out$y) &
               Reduce(`&`, lapply(terms, function(x) !is.numeric(x) | is.finite(x))), ]
  domains <- names(which(table(out$domain) > 1L))
  if (length(domains) > most[["domains"]]) domains <- sample(domains, most[["domains"]])
  out <- droplevels(out[out$domain %in% domains, ])
  out[is_ordered(out)] <- lapply(out[is_ordered(out)], factor, ordered = FALSE)
  if (nrow(out) <= most[["rows"]]) return(out)
  places <- split(seq_len(nrow(out)), out$domain)
  a_domain <- floor(most[["rows"]] / length(places))
  while (sum(pmin(lengths(places), a_domain + 1L)) <= most[["rows"]]) a_domain <- a_domain + 1L
  drawn <- lapply(places, function(i) i[sample.int(length(i), min(length(i), a_domain))])
  out[sort(unlist(drawn)), ]
}
is_ordered <- function(d) vapply(d, is.ordered, NA)

described_methods <- function() list(
  distributional = dg_ridge(),
  pooled = dg_ridge(domain_kernel = domain_pooled()),
  `pooled + means` = dg_ridge(domain_kernel = domain_pooled(), domain_means = TRUE),
  lmer = dg_mixed(), `lmer + means` = dg_mixed(domain_means = TRUE),
  forest = dg_forest(), `forest + means` = dg_forest(domain_means = TRUE)
)

# of distributional less each: compared with it, the signs turned
description_lines <- function(result, d) {
  table <- result$table
  one <- function(measure, value) {
    data.frame(method = table$method, measure = measure, value = value, paper = NA_real_,
               seconds = table$seconds)
  }
  lines <- bind(list(
    one("score", table$mean), one("difference", -table$difference), one("se", table$se),
    one("p", table$p), one("lower", -table$upper), one("upper", -table$lower)
  ))
  sizes <- data.frame(method = "data", measure = c("rows", "domains"),
                      value = c(nrow(d), nlevels(d$domain)), paper = NA_real_, seconds = NA_real_)
  own <- lines$method == "distributional" & lines$measure != "score"
  bind(list(sizes, lines[!own, ]))
}

experiment(
  paper = "domgen", item = "vignette domgen",
  title = "Does the description of an unseen domain help? Data sets that come with R packages",
  draws = c(quick = 1, normal = 1, full = 1), minutes = c(quick = 0.2, normal = 30, full = 30),
  packages = c("ranger", "lme4", "nlme"),
  tolerance = c(score = 0.01, difference = 0.01),
  cells = function(size) {
    if (size == "quick") return(data.frame(data = "Oxboys", refits = FALSE))
    there <- vapply(described_sets, function(s) requireNamespace(s[[1L]], quietly = TRUE), NA)
    data.frame(data = names(described_sets)[there], refits = TRUE)
  },
  run = function(cell, draw, data) {
    d <- described_rows(described_sets[[cell$data]])
    result <- suppressMessages(suppressWarnings(
      dg_compare(described_methods(), y ~ . | domain, data = d, folds = 5,
                 baseline = "distributional", refits = cell$refits, progress = FALSE)
    ))
    description_lines(result, d)
  }
)
