# The twenty sets of first-call.R, from packages of R: function giving list(kind, formula, data).
# The list was written down before the first run, and none of the sets is named elsewhere in this
# repository. At most 3,000 rows: of larger sets whole domains are drawn. Rows with missing values,
# identifiers and second responses are left out. `exposure` is the log of a count's exposure.

table_of <- function(package, name) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  if (is.data.frame(place[[name]])) as.data.frame(place[[name]]) else place[[name]]
}

draw_domains <- function(data, domain, most = 3000L) {
  set.seed(1L)
  sizes <- table(data[[domain]])[sample(unique(as.character(data[[domain]])))]
  data[as.character(data[[domain]]) %in% names(sizes)[cumsum(sizes) <= most], ]
}

first_call_sets <- list(
  # numbers. Weights of new-born rats by dose; 27 litters
  RatPupWeight = function() {
    list("number", weight ~ sex + Lsize + Treatment | Litter, table_of("nlme", "RatPupWeight"))
  },
  # oats by nitrogen and variety, 6 blocks of a field
  Oats = function() list("number", yield ~ nitro + Variety | Block, table_of("nlme", "Oats")),
  # cognition of infants by age and early care; 103 infants
  Early = function() list("number", cog ~ age + trt | id, table_of("mlmRev", "Early")),
  # how much consumers like carrots; 103 consumers
  carrots = function() {
    list("number", Preference ~ sens1 + sens2 + Frequency + Gender + Age + Homesize + Work +
           Income | Consumer, table_of("lmerTest", "carrots"))
  },
  # reading in school districts of California; 45 counties
  CASchools = function() {
    d <- transform(table_of("AER", "CASchools"), ratio = students / teachers,
                   computers = computer / students, size = log(students))
    list("number", read ~ grades + size + ratio + computers + calworks + lunch + expenditure +
           income + english | county, d)
  },
  # ratings of courses by what the teacher is like; 94 teachers
  TeachingRatings = function() {
    list("number", eval ~ minority + age + gender + credits + beauty + division + native + tenure +
           allstudents | prof, table_of("AER", "TeachingRatings"))
  },
  # well-being of soldiers; companies
  bh1996 = function() {
    list("number", WBEING ~ HRS + COHES + LEAD | GRP,
         draw_domains(table_of("multilevel", "bh1996"), "GRP"))
  },

  # two classes. May a refugee appeal? 10 judges
  Greene = function() {
    list("classes", decision ~ nation + rater + language + location + success | judge,
         table_of("carData", "Greene"))
  },
  # yes or no to Pinochet; 5 regions. The scale of attitudes to him is a second response
  Chile = function() {
    d <- table_of("carData", "Chile")
    list("classes", vote ~ population + sex + age + education + income | region,
         droplevels(d[d$vote %in% c("N", "Y"), ]))
  },
  # days with a headache; persons with migraine
  KosteckiDillon = function() {
    list("classes", headache ~ time + dos + hatype + age + airq + medication + sex | id,
         draw_domains(table_of("carData", "KosteckiDillon"), "id"))
  },
  # respiratory status at four visits by treatment and the status before; 111 patients
  respiratory = function() {
    d <- transform(table_of("HSAUR3", "respiratory"), month = as.numeric(as.character(month)))
    before <- d[d$month == 0, ]
    d$before <- before$status[match(d$subject, before$subject)]
    list("classes", status ~ centre + treatment + gender + age + before + month | subject,
         d[d$month > 0, ])
  },

  # counts. Deaths from melanoma by ultraviolet light, with those expected; 9 nations
  Mmmec = function() {
    list("count", deaths ~ uvb | nation,
         transform(table_of("mlmRev", "Mmmec"), exposure = log(expected)))
  },
  # deaths on the roads by laws, with the population; 48 states of the USA
  Fatalities = function() {
    d <- transform(table_of("AER", "Fatalities"), year = as.numeric(as.character(year)),
                   exposure = log(pop))
    list("count", fatal ~ year + spirits + unemp + income + beertax + baptist + mormon + drinkage +
           dry + youngdrivers + miles + jail + service | state, d)
  },
  # fruits of a plant by nutrients and clipping; 9 populations
  Arabidopsis = function() {
    d <- transform(table_of("lme4", "Arabidopsis"), rack = factor(rack))
    list("count", total.fruits ~ nutrient + rack + amd + status | popu, d)
  },
  # species of fish by the shape of the river; 12 rivers
  jv73 = function() {
    d <- table_of("ade4", "jv73")
    list("count", species ~ Alt + Das + Pen + Smm + Qmm + Vme | river,
         data.frame(d$morpho, species = rowSums(d$poi > 0), river = d$fac.riv))
  },

  # ordered classes. Political knowledge in five levels; 115 interviewers
  politicalInformation = function() {
    list("ordered", y ~ collegeDegree + female + age + homeOwn + govt + length | id,
         transform(table_of("pscl", "politicalInformation"), y = as.ordered(y)))
  },
  # stage of puberty of Dutch boys; 5 regions. Other signs of puberty are second responses
  boys = function() {
    list("ordered", gen ~ age + hgt + wgt + bmi + hc | reg, table_of("mice", "boys"))
  },

  # censored times. Failure of treatment of primary biliary cirrhosis; 6 hospitals
  Pbc3 = function() {
    d <- transform(table_of("pec", "Pbc3"), event = status > 0, log_bili = log(bili),
                   log_alkph = log(alkph), log_asptr = log(asptr))
    list("time", survival::Surv(days, event) ~ tment + sex + age + gibleed + crea + alb + log_bili +
           log_alkph + log_asptr | unit, d)
  },
  # first exacerbation of cystic fibrosis; 51 hospitals
  rhDNase = function() {
    d <- survival::rhDNase
    d <- d[is.na(d$ivstart) | d$ivstart > 0, ]
    d <- d[!duplicated(d$id), ]
    d$event <- !is.na(d$ivstart)
    d$days <- ifelse(d$event, d$ivstart, as.numeric(d$end.dt - d$entry.dt))
    list("time", survival::Surv(days, event) ~ trt + fev | inst, d)
  },
  # end of breast feeding; 9 years of birth
  bfeed = function() {
    list("time", survival::Surv(duration, delta) ~ race + poverty + smoke + alcohol + agemth +
           yschool + pc3mth | ybirth,
         transform(table_of("KMsurv", "bfeed"), race = factor(race)))
  }
)
