// Kernel ridge regression: convert, call, convert back.
#include "core/linalg/band.h"
#include "core/ridge/conjugate.h"
#include "core/ridge/factor.h"
#include "core/ridge/lodo-path.h"
#include "core/ridge/lodo-tridiagonal.h"
#include "core/ridge/lodo.h"
#include "core/ridge/path.h"

#include "gram-argument.h"
#include "parallel.h"
#include "program.h"

#include <memory>

namespace {

domgen::LeftOut read_left_out(SEXP sizes, SEXP centre, SEXP intercept, Eigen::Index n,
                              Eigen::Index m) {
  domgen::LeftOut out;
  out.begin = domgen::read_begin(sizes, n);
  out.centre = domgen::MatrixArgument(centre, "centre", out.domains(), m).map();
  out.intercept = domgen::flag(intercept, "intercept");
  return out;
}

Eigen::VectorXd read_ridge(SEXP ridge, Eigen::Index n) {
  return domgen::numbers(ridge, "ridge", n, -domgen::infinite, domgen::infinite);
}

// Products with a Gram matrix [n x n], or with one that is evaluated again for each of them.
class GramProducts {
 public:
  GramProducts(SEXP K, Eigen::Index n) {
    if (Rf_isMatrix(K)) {
      gram_ = domgen::MatrixArgument(K, "K", n, n);
      return;
    }
    const domgen::ListArgument from(K, "K");
    rows_ = domgen::matrix_with_rows(from["X"], "X", n);
    weights_ = domgen::read_weights(from["kappa"], from["domain"], n);
    kernel_ = domgen::read_kernel(from["program"], rows_, rows_);
    pool_.reset(new domgen::Threads(from["threads"]));
  }

  void multiply(const Eigen::MatrixXd& x, Eigen::MatrixXd& y) const {
    if (!kernel_) return domgen::multiply_gram(gram_, x, y);
    const domgen::MatrixView view(x.data(), x.rows(), x.cols());
    domgen::apply_gram(*kernel_, weights_, x.rows(), view, y.data(), *pool_);
  }

 private:
  std::unique_ptr<domgen::Threads> pool_;
  domgen::MatrixArgument gram_, rows_;
  domgen::DomainWeights weights_;
  std::unique_ptr<domgen::Kernel> kernel_;
};

}  // namespace

// (K + diag(ridge))^-1 Y [n x m]. Here and below K or S is consumed (gram-argument.h).
// [[Rcpp::export(rng = false)]]
SEXP ridge_solve_(SEXP K, SEXP Y, SEXP ridge) {
  domgen::GramArgument gram(K, "K");
  const auto y = domgen::matrix_with_rows(Y, "Y", gram.rows());
  const Eigen::VectorXd ridges = read_ridge(ridge, gram.rows());
  const domgen::RidgeFactor factor(gram.take(), ridges, domgen::Threads(1));
  return domgen::named_list({{"solution", factor.solve(y.map())}, {"jitter", factor.jitter()}});
}

// U [n x rank], K ~ UU', see core/ridge/conjugate.h.
// [[Rcpp::export(rng = false)]]
SEXP ridge_landmarks_(SEXP K, SEXP rank) {
  const auto gram = domgen::filled_matrix(K, "K");
  domgen::demand_length(gram.cols(), gram.rows(), "K", "columns");
  const int size = domgen::whole(rank, "rank", 1, static_cast<int>(gram.rows()));
  return domgen::for_r(domgen::landmark_root(gram, size, domgen::Threads(1)));
}

