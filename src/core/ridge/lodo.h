// Leaving one domain out of a ridge regression, in closed form. With M = A^-1,
// A = K + diag(ridge), and alpha = M y, the function that is fitted without domain g
// has on the rows of g the residuals
//   r_g = y_g - f_g(X_g) = (M_gg)^-1 alpha_g
// and on all rows the coefficients
//   a_g = alpha - M_:g r_g,  which are 0 on g.
// With a free constant, M is M - u u'/s instead, u = M 1, s = 1'u.
#ifndef DOMGEN_CORE_RIDGE_LODO_H
#define DOMGEN_CORE_RIDGE_LODO_H

#include "../linalg/assert.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "factor.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace domgen {

// Rows begin[g], ..., begin[g + 1] - 1 are domain g. centre [G x m]: what is taken
// off the m responses when g is left out.
struct LeftOut {
  std::vector<Eigen::Index> begin;
  Eigen::MatrixXd centre;
  bool intercept = false;

  Eigen::Index domains() const { return static_cast<Eigen::Index>(begin.size()) - 1; }
  Eigen::Index size(Eigen::Index g) const { return begin[g + 1] - begin[g]; }
};

struct Lodo {
  Eigen::MatrixXd residual;  // [n x m]
  // Where slopes are wanted, [n x Gm], column g + j G for response j: with
  // E = sum_ij c_i r_ij^2, dE = -2 sum_k left_k' dA right_k.
  Eigen::MatrixXd left, right;
};

class LeaveOneDomainOut {
 public:
  // Y [n x m]
  LeaveOneDomainOut(const RidgeFactor& factor, const LeftOut& left_out, const Eigen::MatrixXd& Y,
                    const Pool& pool)
      : factor_(factor), out_(left_out), m_(Y.cols()), pool_(pool), alpha_(factor.solve(Y)),
        u_(Eigen::VectorXd::Zero(factor.rows())) {
    DOMGEN_EXPECT(out_.begin.back() == factor.rows());
    DOMGEN_EXPECT(out_.centre.rows() == out_.domains() && out_.centre.cols() == m_);
    if (out_.intercept || (out_.centre.array() != 0).any())
      u_ = factor.solve(Eigen::VectorXd::Ones(factor.rows()));
    if (!out_.intercept) return;
    sum_ = u_.sum();
    alpha_ -= u_ * alpha_.colwise().sum() / sum_;
  }

  // costs [n], or null where slopes are not wanted.
  Lodo run(const Eigen::VectorXd* costs) {
    const Eigen::Index G = out_.domains();
    Lodo lodo;
    lodo.residual.resize(alpha_.rows(), m_);
    if (costs) lodo.left = lodo.right = Eigen::MatrixXd::Zero(alpha_.rows(), G * m_);
    for (Eigen::Index g = 0; g < G;) {
      Eigen::Index end = g + 1;
      while (end < G && out_.begin[end + 1] - out_.begin[g] <= strip) ++end;
      const Eigen::MatrixXd X = columns(out_.begin[g], out_.begin[end]);
      for (const Eigen::Index first = out_.begin[g]; g < end; ++g)
        leave_out(g, X, first, costs, lodo);
    }
    if (costs) finish_slopes(lodo);
    return lodo;
  }

 private:
  static constexpr Eigen::Index strip = 256;
  const RidgeFactor& factor_;
  const LeftOut& out_;
  const Eigen::Index m_;
  const Pool& pool_;
  Eigen::MatrixXd alpha_;  // M Y
  Eigen::VectorXd u_;      // M 1
  double sum_ = 1;

  // Columns begin, ..., end - 1 of R^-T, without the rows above, which are 0.
  Eigen::MatrixXd columns(Eigen::Index begin, Eigen::Index end) const {
    const Eigen::Index size = end - begin, below = factor_.rows() - begin;
    Eigen::MatrixXd X = Eigen::MatrixXd::Zero(below, size);
    for (Eigen::Index i = 0; i < size; i += strip) {
      const Eigen::Index width = std::min(+strip, size - i);
      Eigen::MatrixXd part = Eigen::MatrixXd::Identity(below - i, width);
      factor_.solve_transposed(part, begin + i);
      X.block(i, i, below - i, width) = part;
      pool_.interrupt();
    }
    return X;
  }

  // X: columns of R^-T from `first` on, domain g among them.
  void leave_out(Eigen::Index g, const Eigen::MatrixXd& X, Eigen::Index first,
                 const Eigen::VectorXd* costs, Lodo& lodo) const {
    const Eigen::Index begin = out_.begin[g], size = out_.size(g), skip = begin - first;
    const Eigen::Index below = X.rows() - skip;
    const Eigen::VectorXd u = u_.segment(begin, size);
    const auto X_g = X.block(skip, skip, below, size);
    Eigen::MatrixXd M = product(X_g);
    if (out_.intercept) M.triangularView<Eigen::Upper>() -= u * u.transpose() / sum_;
    if (!cholesky_upper(M.data(), size, pool_))
      throw std::domain_error("the matrix of a domain that is left out is not positive definite");

    Eigen::MatrixXd r = alpha_.middleRows(begin, size) - u * out_.centre.row(g);
    solve_factored(Half::upper, M, r);
    lodo.residual.middleRows(begin, size) = r;
    if (!costs) return;
    Eigen::MatrixXd v = costs->segment(begin, size).asDiagonal() * r;
    solve_factored(Half::upper, M, v);
    for (Eigen::Index j = 0; j < m_; ++j) {
      lodo.left.col(g + j * out_.domains()).tail(below) = X_g * v.col(j);
      lodo.right.col(g + j * out_.domains()).tail(below) = X_g * r.col(j);
    }
  }

  // left = M_:g v_g and right = M Y - centre u - M_:g r_g from R^-T on domain g.
  void finish_slopes(Lodo& lodo) const {
    if (out_.intercept) {  // (u u'/s)_:g v_g = u (1'left)/s, because u'E_g v_g = 1'M_:g v_g
      remove_constant(lodo.left);
      remove_constant(lodo.right);
    } else {
      factor_.solve_upper(lodo.left);
      factor_.solve_upper(lodo.right);
    }
    lodo.right = -lodo.right;
    for (Eigen::Index j = 0; j < m_; ++j)
      for (Eigen::Index g = 0; g < out_.domains(); ++g)
        lodo.right.col(g + j * out_.domains()) += alpha_.col(j) - out_.centre(g, j) * u_;
  }

  void remove_constant(Eigen::MatrixXd& V) const {
    factor_.solve_upper(V);
    V -= u_ * V.colwise().sum() / sum_;
  }

  // X'X, its upper triangle.
  Eigen::MatrixXd product(const Operand& X) const {
    Eigen::MatrixXd M(X.cols, X.cols);
    for (Eigen::Index j = 0; j < X.cols; j += strip) {
      const Eigen::Index width = std::min(+strip, X.cols - j), height = j + width;
      set_product(M.block(0, j, height, width), transposed(X.block(0, 0, X.rows, height)),
                  X.block(0, j, X.rows, width));
      pool_.interrupt();
    }
    return M;
  }
};

}  // namespace domgen

#endif
