// Leaving one domain out of a ridge regression for many ridges at once. The systems
//   (A_g + lambda I) a = b,  A_g = S K_g S,  b = S (y - centre),  S = diag(sqrt(costs)),
// K_g being K without the rows and columns of domain g, have one Krylov space for all
// lambda: that of A_g, best for large lambda, or that of (A_g + pole I)^-1, best for
// those near the pole. Lanczos' method with full orthogonalisation,
//   B Q = Q T + beta q e',  Q [n x k] orthonormal, T tridiagonal,
// gives a = Q (T + lambda I)^-1 Q'b for B = A_g, and B Q (I + (lambda - pole) T)^-1 Q'b for
// B = (A_g + pole I)^-1. What a predicts on domain g is updated step by step, as in the
// method of conjugate gradients. All domains advance together, by one matrix product. In
// test/ridge.cpp, naive_lodo_path() is the same without any of this.
#ifndef DOMGEN_CORE_RIDGE_LODO_PATH_H
#define DOMGEN_CORE_RIDGE_LODO_PATH_H

#include "../kernel/rows.h"
#include "../linalg/assert.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "lodo.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

namespace domgen {

struct PathProblem {
  MatrixView K;            // [n x n], or M = (K + pole C^-1)^-1 where there is a pole
  double pole;             // 0: none
  Eigen::MatrixXd Y;       // [n x m]
  Eigen::VectorXd root;    // square roots of the costs [n]
  Eigen::VectorXd lambda;  // [L]
  LeftOut out;
  double tolerance;  // of predictions, in standard deviations of the response
  double patience;   // steps that are worth waiting for
};

// One left-out domain g and one response j.
class LeftOutSystem {
 public:
  LeftOutSystem(const PathProblem& problem, Eigen::Index g, Eigen::Index j)
      : problem_(problem), g_(g), j_(j), begin_(problem.out.begin[g]), held_(problem.out.size(g)),
        root_(problem.root), shifts_(static_cast<std::size_t>(problem.lambda.size())) {
    root_.segment(begin_, held_).setZero();
    total_ = root_.squaredNorm();
    const double centre = problem.out.centre(g, j);
    Eigen::VectorXd b = root_.cwiseProduct((problem.Y.col(j).array() - centre).matrix());
    double constant = 0;
    if (problem.out.intercept) {
      constant = root_.dot(b) / total_;
      b -= constant * root_;
    }
    length_ = b.norm();
    allowed_ = problem.tolerance * length_ / std::sqrt(total_);
    predicted_ = Eigen::MatrixXd::Constant(held_, problem.lambda.size(), centre + constant);
    direction_ = Eigen::MatrixXd::Zero(held_, problem.lambda.size());
    grow(32);
    finished_ = !(length_ > 0);
    if (finished_) return;
    Q_.col(0) = b / length_;
    if (problem.pole == 0) {
      multiplier_ = root_;
      return;
    }
    multiplier_ = (root_.array() > 0).select(root_.array().inverse(), 0);
    const Eigen::Map<const Eigen::MatrixXd> M(problem.K.data(), root_.size(), root_.size());
    own_.compute(M.block(begin_, begin_, held_, held_));
  }

  Eigen::Index domain() const { return g_; }
  Eigen::Index response() const { return j_; }
  bool finished() const { return finished_; }
  Eigen::Index steps() const { return size_; }
  // At the rows of the domain for every lambda, [n_g x L].
  const Eigen::MatrixXd& predicted() const { return predicted_; }

  // v for the next product K v (or M v)
  void fill(double* v) const {
    Eigen::Map<Eigen::VectorXd> to(v, root_.size());
    if (preparing()) to = multiplier_.cwiseProduct(root_);
    else to = multiplier_.cwiseProduct(Q_.col(size_));
  }

  // product = K v (or M v). lost[l]: nobody waits for lambda_l any more.
  void advance(const double* product, const std::vector<char>& lost) {
    const Eigen::Map<const Eigen::VectorXd> Kv(product, root_.size());
    Eigen::VectorXd w, held;  // B q, and what it predicts on domain g
    if (problem_.pole == 0) {
      w = root_.cwiseProduct(Kv);
      held = Kv.segment(begin_, held_);
    } else {
      solve_left_out(Kv, w, held);
      if (preparing()) {
        constant_ = w;
        constant_held_ = held;
        return;
      }
    }
    if (problem_.out.intercept) remove_constant(w, held);
    extend(w, held);

    finished_ = true;
    for (std::size_t l = 0; l < shifts_.size(); ++l) {
      Shift& shift = shifts_[l];
      // There is no further direction: what is not done now (NaN) never will be.
      shift.broken = shift.broken || (beta_ == 0 && !shift.done);
      if (!shift.done && !shift.broken && !lost[l]) finished_ = false;
    }
  }