// The change of a and b where z - (K + D) a is `right` [n systems x classes], of which missing
// [systems x classes], tolerance and scale [systems]; see core/ridge/conjugate.h. K stays. It is a
// matrix, or list(program, X, kappa, domain, threads) of a kernel whose matrix is never made.
// [[Rcpp::export(rng = false)]]
SEXP ridge_conjugate_(SEXP K, SEXP U, SEXP ridge, SEXP right, SEXP missing, SEXP constant,
                      SEXP tolerance, SEXP scale, SEXP most) {
  const auto root = domgen::filled_matrix(U, "U");
  const Eigen::Index n = root.rows();
  const GramProducts products(K, n);
  domgen::ConjugateProblem problem;
  problem.times = [&](const Eigen::MatrixXd& x, Eigen::MatrixXd& y) { products.multiply(x, y); };
  problem.U = root;
  problem.constant = domgen::flag(constant, "constant");
  problem.limits.least = domgen::some_numbers(tolerance, "tolerance", 0);
  const Eigen::Index systems = problem.limits.least.size();
  problem.limits.scale = domgen::numbers(scale, "scale", systems, DBL_MIN);
  problem.limits.most = domgen::whole(most, "most");
  const auto ridges = domgen::matrix_with_rows(ridge, "ridge", n * systems);
  domgen::demand(ridges.size() > 0 && ridges.map().minCoeff() >= DBL_MIN, "ridge", "be positive");
  problem.classes = ridges.cols();
  const domgen::MatrixArgument rights(right, "right", n * systems, problem.classes);
  const domgen::MatrixArgument sums(missing, "missing", systems, problem.classes);
  // systems of a class lie side by side in R, classes of a system in the core
  const auto regroup = [n](const Eigen::Ref<const Eigen::MatrixXd>& from, Eigen::Index inner) {
    const Eigen::Index outer = from.size() / n / inner;
    const Eigen::Map<const Eigen::MatrixXd> all(from.data(), n, inner * outer);
    Eigen::MatrixXd to(n, inner * outer);
    for (Eigen::Index i = 0; i < inner; ++i)
      for (Eigen::Index o = 0; o < outer; ++o) to.col(o + outer * i) = all.col(i + inner * o);
    return to;
  };
  problem.ridge = regroup(ridges.map(), systems);
  problem.right = regroup(rights.map(), systems);
  problem.missing = sums.map().transpose();
  const domgen::ConjugateSolution solved = domgen::solve_conjugate(problem, domgen::Threads(1));
  const auto stacked = [&](const Eigen::MatrixXd& part) {
    Eigen::MatrixXd to = regroup(part, problem.classes);
    to.resize(n * systems, problem.classes);
    return to;
  };
  const std::vector<int> converged(solved.converged.begin(), solved.converged.end());
  return domgen::named_list({{"change", stacked(solved.change)},
                             {"product", stacked(solved.product)},
                             {"constant", Eigen::MatrixXd(solved.constant.transpose())},
                             {"converged", converged}});
}

// K A of what ridge_conjugate_() calls K.
// [[Rcpp::export(rng = false)]]
SEXP gram_product_(SEXP K, SEXP A) {
  const auto a = domgen::filled_matrix(A, "A");
  const GramProducts products(K, a.rows());
  Eigen::MatrixXd out(a.rows(), a.cols());
  products.multiply(a.map(), out);
  return domgen::for_r(out);
}

// Residuals of each domain when it is left out [n x m]; rows sorted by domain. centre
// [G x m] is taken off the responses. With costs [n] also `left` and `right` [n x Gm],
// see core/ridge/lodo.h.
// [[Rcpp::export(rng = false)]]
SEXP ridge_lodo_(SEXP K, SEXP Y, SEXP ridge, SEXP sizes, SEXP centre, SEXP intercept, SEXP costs) {
  domgen::GramArgument gram(K, "K");
  const Eigen::Index n = gram.rows();
  const auto y = domgen::matrix_with_rows(Y, "Y", n);
  const Eigen::VectorXd ridges = read_ridge(ridge, n);
  const domgen::LeftOut out = read_left_out(sizes, centre, intercept, n, y.cols());
  const bool slopes = !Rf_isNull(costs);
  Eigen::VectorXd row_costs;
  if (slopes) row_costs = domgen::numbers(costs, "costs", n);
  const domgen::Threads here(1);
  const domgen::RidgeFactor factor(gram.take(), ridges, here);
  domgen::LeaveOneDomainOut leave(factor, out, y.map(), here);
  const domgen::Lodo lodo = leave.run(slopes ? &row_costs : nullptr);
  if (!slopes)
    return domgen::named_list({{"residual", lodo.residual}, {"jitter", factor.jitter()}});
  return domgen::named_list({{"residual", lodo.residual},
                             {"jitter", factor.jitter()},
                             {"left", lodo.left},
                             {"right", lodo.right}});
}

