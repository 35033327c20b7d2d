// D = norm K + ridge I + plus plus' - minus minus' + KWK, and its Cholesky factor or, for many
// ridges, the band form of D - ridge I.
#ifndef DOMGEN_CORE_PROJECTION_DENOMINATOR_H
#define DOMGEN_CORE_PROJECTION_DENOMINATOR_H

#include "../linalg/assert.h"
#include "../linalg/band.h"
#include "../linalg/dense.h"
#include "../linalg/cholesky.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "../linalg/symmetric.h"
#include "ratio.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace domgen {

// Lives in the memory of K, which it consumes: the factor of D goes above the diagonal, and from
// then on K is only what is on and below it. No second d x d matrix is needed, but half of
// one for many ridges.
class Denominator {
 public:
  Denominator(GramBuffer K, const Ratio& ratio)
      : memory_(std::move(K)), K_(memory_.matrix()), ratio_(ratio), ridge_(ratio.ridge),
        diagonal_(K_.diagonal()), fixed_norm_(ratio.norm * ratio.gram_norm),
        fixed_trace_(ratio.norm * trace()) {
    for (const Eigen::MatrixXd* F : {&ratio.denominator.plus, &ratio.denominator.minus})
      DOMGEN_EXPECT(F->cols() == 0 || F->rows() == K_.rows());
  }

  SymmetricLower gram() const { return SymmetricLower(K_.data(), K_.rows()); }
  const UnitCholesky& cholesky() const { return cholesky_; }

  // K V before D is factorised, when both triangles are still K's: dgemm is faster
  // than dsymm for few columns.
  Eigen::MatrixXd gram_product(const Eigen::MatrixXd& V) const {
    Eigen::MatrixXd product(K_.rows(), V.cols());
    set_product(product, K_, V);
    return product;
  }

  double trace() const { return diagonal_.sum(); }  // tr K
  double jitter() const { return jitter_; }
  // Frobenius norm of D; before it is factorised, of norm K + ridge I.
  double norm() const {
    return std::sqrt(fixed_norm_ * fixed_norm_ + 2 * ridge_ * fixed_trace_ +
                     double(K_.rows()) * ridge_ * ridge_);
  }

  // D = R'R.
  void factorise(const Pool& pool) {
    fill(pool);
    raise(ridge_, [&](double jitter) {
      K_.diagonal().array() += ridge_ + jitter;
      if (cholesky_upper(K_.data(), K_.rows(), pool)) return true;
      K_.diagonal() = diagonal_;
      K_.triangularView<Eigen::StrictlyUpper>() = K_.transpose();
      fill(pool);
      return false;
    });
    cholesky_ = UnitCholesky(K_.data(), diagonal_);
  }

