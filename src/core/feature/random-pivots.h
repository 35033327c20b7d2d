// Landmarks by randomly pivoted Cholesky (Chen, Epperly, Tropp and Webber 2025):
// rows are drawn one after the other, with probability proportional to what the
// rows before leave of the kernel's diagonal. Here by rejection (Epperly, Tropp
// and Webber 2024): several rows are proposed at a time and each is
// accepted with the probability that the accepted ones before it leave, which
// gives the same distribution with matrix products in place of single columns.
#ifndef DOMGEN_CORE_FEATURE_RANDOM_PIVOTS_H
#define DOMGEN_CORE_FEATURE_RANDOM_PIVOTS_H

#include "../linalg/dense.h"
#include "../linalg/large-pages.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "landmarks.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <vector>

namespace domgen {

class RandomPivots {
 public:
  // The kernel of the program between the rows of X, times kappa when weights
  // are not empty. uniform: draws from (0, 1).
  RandomPivots(const KernelProgram& program, const MatrixView& X, const DomainWeights& weights,
               const std::function<double()>& uniform, const Pool& pool)
      : program_(program), X_(X), weights_(weights), uniform_(uniform), pool_(pool),
        left_(KernelBuilder(X, X).build(program)->self(Side::x)) {
    for (Index i = 0; i < left_.size() && !weights.empty(); ++i) {
      left_[i] *= weights.kappa(weights.x[i], weights.z[i]);
    }
    if (!left_.allFinite()) throw std::invalid_argument("the kernel overflows on these rows");
  }

  // `wanted` rows, or fewer when nothing above tol times the largest diagonal
  // entry is left, or no more than `share` of the trace.
  std::vector<Index> draw(Index wanted, double tol, double share) {
    enough_ = tol * std::max(left_.maxCoeff(), 0.0);
    const double little = share * left_.sum();
    F_.resize(X_.rows(), wanted);
    advise_large_pages(F_.data(), F_.size());
    pivots_.clear();
    std::size_t proposals = 16;
    while (Index(pivots_.size()) < wanted) {
      pool_.interrupt();
      left_ = (left_.array() > enough_).select(left_, 0.0);
      if (!(left_.sum() > little)) break;
      const std::size_t accepted = add(propose(proposals), wanted);
      proposals = std::min<std::size_t>(128, std::max<std::size_t>(8, 2 * accepted));
    }
    return pivots_;
  }

  Index rank() const { return Index(pivots_.size()); }

  // L [drawn x drawn], LL' the kernel of the landmarks in their order.
  Eigen::MatrixXd factor() const {
    Eigen::MatrixXd L = Eigen::MatrixXd::Zero(rank(), rank());
    for (Index i = 0; i < rank(); ++i) L.row(i).head(i + 1) = F_.row(pivots_[i]).head(i + 1);
    return L;
  }

  // F' [drawn x n], K ~ FF': the features of these landmarks at all rows, into a matrix of `lead`
  // rows.
  void features(double* out, Index lead) const {
    const Index line = 8;  // so many numbers are read at once
    for (Index i = 0; i < F_.rows(); i += line) {
      const Index rows = std::min(line, F_.rows() - i);
      Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>(out + i * lead, rank(), rows,
                                                           Eigen::OuterStride<>(lead)) =
          F_.block(i, 0, rows, rank()).transpose();
    }
  }

  // Trace of K - FF'.
  double left() const { return left_.cwiseMax(0).sum(); }

 private:
  const KernelProgram& program_;
  MatrixView X_;
  const DomainWeights& weights_;
  const std::function<double()>& uniform_;
  const Pool& pool_;
  Eigen::VectorXd left_;  // diagonal of K - F F'
  Eigen::MatrixXd F_;     // [n x wanted], its columns that are known so far
  std::vector<Index> pivots_;
  double enough_ = 0;

