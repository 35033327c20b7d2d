#include <algorithm>
#include <vector>

#include "core/svm/smo.h"

#include "arguments.h"
#include "parallel.h"

namespace {

// At most one variable of each sign in a row.
void check_signs(const std::vector<int>& row, const Eigen::VectorXd& sign, Eigen::Index n) {
  std::vector<char> taken(static_cast<std::size_t>(2 * n), 0);
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double s = sign[static_cast<Eigen::Index>(i)];
    domgen::demand(s == 1 || s == -1, "sign", "be 1 or -1");
    char& place = taken[static_cast<std::size_t>(2 * row[i] + (s > 0))];
    domgen::demand(!place, "row", "name a row at most once for each sign");
    place = 1;
  }
}

}  // namespace

// Solves the dual of core/svm/smo-problem.h. row: 1-based; alpha0: a start or NULL.
// [[Rcpp::export(rng = false)]]
SEXP smo_(SEXP K, SEXP row, SEXP sign, SEXP p, SEXP upper, SEXP ridge, SEXP intercept, SEXP tol,
          SEXP max_iter, SEXP alpha0) {
  using Vector = Eigen::VectorXd;
  using domgen::numbers;
  const auto gram = domgen::filled_matrix(K, "K");
  domgen::demand_length(gram.cols(), gram.rows(), "K", "columns");
  const std::vector<int> rows = domgen::places(row, "row", gram.rows());
  const Eigen::Index l = static_cast<Eigen::Index>(rows.size());
  domgen::demand(l > 0, "row", "have a value");
  domgen::DualProblem problem = {gram.map(),
                                 Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1>(l),
                                 numbers(sign, "sign", l),
                                 numbers(p, "p", l),
                                 numbers(upper, "upper", l, 0, domgen::infinite),
                                 numbers(ridge, "ridge", l, 0, domgen::infinite),
                                 domgen::flag(intercept, "intercept")};
  check_signs(rows, problem.sign, gram.rows());
  std::copy(rows.begin(), rows.end(), problem.row.data());

  const Vector start = Rf_isNull(alpha0) ? Vector(Vector::Zero(l)) : numbers(alpha0, "alpha0", l);
  const double violation = domgen::number(tol, "tol", 0);
  const double most = domgen::number(max_iter, "max_iter", 0, domgen::infinite);
  const domgen::Threads here(1);
  const domgen::DualSolution solution = domgen::Smo(problem, start, violation, most, here).solve();
  return domgen::named_list({{"alpha", solution.alpha},
                             {"beta", solution.beta},
                             {"decision", solution.decision},
                             {"b", solution.b},
                             {"objective", solution.objective},
                             {"gap", solution.gap},
                             {"relative_gap", solution.relative_gap},
                             {"iterations", solution.iterations},
                             {"converged", solution.converged}});
}
