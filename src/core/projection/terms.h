// A projection: what is common to those from the Gram matrix of the training rows and from
// the moments of their features.
#ifndef DOMGEN_CORE_PROJECTION_TERMS_H
#define DOMGEN_CORE_PROJECTION_TERMS_H

#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "centre.h"
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
  Eigen::Index ncomp = 1;
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
  const Eigen::MatrixXd means = product_of(transposed(KJ), solution.directions.B);
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
    scatter -= product_of(transposed(S), ratio.constant).array().square();
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

  fit.distributional = product_of(transposed(spread), B).squaredNorm();
  fit.norm = B.cwiseProduct(solution.S).sum();
  fit.total_after = score_scatter(solution.S, ratio).sum() / n;
}

// Terms |U'f|^2 in the rows' scores f, centred U; [n x t] each or, of features, Z'U [r x t].
struct ResponseTerms {
  // the numerator UU'K^2; DCM: P_y = UU'. Without columns: none.
  Eigen::MatrixXd published;
  bool given = false, paired = false;  // is it there, and `domain`, if without columns?
  Eigen::MatrixXd domain;              // DCM: P_d = UU'
  Eigen::MatrixXd second;              // U'U of `published`, read for features
  Eigen::MatrixXd numerator, denominator;
};

inline Eigen::MatrixXd beside(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd both(a.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

// What does not depend on where the terms come from. KJ [d x cells]; KN and KD [d x t]: KU of the
// response's terms.
inline Ratio make_ratio(const ProjectionTerms& terms, Eigen::Index rows, const Eigen::MatrixXd& KJ,
                        const Eigen::MatrixXd& KN, const Eigen::MatrixXd& KD) {
  Ratio ratio;
  ratio.rows = rows;
  ratio.norm = terms.norm;
  ratio.ridge = terms.ridge;
  ratio.total = terms.total;
  ratio.ncomp = terms.ncomp;
  auto form = [&](const Eigen::MatrixXd& T) -> Eigen::MatrixXd {
    return product_of(KJ, transposed(T));
  };
  ratio.numerator.plus = beside(form(terms.numerator_plus), KN);
  ratio.denominator.plus = beside(form(terms.denominator_plus), KD);
  ratio.denominator.minus = form(terms.denominator_minus);
  return ratio;
}

// The ratio or, for DCM, the pair of responses, whose U and domain's are [d x r].
inline Solution solve_terms(GramBuffer K, Ratio ratio, const ProjectionTerms& terms,
                            const Eigen::MatrixXd* response, const Eigen::MatrixXd& domain,
                            double floor, const Pool& pool) {
  if (terms.covariance) return solve_covariance(std::move(K), ratio, *response, domain, pool);
  ratio.response = response;
  return solve_ratio(std::move(K), ratio, floor, pool);
}

}  // namespace domgen

#endif
