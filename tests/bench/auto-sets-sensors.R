# Sets of auto-states.R: many classes, sensors, images, speakers. Those of packages first, then
# pictures of packages that are turned here, then simulated ones, each from a seed of its own. Each
# domain is tested once in so many folds.

# Data of a package whose sources are fetched from CRAN and kept in the folder DOMGEN_SOURCES, since
# some packages need many others to be installed.
read_source_of <- function(package, file) {
  folder <- Sys.getenv("DOMGEN_SOURCES", file.path(dirname(tempdir()), "domgen-sources"))
  if (!dir.exists(file.path(folder, package))) {
    dir.create(folder, FALSE, TRUE)
    # of the repository that install.packages() uses
    got <- utils::download.packages(package, tempdir(), type = "source", quiet = TRUE)
    if (nrow(got) == 0L) stop("the sources of the package ", package, " are needed")
    utils::untar(got[1L, 2L], exdir = folder)
  }
  place <- new.env()
  load(file.path(folder, package, "data", file), place)
  place[[ls(place)[1L]]]
}

# Another set in folds of its domains.
in_folds <- function(make, folds, rows = 1400L) function() {
  set <- make()
  set$folds <- set$splits <- folds
  set$rows <- rows
  set
}

# Random numbers from this seed, whatever was drawn before.
simulated <- function(seed, folds, make, rows = 1400L) function() {
  set.seed(seed)
  d <- make()
  X <- as.data.frame(d$X)
  names(X) <- paste0("x", seq_along(X))
  new_set(factor(d$y), d$domain, X, "accuracy", folds = folds, rows = rows)
}

# Domain and class of each row: so many of each class in each domain, or classes in shares that each
# domain draws from Dirichlet's distribution.
labels_of <- function(domains, classes, each, shares = Inf) {
  domain <- rep(seq_len(domains), each = classes * each)
  y <- if (is.finite(shares)) {
    unlist(lapply(seq_len(domains), function(g) {
      sample.int(classes, classes * each, TRUE, stats::rgamma(classes, shares) + 1e-3)
    }))
  } else rep(rep(seq_len(classes), each), domains)
  data.frame(y = y, domain = domain)
}

noise <- function(rows, columns, sd = 1) matrix(stats::rnorm(rows * columns, sd = sd), rows)

# Pictures, one a row of so many by so many pixels, each turned about its middle.
turn_pictures <- function(X, height, width, angle) {
  at <- expand.grid(i = seq_len(height) - (height + 1) / 2, j = seq_len(width) - (width + 1) / 2)
  empty <- min(X)
  t(vapply(seq_len(nrow(X)), function(row) {
    i <- cos(angle[row]) * at$i - sin(angle[row]) * at$j + (height + 1) / 2
    j <- sin(angle[row]) * at$i + cos(angle[row]) * at$j + (width + 1) / 2
    pixel <- function(i, j) {
      inside <- i >= 1 & i <= height & j >= 1 & j <= width
      value <- rep(empty, length(i))
      value[inside] <- X[row, (j[inside] - 1L) * height + i[inside]]
      value
    }
    a <- i - floor(i)
    b <- j - floor(j)
    i <- floor(i)
    j <- floor(j)
    (1 - b) * ((1 - a) * pixel(i, j) + a * pixel(i + 1, j)) +
      b * ((1 - a) * pixel(i, j + 1) + a * pixel(i + 1, j + 1))
  }, numeric(ncol(X))))
}

# So many pictures of each class to each domain, which turns them by an angle of its own.
turned_pictures <- function(X, y, height, width, domains, each, most) {
  turn <- unlist(lapply(split(seq_along(y), y), function(rows) {
    sample(rows, min(length(rows), domains * each))
  }))
  domain <- unlist(lapply(table(y[turn]), function(n) rep_len(seq_len(domains), n)))
  angle <- sample(seq(-most, most, length.out = domains))[domain]
  X <- turn_pictures(as.matrix(X)[turn, ], height, width,
                     angle + stats::rnorm(length(angle), sd = .05))
  list(X = X, y = y[turn], domain = domain)
}

