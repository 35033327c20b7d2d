// Preconditioned conjugate gradients for several systems at once.
#ifndef DOMGEN_CORE_LINALG_CONJUGATE_GRADIENTS_H
#define DOMGEN_CORE_LINALG_CONJUGATE_GRADIENTS_H

#include "exact-math.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace domgen {

// Several systems A x = r, columns of `residual`, by preconditioned conjugate gradients, so that
// products with a matrix they share are products of matrices. What is left of a system is r'M r, M
// being its preconditioner; it is done when that is at most `least`, or so small a part of what was
// gained, x'A x, as that is of `scale`: the error that a Newton step has anyway. systems:
//   precondition(residuals, which): M r of these systems, and may take from r what M takes to 0;
//   image(directions, which): A x;   move(k, g, length): so far along the k-th direction goes g.
struct ConjugateLimits {
  Eigen::VectorXd least, scale;
  int most;  // steps
};

struct ConjugateReport {
  std::vector<bool> converged;
  int steps = 0;
};

template <class Systems>
ConjugateReport conjugate_gradients(Systems& systems, Eigen::MatrixXd residual,
                                    const ConjugateLimits& limits) {
  Eigen::Index active = residual.cols();
  std::vector<Eigen::Index> which(static_cast<std::size_t>(active));
  std::iota(which.begin(), which.end(), Eigen::Index(0));
  ConjugateReport report;
  report.converged.assign(which.size(), false);
  Eigen::MatrixXd direction = systems.precondition(residual, which);
  Eigen::VectorXd left = residual.cwiseProduct(direction).colwise().sum();
  Eigen::VectorXd gained = Eigen::VectorXd::Zero(active);
  const auto enough = [&](Eigen::Index k, Eigen::Index g) {
    const double part = std::min(1e-2 * gained(k) / limits.scale(g), 1e-2);
    return left(k) <= std::max(limits.least(g), part * gained(k));
  };
  for (;; ++report.steps) {
    for (Eigen::Index k = active - 1; k >= 0; --k) {
      const auto at = static_cast<std::size_t>(k);
      const bool done = enough(k, which[at]);
      if (!done && std::isfinite(left(k))) continue;
      // the last takes the place of one that is done; what is not a number never is
      report.converged[static_cast<std::size_t>(which[at])] = done;
      const Eigen::Index last = --active;
      residual.col(k) = residual.col(last);
      direction.col(k) = direction.col(last);
      left(k) = left(last);
      gained(k) = gained(last);
      which[at] = which.back();
      which.pop_back();
    }
    if (active == 0 || report.steps >= limits.most) return report;
    residual.conservativeResize(Eigen::NoChange, active);
    direction.conservativeResize(Eigen::NoChange, active);
    const Eigen::MatrixXd image = systems.image(direction, which);
    for (Eigen::Index k = 0; k < active; ++k) {
      // of a matrix that is not positive definite nothing converges
      const double bend = direction.col(k).dot(image.col(k));
      const double length = bend > 0 ? left(k) / bend : std::numeric_limits<double>::quiet_NaN();
      systems.move(k, which[static_cast<std::size_t>(k)], length);
      residual.col(k) -= length * image.col(k);
      gained(k) += length * left(k);
    }
    const Eigen::MatrixXd y = systems.precondition(residual, which);
    for (Eigen::Index k = 0; k < active; ++k) {
      const double next = residual.col(k).dot(y.col(k));
      direction.col(k) = y.col(k) + next / left(k) * direction.col(k);
      left(k) = next;
    }
  }
}

}  // namespace domgen

#endif
