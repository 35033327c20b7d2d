// Ridge regression without a factor of the n x n matrix: conjugate gradients on
//   (K + D) a + b 1 = z,  D = diag(ridge),  1'a = 0 where there is a constant b,
// preconditioned by UU' + D, where UU' is what some rows, the landmarks, say of K. As UU' <= K, the
// preconditioned residual bounds the error a'(K + D)a of the solution.
#ifndef DOMGEN_CORE_RIDGE_CONJUGATE_H
#define DOMGEN_CORE_RIDGE_CONJUGATE_H

#include "../linalg/assert.h"
#include "../linalg/blas.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <stdexcept>

namespace domgen {

// U [n x rank], K ~ UU', from rows that are evenly spaced.
inline Eigen::MatrixXd landmark_root(const MatrixView& K, Eigen::Index rank) {
  const Eigen::Index n = K.rows();
  DOMGEN_EXPECT(K.cols() == n && rank >= 1 && rank <= n);
  Eigen::MatrixXd U(n, rank), own(rank, rank);
  const Eigen::Map<const Eigen::MatrixXd> all(K.data(), n, n);
  const auto row = [&](Eigen::Index k) { return k * n / rank; };
  for (Eigen::Index k = 0; k < rank; ++k) {
    U.col(k) = all.col(row(k));
    for (Eigen::Index l = 0; l < rank; ++l) own(l, k) = all(row(l), row(k));
  }
  // rows may be equal
  double jitter = 1e-12 * own.trace();
  for (int attempt = 0; attempt < 5; ++attempt, jitter *= 100) {
    Eigen::MatrixXd shifted = own;
    shifted.diagonal().array() += jitter;
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> root(shifted);
    if (root.info() != Eigen::Success) continue;
    const int rows = static_cast<int>(n), size = static_cast<int>(rank);
    const double one = 1;
    dtrsm_("R", "U", "N", "N", &rows, &size, &one, root.matrixLLT().data(), &size, U.data(), &rows,
           1, 1, 1, 1);
    return U;
  }
  throw std::domain_error("the kernel of the landmarks is not positive definite");
}

// (UU' + D)^-1 = D^-1/2 (I - V (I + V'V)^-1 V') D^-1/2 with V = D^-1/2 U.
class LandmarkInverse {
 public:
  LandmarkInverse(const MatrixView& U, const Eigen::VectorXd& ridge)
      : scale_(ridge.array().rsqrt()),
        V_(scale_.asDiagonal() * Eigen::Map<const Eigen::MatrixXd>(U.data(), U.rows(), U.cols())) {
    const int n = static_cast<int>(V_.rows()), rank = static_cast<int>(V_.cols());
    const double one = 1;
    Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(rank, rank);
    dsyrk_("L", "T", &rank, &n, &one, V_.data(), &n, &one, inner.data(), &rank, 1, 1);
    inner_.compute(inner);
  }

  bool holds() const { return inner_.info() == Eigen::Success; }

  Eigen::VectorXd apply(const Eigen::VectorXd& x) const {
    const int n = static_cast<int>(V_.rows()), rank = static_cast<int>(V_.cols()), step = 1;
    const double one = 1, minus_one = -1, zero = 0;
    Eigen::VectorXd y = scale_.cwiseProduct(x), part(rank);
    dgemv_("T", &n, &rank, &one, V_.data(), &n, y.data(), &step, &zero, part.data(), &step, 1);
    inner_.solveInPlace(part);
    dgemv_("N", &n, &rank, &minus_one, V_.data(), &n, part.data(), &step, &one, y.data(), &step, 1);
    return scale_.cwiseProduct(y);
  }

 private:
  Eigen::VectorXd scale_;
  Eigen::MatrixXd V_;
  Eigen::LLT<Eigen::MatrixXd> inner_;
};

struct ConjugateProblem {
  MatrixView K, U;        // [n x n], [n x rank]
  Eigen::VectorXd ridge;  // [n], positive
  Eigen::VectorXd right;  // what is left of z at the start of a, but for b
  double missing;         // what the change of a shall add up to
  bool constant;
  double tolerance;  // of the error, see above
  int most;          // steps
};

struct ConjugateSolution {
  Eigen::VectorXd change, product;  // of a, and K times it
  double constant = 0;
  int steps = 0;
  bool converged = false;
};

inline ConjugateSolution solve_conjugate(const ConjugateProblem& problem, const Pool& pool) {
  const Eigen::Index n = problem.right.size();
  const int rows = static_cast<int>(n), step = 1;
  const double one = 1, zero = 0;
  ConjugateSolution out;
  const LandmarkInverse inverse(problem.U, problem.ridge);
  if (!inverse.holds()) return out;
  const auto times_K = [&](const Eigen::VectorXd& x) {
    Eigen::VectorXd y(n);
    pool.interrupt();
    dsymv_("L", &rows, &one, problem.K.data(), &rows, x.data(), &step, &zero, y.data(), &step, 1);
    return y;
  };

  Eigen::VectorXd level;  // what a constant takes
  if (problem.constant) level = inverse.apply(Eigen::VectorXd::Ones(n));
  const double total = problem.constant ? level.sum() : 1;
  Eigen::VectorXd residual = problem.right;
  // What the constant takes leaves the residual, so that rounding is of the size of what is left:
  // nothing would correct a sum of a that drifts.
  const auto precondition = [&] {
    Eigen::VectorXd y = inverse.apply(residual);
    if (problem.constant) {
      const double part = y.sum() / total;
      y -= part * level;
      residual.array() -= part;
      out.constant += part;
    }
    return y;
  };

  out.change = out.product = Eigen::VectorXd::Zero(n);
  if (problem.constant && problem.missing != 0) {
    out.change = problem.missing / total * level;
    out.product = times_K(out.change);
    residual -= out.product + problem.ridge.cwiseProduct(out.change);
  }
  Eigen::VectorXd y = precondition(), direction = y;
  double left = residual.dot(y);
  while (left > problem.tolerance && out.steps < problem.most) {
    ++out.steps;
    const Eigen::VectorXd product = times_K(direction);
    const Eigen::VectorXd image = product + problem.ridge.cwiseProduct(direction);
    const double length = left / direction.dot(image);
    out.change += length * direction;
    out.product += length * product;
    residual -= length * image;
    y = precondition();
    const double next = residual.dot(y);
    direction = y + next / left * direction;
    left = next;
  }
  out.converged = left <= problem.tolerance && out.change.allFinite();
  return out;
}

}  // namespace domgen

#endif