# Pictures of strokes: each class two quadratic curves, whose points vary by picture; a domain turns
# the picture and draws with a width of its own.
turned_strokes <- function(classes, domains, each, size, most, vary) {
  rows <- labels_of(domains, classes, each)
  shapes <- array(stats::runif(classes * 12L, -.9, .9), c(2L, 6L, classes))
  angle <- sample(seq(-most, most, length.out = domains))
  width <- stats::runif(domains, .12, .22)
  t <- seq(0, 1, length.out = 15L)
  curve <- rbind((1 - t)^2, 2 * t * (1 - t), t^2)
  grid <- as.matrix(expand.grid(seq(-1.3, 1.3, length.out = size),
                                seq(-1.3, 1.3, length.out = size)))
  X <- t(vapply(seq_len(nrow(rows)), function(i) {
    g <- rows$domain[i]
    points <- shapes[, , rows$y[i]] + stats::rnorm(12L, sd = vary)
    points <- cbind(points[, 1:3] %*% curve, points[, 4:6] %*% curve)
    a <- angle[g] + stats::rnorm(1L, sd = .05)
    points <- matrix(c(cos(a), sin(a), -sin(a), cos(a)), 2L) %*% points
    far <- outer(grid[, 1L], points[1L, ], "-")^2 + outer(grid[, 2L], points[2L, ], "-")^2
    exp(-do.call(pmin, as.data.frame(far)) / 2 / width[g]^2)
  }, numeric(size^2)))
  list(X = X + noise(nrow(X), ncol(X), .15), y = rows$y, domain = rows$domain)
}

# Pictures of three bright spots; a domain has a light from one side, a contrast and a shift.
lit_spots <- function(classes, domains, each, size, vary) {
  rows <- labels_of(domains, classes, each)
  centre <- array(stats::runif(classes * 6L, -.7, .7), c(3L, 2L, classes))
  light <- noise(domains, 2L, .5)
  contrast <- exp(stats::rnorm(domains, sd = .4))
  shift <- noise(domains, 2L, .12)
  grid <- as.matrix(expand.grid(seq(-1, 1, length.out = size), seq(-1, 1, length.out = size)))
  X <- t(vapply(seq_len(nrow(rows)), function(i) {
    g <- rows$domain[i]
    at <- centre[, , rows$y[i]] + stats::rnorm(6L, sd = vary) + rep(shift[g, ], each = 3L)
    spots <- lapply(1:3, function(k) exp(-colSums((t(grid) - at[k, ])^2) / .08))
    contrast[g] * Reduce(`+`, spots) + drop(grid %*% light[g, ])
  }, numeric(size^2)))
  list(X = X + noise(nrow(X), ncol(X), .4), y = rows$y, domain = rows$domain)
}

# Sensors that answer to a mixture of substances; each domain has its own gain and offset by
# channel.
drifting_sensors <- function(classes, domains, each, channels, drift, vary) {
  rows <- labels_of(domains, classes, each)
  inner <- noise(classes, 5L)[rows$y, ] + noise(nrow(rows), 5L, vary)
  answer <- inner %*% noise(5L, channels) + rep(stats::rnorm(channels), each = nrow(rows))
  answer <- log1p(exp(answer))
  gain <- exp(noise(domains, channels, drift))
  offset <- noise(domains, channels, 2 * drift)
  X <- answer * gain[rows$domain, ] + offset[rows$domain, ] + noise(nrow(rows), channels, .1)
  list(X = X, y = rows$y, domain = rows$domain)
}

