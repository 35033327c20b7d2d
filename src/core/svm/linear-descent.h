// Dual coordinate descent for the linear SVM (Hsieh, Chang, Lin, Keerthi and
// Sundararajan, 2008; Ho and Lin, 2012, for numbers): one beta_i at a time,
// exactly, with w = Z'beta kept up to date. Rows that are stuck at a bound or at
// the kink of |beta| are left out for a while.
#ifndef DOMGEN_CORE_SVM_LINEAR_DESCENT_H
#define DOMGEN_CORE_SVM_LINEAR_DESCENT_H

#include "../linalg/pool.h"
#include "linear-loops.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace domgen {

// Marsaglia's xorshift (2003), 64 bits, the upper half used. It only orders the
// rows, which decides the path to the optimum and not the optimum.
class RowShuffle {
 public:
  explicit RowShuffle(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {
    if (state_ == 0) state_ = 1;
    for (int k = 0; k < 8; ++k) next();
  }

  void operator()(std::vector<Eigen::Index>* rows) {
    for (std::size_t k = rows->size(); k > 1; --k) {
      std::swap((*rows)[k - 1], (*rows)[static_cast<std::size_t>(next() % k)]);
    }
  }

 private:
  std::uint64_t state_;

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 32;
  }
};

// The rows order[begin], ..., order[end - 1]. Rows with a slope below -limit are
// stuck: their place in `order` becomes -1.
struct DescentLoop {
  const LinearProblem& problem;
  Eigen::Index* order;
  const double* squares;  // |z_i|^2
  double bias;            // square of the feature that stands for the intercept
  double limit;
  double* w;
  double* beta;
  double* b;
  double* worst;  // the largest slope met
  Eigen::Index begin, end;

  template <int W>
  DOMGEN_INLINE void run() const {
    const Eigen::Index r = problem.dim();
    for (Eigen::Index k = begin; k < end; ++k) {
      const Eigen::Index i = order[k];
      if (k + 1 < end) {
        const double* coming = problem.features(order[k + 1]);
        for (Eigen::Index l = 0; l < r; l += 8) __builtin_prefetch(coming + l);
      }
      const double* z = problem.features(i);
      const TubeRow& row = problem[i];
      const double f = inner_product<W>(z, w, r) + *b;
      const double slope = row.slope(beta[i], f);
      if (slope < -limit) order[k] = -1;
      if (!(slope > 0)) continue;
      *worst = std::max(*worst, slope);
      const double curvature = squares[i] + bias + row.ridge;
      const double centre = beta[i] + (row.target - f - row.ridge * beta[i]) / curvature;
      const double next = row.minimiser(centre, curvature), change = next - beta[i];
      beta[i] = next;
      *b += bias * change;
      add_multiple<W>(change, z, w, r);
    }
  }
};

class DualDescent {
 public:
  using Index = Eigen::Index;

  // squares: |z_i|^2, positive
  DualDescent(const LinearProblem& problem, const Eigen::VectorXd& squares, std::uint64_t seed,
              const Pool& pool)
      : problem_(problem), squares_(squares), shuffle_(seed), pool_(pool) {}

  // Sweeps until no slope is `tol` (true) or to `most_sweeps` or, from ten sweeps
  // on, to `most_work`, in features visited. With an intercept it penalises b^2 and
  // so ends only near the optimum.
  bool run(double tol, double most_sweeps, double most_work, LinearSolution* solution) {
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<Index> all;
    for (Index i = 0; i < problem_.size(); ++i) {
      if (problem_[i].movable()) all.push_back(i);
    }
    std::vector<Index> active = all;
    double limit = infinity, work = 0;
    for (int sweeps = 0; sweeps < most_sweeps && (sweeps < 10 || work < most_work); ++sweeps) {
      const bool whole = active.size() == all.size();
      work += static_cast<double>(active.size()) * static_cast<double>(problem_.dim());
      const double worst = sweep(&active, limit, solution);
      solution->iterations += 1;
      limit = worst > 0 ? worst : infinity;
      if (worst < tol) {
        if (whole) return true;
        active = all;
        limit = infinity;
      }
    }
    return false;
  }

 private:
  const LinearProblem& problem_;
  const Eigen::VectorXd& squares_;
  RowShuffle shuffle_;
  const Pool& pool_;

  double sweep(std::vector<Index>* active, double limit, LinearSolution* solution) {
    shuffle_(active);
    const Index n = static_cast<Index>(active->size()), step = rows_at_a_time(problem_);
    const double bias = problem_.intercept && squares_.size() > 0 ? squares_.mean() : 0;
    double worst = 0;
    for (Index begin = 0; begin < n; begin += step) {
      run_vectorised(DescentLoop{problem_, active->data(), squares_.data(), bias, limit,
                                 solution->w.data(), solution->beta.data(), &solution->b, &worst,
                                 begin, std::min(begin + step, n)});
      pool_.interrupt();
    }
    active->erase(std::remove(active->begin(), active->end(), Index(-1)), active->end());
    return worst;
  }
};

}  // namespace domgen

#endif