// list(inverse = (K + diag(ridge))^-1, jitter)
// [[Rcpp::export(rng = false)]]
SEXP ridge_inverse_(SEXP K, SEXP ridge) {
  domgen::GramArgument gram(K, "K");
  const Eigen::VectorXd ridges = read_ridge(ridge, gram.rows());
  const domgen::Threads here(1);
  domgen::RidgeFactor factor(gram.take(), ridges, here);
  factor.invert(here);
  return domgen::named_list({{"inverse", gram.matrix()}, {"jitter", factor.jitter()}});
}

// Predictions of each domain when it is left out, for every lambda [n x mL]; rows
// sorted by domain. K: the Gram matrix, or with a pole its ridge_inverse_(). root:
// square roots of the costs. tolerance 0: in closed form, for positive costs and no pole.
// [[Rcpp::export(rng = false)]]
SEXP ridge_path_(SEXP K, SEXP pole, SEXP Y, SEXP root, SEXP lambda, SEXP sizes, SEXP centre,
                 SEXP intercept, SEXP tolerance, SEXP patience, SEXP threads) {
  const auto gram = domgen::filled_matrix(K, "K");
  const Eigen::Index n = gram.rows();
  domgen::demand_length(gram.cols(), n, "K", "columns");
  domgen::PathProblem problem;
  problem.K = gram;
  problem.pole = domgen::number(pole, "pole", 0);
  problem.Y = domgen::matrix_with_rows(Y, "Y", n).map();
  problem.root = domgen::numbers(root, "root", n);
  problem.lambda = domgen::some_numbers(lambda, "lambda");
  problem.out = read_left_out(sizes, centre, intercept, n, problem.Y.cols());
  problem.tolerance = domgen::number(tolerance, "tolerance", 0);
  problem.patience = domgen::number(patience, "patience", 0, domgen::infinite);
  const domgen::Threads pool(threads);
  const domgen::LodoPath path = problem.tolerance > 0 ? domgen::lodo_path(problem, pool)
                                                      : domgen::lodo_tridiagonal(problem, pool);
  const std::vector<int> lost(path.lost.begin(), path.lost.end());
  return domgen::named_list(
      {{"prediction", path.prediction}, {"lost", lost}, {"steps", path.steps}});
}

// (S + lambda I)^-1 B, column j + l m for column j of B [r x m] and lambda_l.
// [[Rcpp::export(rng = false)]]
SEXP ridge_shifted_(SEXP S, SEXP B, SEXP lambda, SEXP threads) {
  domgen::GramArgument gram(S, "S");
  const auto b = domgen::matrix_with_rows(B, "B", gram.rows());
  const Eigen::VectorXd lambdas = domgen::some_numbers(lambda, "lambda");
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::solve_shifted(gram.take(), b.map(), lambdas, pool));
}

// Coefficients and offsets for many lambda, see core/ridge/path.h; root: square roots of the
// costs.
// [[Rcpp::export(rng = false)]]
SEXP ridge_many_(SEXP K, SEXP Y, SEXP root, SEXP lambda, SEXP intercept, SEXP threads) {
  domgen::GramArgument gram(K, "K");
  const auto y = domgen::matrix_with_rows(Y, "Y", gram.rows());
  const Eigen::VectorXd roots = domgen::numbers(root, "root", gram.rows());
  const Eigen::VectorXd lambdas = domgen::some_numbers(lambda, "lambda");
  const bool constant = domgen::flag(intercept, "intercept");
  const domgen::Threads pool(threads);
  const domgen::RidgePath path =
      domgen::ridge_path(gram.take(), y.map(), roots, lambdas, constant, pool);
  return domgen::named_list({{"coefficients", path.coefficients}, {"intercept", path.intercept}});
}
