// Kernel ridge regression: convert, call, convert back.
#include "core/kernel/pair-sums.h"
#include "core/linalg/band.h"
#include "core/ridge/factor.h"
#include "core/ridge/lodo-path.h"
#include "core/ridge/lodo.h"
#include "core/ridge/path.h"

#include "gram-argument.h"
#include "parallel.h"
#include "program.h"

namespace {

void check_rows(Eigen::Index rows, Eigen::Index n) {
  if (rows != n) throw std::invalid_argument("K must have a row per row of Y");
}

// sizes: number of rows of each domain, in the order of the rows.
domgen::LeftOut read_left_out(const Rcpp::IntegerVector& sizes, const Eigen::MatrixXd& centre,
                              bool offset, Eigen::Index n, Eigen::Index m) {
  domgen::LeftOut out;
  out.begin.push_back(0);
  for (int size : sizes) {
    if (size < 1) throw std::invalid_argument("every domain must have a row");
    out.begin.push_back(out.begin.back() + size);
  }
  if (out.begin.back() != n) throw std::invalid_argument("sizes must add up to the rows of K");
  if (centre.rows() != out.domains() || centre.cols() != m)
    throw std::invalid_argument("centre must have a row per domain and a column per response");
  out.centre = centre;
  out.offset = offset;
  return out;
}

domgen::PairWeights read_pairs(const Rcpp::NumericMatrix& left, const Rcpp::NumericMatrix& right,
                               R_xlen_t n) {
  if (left.nrow() != n || right.nrow() != n || left.ncol() != right.ncol())
    throw std::invalid_argument("left and right must have a row per row of X");
  return domgen::PairWeights(domgen::view(left), domgen::view(right));
}

}  // namespace

// (K + diag(ridge))^-1 Y [n x m]. Here and below K or S is consumed (gram-argument.h).
// [[Rcpp::export]]
Rcpp::List ridge_solve_(SEXP K, Eigen::Map<Eigen::MatrixXd> Y, Eigen::Map<Eigen::VectorXd> ridge) {
  domgen::GramArgument gram(K);
  check_rows(gram.rows(), Y.rows());
  if (ridge.size() != Y.rows()) Rcpp::stop("ridge must have a value per row of Y");
  const domgen::RidgeFactor factor(gram.take(), ridge, domgen::Threads(1));
  return Rcpp::List::create(Rcpp::_["solution"] = factor.solve(Y),
                            Rcpp::_["jitter"] = factor.jitter());
}

// Residuals of each domain when it is left out [n x m]; rows sorted by domain. centre
// [G x m] is taken off the responses. With costs [n] also `left` and `right` [n x Gm],
// see core/ridge/lodo.h.
// [[Rcpp::export]]
Rcpp::List ridge_lodo_(SEXP K, Eigen::Map<Eigen::MatrixXd> Y, Eigen::Map<Eigen::VectorXd> ridge,
                       Rcpp::IntegerVector sizes, Eigen::MatrixXd centre, bool offset,
                       Rcpp::Nullable<Rcpp::NumericVector> costs) {
  domgen::GramArgument gram(K);
  check_rows(gram.rows(), Y.rows());
  if (ridge.size() != Y.rows()) Rcpp::stop("ridge must have a value per row of Y");
  const domgen::LeftOut out = read_left_out(sizes, centre, offset, Y.rows(), Y.cols());
  const domgen::Threads here(1);
  const domgen::RidgeFactor factor(gram.take(), ridge, here);
  domgen::LeaveOneDomainOut leave(factor, out, Y, here);
  if (costs.isNull()) {
    const domgen::Lodo lodo = leave.run(nullptr);
    return Rcpp::List::create(Rcpp::_["residual"] = lodo.residual,
                              Rcpp::_["jitter"] = factor.jitter());
  }
  const Eigen::VectorXd row_costs = Rcpp::as<Eigen::VectorXd>(costs.get());
  if (row_costs.size() != Y.rows()) Rcpp::stop("costs must have a value per row of Y");
  const domgen::Lodo lodo = leave.run(&row_costs);
  return Rcpp::List::create(Rcpp::_["residual"] = lodo.residual,
                            Rcpp::_["jitter"] = factor.jitter(), Rcpp::_["left"] = lodo.left,
                            Rcpp::_["right"] = lodo.right);
}

// list(inverse = (K + diag(ridge))^-1, jitter)
// [[Rcpp::export]]
Rcpp::List ridge_inverse_(SEXP K, Eigen::Map<Eigen::VectorXd> ridge) {
  domgen::GramArgument gram(K);
  check_rows(gram.rows(), ridge.size());
  const domgen::Threads here(1);
  domgen::RidgeFactor factor(gram.take(), ridge, here);
  factor.invert(here);
  return Rcpp::List::create(Rcpp::_["inverse"] = gram.matrix(),
                            Rcpp::_["jitter"] = factor.jitter());
}