  // D - ridge I, as far as D^-1 V needs it for each of these ridges.
  BandForm band_form(const Eigen::MatrixXd& V, const Eigen::VectorXd& ridges, const Pool& pool) {
    fill(pool);
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index l = 0; l < ridges.size(); ++l)
      least = std::min(least, ridges[l] + first_jitter(ridges[l]));
    BandForm band(K_, V, least, pool);
    K_.diagonal() = diagonal_;
    return band;
  }

  // D^-1 V of another ridge, with the same rules, both in the coordinates of the band; a factor
  // remains that of the old ridge.
  Eigen::MatrixXd solve(const BandForm& band, double ridge, const Eigen::MatrixXd& V) {
    Eigen::MatrixXd X;
    raise(ridge, [&](double jitter) {
      X = V;
      return band.solve(ridge + jitter, X);
    });
    return X;
  }

  // D of another ridge; a factor remains that of the old one.
  void set_ridge(double ridge, double jitter) {
    ridge_ = ridge;
    jitter_ = jitter;
  }

  // D B given S = KB.
  Eigen::MatrixXd apply(const Eigen::MatrixXd& B, const Eigen::MatrixXd& S) const {
    const LowRankForms& cells = ratio_.denominator;
    Eigen::MatrixXd product = ratio_.norm * S + (ridge_ + jitter_) * B;
    if (cells.plus.cols() > 0)
      add_product(product, cells.plus, product_of(transposed(cells.plus), B));
    if (cells.minus.cols() > 0)
      add_product(product, cells.minus, product_of(transposed(cells.minus), B), -1);
    if (ratio_.form) product += ratio_.form->apply(gram(), B, S);
    return product;
  }

 private:
  GramBuffer memory_;
  Eigen::Map<Eigen::MatrixXd> K_;
  const Ratio& ratio_;
  double ridge_, jitter_ = 0;
  Eigen::VectorXd diagonal_;         // of K
  double fixed_norm_, fixed_trace_;  // of D - ridge I
  UnitCholesky cholesky_;

  // n machine epsilons of the mean diagonal of D
  double rounding(double ridge) const {
    const double trace = fixed_trace_ + double(K_.rows()) * ridge;
    return std::numeric_limits<double>::epsilon() * trace;
  }

  // A ridge below rounding, or none, is raised even if there is a factor: where K vanishes, noise
  // in the numerator over next to nothing would be an eigenvalue, and noise in the directions seen
  // by new rows.
  double first_jitter(double ridge) const {
    const double least = 64 * rounding(ridge);
    return ridge < least ? least : 0;
  }

  template <class Attempt>
  void raise(double ridge, const Attempt& attempt) {
    const double first = first_jitter(ridge), unit = rounding(ridge);
    ridge_ = ridge;
    jitter_ = raise_diagonal(
        first, unit, first > 0 ? 256 * first : 64 * unit, attempt,
        "the ridge must be large enough for the denominator to be positive definite: "
        "it is numerically singular");
  }

  // Writes D - ridge I on and above the diagonal.
  void fill(const Pool& pool) {
    if (ratio_.norm != 1) K_.triangularView<Eigen::StrictlyUpper>() *= ratio_.norm;
    Eigen::VectorXd diagonal = ratio_.norm * diagonal_.array();
    if (ratio_.form) add_form(diagonal, pool);
    K_.diagonal() = diagonal;
    add_outer(ratio_.denominator.plus, 1);
    add_outer(ratio_.denominator.minus, -1);
    // D is given the mean eigenvalue of K along 1, where K vanishes: everything
    // it is applied to is centred, so nothing changes but its condition.
    if (ratio_.centred_rows) {
      const double n = double(K_.rows());
      add_outer(Eigen::VectorXd::Constant(K_.rows(), std::sqrt(std::max(trace(), 0.0)) / n), 1);
    }
    fixed_norm_ = upper_norm();
    fixed_trace_ = K_.diagonal().sum();
  }

  double upper_norm() const {
    double squares = K_.diagonal().squaredNorm();
    for (Eigen::Index j = 1; j < K_.cols(); ++j) squares += 2 * K_.col(j).head(j).squaredNorm();
    return std::sqrt(squares);
  }

  // KWK, a panel at a time, above the diagonal; it reads K below only.
  void add_form(Eigen::VectorXd& diagonal, const Pool& pool) {
    const Eigen::Index width = 256;
    for (Eigen::Index first = 0; first < K_.cols(); first += width) {
      pool.interrupt();
      const Eigen::Index columns = std::min(width, K_.cols() - first);
      const Eigen::MatrixXd panel = ratio_.form->columns(gram(), first, columns);
      for (Eigen::Index j = 0; j < columns; ++j) {
        K_.col(first + j).head(first + j) += panel.col(j).head(first + j);
        diagonal[first + j] += panel(first + j, j);
      }
    }
  }

  void add_outer(const Eigen::MatrixXd& F, double sign) {
    if (F.cols() > 0) add_square(Half::upper, K_, F, sign);
  }
};

}  // namespace domgen

#endif
