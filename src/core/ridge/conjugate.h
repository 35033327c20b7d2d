// Ridge regression without a factor of the n x n matrix: preconditioned conjugate gradients on
//   (K + D) a + b 1 = z,  D = diag(ridge),  1'a = 0 where there is a constant b.
// The preconditioner is UU' + D, where UU' is the Nystrom approximation of K by some rows, the
// landmarks. As UU' <= K, r'(UU' + D)^-1 r of the residual r bounds the error e'(K + D)e of a.
#ifndef DOMGEN_CORE_RIDGE_CONJUGATE_H
#define DOMGEN_CORE_RIDGE_CONJUGATE_H

#include "../linalg/assert.h"
#include "../linalg/blas.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "factor.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <utility>

namespace domgen {

// U [n x rank], K ~ UU', from rows that are evenly spaced.
inline Eigen::MatrixXd landmark_root(const MatrixView& K, Eigen::Index rank, const Pool& pool) {
  const Eigen::Index n = K.rows();
  DOMGEN_EXPECT(K.cols() == n && rank >= 1 && rank <= n);
  const Eigen::Map<const Eigen::MatrixXd> all(K.data(), n, n);
  const auto row = [&](Eigen::Index k) { return k * n / rank; };
  Eigen::MatrixXd U(rank, n);
  for (Eigen::Index k = 0; k < rank; ++k) U.row(k) = all.col(row(k)).transpose();
  GramBuffer own(rank);
  for (Eigen::Index k = 0; k < rank; ++k) own.matrix().col(k) = U.col(row(k));
  // rows may be equal
  const double least = 1e-12 * own.matrix().trace();
  const RidgeFactor factor(std::move(own), Eigen::VectorXd::Constant(rank, least), pool);
  factor.solve_transposed(U);
  return U.transpose();
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
  Eigen::VectorXd right;  // z - (K + D) a at the start of a
  double missing;         // 1'c of the change c of a
  bool constant;
  double tolerance;  // of the error, see above
  int most;          // steps
};

struct ConjugateSolution {
  Eigen::VectorXd change, product;  // c, the change of a, and K c
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

  Eigen::VectorXd level;  // (UU' + D)^-1 1
  if (problem.constant) level = inverse.apply(Eigen::VectorXd::Ones(n));
  const double total = problem.constant ? level.sum() : 1;
  Eigen::VectorXd residual = problem.right;
  // The constant is subtracted from the residual itself, so that rounding is relative to what
  // remains: nothing would correct a drift of 1'a.
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
  double left = residual.dot(y);  // r'(UU' + D)^-1 r
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
