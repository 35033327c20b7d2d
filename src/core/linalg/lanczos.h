// Leading eigenpairs of a symmetric positive semidefinite operator by
// thick-restart Lanczos with full orthogonalisation. The identity maintained is
//   A V = V T + beta v e',   V [n x k] orthonormal, v orthogonal to V, T = V'AV.
#ifndef DOMGEN_CORE_LINALG_LANCZOS_H
#define DOMGEN_CORE_LINALG_LANCZOS_H

#include "assert.h"
#include "dense.h"
#include "pool.h"
#include "symmetric.h"
#include "tridiagonal.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>

namespace domgen {

// Numbers in (-1/2, 1/2), the same in every run (Lehmer's generator).
class StartNumbers {
 public:
  Eigen::VectorXd vector(Eigen::Index n) {
    Eigen::VectorXd x(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      state_ = state_ * 48271 % 2147483647;
      x[i] = double(state_) / 2147483647.0 - 0.5;
    }
    return x;
  }

 private:
  std::uint64_t state_ = 1;
};

class Lanczos {
 public:
  using Apply = std::function<void(const double* x, double* y)>;  // y = A x

  Lanczos(const Apply& apply, Eigen::Index n, Eigen::Index m, Eigen::Index basis, const Pool& pool)
      : apply_(apply), pool_(pool), m_(m), basis_(basis), V_(n, basis + 1), T_(basis, basis),
        w_(n) {}

  // A Krylov space holds one vector of each eigenspace, so a multiple
  // eigenvalue (a grid, a symmetric design) is found once. Hence the second
  // stage: go on from a random vector orthogonal to what was found until that
  // is seen to contain nothing larger.
  EigenPairs leading_pairs() {
    const Eigen::Index restarts = 300;
    const double tie = 1e-10;
    Eigen::VectorXd previous;
    start();
    for (Eigen::Index restart = 0; restart < restarts; ++restart) {
      const bool confirming = previous.size() > 0;
      if (!extend(confirming)) {
        compress(m_ + (basis_ - m_) / 2);
        continue;
      }
      const Eigen::VectorXd leading = theta_.head(m_);
      if (confirming && (leading - previous).cwiseAbs().maxCoeff() <= tie * leading[0])
        return pairs(true);
      previous = leading;
      compress(m_);
      w_.setZero();
      next_vector(0);
    }
    return pairs(false);
  }

 private:
  const Apply& apply_;
  const Pool& pool_;
  const Eigen::Index m_, basis_;
  Eigen::MatrixXd V_, T_;  // [n x (basis + 1)], [basis x basis]
  Eigen::VectorXd w_;
  Eigen::Index size_ = 0, products_ = 0;  // k, and how often A was applied
  double beta_ = 0;
  Eigen::VectorXd theta_, error_;  // Ritz values, decreasing, and residual norms [k]
  Eigen::MatrixXd ritz_;           // eigenvectors of T [k x k]
  StartNumbers numbers_;

  // Two power iterations make the start vector rich in leading directions.
  void start() {
    V_.col(0) = numbers_.vector(V_.rows()).normalized();
    for (int i = 0; i < 2; ++i) {
      multiply(0);
      if (w_.norm() > 0) V_.col(0) = w_.normalized();
    }
  }

  void multiply(Eigen::Index j) {
    apply_(V_.col(j).data(), w_.data());
    ++products_;
  }

  // Grows V until it is full or the m leading Ritz pairs satisfy the stage.
  bool extend(bool confirming) {
    const Eigen::Index least = std::min(basis_, size_ + (confirming ? 8 : m_ + 4));
    // The small problem grows with the cube of its size.
    const Eigen::Index period = std::max<Eigen::Index>(4, m_ / 8);
    while (size_ < basis_) {
      multiply(size_);
      ++size_;
      const double before = w_.norm();
      Eigen::VectorXd h = Eigen::VectorXd::Zero(size_);
      project_out(h);
      T_.col(size_ - 1).head(size_) = h;
      T_.row(size_ - 1).head(size_) = h.transpose();
      next_vector(before);
      if (size_ >= least && (size_ % period == 0 || size_ == basis_)) {
        solve_small();
        if (satisfied(confirming)) return true;
      }
    }
    return false;
  }

