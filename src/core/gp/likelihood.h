// The derivatives of a Gaussian process's likelihood, from the upper triangle of A^-1
// (A: covariance.h).
#ifndef DOMGEN_CORE_GP_LIKELIHOOD_H
#define DOMGEN_CORE_GP_LIKELIHOOD_H

#include "../kernel/gram.h"
#include "../kernel/pair-difference.h"
#include "../linalg/assert.h"
#include "../linalg/cholesky.h"
#include "../linalg/pool.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace domgen {

// One bandwidth, or one per predictor, of the kernel k on x.
struct BandwidthSlope {
  std::unique_ptr<Kernel> kernel;          // dk / d log sigma; or the rate (kernel/profile.h)
  std::unique_ptr<const Rows> predictors;  // x / sigma where there is one per predictor

  Index size() const { return predictors ? predictors->p() : 1; }
};

struct DotLoop {
  Index rows, cols;
  const double* a;
  const double* b;
  double* sum;

  template <int W>
  DOMGEN_INLINE void run() const {
    typename Simd<W>::Vec total = typename Simd<W>::Vec{};
    for (Index j = 0; j < cols; ++j) {
      for (Index i = j * tile_rows; i < j * tile_rows + rows; i += W) {
        total += Simd<W>::at(a + i) * Simd<W>::at(b + i);
      }
    }
    for (int i = 0; i < W; ++i) *sum += total[i];
  }
};

// With V_ij = alpha_i alpha_j / s2 - (A^-1)_ij, the derivatives of
// log N(y; 0, s2 A) = -(y'A^-1 y / s2 + log|A| + n log(2 pi s2)) / 2
// in what K and kappa depend on (Rasmussen and Williams, 2006, equation 5.9):
//   bandwidths   1/2 sum_ij V_ij kappa_ij dk_ij, and
//   cells [G x G], 1/2 sum_ij V_ij k_ij over i in g and j in h, so that the derivative
//                in a parameter of kappa is sum_gh cells_gh dkappa_gh,
// in one pass over tiles. Each strip of columns has one writer.
class LikelihoodSlopes {
 public:
  LikelihoodSlopes(const double* inverse, const Eigen::VectorXd& alpha, double s2,
                   const DomainWeights& weights, const Pool& pool)
      : inverse_(inverse), alpha_(alpha), s2_(s2), n_(alpha.size()), weights_(weights),
        pool_(pool) {
    DOMGEN_EXPECT(weights.fit(n_, n_));
  }

  std::vector<Eigen::VectorXd> bandwidths(const std::vector<BandwidthSlope>& slopes) const {
    Index size = 0;
    for (const BandwidthSlope& slope : slopes) size += slope.size();
    Eigen::MatrixXd strips = Eigen::MatrixXd::Zero(size, count_tiles(n_));
    pool_.run(strips.cols(), [&](Index begin, Index end) {
      AlignedBuffer V(tile_size);
      std::vector<std::unique_ptr<TileScratch>> scratch;
      scratch.reserve(slopes.size());
      for (const BandwidthSlope& slope : slopes) {
        scratch.emplace_back(new TileScratch(*slope.kernel));
      }
      each_upper_tile(begin, end, n_, [&](const Patch& at, Index strip) {
        fill(at, V.data());
        double* sums = strips.col(strip).data();
        for (std::size_t s = 0; s < slopes.size(); ++s) {
          scratch[s]->evaluate(*slopes[s].kernel, at, weights_);
          add(slopes[s], at, V.data(), scratch[s]->tile(), sums);
          sums += slopes[s].size();
        }
      });
    });
    std::vector<Eigen::VectorXd> result;
    Index first = 0;
    for (const BandwidthSlope& slope : slopes) {
      result.push_back(strips.middleRows(first, slope.size()).rowwise().sum());
      first += slope.size();
    }
    return result;
  }

  // Sums of the pairs above the diagonal, all of which cells[g, h] is as good a
  // place for as cells[h, g].
  Eigen::MatrixXd cells(const Kernel& kernel, const std::vector<int>& domain, Index G) const {
    DOMGEN_EXPECT(Index(domain.size()) == n_);
    Eigen::MatrixXd by_row = Eigen::MatrixXd::Zero(G, n_);
    const DomainWeights unweighted;
    pool_.run(count_tiles(n_), [&](Index begin, Index end) {
      AlignedBuffer V(tile_size);
      TileScratch scratch(kernel);
      each_upper_tile(begin, end, n_, [&](const Patch& at, Index) {
        fill(at, V.data());
        const double* tile = scratch.evaluate(kernel, at, unweighted);
        for (Index j = 0; j < at.cols; ++j) {
          double* sums = by_row.col(at.col + j).data();
          const Index first = j * tile_rows;
          for (Index i = 0; i < at.rows; ++i) {
            sums[domain[at.row + i]] += V.data()[first + i] * tile[first + i];
          }
        }
      });
    });
    Eigen::MatrixXd cells = Eigen::MatrixXd::Zero(G, G);
    for (Index j = 0; j < n_; ++j) cells.col(domain[j]) += by_row.col(j);
    return cells;
  }

 private:
  const double* inverse_;
  const Eigen::VectorXd& alpha_;
  double s2_;
  Index n_;
  const DomainWeights& weights_;
  const Pool& pool_;

  // V above the diagonal, V/2 on it and 0 elsewhere: sums over a tile are those of
  // each pair once, half the sum over both orders. The padding is 0.
  void fill(const Patch& at, double* V) const {
    const bool diagonal = at.row == at.col;
    for (Index j = 0; j < at.padded_cols(); ++j) {
      double* column = V + j * tile_rows;
      std::fill(column, column + tile_rows, 0.0);
      if (j >= at.cols) continue;
      const double* inverse = inverse_ + at.row + (at.col + j) * n_;
      const double scaled = alpha_[at.col + j] / s2_;
      const Index rows = diagonal ? j + 1 : at.rows;
      for (Index i = 0; i < rows; ++i) column[i] = alpha_[at.row + i] * scaled - inverse[i];
      if (diagonal) column[j] *= 0.5;
    }
  }

  static void add(const BandwidthSlope& slope, const Patch& at, const double* V, double* tile,
                  double* sums) {
    const Index rows = at.padded_rows();
    if (!slope.predictors) {
      run_vectorised(DotLoop{rows, at.cols, V, tile, sums});
      return;
    }
    run_vectorised(TileCombineLoop<Times>{rows, at.cols, V, tile});
    run_vectorised(PairDifferenceLoop{*slope.predictors, at, tile, sums});
  }
};

}  // namespace domgen

#endif
