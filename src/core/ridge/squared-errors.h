// Squared errors of many responses at once, where their errors are sums of a few columns.
#ifndef DOMGEN_CORE_RIDGE_SQUARED_ERRORS_H
#define DOMGEN_CORE_RIDGE_SQUARED_ERRORS_H

#include "../linalg/dense.h"
#include "../linalg/view.h"

#include <Eigen/Core>

namespace domgen {

// Weighted squared errors of responses that are linear in columns.
struct SquaredErrors {
  Eigen::VectorXd share;  // [n] weights of the rows
  Index own, targets;     // columns before those of the responses; columns of one response
  MatrixView combine;     // [columns x responses], or empty: each column is a response

  Index columns(Index k) const { return (k - own) / targets; }
  Index responses(Index k) const { return combine.size() > 0 ? combine.cols() : columns(k); }

  // residual [n x k] of the rows from `first` on
  Eigen::VectorXd of(Eigen::MatrixXd& residual, Index first) const {
    const Index n = residual.rows(), k = residual.cols();
    residual.array().colwise() *= share.segment(first, n).array().sqrt();
    Eigen::VectorXd sums = Eigen::VectorXd::Zero(responses(k));
    const Index inner = columns(k);
    // with fewer columns than rows from their products
    const bool products = combine.size() > 0 && inner <= n;
    Eigen::MatrixXd product = Eigen::MatrixXd::Zero(products ? inner : 0, products ? inner : 0);
    for (Index t = 0; t < targets; ++t) {
      const Panel error = panel(residual.data() + (own + t) * n, n, inner, n * targets);
      if (combine.size() == 0) {
        sums += error.colwise().squaredNorm().transpose();
      } else if (products) {
        add_square(Half::upper, product, transposed(error));
      } else {
        Eigen::MatrixXd combined(n, combine.cols());
        set_product(combined, error, combine);
        sums += combined.colwise().squaredNorm().transpose();
      }
    }
    if (products) sums = squares(product, combine);
    return sums;
  }

  // w'Sw of each column w of W; S: upper triangle.
  static Eigen::VectorXd squares(const Operand& S, const MatrixView& W) {
    Eigen::MatrixXd product(W.rows(), W.cols());
    set_product(product, Symmetric(Half::upper, S), W);
    const Eigen::Map<const Eigen::MatrixXd> w(W.data(), W.rows(), W.cols());
    return w.cwiseProduct(product).colwise().sum().transpose();
  }

  // The same of the fits F'W to the other rows, |y - F'w|^2 = y'y + w'FF'w - 2 w'Fy, from sums of
  // the group's rows with weights `share`: second = FF' [r x r], cross = FY [r x k], and y'y
  // [k - own].
  Eigen::VectorXd of_fits(const Eigen::MatrixXd& W, const Eigen::Map<const Eigen::MatrixXd>& second,
                          const Eigen::Map<const Eigen::MatrixXd>& cross,
                          const Eigen::VectorXd& squares_of_y) const {
    const Index r = W.rows(), k = W.cols() - own;
    const Eigen::VectorXd fitted = squares(second, {W.data() + own * r, r, k});
    const Eigen::VectorXd sums =
        squares_of_y + fitted -
        2 * W.rightCols(k).cwiseProduct(cross.rightCols(k)).colwise().sum().transpose();
    return Eigen::Map<const Eigen::MatrixXd>(sums.data(), targets, k / targets)
        .colwise()
        .sum()
        .transpose();
  }

  // [k - own]
  Eigen::VectorXd squares_of(const Eigen::Ref<const Eigen::MatrixXd>& Y, Index first) const {
    return Y.rightCols(Y.cols() - own).array().square().matrix().transpose() *
           share.segment(first, Y.rows());
  }
};

}  // namespace domgen

#endif
