// A ratio solved: directions of the length b'Db = 1, scores, and the figures by
// which to judge them.
#ifndef DOMGEN_CORE_PROJECTION_SOLUTION_H
#define DOMGEN_CORE_PROJECTION_SOLUTION_H

#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "centre.h"
#include "dcm.h"
#include "directions.h"

#include <Eigen/Core>

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace domgen {

struct Solution {
  Directions directions;
  Eigen::MatrixXd S;         // KB [d x m]
  Eigen::VectorXd residual;  // [m], in units of n machine epsilons
  double jitter = 0;
};

// |N b - gamma D b| / (n eps (|N| + gamma |D|) |b|) per column, given S = KB;
// where D commutes with K and has no ridge, D = I and N = total K (KPCA).
inline Eigen::VectorXd relative_residual(const Denominator& D, const Numerator& N,
                                         const Ratio& ratio, const Directions& directions,
                                         const Eigen::MatrixXd& S) {
  const Eigen::MatrixXd& B = directions.B;
  if (B.cols() == 0) return Eigen::VectorXd(0);
  const bool principal = ratio.commutes() && ratio.ridge == 0;
  const Eigen::MatrixXd NB = principal ? Eigen::MatrixXd(ratio.total * S) : N.apply(B, S);
  const Eigen::MatrixXd DB = principal ? B : D.apply(B, S);
  const Eigen::ArrayXd length = B.colwise().norm().transpose();

  const double norm_N = principal ? ratio.total * ratio.gram_norm : N.norm();
  const double norm_D = principal ? 1 : D.norm();
  const Eigen::ArrayXd defect =
      (NB - DB * directions.values.asDiagonal()).colwise().norm().transpose();
  const double unit = rank_tolerance(ratio.rows);
  return defect / (unit * (norm_N + directions.values.array() * norm_D) * length);
}

// The published directions b = D^-1 U c/gamma leave the span of the features where
// U does: there D is ridge I, and b'Db has (left'b)' outside (left'b) / (ridge gamma^2).
inline Eigen::ArrayXd outside_form(const Numerator& N, const Ratio& ratio,
                                   const Directions& directions) {
  const Eigen::Index m = directions.B.cols();
  if (ratio.outside.size() == 0 || ratio.ridge == 0) return Eigen::ArrayXd::Zero(m);
  const Eigen::MatrixXd q = product_of(transposed(N.left()), directions.B) *
                            directions.values.cwiseInverse().asDiagonal();
  const Eigen::ArrayXd form =
      q.cwiseProduct(product_of(ratio.outside, q)).colwise().sum().transpose();
  return form.max(0.0) / ratio.ridge;
}

// Directions of length b'Db = 1 and their residuals; solution: directions B and S = KB.
inline void finish_solution(Solution& solution, const Denominator& D, const Numerator& N,
                            const Ratio& ratio) {
  Eigen::MatrixXd& B = solution.directions.B;
  Eigen::ArrayXd form = B.cwiseProduct(D.apply(B, solution.S)).colwise().sum().transpose();
  form += outside_form(N, ratio, solution.directions);
  const Eigen::RowVectorXd scale = form.rsqrt().matrix().transpose();
  B.array().rowwise() *= scale.array();
  solution.S.array().rowwise() *= scale.array();
  solution.residual = relative_residual(D, N, ratio, solution.directions, solution.S);
  solution.jitter = D.jitter();
}

// K [d x d]. floor: eigenvalues of K below it are rounding.
inline Solution solve_ratio(GramBuffer K, const Ratio& ratio, double floor, const Pool& pool) {
  Denominator D(std::move(K), ratio);
  const Numerator N(D.gram(), ratio);
  Solution solution;
  solution.directions = leading_directions(D, N, ratio, floor, pool);
  if (ratio.centred_rows) centre_columns(solution.directions.B);
  solution.S = D.gram().times(solution.directions.B, pool);
  finish_solution(solution, D, N, ratio);
  return solution;
}

// For each of several ridges, where the numerator is of low rank.
inline std::vector<Solution> solve_ridges(GramBuffer K, const Ratio& ratio,
                                          const Eigen::VectorXd& ridges, const Pool& pool) {
  Denominator D(std::move(K), ratio);
  const Numerator N(D.gram(), ratio);
  if (!N.low_rank()) throw std::logic_error("the numerator must be of low rank");
  const BandForm band = D.band_form(N.right(), ridges, pool);
  const Eigen::MatrixXd right = band.to_band(N.right()), left = band.to_band(N.left());

  std::vector<Solution> solutions(std::size_t(ridges.size()));
  std::vector<double> jitter;
  Eigen::MatrixXd all(band.size(), ratio.ncomp * ridges.size());
  Eigen::Index used = 0;
  for (std::size_t l = 0; l < solutions.size(); ++l) {
    pool.interrupt();
    Directions& directions = solutions[l].directions;
    directions = span_directions(D.solve(band, ridges[Eigen::Index(l)], right), left, N, ratio);
    jitter.push_back(D.jitter());
    all.middleCols(used, directions.B.cols()) = directions.B;
    used += directions.B.cols();
  }
  Eigen::MatrixXd B = band.from_band(all.leftCols(used));
  if (ratio.centred_rows) centre_columns(B);
  const Eigen::MatrixXd scores = D.gram().times(B, pool);
  used = 0;
  for (std::size_t l = 0; l < solutions.size(); ++l) {
    Directions& directions = solutions[l].directions;
    const Eigen::Index m = directions.B.cols();
    directions.B = B.middleCols(used, m);
    solutions[l].S = scores.middleCols(used, m);
    used += m;
    D.set_ridge(ridges[Eigen::Index(l)], jitter[l]);
    finish_solution(solutions[l], D, N, ratio);
  }
  return solutions;
}

// DCM: ratio.ridge is the lambda of the coefficients.
inline Solution solve_covariance(GramBuffer K, const Ratio& ratio, const Eigen::MatrixXd& Uy,
                                 const Eigen::MatrixXd& Ud, const Pool& pool) {
  Denominator D(std::move(K), ratio);
  CovarianceDirections found = covariance_directions(D, Uy, Ud, ratio, pool);
  Solution solution;
  solution.directions = std::move(found.directions);
  if (ratio.centred_rows) centre_columns(solution.directions.B);
  solution.S = D.gram().times(solution.directions.B, pool);
  solution.residual = found.residual;
  solution.jitter = D.jitter();
  return solution;
}

}  // namespace domgen

#endif