# Vowels: logarithms of formants, shifted by the length of the speaker's tract, each formant a bit
# by itself, and warped; sessions and tokens add noise.
spoken_vowels <- function(classes, domains, each, formants, vary) {
  rows <- labels_of(domains, classes, each)
  target <- noise(classes, formants, .3)
  tract <- stats::rnorm(domains, sd = .25)
  own <- noise(domains, formants, .08)
  warp <- exp(stats::rnorm(domains, sd = .15))
  session <- noise(domains, formants, .05)
  again <- sample(0:1, nrow(rows), TRUE)
  X <- target[rows$y, ] * warp[rows$domain] + tract[rows$domain] + own[rows$domain, ] +
    again * session[rows$domain, ] + noise(nrow(rows), formants, vary)
  pitch <- tract[rows$domain] + stats::rnorm(nrow(rows), sd = .1)
  list(X = exp(cbind(X, pitch)), y = rows$y, domain = rows$domain)
}

# Spectra: peaks of a class at places of its own; an instrument has a baseline that drifts, scatter
# (the length of the path) and a shift of the axis.
drifting_spectra <- function(classes, domains, each, columns, vary, shared = 12L) {
  rows <- labels_of(domains, classes, each)
  at <- seq(0, 1, length.out = columns)
  place <- stats::runif(shared)
  width <- stats::runif(shared, .008, .03)
  height <- matrix(stats::rexp(classes * shared), classes)
  base <- noise(domains, 4L, 1.5)
  move <- stats::rnorm(domains, sd = .004)
  X <- t(vapply(seq_len(nrow(rows)), function(i) {
    g <- rows$domain[i]
    h <- height[rows$y[i], ] * exp(stats::rnorm(shared, sd = vary))
    peaks <- vapply(seq_len(shared), function(k) {
      h[k] * exp(-(at - place[k] - move[g])^2 / 2 / width[k]^2)
    }, numeric(columns))
    drift <- base[g, ] + stats::rnorm(4L, sd = .5)
    exp(stats::rnorm(1L, sd = .3)) * rowSums(peaks) + drift[1L] + drift[2L] * at +
      drift[3L] * at^2 + drift[4L] * sin(3 * at)
  }, numeric(columns)))
  list(X = X + noise(nrow(X), columns, .1), y = rows$y, domain = rows$domain)
}

# Classes are several clouds each in a few dimensions; each domain turns them in planes of its own.
turned_subspaces <- function(classes, domains, each, columns, most) {
  rows <- labels_of(domains, classes, each)
  clouds <- 3L * classes
  cloud <- rows$y + classes * sample(0:2, nrow(rows), TRUE)
  X <- noise(clouds, 6L, 1.6)[cloud, ] + noise(nrow(rows), 6L)
  X <- cbind(X, noise(nrow(rows), columns - 6L, .7))
  skew <- noise(columns, columns)
  skew <- (skew - t(skew)) / sqrt(columns)
  for (g in seq_len(domains)) {
    own <- noise(columns, columns)
    A <- stats::runif(1L, -most, most) * skew + .1 * (own - t(own)) / sqrt(columns)
    # Cayley's rotation
    Q <- solve(diag(columns) + A / 2, diag(columns) - A / 2)
    X[rows$domain == g, ] <- X[rows$domain == g, ] %*% Q
  }
  list(X = X, y = rows$y, domain = rows$domain)
}

# Classes in shares that differ between domains, with borders that are not linear.
shifted_labels <- function(classes, domains, each, columns, vary) {
  rows <- labels_of(domains, classes, each, shares = .7)
  inner <- noise(classes, 4L, 1.2)[rows$y, ] + noise(nrow(rows), 4L, vary)
  hidden <- tanh(inner %*% noise(4L, 12L, .8))
  X <- hidden %*% noise(12L, columns) + noise(domains, columns, .5)[rows$domain, ] +
    noise(nrow(rows), columns, .3)
  list(X = X, y = rows$y, domain = rows$domain)
}

