// (S + lambda I)^-1 B for many lambda: S = Q T Q' with T a band matrix once, then few
// operations per lambda. The tridiagonal form needs half of its work from
// matrix-vector products, which are as slow as the memory; a band needs none.
#ifndef DOMGEN_CORE_LINALG_BAND_H
#define DOMGEN_CORE_LINALG_BAND_H

#include "assert.h"
#include "blas.h"
#include "gram-buffer.h"
#include "pool.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace domgen {

class BandForm {
 public:
  // S [n x n], symmetric: its diagonal and upper triangle are overwritten, the rest is not
  // read.
  BandForm(Eigen::Map<Eigen::MatrixXd> S, const Pool& pool)
      : n_(S.rows()), band_(Eigen::MatrixXd::Zero(width + 1, S.rows())) {
    DOMGEN_EXPECT(S.rows() == S.cols());
    Eigen::Index j = 0;
    for (; j + width < n_ - 1; j += width) {
      pool.interrupt();
      reduce(S, j);
    }
    for (; j < n_; ++j) take_row(S, j, n_);
  }

  // Q'B
  Eigen::MatrixXd to_band(Eigen::MatrixXd B) const {
    for (const Reflectors& block : blocks_) reflect(block, block.F.transpose(), B);
    return B;
  }

  // QB
  Eigen::MatrixXd from_band(Eigen::MatrixXd B) const {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      reflect(*block, block->F, B);
    return B;
  }

  // B <- (T + lambda I)^-1 B; false where a pivot of T + lambda I = L D L' is not positive.
  bool solve(double lambda, Eigen::Ref<Eigen::MatrixXd> B) const {
    DOMGEN_EXPECT(B.rows() == n_);
    Eigen::MatrixXd L = band_;
    L.row(0).array() += lambda;
    for (Eigen::Index c = 0; c < n_; ++c) {
      const Eigen::Index below = std::min<Eigen::Index>(width, n_ - 1 - c);
      const double pivot = L(0, c);
      if (!(pivot > 0)) return false;
      auto column = L.col(c).segment(1, below);
      for (Eigen::Index e = 0; e < below; ++e)
        L.col(c + 1 + e).head(below - e) -= (column[e] / pivot) * column.tail(below - e);
      column /= pivot;
    }
    for (Eigen::Index j = 0; j < B.cols(); ++j) {
      auto x = B.col(j);
      for (Eigen::Index c = 0; c < n_; ++c) {
        const Eigen::Index below = std::min<Eigen::Index>(width, n_ - 1 - c);
        x.segment(c + 1, below) -= x[c] * L.col(c).segment(1, below);
      }
      x.array() /= L.row(0).transpose().array();
      for (Eigen::Index c = n_ - 1; c >= 0; --c) {
        const Eigen::Index below = std::min<Eigen::Index>(width, n_ - 1 - c);
        x[c] -= L.col(c).segment(1, below).dot(x.segment(c + 1, below));
      }
    }
    return true;
  }

 private:
  enum : Eigen::Index { width = 32 };
  // I - V F V', V [m x k] unit lower trapezoidal, on the last m rows.
  struct Reflectors {
    Eigen::MatrixXd V, F;
  };

  Eigen::Index n_;
  Eigen::MatrixXd band_;  // T [width + 1 x n], column c from the diagonal down
  std::vector<Reflectors> blocks_;

  void take_row(const Eigen::Map<Eigen::MatrixXd>& S, Eigen::Index c, Eigen::Index end) {
    band_.col(c).head(end - c) = S.row(c).segment(c, end - c).transpose();
  }

  // What is right of the band in the rows j, ..., j + width - 1 becomes zero, and the rest
  // below S <- (I - V F V')' S (I - V F V').
  void reduce(Eigen::Map<Eigen::MatrixXd>& S, Eigen::Index j) {
    const Eigen::Index first = j + width;
    const int n = static_cast<int>(n_), m = static_cast<int>(n_ - first), b = int(width),
              k = std::min(m, b), length = 64 * b;
    int info = 0;
    Eigen::VectorXd tau(k), work(length);
    Reflectors block;
    Eigen::MatrixXd& V = block.V;
    V = S.block(j, first, width, m).transpose();
    dgeqrf_(&m, &b, V.data(), &m, tau.data(), work.data(), &length, &info);
    if (info != 0) throw std::runtime_error("the band form failed");
    block.F = Eigen::MatrixXd::Zero(k, k);
    dlarft_("F", "C", &m, &k, V.data(), &m, tau.data(), block.F.data(), &k, 1, 1);
    for (Eigen::Index c = 0; c < width; ++c) {
      take_row(S, j + c, first);
      const Eigen::Index beyond = std::min<Eigen::Index>(c + 1, k);
      band_.col(j + c).segment(width - c, beyond) = V.col(c).head(beyond);
    }
    V.conservativeResize(m, k);
    V.topRows(k).triangularView<Eigen::Upper>().setZero();
    V.topRows(k).diagonal().setOnes();

    Eigen::MatrixXd X(m, k);
    double* rest = &S(first, first);
    const double one = 1, zero = 0, minus_one = -1;
    dsymm_("L", "U", &m, &k, &one, rest, &n, V.data(), &m, &zero, X.data(), &m, 1, 1);
    X = X * block.F;
    const Eigen::MatrixXd inner = block.F.transpose() * (V.transpose() * X);
    X -= V * (0.5 * inner);
    dsyr2k_("U", "N", &m, &k, &minus_one, V.data(), &m, X.data(), &m, &one, rest, &n, 1, 1);
    blocks_.push_back(std::move(block));
  }

  static void reflect(const Reflectors& block, const Eigen::MatrixXd& F, Eigen::MatrixXd& B) {
    const int k = static_cast<int>(block.V.cols()), m = static_cast<int>(block.V.rows()),
              columns = static_cast<int>(B.cols()), n = static_cast<int>(B.rows());
    const double one = 1, zero = 0, minus_one = -1;
    Eigen::MatrixXd VB(k, columns);
    double* last = B.data() + (n - m);
    dgemm_("T", "N", &k, &columns, &m, &one, block.V.data(), &m, last, &n, &zero, VB.data(), &k, 1,
           1);
    VB = F * VB;
    dgemm_("N", "N", &m, &columns, &k, &minus_one, block.V.data(), &m, VB.data(), &k, &one, last,
           &n, 1, 1);
  }
};

// S [r x r], positive semidefinite; B [r x m]. Columns
// j + l m of the result belong to column j of B and lambda_l.
inline Eigen::MatrixXd solve_shifted(GramBuffer S, const Eigen::MatrixXd& B,
                                     const Eigen::VectorXd& lambda, const Pool& pool) {
  DOMGEN_EXPECT(S.rows() == B.rows());
  const BandForm form(S.matrix(), pool);
  Eigen::MatrixXd X = form.to_band(B).replicate(1, lambda.size());
  std::vector<char> solved(std::size_t(lambda.size()), 0);
  pool.run(lambda.size(), [&](Eigen::Index begin, Eigen::Index end) {
    for (Eigen::Index l = begin; l < end; ++l)
      solved[std::size_t(l)] = form.solve(lambda[l], X.middleCols(l * B.cols(), B.cols()));
  });
  if (std::find(solved.begin(), solved.end(), 0) != solved.end())
    throw std::domain_error("`lambda` must be large enough for a positive definite matrix");
  return form.from_band(std::move(X));
}

}  // namespace domgen

#endif