  // Independent draws with probabilities proportional to left_.
  std::vector<Index> propose(std::size_t count) const {
    std::vector<double> sums(left_.size());
    double total = 0;
    for (Index i = 0; i < left_.size(); ++i) sums[i] = total += left_[i];
    std::vector<Index> rows(count);
    for (Index& row : rows) {
      row = std::upper_bound(sums.begin(), sums.end(), uniform_() * total) - sums.begin();
      if (row == left_.size() || left_[row] == 0) left_.maxCoeff(&row);  // rounding
    }
    return rows;
  }

  // Accepts some of the proposed rows and extends F by their columns.
  std::size_t add(const std::vector<Index>& rows, Index wanted) {
    const Eigen::MatrixXd K = columns(rows);
    Eigen::MatrixXd H(rows.size(), rows.size()), known(rows.size(), rank());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      H.row(i) = K.row(rows[i]);
      known.row(i) = F_.row(rows[i]).head(rank());
    }
    H.noalias() -= known * known.transpose();
    const std::vector<Index> accepted = accept(H, rows, wanted - rank());
    if (accepted.empty()) {  // rounding: nothing is left of these rows
      for (Index row : rows) left_[row] = 0;
    } else {
      extend(K, H, known, accepted);
      for (Index i : accepted) pivots_.push_back(rows[i]);
    }
    for (Index pivot : pivots_) left_[pivot] = 0;
    return accepted.size();
  }

  // Cholesky decomposition of the accepted part of H, in place: column i of an
  // accepted row i is that of the factor.
  std::vector<Index> accept(Eigen::MatrixXd& H, const std::vector<Index>& rows, Index most) const {
    std::vector<Index> accepted;
    for (Index i = 0; i < H.rows() && Index(accepted.size()) < most; ++i) {
      const double pivot = H(i, i);
      if (!(uniform_() * left_[rows[i]] < pivot) || pivot <= enough_) continue;
      const Index after = H.rows() - i - 1;
      H.col(i).tail(after + 1) /= std::sqrt(pivot);
      const Eigen::VectorXd column = H.col(i).tail(after);
      H.bottomRightCorner(after, after).noalias() -= column * column.transpose();
      accepted.push_back(i);
    }
    return accepted;
  }

  // New columns of F: (K[, T] - F F[T, ]') L_T'^-1 for the accepted rows T.
  void extend(const Eigen::MatrixXd& K, const Eigen::MatrixXd& H, const Eigen::MatrixXd& known,
              const std::vector<Index>& accepted) {
    const Index size = Index(accepted.size()), before = rank();
    Eigen::MatrixXd L(size, size), part(size, before);
    for (Index a = 0; a < size; ++a) {
      for (Index b = 0; b < size; ++b) L(b, a) = H(accepted[b], accepted[a]);
      part.row(a) = known.row(accepted[a]);
      F_.col(before + a) = K.col(accepted[a]);
    }
    auto added = F_.middleCols(before, size);
    add_product(added, F_.leftCols(before), transposed(part), -1);
    solve_triangle(added, transposed(lower_triangle(L)));
    left_ -= added.rowwise().squaredNorm();
  }

  // k(X, x_j) kappa[., d_j] for the given rows j, [n x rows]
  Eigen::MatrixXd columns(const std::vector<Index>& rows) const {
    const Index n = X_.rows(), count = Index(rows.size());
    Eigen::MatrixXd chosen(count, X_.cols()), K(n, count);
    DomainWeights weights = weights_;
    if (!weights.empty()) weights.z.resize(count);
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < X_.cols(); ++k) chosen(i, k) = X_(rows[i], k);
      if (!weights.empty()) weights.z[i] = weights_.z[rows[i]];
    }
    GivenColumns given(program_, rows);
    const MatrixView Z(chosen.data(), count, X_.cols());
    const auto kernel = KernelBuilder(X_, Z, Side::x).build(given.program());
    cross_matrix(*kernel, weights, n, count, K.data(), pool_);
    return K;
  }
};

}  // namespace domgen

#endif
