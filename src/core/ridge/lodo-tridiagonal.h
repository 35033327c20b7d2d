// Leaving one domain out of a ridge regression for many ridges at once, in the closed form of
// lodo.h: with one tridiagonal form S K S = Q T Q', S = diag(sqrt(costs)), T + lambda I = L D L',
//   M = (K + lambda C^-1)^-1 = S Q (T + lambda I)^-1 Q' S = W W',  W = S Q L^-T D^-1/2.
// Unlike the steps of lodo-path.h, the tridiagonal form serves all responses and domains, and no
// result depends on a tolerance. In test/ridge.cpp, naive_lodo_path() is the same without any of
// this.
#ifndef DOMGEN_CORE_RIDGE_LODO_TRIDIAGONAL_H
#define DOMGEN_CORE_RIDGE_LODO_TRIDIAGONAL_H

#include "../linalg/assert.h"
#include "../linalg/cholesky.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/tridiagonal.h"
#include "lodo-path.h"

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <vector>

namespace domgen {

class LodoTridiagonal {
 public:
  // All costs must be positive; there is no pole.
  LodoTridiagonal(const PathProblem& problem, const Pool& pool)
      : problem_(problem), pool_(pool), scaled_(scale(problem)), form_(scaled_, pool),
        W_(problem.root.size(), problem.root.size()) {
    Q_ = problem.root.asDiagonal() * form_.rotation();
  }

  LodoPath run() {
    const Eigen::Index n = Q_.rows(), m = problem_.Y.cols(), L = problem_.lambda.size();
    LodoPath path;
    path.prediction.resize(n, m * L);
    path.lost.assign(static_cast<std::size_t>(L), 0);
    for (Eigen::Index l = 0; l < L; ++l) {
      if (!set_root(problem_.lambda[l]) || !predict(path.prediction.middleCols(l * m, m)))
        path.lost[static_cast<std::size_t>(l)] = 1;
    }
    return path;
  }

 private:
  const PathProblem& problem_;
  const Pool& pool_;
  Eigen::MatrixXd scaled_;
  TridiagonalForm form_;
  Eigen::MatrixXd Q_, W_;  // S Q; W of one lambda

  static Eigen::MatrixXd scale(const PathProblem& problem) {
    const Eigen::Index n = problem.root.size();
    DOMGEN_EXPECT(problem.K.rows() == n && problem.K.cols() == n && problem.pole == 0);
    DOMGEN_EXPECT(problem.out.begin.back() == n && problem.Y.rows() == n);
    const Eigen::Map<const Eigen::MatrixXd> K(problem.K.data(), n, n);
    Eigen::MatrixXd scaled(n, n);
    for (Eigen::Index j = 0; j < n; ++j)
      scaled.col(j) = problem.root[j] * problem.root.cwiseProduct(K.col(j));
    return scaled;
  }

  // False where T + lambda I is not positive definite.
  bool set_root(double lambda) {
    double pivot = form_.diagonal()[0] + lambda;
    if (!(pivot > 0)) return false;
    W_.col(0) = Q_.col(0) / std::sqrt(pivot);
    for (Eigen::Index i = 1; i < Q_.cols(); ++i) {
      const double ratio = form_.below()[i - 1] / std::sqrt(pivot);
      pivot = form_.diagonal()[i] + lambda - ratio * ratio;
      if (!(pivot > 0)) return false;
      W_.col(i) = (Q_.col(i) - ratio * W_.col(i - 1)) / std::sqrt(pivot);
    }
    return true;
  }

  // False where the matrix of a domain is not positive definite.
  bool predict(Eigen::Ref<Eigen::MatrixXd> prediction) const {
    const Eigen::Index n = Q_.rows(), m = problem_.Y.cols(), G = problem_.out.domains();
    const LeftOut& out = problem_.out;
    Eigen::MatrixXd right(n, m + 1), inner(n, m + 1), solved(n, m + 1);
    right << problem_.Y, Eigen::VectorXd::Ones(n);
    set_product(inner, transposed(W_), right);
    set_product(solved, W_, inner);
    const Eigen::VectorXd u = solved.col(m);  // M 1
    Eigen::MatrixXd alpha = solved.leftCols(m);
    const double sum = u.sum();
    if (out.intercept) alpha -= u * alpha.colwise().sum() / sum;
    std::vector<char> failed(static_cast<std::size_t>(G), 0);
    pool_.run(G, [&](Eigen::Index begin, Eigen::Index end) {
      for (Eigen::Index g = begin; g < end; ++g) {
        const Eigen::Index first = out.begin[g], size = out.size(g);
        const auto own = u.segment(first, size);
        Eigen::MatrixXd M(size, size), r = alpha.middleRows(first, size);
        set_square(Half::upper, M, W_.middleRows(first, size));
        if (out.intercept) M.triangularView<Eigen::Upper>() -= own * own.transpose() / sum;
        else r -= own * out.centre.row(g);
        if (!cholesky_factor(Half::upper, M)) {
          failed[static_cast<std::size_t>(g)] = 1;
          continue;
        }
        solve_factored(Half::upper, M, r);
        prediction.middleRows(first, size) = problem_.Y.middleRows(first, size) - r;
      }
    });
    for (const char one : failed)
      if (one) return false;
    return true;
  }
};

inline LodoPath lodo_tridiagonal(const PathProblem& problem, const Pool& pool) {
  return LodoTridiagonal(problem, pool).run();
}

}  // namespace domgen

#endif
