// The graph of nearest neighbours.
#include "core/kernel/neighbours.h"

#include "arguments.h"
#include "parallel.h"

// Edges as rows 1, ..., n, from < to.
// [[Rcpp::export(rng = false)]]
SEXP neighbour_graph_(SEXP X, SEXP k, SEXP threads) {
  const domgen::MatrixArgument x(X, "X");
  const int most = domgen::whole(k, "k");
  const domgen::Rows rows(x, Eigen::VectorXd::Zero(x.cols()), Eigen::VectorXd::Ones(x.cols()));
  const domgen::Threads pool(threads);
  const auto pairs = domgen::neighbour_pairs(domgen::nearest_neighbours(rows, most, pool), most);

  std::vector<int> from, to;
  for (const std::pair<int, int>& pair : pairs) {
    from.push_back(pair.first + 1);
    to.push_back(pair.second + 1);
  }
  return domgen::named_list({{"from", from}, {"to", to}});
}
