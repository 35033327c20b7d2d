// Ridge regressions without a factor of the n x n matrix: preconditioned conjugate gradients on
//   (K + D) a + b 1 = z,  D = diag(ridge),  1'a = 0 where there is a constant b,
// for several systems of the same K at once. The preconditioner is UU' + D, where UU' is the
// Nystrom approximation of K by some rows, the landmarks. As UU' <= K, r'(UU' + D)^-1 r of the
// residual r bounds the error e'(K + D)e of a.
//
// A system may have a column of a and z for each of several classes, of which a adds up to 0 in
// each row and z is known but for a number in each row: Newton's method for the multinomial
// likelihood, of which D^-1 = diag(p) is an inverse of the curvature diag(p) - pp' on what adds up
// to 0. In test/ridge.cpp, naive_conjugate() is the same by one dense system.
#ifndef DOMGEN_CORE_RIDGE_CONJUGATE_H
#define DOMGEN_CORE_RIDGE_CONJUGATE_H

#include "../linalg/assert.h"
#include "../linalg/conjugate-gradients.h"
#include "../linalg/dense.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "factor.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace domgen {

// U [n x rank], K ~ UU', from rows that are evenly spaced.
inline Eigen::MatrixXd landmark_root(const MatrixView& K, Eigen::Index rank, const Pool& pool) {
  const Eigen::Index n = K.rows();
  DOMGEN_EXPECT(K.cols() == n && rank >= 1 && rank <= n);
  const Eigen::Map<const Eigen::MatrixXd> all(K.data(), n, n);
  const auto row = [&](Eigen::Index k) { return k * n / rank; };
  Eigen::MatrixXd U(rank, n);
  for (Eigen::Index k = 0; k < rank; ++k) U.row(k) = all.col(row(k)).transpose();
  GramBuffer own(rank);
  for (Eigen::Index k = 0; k < rank; ++k) own.matrix().col(k) = U.col(row(k));
  // rows may be equal
  const double least = 1e-12 * own.matrix().trace();
  const RidgeFactor factor(std::move(own), Eigen::VectorXd::Constant(rank, least), pool);
  factor.solve_transposed(U);
  return U.transpose();
}

// (UU' + D)^-1 = D^-1 - D^-1 U (I + U'D^-1 U)^-1 U'D^-1 for the columns of D.
class LandmarkInverse {
 public:
  // weights: D^-1 [n x columns]
  LandmarkInverse(Eigen::MatrixXd U, const Eigen::MatrixXd& weights)
      : U_(std::move(U)), weights_(weights) {
    const Eigen::Index rank = U_.cols();
    Eigen::MatrixXd V(U_.rows(), rank), inner;
    for (Eigen::Index c = 0; c < weights.cols(); ++c) {
      // responses of the same rows
      const bool known = c > 0 && weights.col(c) == weights.col(c - 1);
      place_.push_back(inner_.size() - (known ? 1 : 0));
      if (known) continue;
      const Eigen::VectorXd root = weights.col(c).cwiseSqrt();
      for (Eigen::Index k = 0; k < rank; ++k) V.col(k) = root.cwiseProduct(U_.col(k));
      inner.setIdentity(rank, rank);
      add_square(Half::lower, inner, transposed(V));
      inner_.emplace_back(inner);
    }
  }

  bool holds(Eigen::Index column) const { return inner_of(column).info() == Eigen::Success; }

  // Of x [n x k], whose columns are those `which` of D.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& x, const std::vector<Eigen::Index>& which) const {
    Eigen::MatrixXd y(x.rows(), x.cols()), part(U_.cols(), x.cols());
    each(which, [&](Eigen::Index k, Eigen::Index c) {
      y.col(k) = weights_.col(c).cwiseProduct(x.col(k));
    });
    multiply(transposed(U_), y, part);
    each(which, [&](Eigen::Index k, Eigen::Index c) { inner_of(c).solveInPlace(part.col(k)); });
    Eigen::MatrixXd known(x.rows(), x.cols());
    multiply(U_, part, known);
    each(which, [&](Eigen::Index k, Eigen::Index c) {
      y.col(k) -= weights_.col(c).cwiseProduct(known.col(k));
    });
    return y;
  }

 private:
  template <class Body>
  static void each(const std::vector<Eigen::Index>& which, const Body& body) {
    for (std::size_t k = 0; k < which.size(); ++k) body(static_cast<Eigen::Index>(k), which[k]);
  }

  // out = A B
  static void multiply(const Operand& A, const Eigen::MatrixXd& B, Eigen::MatrixXd& out) {
    if (out.cols() == 1) set_product(out.data(), A, B.data());
    else set_product(out, A, B);
  }

  const Eigen::LLT<Eigen::MatrixXd>& inner_of(Eigen::Index column) const {
    return inner_[place_[static_cast<std::size_t>(column)]];
  }

  Eigen::MatrixXd U_, weights_;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> inner_;
  std::vector<std::size_t> place_;  // of the factor of each column
};

