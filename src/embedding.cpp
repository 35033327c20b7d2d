// Inner products of the mean embeddings of domains.
#include "core/kernel/embedding.h"

#include "parallel.h"
#include "program.h"

// Z = NULL: those of X, whose codes and their number count then.
// [[Rcpp::export(rng = false)]]
SEXP kernel_means_(SEXP program, SEXP X, SEXP dx, SEXP Gx, SEXP Z, SEXP dz, SEXP Gz, SEXP threads) {
  const bool same = Rf_isNull(Z);
  const domgen::MatrixArgument x(X, "X"), other(same ? X : Z, same ? "X" : "Z");
  const domgen::MatrixView z = same ? x : other;
  const int x_domains = domgen::whole(Gx, "Gx"), z_domains = domgen::whole(Gz, "Gz");
  domgen::DomainRows rows{x.rows(), z.rows(),  domgen::places(dx, "dx", x_domains, x.rows()),
                          {},       x_domains, same ? x_domains : z_domains,
                          same};
  rows.z = same ? rows.x : domgen::places(dz, "dz", z_domains, z.rows());
  const auto kernel = domgen::read_kernel(program, x, z);
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::MeanEmbeddings(*kernel, rows, pool).means());
}
