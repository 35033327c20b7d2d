# What parsnip is told of domain_learner(), once, when both packages are loaded: see .onLoad().

# Whichever of the two packages is loaded first.
settle_in_parsnip <- function() when_loaded("parsnip", register_parsnip)

# The engines: their function, its modes, main arguments, and whether they have a posterior.
parsnip_engines <- function() {
  shared <- c("domain", "domain_kernel", "sigma", "scale", "tau")
  both <- c("regression", "classification")
  list(svm = list(method = "dg_svm", modes = both, arguments = c(shared, "cost")),
       ridge = list(method = "dg_ridge", modes = both, arguments = c(shared, "penalty")),
       gp = list(method = "dg_gp", modes = "regression", arguments = shared, posterior = TRUE),
       auto = list(method = "dg_auto", modes = both, arguments = "domain"))
}

# Main arguments by parsnip's name: the engine's name, and the parameter that tunes it.
parsnip_arguments <- function() {
  dials <- function(fun, ...) list(pkg = "dials", fun = fun, ...)
  own <- function(fun) list(pkg = "domgen", fun = fun)
  list(domain = list("domain", own("domain_learner")),
       domain_kernel = list("domain_kernel", own("domain_kernel_type")),
       cost = list("cost", dials("cost", range = c(-5, 10))),
       penalty = list("lambda", dials("penalty", range = c(-3, 3))),
       sigma = list("sigma", dials("rbf_sigma", range = c(-0.5, 1))),
       scale = list("scale", own("domain_scale")),
       tau = list("tau", own("domain_tau")))
}

engine_arguments <- function(engine) parsnip_arguments()[parsnip_engines()[[engine]]$arguments]

register_parsnip <- function() {
  model <- "domain_learner"
  if (model %in% parsnip::get_from_env("models")) return(invisible())
  parsnip::set_new_model(model)
  engines <- parsnip_engines()
  for (mode in unique(unlist(lapply(engines, `[[`, "modes")))) {
    parsnip::set_model_mode(model, mode)
  }
  for (engine in names(engines)) {
    for (mode in engines[[engine]]$modes) register_engine(model, mode, engine, engines[[engine]])
    arguments <- engine_arguments(engine)
    for (name in names(arguments)) {
      parsnip::set_model_arg(model, engine, parsnip = name, original = arguments[[name]][[1L]],
                             func = arguments[[name]][[2L]], has_submodel = FALSE)
    }
  }
}

register_engine <- function(model, mode, engine, row) {
  parsnip::set_model_engine(model, mode, engine)
  parsnip::set_dependency(model, engine, pkg = "domgen", mode = mode)
  classes <- mode == "classification"
  parsnip::set_fit(model, mode, engine, value = list(
    interface = "formula", protect = c("formula", "data", "weights"),
    func = c(pkg = "domgen", fun = "fit_domain_learner"),
    defaults = c(list(method = row$method), if (classes) list(probability = "platt"))
  ))
  # factors are left to the learner, also the domain
  parsnip::set_encoding(model, mode, engine, options = list(
    predictor_indicators = "none", compute_intercept = FALSE, remove_intercept = FALSE,
    allow_sparse_x = FALSE
  ))
  predictions <- c(list(raw = prediction_of("decision")), if (classes) {
    list(class = prediction_of("class"), prob = prediction_of("prob", as_parsnip_prob))
  } else list(numeric = prediction_of("response"), pred_int = interval_of("prediction")),
  if (isTRUE(row$posterior)) list(conf_int = interval_of("confidence", se.fit = TRUE)))
  for (type in names(predictions)) {
    parsnip::set_pred(model, mode, engine, type = type, value = predictions[[type]])
  }
}

# The call of predict(), and what is made of its value.
prediction_of <- function(type, post = NULL, ...) {
  list(pre = warn_explained, post = post, func = c(fun = "predict"),
       args = list(object = quote(object$fit), newdata = quote(new_data), type = type, ...))
}

interval_of <- function(interval, ...) {
  prediction_of("response", as_parsnip_interval, interval = interval, level = quote(level), ...)
}
