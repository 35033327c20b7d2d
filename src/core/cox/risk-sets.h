// Cox regression on features, f = Z w: a Newton step for the partial likelihood is
//   (1 + Z'W Z) c = -(w + Z' slope),
// c being the change of w. Rows of a stratum are at risk together, each after its entry until its
// time: with S_k the sum of v over those at risk at the k-th time of events and D_k the events
// there,
//   W = diag(curvature) - sum_k D_k / S_k^2 v_k v_k',   v_k: v of those at risk,
// so that W times a vector is made of cumulative sums.
#ifndef DOMGEN_CORE_COX_RISK_SETS_H
#define DOMGEN_CORE_COX_RISK_SETS_H

#include "../linalg/assert.h"
#include "../linalg/conjugate-gradients.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <cstddef>
#include <utility>
#include <vector>

namespace domgen {

// How rows have reached times of events. Strata stand one behind the other.
struct RiskOrder {
  std::vector<int> by;       // the rows, in each stratum those that have reached most times first
  std::vector<int> first;    // [times] how many of these stand before the stratum of each time
  std::vector<int> last;     // [times] behind the rows that have reached it; 0: no row has
  std::vector<int> reached;  // [n] the last time that a row has reached, from 1; 0: none

  bool begins(std::size_t k) const { return k == 0 || first[k] != first[k - 1]; }

  // Sums of x over the rows that have reached each time.
  Eigen::VectorXd sums(const Eigen::VectorXd& x) const {
    Eigen::VectorXd out(static_cast<Eigen::Index>(first.size()));
    // in a stratum more and more rows have reached a time the earlier it is
    for (std::size_t end = first.size(); end > 0;) {
      std::size_t k = end;
      double sum = 0;
      int place = first[end - 1];
      do {
        --k;
        for (; place < last[k]; ++place) sum += x(by[static_cast<std::size_t>(place)]);
        out(static_cast<Eigen::Index>(k)) = sum;
      } while (!begins(k));
      end = k;
    }
    return out;
  }
};

struct RiskSets {
  RiskOrder until, since;        // by the times of rows, and by their entries (empty without)
  Eigen::VectorXd v, curvature;  // [n]
  Eigen::VectorXd rate, risk;    // [times] D / S and S, of which the square would underflow

  // W u
  Eigen::VectorXd times(const Eigen::VectorXd& u) const {
    const Eigen::VectorXd vu = v.cwiseProduct(u);
    Eigen::VectorXd sums = until.sums(vu);
    const bool late = !since.by.empty();
    if (late) sums -= since.sums(vu);
    Eigen::VectorXd come(rate.size() + 1);
    come(0) = 0;
    for (Eigen::Index k = 0; k < rate.size(); ++k)
      come(k + 1) =
          (until.begins(static_cast<std::size_t>(k)) ? 0 : come(k)) + rate(k) * (sums(k) / risk(k));
    Eigen::VectorXd out = curvature.cwiseProduct(u);
    for (Eigen::Index i = 0; i < u.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      out(i) -= v(i) * (come(until.reached[row]) - (late ? come(since.reached[row]) : 0));
    }
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
    const Eigen::MatrixXd V = sets.curvature.cwiseSqrt().asDiagonal() * Z_.leftCols(first);
    inner_ = Eigen::MatrixXd::Identity(first, first);
    add_square(Half::lower, inner_, transposed(V));
    definite_ = cholesky_factor(Half::lower, inner_);
    rest_.resize(Z.cols() - first);
    for (Eigen::Index j = 0; j < rest_.size(); ++j)
      rest_(j) = 1 + Z_.col(first + j).cwiseAbs2().dot(sets.curvature);
  }

  CoxStep solve(const Eigen::VectorXd& right, const ConjugateLimits& limits) {
    out_.change = Eigen::VectorXd::Zero(Z_.cols());
    out_.product = Eigen::VectorXd::Zero(Z_.rows());
    if (definite_) {
      out_.converged =
          conjugate_gradients(*this, right, limits).converged[0] && out_.change.allFinite();
    }
    return std::move(out_);
  }

  Eigen::MatrixXd precondition(const Eigen::MatrixXd& r, const std::vector<Eigen::Index>&) const {
    Eigen::MatrixXd y = r;
    if (y.cols() == 0) return y;
    Eigen::VectorXd head = r.col(0).head(first_);
    solve_factored(Half::lower, inner_, head.data());
    y.col(0).head(first_) = head;
    y.col(0).tail(rest_.size()) = r.col(0).tail(rest_.size()).cwiseQuotient(rest_);
    return y;
  }

  Eigen::MatrixXd image(const Eigen::MatrixXd& direction, const std::vector<Eigen::Index>&) {
    pool_.interrupt();
    direction_ = direction.col(0);
    product_.resize(Z_.rows());
    set_product(product_.data(), Z_, direction_.data());
    const Eigen::VectorXd bent = sets_.times(product_);
    Eigen::VectorXd out(Z_.cols());
    set_product(out.data(), transposed(Z_), bent.data());
    return direction_ + out;
  }

  void move(Eigen::Index, Eigen::Index, double length) {
    out_.change += length * direction_;
    out_.product += length * product_;
  }

 private:
  Eigen::Map<const Eigen::MatrixXd> Z_;
  const RiskSets& sets_;
  const Pool& pool_;
  Eigen::Index first_;
  Eigen::MatrixXd inner_;  // its factor, where there is one
  bool definite_;
  Eigen::VectorXd rest_, direction_, product_;
  CoxStep out_;
};

}  // namespace domgen

#endif
