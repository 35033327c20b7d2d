// Cox regression on features, f = Z w: a Newton step for the partial likelihood is
//   (1 + Z'W Z) c = -(w + Z' slope),
// c being the change of w. Rows are at risk together: with S_k the sum of v over those at risk at
// the k-th time of events and D_k the events there,
//   W = diag(curvature) - sum_k D_k / S_k^2 v_k v_k',   v_k: v of those at risk,
// so that W times a vector is made of cumulative sums.
#ifndef DOMGEN_CORE_RIDGE_RISK_SETS_H
#define DOMGEN_CORE_RIDGE_RISK_SETS_H

#include "../linalg/assert.h"
#include "../linalg/blas.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "conjugate.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cstddef>
#include <utility>
#include <vector>

namespace domgen {

struct RiskSets {
  std::vector<int> by;           // the rows, those at risk longest first
  std::vector<int> last;         // how many of these are at risk at each time, less 1
  std::vector<int> reached;      // [n] how many times a row has reached
  Eigen::VectorXd v, curvature;  // [n]
  Eigen::VectorXd rate, risk;    // [times] D / S and S, of which the square would underflow

  // W u
  Eigen::VectorXd times(const Eigen::VectorXd& u) const {
    Eigen::VectorXd sums(u.size()), come(rate.size() + 1), out(u.size());
    double sum = 0;
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      const int row = by[static_cast<std::size_t>(i)];
      sums(i) = sum += v(row) * u(row);
    }
    come(0) = 0;
    for (Eigen::Index k = 0; k < rate.size(); ++k)
      come(k + 1) = come(k) + rate(k) * (sums(last[static_cast<std::size_t>(k)]) / risk(k));
    for (Eigen::Index i = 0; i < u.size(); ++i)
      out(i) = curvature(i) * u(i) - v(i) * come(reached[static_cast<std::size_t>(i)]);
    return out;
  }
};

struct CoxStep {
  Eigen::VectorXd change, product;  // c, Z c
  bool converged = false;
};

// The preconditioner is 1 + Z' diag(curvature) Z in the first columns of Z, the largest, and its
// diagonal in the others: diag(curvature) is no less than W, and more only in few directions.
class CoxSystem {
 public:
  CoxSystem(const MatrixView& Z, const RiskSets& sets, Eigen::Index first, const Pool& pool)
      : Z_(Z.data(), Z.rows(), Z.cols()), sets_(sets), pool_(pool), first_(first) {
    DOMGEN_EXPECT(first >= 1 && first <= Z.cols());
    const int n = static_cast<int>(Z.rows()), rank = static_cast<int>(first);
    const double one = 1;
    const Eigen::MatrixXd V = sets.curvature.cwiseSqrt().asDiagonal() * Z_.leftCols(first);
    Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(first, first);
    dsyrk_("L", "T", &rank, &n, &one, V.data(), &n, &one, inner.data(), &rank, 1, 1);
    inner_.compute(inner);
    rest_.resize(Z.cols() - first);
    for (Eigen::Index j = 0; j < rest_.size(); ++j)
      rest_(j) = 1 + Z_.col(first + j).cwiseAbs2().dot(sets.curvature);
  }

  CoxStep solve(const Eigen::VectorXd& right, const ConjugateLimits& limits) {
    out_.change = Eigen::VectorXd::Zero(Z_.cols());
    out_.product = Eigen::VectorXd::Zero(Z_.rows());
    if (inner_.info() == Eigen::Success) {
      out_.converged =
          conjugate_gradients(*this, right, limits).converged[0] && out_.change.allFinite();
    }
    return std::move(out_);
  }

  Eigen::MatrixXd precondition(const Eigen::MatrixXd& r, const std::vector<Eigen::Index>&) const {
    Eigen::MatrixXd y = r;
    if (y.cols() == 0) return y;
    Eigen::VectorXd head = r.col(0).head(first_);
    inner_.solveInPlace(head);
    y.col(0).head(first_) = head;
    y.col(0).tail(rest_.size()) = r.col(0).tail(rest_.size()).cwiseQuotient(rest_);
    return y;
  }

  Eigen::MatrixXd image(const Eigen::MatrixXd& direction, const std::vector<Eigen::Index>&) {
    pool_.interrupt();
    direction_ = direction.col(0);
    product_.resize(Z_.rows());
    multiply("N", direction_, product_);
    const Eigen::VectorXd bent = sets_.times(product_);
    Eigen::VectorXd out(Z_.cols());
    multiply("T", bent, out);
    return direction_ + out;
  }

  void move(Eigen::Index, Eigen::Index, double length) {
    out_.change += length * direction_;
    out_.product += length * product_;
  }

 private:
  void multiply(const char* op, const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
    const int n = static_cast<int>(Z_.rows()), r = static_cast<int>(Z_.cols()), step = 1;
    const double one = 1, zero = 0;
    dgemv_(op, &n, &r, &one, Z_.data(), &n, x.data(), &step, &zero, y.data(), &step, 1);
  }

  Eigen::Map<const Eigen::MatrixXd> Z_;
  const RiskSets& sets_;
  const Pool& pool_;
  Eigen::Index first_;
  Eigen::LLT<Eigen::MatrixXd> inner_;
  Eigen::VectorXd rest_, direction_, product_;
  CoxStep out_;
};

}  // namespace domgen

#endif