  // Gives up all that are left when they will take too long. The steps that lambda
  // takes grow about as its power -0.22; with a pole there is only a limit.
  void judge(std::vector<char>& lost) const {
    for (std::size_t l = 0; l < shifts_.size(); ++l)
      if (shifts_[l].broken) lost[l] = 1;
    if (finished_ || size_ < 12) return;
    double smallest_done = 0, smallest = 0;
    for (std::size_t l = 0; l < shifts_.size(); ++l) {
      const double lambda = problem_.lambda[Eigen::Index(l)];
      double& least = shifts_[l].done ? smallest_done : smallest;
      if (shifts_[l].done || !lost[l]) least = least > 0 ? std::min(least, lambda) : lambda;
    }
    const bool ahead = problem_.pole == 0 && smallest_done > smallest;
    const double growth = ahead ? std::pow(smallest_done / smallest, 0.22) - 1 : 1;
    if (double(size_) * growth <= problem_.patience) return;
    for (std::size_t l = 0; l < shifts_.size(); ++l)
      if (!shifts_[l].done) lost[l] = 1;
  }

 private:
  // Of the tridiagonal matrix of one lambda, L D L': the last pivot and the last entry of
  // L^-1 Q'b. gain: change of the prediction over the residual before it.
  struct Shift {
    double pivot = 0, entry = 0, gain = 0;
    bool done = false, broken = false;  // broken: K is not positive semidefinite
  };

  const PathProblem& problem_;
  const Eigen::Index g_, j_, begin_, held_;
  Eigen::VectorXd root_, multiplier_;  // root_: 0 on domain g
  double total_ = 0, length_ = 0, allowed_ = 0, beta_ = 0;
  Eigen::MatrixXd Q_;                         // [n x capacity]
  Eigen::MatrixXd direction_, predicted_;     // [n_g x L]
  Eigen::VectorXd constant_, constant_held_;  // (A_g + pole I)^-1 S 1
  Eigen::LLT<Eigen::MatrixXd> own_;           // of M_gg
  Eigen::Index size_ = 0;
  bool finished_ = false;
  std::vector<Shift> shifts_;

  bool preparing() const {
    return problem_.pole > 0 && problem_.out.intercept && constant_.size() == 0;
  }

  void grow(Eigen::Index capacity) {
    Q_.conservativeResize(root_.size(), std::min(capacity, root_.size() + 1));
  }

  // Without domain g, a = M v - M_:g r with r = (M_gg)^-1 (M v)_g is 0 on g and fits v
  // elsewhere; K_g: a = -r, because K a + pole C^-1 a is v - E_g r.
  void solve_left_out(const Eigen::VectorXd& Mv, Eigen::VectorXd& w, Eigen::VectorXd& held) const {
    const Eigen::Index n = root_.size();
    const Eigen::Map<const Eigen::MatrixXd> M(problem_.K.data(), n, n);
    const Eigen::VectorXd r = own_.solve(Mv.segment(begin_, held_));
    w = multiplier_.cwiseProduct(Mv - M.middleCols(begin_, held_) * r);
    w.segment(begin_, held_).setZero();
    held = -r;
  }

  // The constant makes residuals orthogonal to S 1; held includes it.
  void remove_constant(Eigen::VectorXd& w, Eigen::VectorXd& held) const {
    if (problem_.pole == 0) {
      const double drift = root_.dot(w) / total_;
      w -= drift * root_;
      held.array() -= drift;
    } else {
      const double part = root_.dot(w) / root_.dot(constant_);
      w -= part * constant_;
      held -= part * constant_held_;
      held.array() += part;
    }
  }