// Predictions of each domain when it is left out, for every lambda [n x mL]; rows
// sorted by domain. K: the Gram matrix, or with a pole its ridge_inverse_(). root:
// square roots of the costs.
// [[Rcpp::export]]
Rcpp::List ridge_path_(Rcpp::NumericMatrix K, double pole, Eigen::MatrixXd Y, Eigen::VectorXd root,
                       Eigen::VectorXd lambda, Rcpp::IntegerVector sizes, Eigen::MatrixXd centre,
                       bool offset, double tolerance, double patience, int threads) {
  check_rows(K.nrow(), Y.rows());
  check_rows(K.ncol(), Y.rows());
  if (root.size() != Y.rows()) Rcpp::stop("root must have a value per row of Y");
  domgen::PathProblem problem;
  problem.K = domgen::view(K);
  problem.pole = pole;
  problem.out = read_left_out(sizes, centre, offset, Y.rows(), Y.cols());
  problem.Y = Y;
  problem.root = root;
  problem.lambda = lambda;
  problem.tolerance = tolerance;
  problem.patience = patience;
  const domgen::LodoPath path = domgen::lodo_path(problem, domgen::Threads(threads));
  return Rcpp::List::create(Rcpp::_["prediction"] = path.prediction,
                            Rcpp::_["lost"] = std::vector<int>(path.lost.begin(), path.lost.end()),
                            Rcpp::_["steps"] = path.steps);
}

// (S + lambda I)^-1 B, column j + l m for column j of B [r x m] and lambda_l.
// [[Rcpp::export]]
Eigen::MatrixXd ridge_shifted_(SEXP S, Eigen::MatrixXd B, Eigen::VectorXd lambda, int threads) {
  domgen::GramArgument gram(S);
  check_rows(gram.rows(), B.rows());
  return domgen::solve_shifted(gram.take(), B, lambda, domgen::Threads(threads));
}

// Coefficients and offsets for many lambda, see core/ridge/path.h; root: square roots of the
// costs.
// [[Rcpp::export]]
Rcpp::List ridge_many_(SEXP K, Eigen::MatrixXd Y, Eigen::VectorXd root, Eigen::VectorXd lambda,
                       bool offset, int threads) {
  domgen::GramArgument gram(K);
  check_rows(gram.rows(), Y.rows());
  if (root.size() != Y.rows()) Rcpp::stop("root must have a value per row of Y");
  const domgen::RidgePath path =
      domgen::ridge_path(gram.take(), Y, root, lambda, offset, domgen::Threads(threads));
  return Rcpp::List::create(Rcpp::_["coefficients"] = path.coefficients,
                            Rcpp::_["offset"] = path.offset);
}

// Sums over pairs of rows with the weights W = (left right' + right left') / 2, left and
// right [n x k]: sum_ij W_ij kappa_ij rate_ij ((x_ik - x_jk) inv_k)^2 for each predictor.
// rate: program of a kernel's rate, see core/kernel/profile.h; inv: 1 / sigma.
// [[Rcpp::export]]
Eigen::VectorXd pair_slopes_(Rcpp::NumericMatrix left, Rcpp::NumericMatrix right, Rcpp::List rate,
                             Eigen::VectorXd inv, Rcpp::NumericMatrix X,
                             Rcpp::Nullable<Rcpp::NumericMatrix> kappa,
                             Rcpp::Nullable<Rcpp::IntegerVector> domain, int threads) {
  const R_xlen_t n = X.nrow();
  if (inv.size() != X.ncol()) Rcpp::stop("inv must have a value per predictor");
  const domgen::PairWeights pairs = read_pairs(left, right, n);
  const domgen::Threads pool(threads);
  const domgen::MatrixView rows = domgen::view(X);
  const domgen::Rows scaled(rows, domgen::column_means(rows), inv);
  const auto weights = domgen::read_weights(kappa, domain, n, domain, n);
  return domgen::PairSums(pairs, pool)
      .by_predictor(*domgen::read_kernel(rate, X, X), weights, scaled);
}

// sum_ij W_ij k_ij over the rows i of domain g and j of h, [G x G].
// [[Rcpp::export]]
Eigen::MatrixXd pair_cells_(Rcpp::NumericMatrix left, Rcpp::NumericMatrix right, Rcpp::List program,
                            Rcpp::NumericMatrix X, Rcpp::IntegerVector domain, int domains,
                            int threads) {
  const domgen::PairWeights pairs = read_pairs(left, right, X.nrow());
  const std::vector<int> codes = domgen::read_domains(domain, X.nrow(), domains);
  const domgen::Threads pool(threads);
  const auto kernel = domgen::read_kernel(program, X, X);
  return domgen::PairSums(pairs, pool).by_domains(*kernel, codes, domains);
}
