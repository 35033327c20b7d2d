// The Newton systems of a linear SVM, for the free rows F and weights D > 0:
//   [I + Z_F'D Z_F   Z_F'D 1] [dw]     [g]
//   [1'D Z_F         1'D 1  ] [db] = - [h],
// without the last row and column if there is no intercept. Solved in the smaller of
// the two sizes: with v = D (Z_F dw + db 1) it reads
//   dw = -g - Z_F'v,   (D^-1 + Z_F Z_F') v = db 1 - Z_F g,   1'v = -h.
#ifndef DOMGEN_CORE_SVM_LINEAR_SYSTEM_H
#define DOMGEN_CORE_SVM_LINEAR_SYSTEM_H

#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "linear-problem.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace domgen {

class LinearSystem {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::VectorXd;

  LinearSystem(const LinearProblem& problem, const Pool& pool) : problem_(problem), pool_(pool) {}

  // F: rows, not none; the weights are the first of `weights`. False if the matrix
  // is not numerically positive definite.
  bool solve(const std::vector<Index>& F, const Vector& weights, const Vector& g, double h,
             Vector* dw, double* db) {
    const Vector D = weights.head(static_cast<Index>(F.size()));
    *db = 0;
    return D.size() <= problem_.dim() ? solve_gram(F, D, g, h, dw, db)
                                      : solve_covariance(F, D, g, h, dw, db);
  }

 private:
  const LinearProblem& problem_;
  const Pool& pool_;
  Eigen::MatrixXd H_, ZF_;

  // Of ZF_ [r x F], in blocks of columns.
  bool solve_gram(const std::vector<Index>& F, const Vector& D, const Vector& g, double h,
                  Vector* dw, double* db) {
    ZF_.resize(problem_.dim(), D.size());
    for (Index k = 0; k < D.size(); ++k) copy_features(F[static_cast<std::size_t>(k)], 1, k);
    H_.setZero(D.size(), D.size());
    const Index block = 512;
    for (Index first = 0; first < D.size(); first += block) {
      gram_columns(first, std::min(block, D.size() - first));
      pool_.interrupt();
    }
    H_.diagonal().array() += D.array().inverse();
    if (!cholesky_factor(Half::lower, H_)) return false;

    Vector v = -(ZF_.transpose() * g);
    solve_factored(Half::lower, H_, v.data());
    if (problem_.intercept) {
      Vector one = Vector::Ones(D.size());
      solve_factored(Half::lower, H_, one.data());
      *db = -(h + v.sum()) / one.sum();
      v += *db * one;
    }
    *dw = -g - ZF_ * v;
    return true;
  }

  // The intercept as one more feature, without a penalty.
  bool solve_covariance(const std::vector<Index>& F, const Vector& D, const Vector& g, double h,
                        Vector* dw, double* db) {
    const Index r = problem_.dim(), m = r + (problem_.intercept ? 1 : 0), block = 512;
    H_.setZero(m, m);
    ZF_.resize(m, block);
    for (Index first = 0; first < D.size(); first += block) {
      const Index width = std::min(block, D.size() - first);
      for (Index k = 0; k < width; ++k) {
        const double scale = std::sqrt(D[first + k]);
        copy_features(F[static_cast<std::size_t>(first + k)], scale, k);
        if (problem_.intercept) ZF_(r, k) = scale;
      }
      add_square(Half::lower, H_, ZF_.leftCols(width));
      pool_.interrupt();
    }
    H_.diagonal().head(r).array() += 1;
    if (!cholesky_factor(Half::lower, H_)) return false;

    Vector step(m);
    step.head(r) = -g;
    if (problem_.intercept) step[r] = -h;
    solve_factored(Half::lower, H_, step.data());
    *dw = step.head(r);
    if (problem_.intercept) *db = step[r];
    return true;
  }

  void copy_features(Index row, double scale, Index to) {
    ZF_.col(to).head(problem_.dim()) =
        scale * Eigen::Map<const Vector>(problem_.features(row), problem_.dim());
  }

  // Columns first, ... of the lower triangle of Z_F Z_F'.
  void gram_columns(Index first, Index width) {
    const Index below = H_.rows() - first - width;
    const auto Z = ZF_.middleCols(first, width);
    set_square(Half::lower, H_.block(first, first, width, width), transposed(Z));
    set_product(H_.block(first + width, first, below, width), transposed(ZF_.rightCols(below)), Z);
  }
};

}  // namespace domgen

#endif