  // One step of Lanczos' method, w = B q.
  void extend(Eigen::VectorXd& w, const Eigen::VectorXd& held) {
    const Eigen::Index k = size_++;
    if (size_ == Q_.cols()) grow(2 * size_);
    const double norm = w.norm(), alpha = Q_.col(k).dot(w);
    w -= alpha * Q_.col(k);
    if (k > 0) w -= beta_ * Q_.col(k - 1);
    w -= Q_.leftCols(size_) * (Q_.leftCols(size_).transpose() * w).eval();
    double beta = w.norm();
    if (beta > 1e-15 * norm && size_ < root_.size()) Q_.col(size_) = w / beta;
    else beta = 0;
    for (Eigen::Index l = 0; l < problem_.lambda.size(); ++l) update(l, alpha, beta, held);
    beta_ = beta;
  }

  void update(Eigen::Index l, double alpha, double beta, const Eigen::VectorXd& held) {
    Shift& shift = shifts_[std::size_t(l)];
    const double lambda = problem_.lambda[l];
    const double scale = problem_.pole == 0 ? 1 : lambda - problem_.pole;
    const double add = problem_.pole == 0 ? lambda : 1;
    const double ratio = size_ > 1 ? scale * beta_ / shift.pivot : 0;
    shift.entry = size_ > 1 ? -ratio * shift.entry : length_;
    shift.pivot = add + scale * alpha - ratio * scale * beta_;
    auto direction = direction_.col(l);
    direction = held - ratio * direction;
    predicted_.col(l) += (shift.entry / shift.pivot) * direction;

    // |entry| is the norm of the residual before this step
    shift.gain =
        std::max(0.8 * shift.gain, direction.norm() / (std::sqrt(double(held_)) * shift.pivot));
    const double residual = std::abs(scale) * beta * std::abs(shift.entry) / shift.pivot;
    shift.broken = shift.broken || !(shift.pivot > 0);
    shift.done = !shift.broken && safety * residual * shift.gain <= allowed_;
  }

  static constexpr double safety = 3;
};

struct LodoPath {
  Eigen::MatrixXd prediction;  // [n x mL], column j + l m for response j and lambda_l
  std::vector<char> lost;      // [L]; predictions are then not exact
  double steps = 0;            // of all systems together
};

inline LodoPath lodo_path(const PathProblem& problem, const Pool& pool) {
  const Eigen::Index n = problem.Y.rows(), m = problem.Y.cols(), L = problem.lambda.size();
  DOMGEN_EXPECT(problem.K.rows() == n && problem.K.cols() == n && problem.root.size() == n);
  DOMGEN_EXPECT(problem.out.begin.back() == n && problem.out.centre.cols() == m);
  const Eigen::Index systems = problem.out.domains() * m, most = 32;
  LodoPath path;
  path.prediction.resize(n, m * L);
  path.lost.assign(std::size_t(L), 0);
  Eigen::MatrixXd V = Eigen::MatrixXd::Zero(n, std::min(most, systems)), KV = V;
  std::vector<std::unique_ptr<LeftOutSystem>> active;
  for (Eigen::Index next = 0; next < systems || !active.empty();) {
    for (; next < systems && Eigen::Index(active.size()) < most; ++next)
      active.emplace_back(new LeftOutSystem(problem, next / m, next % m));

    const Eigen::Index columns = static_cast<Eigen::Index>(active.size());
    for (Eigen::Index c = 0; c < columns; ++c)
      if (!active[c]->finished()) active[c]->fill(V.col(c).data());
    set_product(KV.leftCols(columns), problem.K, V.leftCols(columns));
    pool.run(columns, [&](Eigen::Index begin, Eigen::Index end) {
      for (Eigen::Index c = begin; c < end; ++c)
        if (!active[c]->finished()) active[c]->advance(KV.col(c).data(), path.lost);
    });
    for (const auto& system : active) system->judge(path.lost);

    for (std::size_t c = 0; c < active.size();) {
      const LeftOutSystem& system = *active[c];
      if (!system.finished()) {
        ++c;
        continue;
      }
      const Eigen::Index first = problem.out.begin[system.domain()];
      for (Eigen::Index l = 0; l < L; ++l)
        path.prediction.col(system.response() + l * m).segment(first, system.predicted().rows()) =
            system.predicted().col(l);
      path.steps += double(system.steps());
      active.erase(active.begin() + std::ptrdiff_t(c));
    }
  }
  return path;
}

}  // namespace domgen

#endif
