// Leading eigenpairs of a dense symmetric matrix by way of its tridiagonal form, as LAPACK's dsyevr
// goes about it, but in pieces of a fraction of a second, between which the call can be stopped.
#ifndef DOMGEN_CORE_LINALG_TRIDIAGONAL_H
#define DOMGEN_CORE_LINALG_TRIDIAGONAL_H

#include "assert.h"
#include "blas.h"
#include "pool.h"
#include "symmetric.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <cstddef>
#include <stdexcept>
#include <vector>

namespace domgen {

// A = Q T Q' [n x n], T tridiagonal.
class TridiagonalForm {
 public:
  // The lower triangle of A is overwritten; A must outlive this.
  TridiagonalForm(Eigen::MatrixXd& A, const Pool& pool)
      : A_(A), n_(static_cast<int>(A.rows())), pool_(pool), diagonal_(n_), below_(n_), tau_(n_) {
    // The pairs of matrix-vector products of a panel are bound by memory.
    const int panel = n_ > 3000 ? 16 : 32;
    const double one = 1, minus_one = -1;
    Eigen::MatrixXd W(n_, panel);
    int begin = 0, info = 0;
    for (; begin < n_ - panel; begin += panel) {
      pool_.interrupt();
      const int size = n_ - begin, rest = size - panel;
      dlatrd_("L", &size, &panel, at(begin, begin), &n_, &below_[begin], &tau_[begin], W.data(),
              &n_, 1);
      dsyr2k_("L", "N", &rest, &panel, &minus_one, at(begin + panel, begin), &n_, &W(panel, 0), &n_,
              &one, at(begin + panel, begin + panel), &n_, 1, 1);
      for (int j = begin; j < begin + panel; ++j) {
        A_(j + 1, j) = below_[j];
        diagonal_[j] = A_(j, j);
      }
    }
    const int size = n_ - begin;
    dsytd2_("L", &size, at(begin, begin), &n_, &diagonal_[begin], &below_[begin], &tau_[begin],
            &info, 1);
  }

  // The m largest, in decreasing order.
  EigenPairs leading(Eigen::Index m) const {
    EigenPairs pairs;
    Eigen::MatrixXd vectors;
    if (!of_tridiagonal(static_cast<int>(m), pairs.values, vectors)) {
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
      solver.computeFromTridiagonal(diagonal_, below_.head(n_ - 1));
      if (solver.info() != Eigen::Success)
        throw std::runtime_error("the symmetric eigenproblem failed");
      pairs.values = solver.eigenvalues().tail(m);
      vectors = solver.eigenvectors().rightCols(m);
    }
    pairs.values.reverseInPlace();
    rotate(vectors);
    pairs.vectors = vectors.rowwise().reverse();
    return pairs;
  }

 private:
  Eigen::MatrixXd& A_;
  const int n_;
  const Pool& pool_;
  Eigen::VectorXd diagonal_, below_, tau_;  // [n], of the last two n - 1 in use

  double* at(int i, int j) { return A_.data() + i + static_cast<std::ptrdiff_t>(j) * n_; }

  // By multiple relatively robust representations, increasing; false where that fails.
  bool of_tridiagonal(int m, Eigen::VectorXd& values, Eigen::MatrixXd& vectors) const {
    const int first = n_ - m + 1;
    const double unused = 0;
    Eigen::VectorXd d = diagonal_, e = below_;
    values.resize(n_);
    vectors.resize(n_, m);
    std::vector<int> support(2 * static_cast<std::size_t>(m)), whole(10 * std::size_t(n_));
    std::vector<double> work(18 * static_cast<std::size_t>(n_));
    const int length = static_cast<int>(work.size()), whole_length = static_cast<int>(whole.size());
    int found = 0, accurate = 1, info = 0;
    // Of all values at once, which is faster, or those wanted by bisection.
    dstemr_("V", m < n_ ? "I" : "A", &n_, d.data(), e.data(), &unused, &unused, &first, &n_, &found,
            values.data(), vectors.data(), &n_, &m, support.data(), &accurate, work.data(), &length,
            whole.data(), &whole_length, &info, 1, 1);
    values.conservativeResize(m);
    return info == 0 && found == m;
  }

  // V <- Q V
  void rotate(Eigen::MatrixXd& V) const {
    in_strips(V.cols(), 2.0 * n_ * n_, pool_, [&](Eigen::Index first, Eigen::Index width) {
      const int columns = static_cast<int>(width), length = 64 * (columns + 65);
      int info = 0;
      std::vector<double> work(static_cast<std::size_t>(length));
      dormtr_("L", "L", "N", &n_, &columns, A_.data(), &n_, tau_.data(), V.col(first).data(), &n_,
              work.data(), &length, &info, 1, 1, 1);
    });
  }
};

// V [n x m] <- V (V'V)^-1/2 by a step of Newton's method, where V'V is nearly I.
inline void orthonormalise(Eigen::MatrixXd& V, const Pool& pool) {
  const int n = static_cast<int>(V.rows()), m = static_cast<int>(V.cols());
  const double one = 1, zero = 0, minus_half = -0.5, operations = 2.0 * n * m;
  Eigen::MatrixXd G(m, m), result(n, m);
  in_strips(m, operations, pool, [&](Eigen::Index first, Eigen::Index width) {
    const int columns = static_cast<int>(width);
    dgemm_("T", "N", &m, &columns, &n, &minus_half, V.data(), &n, V.col(first).data(), &n, &zero,
           G.col(first).data(), &m, 1, 1);
  });
  G.diagonal().array() += 1.5;
  in_strips(m, operations, pool, [&](Eigen::Index first, Eigen::Index width) {
    const int columns = static_cast<int>(width);
    dgemm_("N", "N", &n, &columns, &m, &one, V.data(), &n, G.col(first).data(), &m, &zero,
           result.col(first).data(), &n, 1, 1);
  });
  V.swap(result);
}

// The m leading eigenpairs of A (its lower triangle; overwritten). The vectors are orthogonal up
// to rounding where m < n, and up to some ten times n machine epsilons where m = n.
inline EigenPairs dense_leading_pairs(Eigen::MatrixXd& A, Eigen::Index m, const Pool& pool) {
  DOMGEN_EXPECT(A.rows() == A.cols() && m <= A.rows());
  // Squares of the entries must neither overflow nor vanish.
  const double size = A.cwiseAbs().maxCoeff();
  const bool scaled = size > 0 && !(size > 1e-100 && size < 1e100);
  if (scaled) A /= size;
  EigenPairs pairs = TridiagonalForm(A, pool).leading(m);
  if (scaled) pairs.values *= size;
  if (m < A.rows()) orthonormalise(pairs.vectors, pool);
  return pairs;
}

// Of a small matrix.
inline EigenPairs dense_leading_pairs(Eigen::MatrixXd& A, Eigen::Index m) {
  return dense_leading_pairs(A, m, SmallWork());
}

}  // namespace domgen

#endif