# Activities: three axes of acceleration whose harmonics a class has by its own weights; a person
# has a pace, a strength, a style of each activity and a way of wearing the sensor. Columns: spectra
# and means of the axes.
worn_sensors <- function(classes, domains, each, style, length = 64L) {
  rows <- labels_of(domains, classes, each)
  pace <- stats::runif(classes, 2, 6)
  weights <- array(abs(stats::rnorm(classes * 9L)), c(3L, 3L, classes))
  gravity <- noise(classes, 3L)
  own_pace <- exp(stats::rnorm(domains, sd = .12))
  strength <- exp(stats::rnorm(domains, sd = .25))
  X <- matrix(0, nrow(rows), 3L * (length / 4L + 1L))
  for (g in seq_len(domains)) {
    turn <- qr.Q(qr(diag(3L) + noise(3L, 3L, .25)))
    styles <- array(exp(stats::rnorm(classes * 9L, sd = style)), c(3L, 3L, classes))
    down <- noise(classes, 3L, .3)
    for (i in which(rows$domain == g)) {
      k <- rows$y[i]
      phase <- stats::runif(3L, 0, 2 * pi)
      at <- outer(seq_len(length) / length, 1:3) * pace[k] * own_pace[g] *
        exp(stats::rnorm(1L, sd = .06))
      wave <- cos(2 * pi * at + rep(phase, each = length)) %*%
        (weights[, , k] * styles[, , k] * exp(stats::rnorm(9L, sd = .3)))
      wave <- strength[g] * wave + rep(gravity[k, ] + down[k, ] + stats::rnorm(3L, sd = .2),
                                       each = length)
      wave <- wave %*% turn + noise(length, 3L, .5)
      power <- Mod(stats::mvfft(sweep(wave, 2L, colMeans(wave))))[1L + seq_len(length / 4L), ]
      X[i, ] <- c(log(power + .5), colMeans(wave))
    }
  }
  list(X = X, y = rows$y, domain = rows$domain)
}

# Machines: faults ring at multiples of a speed that the domain sets; resonances of its housing.
turning_machines <- function(classes, domains, each, columns, vary) {
  rows <- labels_of(domains, classes, each)
  ratio <- stats::runif(classes, .6, 1.8)
  decay <- stats::runif(classes, .4, .9)
  speed <- stats::runif(domains, 7, 10)
  at <- seq_len(columns)
  X <- t(vapply(seq_len(nrow(rows)), function(i) {
    g <- rows$domain[i]
    k <- rows$y[i]
    f <- speed[g] * ratio[k] * exp(stats::rnorm(1L, sd = vary))
    lines <- vapply(1:6, function(h) decay[k]^h * exp(-(at - h * f)^2 / 6), numeric(columns))
    shaft <- vapply(1:6, function(h) .7^h * exp(-(at - h * speed[g])^2 / 6), numeric(columns))
    2 * rowSums(lines) + 2 * rowSums(shaft)
  }, numeric(columns)))
  housing <- exp(t(apply(noise(domains, columns, .8), 1L, stats::filter, rep(1 / 9, 9L),
                         circular = TRUE)))
  X <- log(.2 + X * housing[rows$domain, ] + abs(noise(nrow(X), columns, .4)))
  list(X = X, y = rows$y, domain = rows$domain)
}

