// A projection from its Gram matrix: centring, directions, scale and sign,
// scores, and the figures by which to judge them.
#ifndef DOMGEN_CORE_PROJECTION_H
#define DOMGEN_CORE_PROJECTION_H

#include "centre.h"
#include "ratio.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace domgen {

// constraint: b'Db = 1. whiten: scores of variance 1. published_code: constraint,
// then divided by sqrt(gamma).
enum class Scaling { constraint, whiten, published_code };

struct ProjectionProblem {
  const Eigen::MatrixXd* response = nullptr;  // F [n x r0], L = FF'; null: P = I
  const DomainMeans* domains = nullptr;       // null: one domain
  bool distributional = false;                // KQK in the denominator
  double epsilon = 0, lambda = 0;
  Eigen::Index ncomp = 1;
  bool published = true;
  Scaling scaling = Scaling::constraint;
};

struct Projection {
  Directions directions;     // B: coefficients A = HB [n x m], score(x) = k(x, X) A - centre
  Eigen::VectorXd centre;    // [m]
  Eigen::MatrixXd scores;    // KB [n x m]
  Eigen::VectorXd residual;  // [m]
  double jitter = 0;
  // Theorem 5: tr(B'KQKB) and tr(B'KB).
  double distributional = 0, norm = 0;
  // Before and after: tr K/n and |KB|^2/n; tr KQ (after: `distributional`).
  double total_before = 0, total_after = 0, distributional_before = 0;
};

// The coefficient of largest absolute value is positive; among those that tie
// up to rounding the first decides.
inline void fix_signs(Eigen::MatrixXd& B) {
  for (Eigen::Index j = 0; j < B.cols(); ++j) {
    const double largest = B.col(j).cwiseAbs().maxCoeff() * (1 - 1e-8);
    Eigen::Index i = 0;
    while (i < B.rows() && !(std::abs(B(i, j)) >= largest)) ++i;
    if (i < B.rows() && B(i, j) < 0) B.col(j) *= -1;
  }
}

// What each column is to be divided by.
inline Eigen::ArrayXd column_scale(const Denominator& D, const Directions& directions,
                                   const Eigen::MatrixXd& S, Scaling scaling) {
  if (scaling == Scaling::whiten)
    return (S.colwise().squaredNorm().transpose() / double(S.rows())).array().sqrt();
  Eigen::ArrayXd scale = D.form(directions.B, S).array().sqrt();
  if (scaling == Scaling::published_code) scale *= directions.values.array().sqrt();
  return scale;
}

// |N b - gamma D b| / (n eps (|N| + gamma |D|) |b|) per column, given S = KB;
// KPCA as (1/n) K b = gamma b. |N| is the largest |N b|/|b| met, a lower bound;
// |D| the Frobenius norm.
inline Eigen::VectorXd relative_residual(const Denominator& D, const Numerator& numerator,
                                         const Directions& directions, const Eigen::MatrixXd& S,
                                         bool principal) {
  const Eigen::MatrixXd& B = directions.B;
  const double unit = rank_tolerance(B.rows());
  const Eigen::MatrixXd NB =
      principal ? Eigen::MatrixXd(S / double(B.rows())) : numerator.apply(D.gram(), B, S);
  const Eigen::MatrixXd DB = principal ? B : D.apply(B, S);
  const Eigen::ArrayXd length = B.colwise().norm().transpose();
  const Eigen::ArrayXd image = NB.colwise().norm().transpose();
  if (B.cols() == 0) return Eigen::VectorXd(0);

  const double norm_N = (image / length).maxCoeff();
  const double norm_D = principal ? 1 : D.norm();
  const Eigen::ArrayXd defect =
      (NB - DB * directions.values.asDiagonal()).colwise().norm().transpose();
  return defect / (unit * (norm_N + directions.values.array() * norm_D) * length);
}

// K [n x n], uncentred, is overwritten.
template <class Pool>
Projection fit_projection(Eigen::Map<Eigen::MatrixXd> K, const ProjectionProblem& problem,
                          const Pool& pool) {
  const Eigen::Index n = K.rows();
  const std::function<void()> interrupt = [&] { pool.interrupt(); };
  const Centring centring = centre_gram(K, pool);
  if (!std::isfinite(centring.norm))
    throw std::domain_error("the kernel matrix must be finite, and so must its squares");

  Projection fit;
  const bool domains = problem.domains && problem.domains->domains() > 1;
  Eigen::MatrixXd M(n, 0), spread(n, 0);  // M = KE
  if (domains) {
    M = problem.domains->gram_means(Eigen::Map<const Eigen::MatrixXd>(K.data(), n, n), pool);
    fit.distributional_before = problem.domains->trace(M);
    if (problem.distributional) spread = DomainMeans::factor(M);
  }
  Denominator D(K, problem.domains, spread, problem.lambda, centring.norm);

  Numerator numerator;
  Directions& directions = fit.directions;
  if (centring.vanishes()) {
    directions.B.resize(n, 0);
  } else if (problem.response) {
    Eigen::MatrixXd F = *problem.response;
    const double uncentred = F.squaredNorm();
    centre_columns(F);
    const Eigen::MatrixXd U = response_factor(F, uncentred, problem.epsilon);
    directions =
        supervised_directions(D, U, problem.published, problem.ncomp, interrupt, numerator);
  } else {
    const double floor = centring_noise * centring.uncentred_norm;
    directions = unsupervised_directions(D, problem.ncomp, floor, interrupt);
  }

  centre_columns(directions.B);
  fix_signs(directions.B);
  fit.scores = D.gram() * directions.B;
  const Eigen::ArrayXd scale = column_scale(D, directions, fit.scores, problem.scaling);
  directions.B.array().rowwise() /= scale.transpose();
  fit.scores.array().rowwise() /= scale.transpose();
  fit.centre = directions.B.transpose() * centring.mean;

  const bool principal = !problem.response && !D.distributional() && problem.lambda == 0;
  fit.residual = relative_residual(D, numerator, directions, fit.scores, principal);
  fit.jitter = D.jitter();
  if (domains) fit.distributional = problem.domains->variance(fit.scores).sum();
  fit.norm = directions.B.cwiseProduct(fit.scores).sum();
  fit.total_before = D.trace() / double(n);
  fit.total_after = fit.scores.squaredNorm() / double(n);
  return fit;
}

}  // namespace domgen

#endif
