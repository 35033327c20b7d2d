// Sums over all pairs of rows of weights times a kernel's derivatives, tile by tile:
// what the chain rule makes of the derivative of a criterion in each entry of the
// Gram matrix. No matrix of derivatives is stored.
#ifndef DOMGEN_CORE_KERNEL_PAIR_SUMS_H
#define DOMGEN_CORE_KERNEL_PAIR_SUMS_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "gram.h"
#include "pair-difference.h"
#include "tile.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace domgen {

// W = (left right' + right left') / 2, left and right [n x k].
class PairWeights {
 public:
  PairWeights(const MatrixView& left, const MatrixView& right)
      : left_(pack(left)), right_(pack(right)) {
    DOMGEN_EXPECT(left.rows() == right.rows() && left.cols() == right.cols());
  }

  Index rows() const { return left_.n(); }

  // A tile of the upper half counts for its mirror image too.
  void fill(const Patch& at, double* scratch, double* tile) const {
    run_vectorised(PairLoop<Product>{left_, right_, at, tile});
    run_vectorised(PairLoop<Product>{right_, left_, at, scratch});
    const double count = at.row == at.col ? 0.5 : 1;
    for (Index j = 0; j < at.padded_cols(); ++j) {
      double* column = tile + j * tile_rows;
      const double* mirror = scratch + j * tile_rows;
      const Index rows = j < at.cols ? at.rows : 0;
      for (Index i = 0; i < rows; ++i) column[i] = count * (column[i] + mirror[i]);
      std::fill(column + rows, column + at.padded_rows(), 0.0);
    }
  }

 private:
  Rows left_, right_;

  static Rows pack(const MatrixView& X) {
    return Rows(X, Eigen::VectorXd::Zero(X.cols()), Eigen::VectorXd::Ones(X.cols()));
  }
};

// The domains of the columns of each strip, and which of them that of a column is.
class StripDomains {
 public:
  StripDomains(const std::vector<int>& domain, Index G) : places_(domain.size()) {
    std::vector<int> place(static_cast<std::size_t>(G));
    for (std::size_t i = 0; i < domain.size(); ++i) {
      if (i % tile_rows == 0) {
        strips_.emplace_back();
        std::fill(place.begin(), place.end(), -1);
      }
      int& known = place[static_cast<std::size_t>(domain[i])];
      if (known < 0) {
        known = static_cast<int>(strips_.back().size());
        strips_.back().push_back(domain[i]);
      }
      places_[i] = known;
    }
  }

  const int* places() const { return places_.data(); }
  const std::vector<int>& domains(Index strip) const {
    return strips_[static_cast<std::size_t>(strip)];
  }

 private:
  std::vector<int> places_;
  std::vector<std::vector<int>> strips_;
};

// Each strip of columns has one writer, and strips are added in their order.
class PairSums {
 public:
  PairSums(const PairWeights& weights, const Pool& pool) : weights_(weights), pool_(pool) {}

  // sum_ij W_ij kappa_ij rate_ij ((x_ik - x_jk) / sigma_k)^2 for each predictor k: for the
  // rate of profile.h, sum_ij W_ij dK_ij / d log sigma_k. x: rows / sigma.
  Eigen::VectorXd by_predictor(const Kernel& rate, const DomainWeights& kappa,
                               const Rows& x) const {
    Eigen::MatrixXd strips = Eigen::MatrixXd::Zero(x.p(), count_tiles(weights_.rows()));
    each_tile(rate, kappa, [&](const Patch& at, Index strip, double* W, const double* tile) {
      run_vectorised(TileCombineLoop<Times>{at.padded_rows(), at.padded_cols(), tile, W});
      run_vectorised(PairDifferenceLoop{x, at, W, strips.col(strip).data()});
    });
    return strips.rowwise().sum();
  }

  // [G x G]: sum_ij W_ij k_ij over the rows i of domain g and j of h, or i of h and j
  // of g: the derivative in a symmetric kappa is sum_gh cells_gh dkappa_gh.
  Eigen::MatrixXd by_domains(const Kernel& kernel, const std::vector<int>& domain, Index G) const {
    Eigen::MatrixXd strips = Eigen::MatrixXd::Zero(G * G, count_tiles(weights_.rows()));
    const StripDomains own(domain, G);
    each_tile(kernel, DomainWeights(),
              [&](const Patch& at, Index strip, double* W, const double* tile) {
                const std::vector<int>& among = own.domains(strip);
                AlignedBuffer sums(tile_rows * among.size());
                run_vectorised(TileCombineLoop<Times>{at.padded_rows(), at.padded_cols(), tile, W});
                run_vectorised(DomainSumLoop{at, W, own.places(), sums.data()});
                for (std::size_t place = 0; place < among.size(); ++place) {
                  double* column = strips.col(strip).data() + among[place] * G;
                  const double* sum = sums.data() + static_cast<Index>(place) * tile_rows;
                  for (Index i = 0; i < at.rows; ++i) column[domain[at.row + i]] += sum[i];
                }
              });
    const Eigen::VectorXd sum = strips.rowwise().sum();
    return Eigen::Map<const Eigen::MatrixXd>(sum.data(), G, G);
  }

 private:
  const PairWeights& weights_;
  const Pool& pool_;

  template <class Body>
  void each_tile(const Kernel& kernel, const DomainWeights& kappa, const Body& body) const {
    const Index n = weights_.rows();
    pool_.run(count_tiles(n), [&](Index begin, Index end) {
      TileScratch scratch(kernel);
      AlignedBuffer W(tile_size), mirror(tile_size);
      each_upper_tile(begin, end, n, [&](const Patch& at, Index strip) {
        weights_.fill(at, mirror.data(), W.data());
        body(at, strip, W.data(), scratch.evaluate(kernel, at, kappa));
      });
    });
  }
};

}  // namespace domgen

#endif
