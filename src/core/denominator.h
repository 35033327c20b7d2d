// D = KQK + K + lambda I of the DICA paper's equation 9, for centred K [n x n].
#ifndef DOMGEN_CORE_DENOMINATOR_H
#define DOMGEN_CORE_DENOMINATOR_H

#include "blas.h"
#include "cholesky.h"
#include "domain-means.h"
#include "symmetric.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace domgen {

// Lives in the memory of K: the factor of D goes above the diagonal, and from
// then on K is only what is on and below it. No second n x n matrix is needed.
class Denominator {
 public:
  // spread [n x G] with KQK = spread spread', no columns when Q is absent;
  // norm: the Frobenius norm of K.
  Denominator(Eigen::Map<Eigen::MatrixXd> K, const DomainMeans* domains, Eigen::MatrixXd spread,
              double lambda, double norm)
      : K_(K), domains_(domains), spread_(spread), lambda_(lambda), diagonal_(K.diagonal()) {
    const double n = double(K.rows());
    const double squared = norm * norm + 2 * lambda * trace() + n * lambda * lambda;
    norm_ = std::sqrt(squared + (spread_.transpose() * spread_).squaredNorm());
  }

  SymmetricLower gram() const { return SymmetricLower(K_.data(), K_.rows()); }
  const UnitCholesky& cholesky() const { return cholesky_; }
  bool distributional() const { return spread_.cols() > 0; }
  double lambda() const { return lambda_; }
  double trace() const { return diagonal_.sum(); }  // tr K
  double jitter() const { return jitter_; }
  // Frobenius norm of D from below, without the product of KQK with the rest,
  // which is not negative.
  double norm() const { return norm_; }

  // D = R'R. Where K is so nearly singular that rounding spoils this, the
  // smallest multiple of n machine epsilons of the mean diagonal that helps is
  // added: a change of the size of D's rounding error.
  void factorise(const std::function<void()>& interrupt) {
    const double unit = std::numeric_limits<double>::epsilon();
    for (int attempt = 0; attempt < 4; ++attempt) {
      const double total = fill();
      jitter_ = attempt == 0 ? 0 : std::pow(4.0, attempt - 1) * unit * total;
      K_.diagonal().array() += jitter_;
      if (cholesky_upper(K_.data(), K_.rows(), interrupt)) {
        cholesky_ = UnitCholesky(K_.data(), diagonal_);
        return;
      }
      K_.diagonal() = diagonal_;
      K_.triangularView<Eigen::StrictlyUpper>() = K_.transpose();
    }
    throw std::domain_error(
        "lambda must be large enough for the denominator to be positive definite: "
        "it is numerically singular");
  }

  // D B given S = KB: D B = K(QS) + S + lambda B.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& B, const Eigen::MatrixXd& S) const {
    Eigen::MatrixXd product = S + lambda_ * B;
    if (distributional()) product += gram() * domains_->scatter(S);
    return product;
  }

  // diag(B'DB) given S = KB.
  Eigen::VectorXd form(const Eigen::MatrixXd& B, const Eigen::MatrixXd& S) const {
    Eigen::VectorXd value = B.cwiseProduct(S).colwise().sum().transpose();
    value += lambda_ * B.colwise().squaredNorm().transpose();
    if (distributional()) value += domains_->variance(S);
    return value;
  }

 private:
  Eigen::Map<Eigen::MatrixXd> K_;
  const DomainMeans* domains_;
  Eigen::MatrixXd spread_;
  double lambda_, norm_, jitter_ = 0;
  Eigen::VectorXd diagonal_;  // of K
  UnitCholesky cholesky_;

  // Writes D on and above the diagonal and returns its trace. D is given the
  // mean eigenvalue of K along 1, where K vanishes: everything it is applied to
  // is centred, so nothing changes but its condition.
  double fill() {
    const int n = static_cast<int>(K_.rows()), k = static_cast<int>(spread_.cols()) + 1;
    const double one = 1;
    Eigen::MatrixXd factor(n, k);
    factor << spread_, Eigen::VectorXd::Constant(n, std::sqrt(std::max(trace(), 0.0)) / n);
    K_.diagonal().array() += lambda_;
    dsyrk_("U", "N", &n, &k, &one, factor.data(), &n, &one, K_.data(), &n, 1, 1);
    return K_.diagonal().sum();
  }
};

}  // namespace domgen

#endif
