// Rows of a data matrix, laid out for the inner loops: blocks of 32 rows, in
// each block one predictor after the other, padded with rows of zeros.
#ifndef DOMGEN_CORE_KERNEL_ROWS_H
#define DOMGEN_CORE_KERNEL_ROWS_H

#include "../linalg/assert.h"
#include "../linalg/view.h"
#include "../simd/vector.h"

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace domgen {

constexpr Index block_rows = 32;

inline Index round_up(Index n, Index unit) { return (n + unit - 1) / unit * unit; }

// One term of a sum over predictors. Product serves inner products, norms and
// matrix products alike, so that all of them round in the same way.
struct Product {
  template <class Vec, class Other>
  static DOMGEN_INLINE void add(Vec& sum, const Vec& a, const Other& b) {
    sum += a * b;
  }
};

struct SquaredDifference {
  template <class Vec, class Other>
  static DOMGEN_INLINE void add(Vec& sum, const Vec& a, const Other& b) {
    const Vec difference = a - b;
    sum += difference * difference;
  }
};

struct Mismatch {
  template <class Vec, class Other>
  static DOMGEN_INLINE void add(Vec& sum, const Vec& a, const Other& b) {
    const Vec other = Vec{} + b;
    sum = a != other ? sum + 1.0 : sum;
  }
};

// norms[i] = |x_i|^2 for whole blocks of packed rows.
struct NormsLoop {
  const double* rows;
  double* norms;
  Index blocks, p;

  template <int W>
  DOMGEN_INLINE void run() const {
    typedef typename Simd<W>::Vec Vec;
    for (Index i = 0; i < blocks * block_rows; i += W) {
      const double* x = rows + i / block_rows * block_rows * p + i % block_rows;
      Vec sum = Vec{};
      for (Index k = 0; k < p; ++k, x += block_rows) {
        const Vec value = Simd<W>::at(x);
        Product::add(sum, value, value);
      }
      Simd<W>::at(norms + i) = sum;
    }
  }
};

class Rows {
 public:
  // (X - centre) * inv, X [n x p]; centre and inv have p values.
  Rows(const MatrixView& X, const Eigen::VectorXd& centre, const Eigen::VectorXd& inv)
      : n_(X.rows()), p_(X.cols()), blocks_(round_up(n_, block_rows) / block_rows),
        values_(blocks_ * block_rows * p_), norms_(blocks_ * block_rows), largest_(blocks_, 0.0) {
    DOMGEN_EXPECT(centre.size() == p_ && inv.size() == p_);
    for (Index begin = 0; begin < n_; begin += block_rows) {
      const Index size = std::min(block_rows, n_ - begin);
      double* block = values_.data() + begin * p_;
      for (Index k = 0; k < p_; ++k) {
        for (Index i = 0; i < size; ++i) {
          block[k * block_rows + i] = (X(begin + i, k) - centre[k]) * inv[k];
        }
      }
    }
    run_vectorised(NormsLoop{values_.data(), norms_.data(), blocks_, p_});
    for (Index i = 0; i < n_; ++i) {
      double& largest = largest_[i / block_rows];
      // Written so that NaN is kept.
      if (!(norms_.data()[i] <= largest)) largest = norms_.data()[i];
    }
  }

  Index n() const { return n_; }
  Index p() const { return p_; }
  // Row i, predictor 0; predictor k is k * block_rows further.
  const double* row(Index i) const {
    return values_.data() + i / block_rows * block_rows * p_ + i % block_rows;
  }
  const double* norms() const { return norms_.data(); }

  double largest_norm(Index row, Index count) const {
    double largest = 0;
    for (Index b = row / block_rows; b * block_rows < row + count; ++b) {
      if (!(largest_[b] <= largest)) largest = largest_[b];
    }
    return largest;
  }

 private:
  Index n_, p_, blocks_;
  AlignedBuffer values_, norms_;
  std::vector<double> largest_;
};

// Divided before the sum is taken, which therefore cannot overflow.
inline Eigen::VectorXd column_means(const MatrixView& X) {
  Eigen::VectorXd means = Eigen::VectorXd::Zero(X.cols());
  const double weight = 1.0 / static_cast<double>(X.rows());
  for (Index k = 0; k < X.cols(); ++k) {
    for (Index i = 0; i < X.rows(); ++i) means[k] += X(i, k) * weight;
  }
  return means;
}

}  // namespace domgen

#endif
