// A projection from the Gram matrix of the training rows.
#ifndef DOMGEN_CORE_PROJECTION_GRAM_H
#define DOMGEN_CORE_PROJECTION_GRAM_H

#include "../linalg/assert.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "cell-means.h"
#include "centre.h"
#include "terms.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace domgen {

struct GramData {
  const CellMeans* cells = nullptr;
  const ResponseTerms* response = nullptr;
  Eigen::VectorXd labelled;  // [n], 1 or 0; empty: all
  Graph graph;
};

class GramProjection {
 public:
  // uncentred: K [n x n]
  GramProjection(GramBuffer uncentred, const ProjectionTerms& terms, const GramData& data,
                 const Pool& pool)
      : memory_(std::move(uncentred)), n_(memory_.rows()), terms_(terms), response_(*data.response),
        pool_(pool) {
    const Eigen::Index n = n_;
    Eigen::Map<Eigen::MatrixXd> K = memory_.matrix();
    const Eigen::Map<const Eigen::MatrixXd> given(K.data(), n, n);
    DOMGEN_EXPECT(data.labelled.size() == 0 || data.labelled.size() == n);
    centring_ = terms.centred ? centre_gram(K, pool) : describe_gram(given, pool);
    if (!std::isfinite(centring_.norm))
      throw std::domain_error("the kernel matrix must be finite, and so must its squares");

    KJ_ = data.cells->of_gram(given, pool);
    const SymmetricLower centred(K.data(), n);
    const auto image = [&](const Eigen::MatrixXd& U) {
      DOMGEN_EXPECT(U.rows() == n || U.cols() == 0);
      return U.cols() > 0 ? centred.times(U, pool) : Eigen::MatrixXd(n, 0);
    };
    ratio_ = make_ratio(terms, n, KJ_, image(response_.numerator), image(response_.denominator));
    ratio_.gram_norm = centring_.norm;
    ratio_.centred_rows = terms.centred;
    if (!terms.centred) ratio_.constant = Eigen::VectorXd::Constant(n, 1 / std::sqrt(double(n)));
    if (terms.within > 0 || terms.smooth > 0) {
      const Eigen::VectorXd all = Eigen::VectorXd::Ones(n);
      const Eigen::VectorXd& labelled = data.labelled.size() > 0 ? data.labelled : all;
      form_.reset(
          new SparseForm(sparse_weights(terms.within * labelled, data.graph, terms.smooth)));
      ratio_.form = form_.get();
    }

    spread_ = product_of(KJ_, transposed(terms.spread));
    distributional_ = std::max(
        terms.spread.cwiseProduct((data.cells->of_columns(spread_)).transpose()).sum(), 0.0);
    const double trace = K.trace() / double(n);
    total_ = trace;
    if (!terms.centred) total_ -= centring_.mean.mean();
    vanishes_ = centring_.vanishes() || std::abs(total_) <= centring_noise * std::abs(trace);
  }

  // Consumes K, as the next one does: one of them, once.
  Projection solve() {
    if (vanishes_) return finish(nothing());
    const double floor = centring_noise * centring_.uncentred_norm;
    return finish(solve_terms(std::move(memory_), ratio_, terms_, published(), response_.domain,
                              floor, pool_));
  }

  // The same for several ridges, where the numerator is of low rank.
  std::vector<Projection> solve(const Eigen::VectorXd& ridges) {
    if (terms_.covariance) throw std::logic_error("DCM is no ratio");
    std::vector<Projection> fits;
    if (vanishes_) {
      fits.assign(std::size_t(ridges.size()), finish(nothing()));
      return fits;
    }
    ratio_.response = published();
    for (const Solution& solution : solve_ridges(std::move(memory_), ratio_, ridges, pool_))
      fits.push_back(finish(solution));
    ratio_.response = nullptr;
    return fits;
  }

 private:
  GramBuffer memory_;
  const Eigen::Index n_;
  const ProjectionTerms& terms_;
  const ResponseTerms& response_;
  const Pool& pool_;
  Centring centring_;
  Eigen::MatrixXd KJ_, spread_;
  Ratio ratio_;
  std::unique_ptr<SparseForm> form_;
  double distributional_ = 0, total_ = 0;  // before the projection
  bool vanishes_ = false;                  // K is 0 once centred

  const Eigen::MatrixXd* published() const {
    return response_.given ? &response_.published : nullptr;
  }

  Solution nothing() const {
    Solution solution;
    solution.directions.B.resize(n_, 0);
    solution.S.resize(n_, 0);
    solution.residual.resize(0);
    return solution;
  }

  Projection finish(const Solution& solution) const {
    Projection fit;
    fit.solution = solution;
    fit.distributional_before = distributional_;
    fit.total_before = total_;
    fit.coefficients = solution.directions.B;
    fix_signs(fit.coefficients, fit.solution, KJ_, n_);
    finish_projection(fit, ratio_, terms_.scaling, spread_);
    fit.coefficients = fit.solution.directions.B;
    fit.centre = product_of(transposed(fit.coefficients), centring_.mean);
    return fit;
  }
};

}  // namespace domgen

#endif