// y = K x of a matrix.
inline void multiply_gram(const MatrixView& K, const Eigen::MatrixXd& x, Eigen::MatrixXd& y) {
  if (x.cols() == 1) set_product(y.data(), Symmetric(Half::lower, K), x.data());
  else set_product(y, K, x);
}

// The classes of a system lie side by side.
struct ConjugateProblem {
  // y = K x, [n x k]
  std::function<void(const Eigen::MatrixXd& x, Eigen::MatrixXd& y)> times;
  MatrixView U;                  // [n x rank]
  Eigen::Index classes;          // 1: no classes
  Eigen::MatrixXd ridge, right;  // [n x classes systems]: D; z - (K + D) a at the start of a
  Eigen::MatrixXd missing;       // [classes x systems]: 1'c of the change c of a
  bool constant;
  ConjugateLimits limits;  // [systems]
};

struct ConjugateSolution {
  Eigen::MatrixXd change, product;  // c, the change of a, and K c
  Eigen::MatrixXd constant;         // [classes x systems]
  std::vector<bool> converged;
};

class RidgeSystems {
 public:
  RidgeSystems(const ConjugateProblem& problem, const Pool& pool)
      : problem_(problem), pool_(pool), n_(problem.U.rows()), classes_(problem.classes),
        weights_(problem.ridge.cwiseInverse()), shares_(Eigen::MatrixXd::Zero(n_, weights_.cols())),
        inverse_(landmarks(problem), weights_) {
    const Eigen::Index systems = weights_.cols() / classes_;
    out_.change = out_.product = Eigen::MatrixXd::Zero(n_, weights_.cols());
    out_.constant = Eigen::MatrixXd::Zero(classes_, systems);
    for (Eigen::Index g = 0; g < systems; ++g) {
      const auto own = weights_.middleCols(g * classes_, classes_);
      auto shares = shares_.middleCols(g * classes_, classes_);
      if (classes_ > 1) {
        shares = own.array().colwise() / own.rowwise().sum().array();
      }
      Eigen::MatrixXd total = -shares.transpose() * own;
      total.diagonal() += own.colwise().sum().transpose();
      // what is the same for all classes makes no difference
      if (classes_ > 1) total.array() += total.trace() / double(classes_ * classes_);
      totals_.emplace_back(total);
    }
  }

  bool hold() const {
    for (Eigen::Index c = 0; c < weights_.cols(); ++c)
      if (!inverse_.holds(c)) return false;
    return true;
  }

  ConjugateSolution solve() {
    Eigen::MatrixXd residual = problem_.right;
    if (problem_.constant && (problem_.missing.array() != 0).any()) {
      for (Eigen::Index g = 0; g < problem_.missing.cols(); ++g)
        spread(out_.change.middleCols(g * classes_, classes_), g, problem_.missing.col(g), 1);
      out_.product = times_K(out_.change);
      residual -= out_.product + problem_.ridge.cwiseProduct(out_.change);
    }
    residual.resize(n_ * classes_, residual.cols() / classes_);
    ConjugateReport report = conjugate_gradients(*this, std::move(residual), problem_.limits);
    out_.converged = std::move(report.converged);
    return std::move(out_);
  }

  // What a residual is known but for is subtracted from it, so that rounding is relative to what
  // remains: nothing would correct a drift of 1'a.
  Eigen::MatrixXd precondition(Eigen::MatrixXd& residuals, const std::vector<Eigen::Index>& which) {
    each(residuals, which, [&](Block r, Eigen::Index g) {
      centre(r, g);
      if (!problem_.constant) return;
      const auto own = weights_.middleCols(g * classes_, classes_);
      const Eigen::VectorXd sums = r.cwiseProduct(own).colwise().sum().transpose();
      const Eigen::VectorXd part = totals_[static_cast<std::size_t>(g)].solve(sums);
      r.rowwise() -= part.transpose();
      out_.constant.col(g) += part;
      centre(r, g);
    });
    const Eigen::Map<Eigen::MatrixXd> r(residuals.data(), n_, residuals.cols() * classes_);
    Eigen::MatrixXd y = inverse_.apply(r, columns(which));
    y.resize(residuals.rows(), residuals.cols());
    each(y, which, [&](Block part, Eigen::Index g) {
      const auto shares = shares_.middleCols(g * classes_, classes_);
      if (classes_ > 1) {
        const Eigen::VectorXd sum = part.rowwise().sum();
        part -= sum.asDiagonal() * shares;
      }
      if (problem_.constant) spread(part, g, part.colwise().sum().transpose(), -1);
    });
    return y;
  }

