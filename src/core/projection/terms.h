// A projection: what is common to those from the Gram matrix of the training rows and from
// the moments of their features.
#ifndef DOMGEN_CORE_PROJECTION_TERMS_H
#define DOMGEN_CORE_PROJECTION_TERMS_H

#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "response.h"
#include "solution.h"

#include <Eigen/Core>

#include <cmath>
#include <utility>

namespace domgen {

// constraint: b'Db = 1. whiten: scores of variance 1. published_code: constraint,
// then divided by sqrt(gamma).
enum class Scaling { constraint, whiten, published_code };

// The method, in terms of the rows' scores f [n] and their means by cell m = J'f.
struct ProjectionTerms {
  bool covariance = false;  // DCM's pair of responses instead of a ratio
  double norm = 1, ridge = 0, total = 0;
  // + |plus m|^2 - |minus m|^2, [t x cells] each
  Eigen::MatrixXd numerator_plus, denominator_plus, denominator_minus;
  Eigen::MatrixXd spread;  // m'spread'spread m = f'Qf, the distributional variance
  double within = 0;       // of the sum of f_i^2 over labelled rows, in D
  double smooth = 0;       // of the graph's sum of weight (f_i - f_j)^2, in D
  bool centred = true;     // else the ridge is on coefficients of uncentred rows
  double epsilon = 0;
  Eigen::Index labelled = 0;  // rows with a response
  Eigen::Index ncomp = 1;
  bool published = true;
  Scaling scaling = Scaling::constraint;
};

struct Projection {
  Solution solution;             // S: scores of the rows (Gram matrix) or KB (features)
  Eigen::MatrixXd coefficients;  // [n or r x m], score(x) = k(x, X) A - centre or z(x)'A - centre
  Eigen::VectorXd centre;        // [m]
  // Theorem 5: tr(B'KQKB) and tr(B'KB).
  double distributional = 0, norm = 0;
  // Before and after: tr K/n and |KB|^2/n; tr KQ (after: `distributional`).
  double total_before = 0, total_after = 0, distributional_before = 0;
};

// Is the entry of largest absolute value negative? Among those that tie up to
// rounding the first decides.
inline bool points_down(const Eigen::VectorXd& x) {
  const double largest = x.cwiseAbs().maxCoeff() * (1 - 1e-8);
  Eigen::Index i = 0;
  while (i < x.size() && !(std::abs(x[i]) >= largest)) ++i;
  return i < x.size() && x[i] < 0;
}

// The cell with the largest mean score has a positive one, which is the same for
// rows and for features; where means vanish, the largest coefficient decides.
inline void fix_signs(Eigen::MatrixXd& coefficients, Solution& solution, const Eigen::MatrixXd& KJ,
                      Eigen::Index rows) {
  const Eigen::MatrixXd means = KJ.transpose() * solution.directions.B;
  for (Eigen::Index j = 0; j < coefficients.cols(); ++j) {
    const double spread = solution.S.col(j).norm() / std::sqrt(double(rows));
    const bool by_means = means.rows() > 1 && means.col(j).cwiseAbs().maxCoeff() > 1e-6 * spread;
    if (!points_down(by_means ? means.col(j).eval() : coefficients.col(j).eval())) continue;
    coefficients.col(j) *= -1;
    solution.directions.B.col(j) *= -1;
    solution.S.col(j) *= -1;
  }
}

// f'Hf of each column's scores f, f'f = S'S.
inline Eigen::ArrayXd score_scatter(const Eigen::MatrixXd& S, const Ratio& ratio) {
  Eigen::ArrayXd scatter = S.colwise().squaredNorm().transpose();
  if (ratio.constant.size() > 0)
    scatter -= (ratio.constant.transpose() * S).transpose().array().square();
  return scatter;
}

// `spread` [d x t] is KJ spread'. Signs are fixed before.
inline void finish_projection(Projection& fit, const Ratio& ratio, Scaling scaling,
                              const Eigen::MatrixXd& spread) {
  Solution& solution = fit.solution;
  Eigen::MatrixXd& B = solution.directions.B;
  const double n = double(ratio.rows);
  Eigen::ArrayXd scale = Eigen::ArrayXd::Ones(B.cols());
  if (scaling == Scaling::whiten) scale = (score_scatter(solution.S, ratio) / n).rsqrt();
  if (scaling == Scaling::published_code) scale = solution.directions.values.array().rsqrt();
  for (Eigen::MatrixXd* each : {&B, &solution.S, &fit.coefficients})
    each->array().rowwise() *= scale.transpose();

  fit.distributional = (spread.transpose() * B).squaredNorm();
  fit.norm = B.cwiseProduct(solution.S).sum();
  fit.total_after = score_scatter(solution.S, ratio).sum() / n;
}

// What does not depend on where the terms come from. KJ [d x cells].
inline Ratio make_ratio(const ProjectionTerms& terms, Eigen::Index rows,
                        const Eigen::MatrixXd& KJ) {
  Ratio ratio;
  ratio.rows = rows;
  ratio.norm = terms.norm;
  ratio.ridge = terms.ridge;
  ratio.total = terms.total;
  ratio.published = terms.published;
  ratio.ncomp = terms.ncomp;
  auto form = [&](const Eigen::MatrixXd& T) -> Eigen::MatrixXd { return KJ * T.transpose(); };
  ratio.numerator.plus = form(terms.numerator_plus);
  ratio.denominator.plus = form(terms.denominator_plus);
  ratio.denominator.minus = form(terms.denominator_minus);
  return ratio;
}

// U [d x r] with P/n = UU' (DCM: P_y) and, for DCM, P_d = U U' of the domains.
struct ResponseSpan {
  bool given = false;
  Eigen::MatrixXd U, domain;
};

// `domain`: the response of P_d. Sets the ratio's part outside the coordinates.
inline ResponseSpan response_span(Ratio& ratio, const ProjectionTerms& terms,
                                  const ResponseFactor* response, const ResponseFactor* domain) {
  ResponseSpan span;
  if (!response) return span;
  span.given = true;
  ResponseDirections found = response_directions(*response, terms.labelled, terms.epsilon);
  span.U = std::move(found.U);
  if (!ratio.centred_rows) ratio.outside = found.second - span.U.transpose() * span.U;
  if (terms.covariance) {
    span.domain = span.U.leftCols(0);
    if (domain) span.domain = response_directions(*domain, ratio.rows, terms.epsilon).U;
    return span;
  }
  const double n = double(terms.labelled);
  span.U /= std::sqrt(n);
  ratio.outside /= n;
  return span;
}

// The ratio or, for DCM, the pair of responses.
inline Solution solve_terms(GramBuffer K, Ratio ratio, const ProjectionTerms& terms,
                            const ResponseSpan& span, double floor, const Pool& pool) {
  if (terms.covariance) return solve_covariance(std::move(K), ratio, span.U, span.domain, pool);
  if (span.given) ratio.response = &span.U;
  return solve_ratio(std::move(K), ratio, floor, pool);
}

}  // namespace domgen

#endif
