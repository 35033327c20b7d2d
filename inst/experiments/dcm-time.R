# DCM paper, section 4: FastDCM takes O(M^2 N) for N rows and M landmarks, where the dense
# eigenproblem takes O(N^3).
#
# The paper's synthetic domains, ten of them; one component, fixed ridge and bandwidth, so that
# nothing is searched. Landmarks are drawn uniformly, as in the paper. One thread. The exact form is
# the package's: one Cholesky factor and small systems in the place of the dense eigenproblem.
#
#   user  seconds of processor time of a projection, see user_seconds()
#   auc   of the component in three new domains, in either direction, for --check, as times vary

experiment(
  paper = "DCM", item = "section 4",
  title = "Seconds of a projection by rows N and landmarks M: DCM exact and fast",
  draws = c(quick = 1, normal = 1, full = 5), minutes = c(quick = 0.1, normal = 3, full = 15),
  tolerance = c(auc = 0.02),
  cells = function(size) {
    if (size == "quick") return(data.frame(rows = 300, landmarks = 20))
    unique(rbind(data.frame(rows = 2^(9:16), landmarks = 128),
                 data.frame(rows = 2^13, landmarks = 2^(5:10))))
  },
  run = function(cell, draw, data) {
    train <- simulate_dcm(domains = 10, n = cell$rows %/% 10, seed = draw)
    test <- simulate_dcm(domains = 3, n = 200, seed = 1000 + draw)
    forms <- list(fast = features_nystrom(cell$landmarks, "uniform"))
    if (cell$landmarks <= 128 && cell$rows <= 2^12) forms$exact <- features_exact()
    bind(lapply(names(forms), function(name) {
      spec <- dg_dcm(ncomp = 1, lambda = 1, kernel = kernel_rbf(1), feature_map = forms[[name]],
                     threads = 1)
      set.seed(draw)
      model <- fit(spec, y ~ . | domain, data = train)
      user <- user_seconds(fit(spec, y ~ . | domain, data = train))
      value <- drop(predict(model, test))
      auc <- package_metric("auc", test$y, value, value, test$domain)
      result_lines(name, c(auc = mean(pmax(auc, 1 - auc)), user = user))
    }))
  }
)
