// A projection from the moments of features Z [n x r], in the coordinates where
// their second moment is diagonal: Z = Y diag(s)^1/2 V' with Y'Y = I. Every
// function w with scores Zw is b = Ya, K = ZZ' becomes diag(s), and the exact
// engine runs on matrices of the size of the features' rank.
#ifndef DOMGEN_CORE_PROJECTION_FEATURES_H
#define DOMGEN_CORE_PROJECTION_FEATURES_H

#include "../linalg/assert.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "terms.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace domgen {

// What a projection needs of the rows' features; see FeatureMoments for how they are summed.
struct ProjectionMoments {
  double n = 0;
  Eigen::MatrixXd second;    // Z'Z [r x r]
  Eigen::MatrixXd sums;      // by cell [r x cells]
  Eigen::VectorXd counts;    // [cells]
  Eigen::VectorXd labelled;  // rows with a response by cell [cells]
  ResponseTerms response;
  Eigen::MatrixXd labelled_second;  // Z'diag(labelled)Z; empty: all are labelled
  Eigen::MatrixXd laplacian;        // Z'(graph Laplacian)Z; empty without a graph
};

// The coordinates: `whiten` is V diag(s)^-1/2 [r x d], `colour` V diag(s)^1/2.
struct FeatureCoordinates {
  Eigen::VectorXd s;
  Eigen::MatrixXd whiten, colour;
};

// S [r x r] is overwritten; eigenvalues below `floor` are rounding.
inline FeatureCoordinates feature_coordinates(Eigen::MatrixXd& S, double floor, const Pool& pool) {
  const EigenPairs pairs = dense_leading_pairs(S, S.rows(), pool);
  const double unit = 4 * rank_tolerance(S.rows());
  const double least = std::max(unit * pairs.values[0], floor);
  const Eigen::Index d = (pairs.values.array() > least).count();
  FeatureCoordinates at;
  at.s = pairs.values.head(d);
  const Eigen::ArrayXd root = at.s.array().sqrt();
  at.colour = pairs.vectors.leftCols(d) * root.matrix().asDiagonal();
  at.whiten = pairs.vectors.leftCols(d) * root.inverse().matrix().asDiagonal();
  return at;
}

class FeatureProjection {
 public:
  FeatureProjection(const ProjectionTerms& terms, const ProjectionMoments& moments,
                    const Pool& pool)
      : terms_(terms), pool_(pool), features_(moments.second.rows()) {
    DOMGEN_EXPECT(moments.second.cols() == features_ && moments.sums.rows() == features_);
    DOMGEN_EXPECT(moments.counts.size() == moments.sums.cols());
    const double n = moments.n;
    mean_ = moments.sums.rowwise().sum() / n;
    const Eigen::VectorXd origin = terms.centred ? mean_ : Eigen::VectorXd::Zero(mean_.size());
    Eigen::MatrixXd S = moments.second - n * origin * origin.transpose();
    const double uncentred = moments.second.trace(), trace = S.trace();
    at_ = feature_coordinates(S, centring_noise * uncentred, pool);
    Eigen::MatrixXd means = moments.sums * moments.counts.cwiseInverse().asDiagonal();
    means.colwise() -= origin;
    KJ_ = product_of(transposed(at_.colour), means);  // diag(s) Y'J

    // diag(s) Y'U and Y'U, of Z'U
    const auto image = [&](const Eigen::MatrixXd& V, const Eigen::MatrixXd& ZU) {
      return ZU.cols() > 0 ? product_of(transposed(V), ZU) : Eigen::MatrixXd(V.cols(), 0);
    };
    const ResponseTerms& response = moments.response;
    ratio_ =
        make_ratio(terms, static_cast<Eigen::Index>(n), KJ_, image(at_.colour, response.numerator),
                   image(at_.colour, response.denominator));
    ratio_.gram_norm = at_.s.norm();
    if (!terms.centred) ratio_.constant = product_of(transposed(at_.whiten), mean_) * std::sqrt(n);
    if (terms.within > 0 || terms.smooth > 0) {
      form_.reset(new DenseForm(row_form(moments, origin)));
      ratio_.form = form_.get();
    }
    spread_ = product_of(KJ_, transposed(terms.spread));
    distributional_ = product_of(means, transposed(terms.spread)).squaredNorm();
    total_ = trace / n;
    if (!terms.centred) total_ -= mean_.squaredNorm();
    vanishes_ = at_.s.size() == 0 || total_ <= centring_noise * trace / n;

    given_ = response.given;
    U_ = image(at_.whiten, response.published);
    domain_ = image(at_.whiten, response.domain);
    if (U_.cols() > 0) ratio_.outside = response.second - square_of(transposed(U_));
  }

  Projection solve(double ridge) const {
    Projection fit;
    fit.distributional_before = distributional_;
    fit.total_before = total_;
    Solution& solution = fit.solution;
    if (vanishes_) {
      solution.directions.B.resize(0, 0);
      solution.S.resize(0, 0);
      solution.residual.resize(0);
      fit.coefficients.resize(features_, 0);
      fit.centre.resize(0);
      return fit;
    }
    Ratio ratio = ratio_;
    ratio.ridge = ridge;
    GramBuffer K(at_.s.size());
    K.matrix() = at_.s.asDiagonal();
    solution = solve_terms(std::move(K), ratio, terms_, given_ ? &U_ : nullptr, domain_, 0, pool_);
    fit.coefficients = product_of(at_.colour, solution.directions.B);
    fix_signs(fit.coefficients, solution, KJ_, ratio.rows);
    finish_projection(fit, ratio, terms_.scaling, spread_);
    fit.centre = product_of(transposed(fit.coefficients), mean_);
    return fit;
  }

 private:
  const ProjectionTerms& terms_;
  const Pool& pool_;
  const Eigen::Index features_;
  FeatureCoordinates at_;
  Eigen::VectorXd mean_;
  Eigen::MatrixXd KJ_, spread_;
  Ratio ratio_;
  std::unique_ptr<DenseForm> form_;
  bool given_ = false;
  Eigen::MatrixXd U_, domain_;             // of the response and, for DCM, the domains [d x r]
  double distributional_ = 0, total_ = 0;  // before the projection
  bool vanishes_ = false;

  // Of the labelled rows' scores and of the graph.
  Eigen::MatrixXd row_form(const ProjectionMoments& moments, const Eigen::VectorXd& origin) const {
    const Eigen::Index d = at_.s.size();
    const bool all = moments.labelled_second.size() == 0;
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(d, d);
    if (terms_.within > 0 && all) M.diagonal() = terms_.within * at_.s.array().square();
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(features_, features_);
    if (terms_.within > 0 && !all) {
      const Eigen::VectorXd sum =
          product_of(moments.sums, moments.labelled.cwiseQuotient(moments.counts).eval());
      const double count = moments.labelled.sum();
      W += terms_.within * (moments.labelled_second - sum * origin.transpose() -
                            origin * sum.transpose() + count * origin * origin.transpose());
    }
    if (terms_.smooth > 0) W += terms_.smooth * moments.laplacian;
    M += product_of(transposed(at_.colour), product_of(W, at_.colour));
    return (M + M.transpose()) / 2;
  }
};

}  // namespace domgen

#endif