sensor_sets <- list(
  # Deterding (1989): which of 11 vowels; 15 speakers
  vowel_deterding = in_folds(package_sets$Vowel, 5L),
  # Peterson and Barney (1952): which of 10 vowels by pitch and formants; 76 speakers
  vowel_peterson = function() packaged_set("phonTools", "pb52",
    vowel ~ log(f0) + log(f1) + log(f2) + log(f3) | speaker, "accuracy", folds = 6L),
  # Hillenbrand et al. (1995): 12 vowels by pitch, formants and length; 139 speakers
  vowel_hillenbrand = function() packaged_set("phonTools", "h95",
    vowel ~ dur + f0 + f1 + f2 + f3 | speaker, "accuracy", folds = 6L, rows = 1400L),
  # Performance of jobs on computers: time in four classes; 14 protocols
  jobs = function() packaged_set("modeldata", "hpc_data",
    class ~ log(compounds) + log(input_fields) + log1p(iterations) + num_pending + hour + day |
      protocol, "accuracy", folds = 6L, rows = 1400L),
  # Cells of blood by several centres, activities by smartphone: sets of auto.R
  cells = in_folds(shared_sets$cytof_multicenter16, 4L),
  smartphones = in_folds(shared_sets$har66, 5L),
  # Whitmore et al. (2005): which of 10 biomes by pollen of 134 taxa; parts of North America by
  # degrees of longitude and latitude
  pollen = function() {
    place <- read_source_of("analogue", "Location.rda")
    biome <- read_source_of("analogue", "Biome.rda")$Fedorova
    part <- paste(floor(place$Longitude / 10), findInterval(place$Latitude, c(40, 50, 60)))
    X <- as.data.frame(sqrt(as.matrix(read_source_of("analogue", "Pollen.rda")[-1L])))
    new_set(factor(biome), part, X, "accuracy", at_least = 40L, folds = 6L, rows = 1400L)
  },
  # GEMAS, Reimann et al. (2014): class of a soil by its chemistry; countries of Europe
  soils = function() {
    d <- read_source_of("robCompositions", "gemas.rda")
    d <- d[d$soilclass %in% c("l", "ll", "m", "s"), ]
    X <- log(d[match("Al", names(d)):match("LOI", names(d))] + 1)
    new_set(factor(d$soilclass), d$COUNTRY, X, "accuracy", at_least = 15L, folds = 6L,
            rows = 1400L)
  },
  # Karas et al. (2019): where on the body is the accelerometer (four places)? 32 persons who walk;
  # spectra of a second
  placed_sensors = function() {
    set.seed(20L)
    d <- read_source_of("adeptdata", "acc_walking_IU.rda")
    parts <- split(d[c("x", "y", "z")], list(d$subj_id, d$loc_id), sep = " ")
    rows <- lapply(names(parts), function(name) {
      part <- as.matrix(parts[[name]])
      X <- t(vapply(sample.int(nrow(part) - 100L, 14L), function(start) {
        window <- part[start + seq_len(100L), ]
        centred <- sweep(window, 2L, colMeans(window))
        c(log(Mod(stats::mvfft(centred))[2:16, ] + .5), sqrt(colMeans(centred^2)))
      }, numeric(48L)))
      data.frame(strsplit(name, " ")[[1L]][1L], strsplit(name, " ")[[1L]][2L], X)
    })
    rows <- do.call(rbind, rows)
    new_set(factor(rows[[2L]]), rows[[1L]], rows[-(1:2)], "accuracy", folds = 6L, rows = 1400L)
  },
  # Activities by wrist-worn sensors (GENEActiv): two wrists of each of six persons
  wrists = function() {
    d <- read_source_of("GENEAclassify", "TrainingData.rda")
    source <- as.character(d$Source)
    person <- sub(".*/(CHUN[0-9]+)/.*", "\\1", source)
    d <- d[grepl("/CHUN", source) & !d$Activity %in% c("Running", "WorkingOut"), ]
    domain <- paste(person, sub(".*(left|right) wrist.*", "\\1", source))[as.integer(rownames(d))]
    X <- d[c("UpDown.median", "UpDown.mad", "UpDown.sd", "Degrees.median", "Degrees.mad",
             "Degrees.sd", "Magnitude.mean", "Temp.mean", "Step.sd", "Step.mean",
             "Principal.Frequency.median", "Principal.Frequency.mad")]
    new_set(factor(d$Activity), domain, X, "accuracy", at_least = 40L, folds = 6L, rows = 1400L)
  },
  # Major League Baseball by the package Lahman: which of seven positions in the field by what a
  # player did there in a season; periods of four years
  fielders = function() {
    d <- read_source_of("Lahman", "Fielding.RData")
    d <- d[d$yearID >= 1900 & d$G >= 30 & !is.na(d$InnOuts) & d$InnOuts > 0, ]
    set.seed(21L)
    d <- d[sample(nrow(d), 16000L), ]
    X <- cbind(log1p(1000 * d[c("PO", "A", "E", "DP")] / d$InnOuts), log(d[c("G", "InnOuts")]))
    new_set(factor(d$POS), d$yearID %/% 4L, X, "accuracy", at_least = 40L, folds = 5L,
            rows = 1400L)
  },
  # Consumption of cars (US EPA): which of 8 kinds by motor and consumption; makes
  cars = function() {
    d <- as.data.frame(read_source_of("fueleconomy", "vehicles.rda"))
    common <- names(sort(-table(d$class)))[1:8]
    d <- d[d$class %in% common & !is.na(d$cyl) & !is.na(d$displ) & d$displ > 0, ]
    X <- as_numbers(data.frame(year = d$year, cyl = d$cyl, displ = log(d$displ),
                               hwy = log(d$hwy), cty = log(d$cty), drive = d$drive),
                    "drive")
    new_set(factor(d$class), d$make, X, "accuracy", at_least = 150L, folds = 6L, rows = 1400L)
  },
  # USPS: handwritten digits, turned
  digits_turned = simulated(22L, 4L, function() {
    d <- read_source_of("IMIFA", "USPSdigits.rda")$train
    turned_pictures(d[-1L], d[[1L]], 16L, 16L, 12L, 40L, .7)
  }),
  # Binary alphadigits: 26 capital letters by hand, 39 of each, turned
  letters_turned = simulated(23L, 6L, function() {
    d <- read_source_of("loon.data", "binaryalphadigits.rda")
    turned_pictures(d[391:1404, ], rep(1:26, each = 39L), 20L, 16L, 13L, 3L, .4)
  }),
  # Quick, Draw!: which of six things is drawn; turned
  sketches_turned = simulated(24L, 4L, function() {
    d <- read_source_of("mulgar", "sketches_train.rda")
    turned_pictures(as.matrix(d[1:784]), as.character(d$word), 28L, 28L, 10L, 40L, .5)
  }, 1000L),
  strokes_144 = simulated(1L, 5L, function() turned_strokes(10L, 10L, 16L, 12L, .7, .16)),
  curves_256 = simulated(2L, 4L, function() turned_strokes(16L, 24L, 8L, 16L, .5, .2), 1200L),
  spots_64 = simulated(3L, 6L, function() lit_spots(12L, 24L, 5L, 8L, .13)),
  spots_400 = simulated(4L, 4L, function() lit_spots(6L, 16L, 35L, 20L, .25), 1100L),
  sensors_16 = simulated(5L, 6L, function() drifting_sensors(6L, 30L, 8L, 16L, .15, .55)),
  sensors_48 = simulated(6L, 5L, function() drifting_sensors(12L, 15L, 22L, 48L, .25, .7)),
  speakers_4 = simulated(7L, 6L, function() spoken_vowels(9L, 36L, 5L, 3L, .05)),
  speakers_12 = simulated(8L, 5L, function() spoken_vowels(20L, 20L, 10L, 11L, .22)),
  spectra_200 = simulated(9L, 5L, function() drifting_spectra(10L, 15L, 10L, 200L, 1)),
  spectra_600 = simulated(10L, 4L, function() drifting_spectra(5L, 12L, 60L, 600L, 1.4), 1100L),
  turned_20 = simulated(11L, 5L, function() turned_subspaces(5L, 20L, 17L, 20L, 1)),
  labels_15 = simulated(12L, 5L, function() shifted_labels(8L, 25L, 8L, 15L, .6)),
  activities = simulated(13L, 6L, function() worn_sensors(8L, 24L, 22L, .5)),
  machines = simulated(14L, 4L, function() turning_machines(8L, 12L, 16L, 100L, .03)),
  letters = simulated(15L, 4L, function() drifting_sensors(26L, 12L, 5L, 24L, .1, .3))
)