  Eigen::MatrixXd image(const Eigen::MatrixXd& directions, const std::vector<Eigen::Index>& which) {
    along_ = directions;
    along_.resize(n_, directions.cols() * classes_);
    products_ = times_K(along_);
    Eigen::MatrixXd images(n_, along_.cols());
    const std::vector<Eigen::Index> own = columns(which);
    for (Eigen::Index k = 0; k < along_.cols(); ++k) {
      const auto ridge = problem_.ridge.col(own[static_cast<std::size_t>(k)]);
      images.col(k) = products_.col(k) + ridge.cwiseProduct(along_.col(k));
    }
    images.resize(directions.rows(), directions.cols());
    return images;
  }

  void move(Eigen::Index k, Eigen::Index g, double length) {
    const Eigen::Index from = k * classes_, to = g * classes_;
    out_.change.middleCols(to, classes_) += length * along_.middleCols(from, classes_);
    out_.product.middleCols(to, classes_) += length * products_.middleCols(from, classes_);
  }

 private:
  using Block = Eigen::Ref<Eigen::MatrixXd>;

  // With the constant as a further column, large beside the others: 1 (UU' + D)^-1 is next to 0.
  static Eigen::MatrixXd landmarks(const ConjugateProblem& problem) {
    const Eigen::Map<const Eigen::MatrixXd> U(problem.U.data(), problem.U.rows(), problem.U.cols());
    Eigen::MatrixXd all(U.rows(), U.cols() + (problem.constant ? 1 : 0));
    all.leftCols(U.cols()) = U;
    if (problem.constant) all.rightCols(1).setConstant(10 * U.rowwise().norm().maxCoeff());
    return all;
  }

  template <class Body>
  void each(Eigen::MatrixXd& stacked, const std::vector<Eigen::Index>& which, const Body& body) {
    Eigen::Map<Eigen::MatrixXd> all(stacked.data(), n_, stacked.cols() * classes_);
    for (std::size_t k = 0; k < which.size(); ++k)
      body(all.middleCols(static_cast<Eigen::Index>(k) * classes_, classes_), which[k]);
  }

  std::vector<Eigen::Index> columns(const std::vector<Eigen::Index>& which) const {
    std::vector<Eigen::Index> out;
    for (const Eigen::Index g : which)
      for (Eigen::Index c = 0; c < classes_; ++c) out.push_back(g * classes_ + c);
    return out;
  }

  // Of what is known but for a number in each row that which is 0 on average, by the weights.
  void centre(Block r, Eigen::Index g) const {
    if (classes_ == 1) return;
    const auto shares = shares_.middleCols(g * classes_, classes_);
    const Eigen::VectorXd mean = r.cwiseProduct(shares).rowwise().sum();
    r.colwise() -= mean;
  }

  // Adds what adds up to `sums`, by the curvature.
  void spread(Block y, Eigen::Index g, const Eigen::VectorXd& sums, double sign) const {
    const auto own = weights_.middleCols(g * classes_, classes_);
    const auto shares = shares_.middleCols(g * classes_, classes_);
    const Eigen::VectorXd part = sign * totals_[static_cast<std::size_t>(g)].solve(sums);
    const Eigen::VectorXd taken = own * part;
    y += own * part.asDiagonal();
    y -= taken.asDiagonal() * shares;
  }

  Eigen::MatrixXd times_K(const Eigen::MatrixXd& x) const {
    Eigen::MatrixXd y(n_, x.cols());
    pool_.interrupt();
    problem_.times(x, y);
    return y;
  }

  const ConjugateProblem& problem_;
  const Pool& pool_;
  Eigen::Index n_, classes_;
  Eigen::MatrixXd weights_, shares_;  // D^-1; of the classes of a row
  LandmarkInverse inverse_;
  std::vector<Eigen::LDLT<Eigen::MatrixXd>> totals_;  // 1' of the curvature 1
  Eigen::MatrixXd along_, products_;
  ConjugateSolution out_;
};

// Where a preconditioner has no factor nothing converges.
inline ConjugateSolution solve_conjugate(const ConjugateProblem& problem, const Pool& pool) {
  RidgeSystems systems(problem, pool);
  if (systems.hold()) return systems.solve();
  ConjugateSolution none;
  none.change = none.product = 0 * problem.ridge;
  none.constant = 0 * problem.missing;
  none.converged.assign(static_cast<std::size_t>(problem.missing.cols()), false);
  return none;
}

}  // namespace domgen

#endif
