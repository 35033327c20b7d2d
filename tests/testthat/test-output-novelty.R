test_that("the plot has a row for each new domain, the farthest at the top", {
  train <- simulate_dica(domains = 8, n = 15, seed = 1)
  new <- simulate_dica(domains = 4, n = 15, seed = 2)
  new$x1 <- new$x1 + 2 * as.integer(new$domain)
  found <- dg_novelty(dg_ridge(y ~ . | domain, data = train, lambda = 1), new)
  p <- expect_plots(found)
  drawn <- p$data
  expect_identical(levels(drawn$domain), paste0("d", 1:4))
  expect_equal(subset(drawn, kind == "new")$distance, found$domains$distance)
  expect_equal(sort(subset(drawn, kind != "new" & domain == "d2")$distance),
               unname(sort(found$left_out["d2", ])))
  # p counts the dark points, which are those beyond the triangle
  for (code in paste0("d", 1:4)) {
    row <- subset(drawn, domain == code)
    new <- subset(row, kind == "new")
    dark <- row$kind == "farther"
    expect_equal(new$p, (1 + sum(dark)) / 9)
    expect_identical(dark, row$distance >= new$distance * (1 - 1e-9) & row$kind != "new")
  }
  expect_match(said(p), "p = (1 + dark points) / (1 + all points)", fixed = TRUE)
  expect_match(levels(drawn$name)[4], "d4 (p = 0.11)", fixed = TRUE)
  two <- plot(found, max_domains = 2)
  expect_identical(levels(two$data$domain), c("d3", "d4"))
  expect_match(said(two, "subtitle"), "The farthest 2 of 4 new domains")
  expect_domgen_error(plot(found, max_domains = 0), "`max_domains`")
})
