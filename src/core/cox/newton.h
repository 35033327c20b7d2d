// Cox regression on features, f = offset + Z w, by Newton's method: the least of
//   half the deviance + |w|^2 / 2.
// A step is (1 + Z'W Z) c = -(w + Z' slope), c being the change of w.
#ifndef DOMGEN_CORE_COX_NEWTON_H
#define DOMGEN_CORE_COX_NEWTON_H

#include "../linalg/conjugate-gradients.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "risk-sets.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace domgen {

// Z' [r x n], a feature a row; where it is the root of a Gram matrix, its first r columns are an
// upper triangle.
struct CoxFeatures {
  MatrixView t;
  bool triangular = false;

  Eigen::Index rows() const { return t.cols(); }
  Eigen::Index size() const { return t.rows(); }
  Eigen::Index corner() const { return triangular ? size() : 0; }
  Eigen::Index filled(Eigen::Index i) const { return i < corner() ? i + 1 : size(); }

  // Z w
  Eigen::VectorXd times(const Eigen::VectorXd& w) const {
    Eigen::VectorXd out(rows());
    out.head(corner()) = w.head(corner());
    if (triangular) multiply_triangle(transposed(triangle()), out.data());
    set_product(out.data() + corner(), transposed(others()), w.data());
    return out;
  }

  // Z' x
  Eigen::VectorXd sums(const Eigen::VectorXd& x) const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(size());
    out.head(corner()) = x.head(corner());
    if (triangular) multiply_triangle(triangle(), out.data());
    add_product(out.data(), others(), x.data() + corner());
    return out;
  }

 private:
  Triangle triangle() const { return upper_triangle({t.data(), size(), size()}); }
  Operand others() const { return Operand(t).block(0, corner(), size(), rows() - corner()); }
};

struct CoxStep {
  Eigen::VectorXd change, product;  // c, Z c
  bool converged = false;
};

// The preconditioner is 1 + Z' diag(curvature) Z in the first columns of Z, the largest, and its
// diagonal in the others: diag(curvature) is no less than W, and more only in few directions.
class CoxSystem {
 public:
  CoxSystem(const CoxFeatures& Z, const CoxPlan& plan, const CoxState& state, Eigen::Index first,
            const Pool& pool)
      : Z_(Z), plan_(plan), state_(state), pool_(pool), first_(first) {
    DOMGEN_EXPECT(first >= 1 && first <= Z.size());
    const Eigen::Map<const Eigen::MatrixXd> Zt(Z.t.data(), Z.size(), Z.rows());
    const Eigen::MatrixXd V = Zt.topRows(first) * state.curvature.cwiseSqrt().asDiagonal();
    inner_ = Eigen::MatrixXd::Identity(first, first);
    add_square(Half::lower, inner_, V);
    definite_ = cholesky_factor(Half::lower, inner_);
    rest_ = Eigen::VectorXd::Ones(Z.size() - first);
    for (Eigen::Index i = 0; i < Z.rows(); ++i) {
      const Eigen::Index filled = Z.filled(i) - first;
      if (filled > 0)
        rest_.head(filled) += state.curvature(i) * Zt.col(i).segment(first, filled).cwiseAbs2();
    }
  }

  CoxStep solve(const Eigen::VectorXd& right, const ConjugateLimits& limits) {
    out_.change = Eigen::VectorXd::Zero(Z_.size());
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
    product_ = Z_.times(direction_);
    return direction_ + Z_.sums(state_.times(plan_, product_));
  }

  void move(Eigen::Index, Eigen::Index, double length) {
    out_.change += length * direction_;
    out_.product += length * product_;
  }

 private:
  const CoxFeatures& Z_;
  const CoxPlan& plan_;
  const CoxState& state_;
  const Pool& pool_;
  Eigen::Index first_;
  Eigen::MatrixXd inner_;  // its factor, where there is one
  bool definite_;
  Eigen::VectorXd rest_, direction_, product_;
  CoxStep out_;
};

struct CoxLimits {
  double least;      // of twice what a step gains, to be the last one
  double tolerance;  // of the error of a step, twice what it costs
  int steps, rounds;
};

class CoxNewton {
 public:
  Eigen::VectorXd w, u;  // u = Z w
  bool solved = true;    // has each step been found?
  bool converged = false;
  int rounds = 0;

  CoxNewton(const CoxFeatures& Z, const CoxPlan& plan, const Eigen::VectorXd& offset,
            Eigen::VectorXd start, const Pool& pool)
      : w(std::move(start)), u(Z.times(w)), Z_(Z), plan_(plan), offset_(offset), pool_(pool),
        deaths_(plan.deaths.sum()) {}

  // Until a step is the last one. Steps that raise the objective are shortened.
  void run(const CoxLimits& limits) {
    CoxState state(plan_, offset_ + u);
    while (!converged && rounds < limits.rounds) {
      ++rounds;
      const CoxStep step = step_at(state, limits);
      if (!solved) return;
      const double gain = std::abs(state.slope.dot(step.product) + w.dot(step.change));
      // of the scale of rounding
      const double most = state.value + w.squaredNorm() / 2 + 1e-13 * deaths_;
      double t = 1;
      for (;; t /= 2) {
        if (t <= 1e-10) return;
        CoxState ahead(plan_, offset_ + u + t * step.product);
        if (ahead.value + (w + t * step.change).squaredNorm() / 2 > most) continue;
        state = std::move(ahead);
        break;
      }
      w += t * step.change;
      u += t * step.product;
      converged = t == 1 && gain <= limits.least;
    }
  }

  // One whole step.
  void move(const CoxLimits& limits) {
    const CoxStep step = step_at(CoxState(plan_, offset_ + u), limits);
    if (!solved) return;
    w += step.change;
    u += step.product;
  }

 private:
  CoxStep step_at(const CoxState& state, const CoxLimits& limits) {
    const Eigen::Index r = Z_.size();
    CoxStep step{w, u, r == 0};
    const Eigen::VectorXd right = -w - Z_.sums(state.slope);
    if (right.allFinite() && state.rate.allFinite() && state.curvature.allFinite()) {
      const ConjugateLimits conjugate{Eigen::VectorXd::Constant(1, limits.tolerance),
                                      Eigen::VectorXd::Constant(1, deaths_), limits.steps};
      // most of the curvature is in some columns; where that is not enough, in all of them
      const auto some = static_cast<Eigen::Index>(std::ceil(3 * std::sqrt(double(Z_.rows()))));
      for (Eigen::Index first = std::min(some, r); !step.converged; first = r) {
        step = CoxSystem(Z_, plan_, state, first, pool_).solve(right, conjugate);
        if (first == r) break;
      }
    }
    solved = step.converged;
    return step;
  }

  CoxFeatures Z_;
  const CoxPlan& plan_;
  const Eigen::VectorXd& offset_;
  const Pool& pool_;
  double deaths_;
};

}  // namespace domgen

#endif