  // w <- w - V V'w with the k vectors there are, h <- h + V'w: repeated as long
  // as it cancels leading digits, which leaves errors along V.
  void project_out(Eigen::VectorXd& h) {
    const auto V = V_.leftCols(size_);
    Eigen::VectorXd part(size_);
    double before, after = w_.norm();
    for (int pass = 0; pass < 4; ++pass) {
      before = after;
      set_product(part.data(), transposed(V), w_.data());
      add_product(w_.data(), V, part.data(), -1);
      h += part;
      after = w_.norm();
      if (after > 0.7 * before) break;
    }
  }

  // v from w = A v - V h, |A v| = before. When only rounding is left, V is
  // invariant and any vector orthogonal to it continues, uncoupled.
  void next_vector(double before) {
    beta_ = w_.norm();
    if (!(beta_ > std::numeric_limits<double>::epsilon() * before)) {
      beta_ = 0;
      w_ = numbers_.vector(V_.rows());
      Eigen::VectorXd unused = Eigen::VectorXd::Zero(size_);
      project_out(unused);
    }
    V_.col(size_) = w_.normalized();
  }

  void solve_small() {
    Eigen::MatrixXd T = T_.topLeftCorner(size_, size_);
    EigenPairs pairs = dense_leading_pairs(T, size_, pool_);
    theta_.swap(pairs.values);
    ritz_.swap(pairs.vectors);
    orthonormalise(ritz_, pool_);
    error_ = beta_ * ritz_.row(size_ - 1).cwiseAbs().transpose();
  }

  bool satisfied(bool confirming) const {
    const double rounding = 16 * std::numeric_limits<double>::epsilon() * theta_[0];
    const double tolerance = std::max(1e-14 * theta_[m_ - 1], rounding);
    const double loose = 1e-4 * theta_[0];
    if (error_.head(m_).maxCoeff() > tolerance) return false;
    if (!confirming) return true;
    return error_[m_] <= loose || theta_[m_] + error_[m_] <= theta_[m_ - 1];
  }

  Eigen::MatrixXd ritz_vectors(Eigen::Index count) const {
    const auto V = V_.leftCols(size_);
    Eigen::MatrixXd vectors(V.rows(), count);
    in_strips(count, 2.0 * double(V.size()), pool_, [&](Eigen::Index first, Eigen::Index width) {
      set_product(vectors.middleCols(first, width), V, ritz_.middleCols(first, width));
    });
    return vectors;
  }

  // Keeps the `kept` leading Ritz vectors; v stays the next one.
  void compress(Eigen::Index kept) {
    const Eigen::MatrixXd leading = ritz_vectors(kept);
    V_.col(kept) = V_.col(size_).eval();
    V_.leftCols(kept) = leading;
    T_.topLeftCorner(kept, kept) = theta_.head(kept).asDiagonal();
    size_ = kept;
  }

  EigenPairs pairs(bool converged) const {
    EigenPairs found;
    found.values = theta_.head(m_);
    found.vectors = ritz_vectors(m_);
    found.products = products_;
    found.converged = converged;
    return found;
  }
};

// A symmetric positive semidefinite [n x n], 1 <= m < n.
inline EigenPairs lanczos_leading_pairs(const Lanczos::Apply& apply, Eigen::Index n, Eigen::Index m,
                                        const Pool& pool) {
  DOMGEN_EXPECT(m >= 1 && m < n);
  const Eigen::Index basis = std::min(n - 1, 2 * m + 40);
  return Lanczos(apply, n, m, basis, pool).leading_pairs();
}

}  // namespace domgen

#endif
