// N = total K(I - hh')K + plus plus', or right left' = UU'K^2 of the response.
#ifndef DOMGEN_CORE_PROJECTION_NUMERATOR_H
#define DOMGEN_CORE_PROJECTION_NUMERATOR_H

#include "../linalg/symmetric.h"
#include "ratio.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace domgen {

class Numerator {
 public:
  Numerator(const SymmetricLower& K, const Ratio& ratio) : K_(K), ratio_(ratio) {
    if (ratio.response) {
      right_ = *ratio.response;
      left_ = K * (K * right_);
    } else if (ratio.total == 0) {
      left_ = right_ = ratio.numerator.plus;
    }
    norm_ = frobenius();
  }

  // N = right left' [d x r each]?
  bool low_rank() const { return ratio_.response || ratio_.total == 0; }
  const Eigen::MatrixXd& right() const { return right_; }
  const Eigen::MatrixXd& left() const { return left_; }
  bool symmetric() const { return !ratio_.response; }

  // Frobenius norm of N; of full rank, from below.
  double norm() const { return norm_; }

  // N B given S = KB.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& B, const Eigen::MatrixXd& S) const {
    if (low_rank()) return product_of(right_, product_of(transposed(left_), B));
    return full(B, S);
  }

 private:
  SymmetricLower K_;
  const Ratio& ratio_;
  Eigen::MatrixXd right_, left_;
  double norm_;

  double frobenius() const {
    if (low_rank())
      return std::sqrt(std::max(
          square_of(transposed(right_)).cwiseProduct(square_of(transposed(left_))).sum(), 0.0));
    const Eigen::MatrixXd& plus = ratio_.numerator.plus;
    const double full = ratio_.total * ratio_.gram_norm * ratio_.gram_norm;
    return std::sqrt(full * full / double(K_.rows()) + square_of(transposed(plus)).squaredNorm());
  }

  Eigen::MatrixXd full(const Eigen::MatrixXd& B, Eigen::MatrixXd S) const {
    const Eigen::VectorXd& h = ratio_.constant;
    if (h.size() > 0) add_product(S, h, product_of(transposed(h), S), -1);
    Eigen::MatrixXd product = ratio_.total * (K_ * S);
    const Eigen::MatrixXd& plus = ratio_.numerator.plus;
    if (plus.cols() > 0) add_product(product, plus, product_of(transposed(plus), B));
    return product;
  }
};

}  // namespace domgen

#endif
