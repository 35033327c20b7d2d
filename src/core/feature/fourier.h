// Random Fourier features: (cos(w'(x - c) + b_d), sin(w'(x - c) + b_d)) / sqrt(D) for
// D frequencies w; first all cosines, then all sines.
#ifndef DOMGEN_CORE_FEATURE_FOURIER_H
#define DOMGEN_CORE_FEATURE_FOURIER_H

#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "../simd/sincos.h"
#include "map.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace domgen {

// frequencies [p x D]; offset [D x G], the angle b_d of each domain, or empty;
// centre: c, p values, which changes no product of features but saves digits.
class FourierMap : public FeatureMap {
 public:
  FourierMap(const MatrixView& frequencies, const MatrixView& offset, const Eigen::VectorXd& centre)
      : frequencies_(frequencies), offset_(offset), centre_(centre), size_(frequencies.cols()),
        padded_(round_up(size_, 8)), shifts_(padded_ * std::max<Index>(offset.cols(), 1)),
        angles_(padded_ * part) {
    if (centre.size() != frequencies.rows() || (offset.size() > 0 && offset.rows() != size_)) {
      throw std::invalid_argument("the frequencies, offsets and centre do not fit together");
    }
    for (Index d = 0; d < offset.cols(); ++d) {
      const double* column = offset.data() + d * size_;
      std::copy(column, column + size_, shifts_.data() + d * padded_);
    }
  }

  Index dim() const override { return 2 * size_; }
  Index domains() const override { return offset_.cols(); }

  void evaluate(const RowBlock& rows, double* Zt, const Pool& pool) override {
    const double* X = copy_transposed(rows, centre_, rows_);
    for (Index first = 0; first < rows.count; first += part) {
      const Index count = std::min(+part, rows.count - first);
      const int* domain = offset_.size() > 0 ? rows.domains() + first : nullptr;
      evaluate_part(X + first * frequencies_.rows(), domain, count, Zt + first * dim(), pool);
    }
  }

 private:
  MatrixView frequencies_, offset_;
  Eigen::VectorXd centre_;
  Index size_, padded_;
  AlignedBuffer shifts_, angles_;  // one column of `padded_` numbers a domain, a row
  Buffer rows_;

  // So many rows at a time that their angles are in the cache when cosines are taken of them.
  static constexpr Index part = 256, strip = 64;

  void evaluate_part(const double* X, const int* domain, Index rows, double* Zt, const Pool& pool) {
    set_product(panel(angles_.data(), size_, rows, padded_), transposed(frequencies_),
                Operand(X, frequencies_.rows(), rows));
    const double scale = 1 / std::sqrt(static_cast<double>(size_));
    pool.run(round_up(rows, strip) / strip, [&](Index begin, Index end) {
      AlignedBuffer both(2 * padded_);
      double *cosines = both.data(), *sines = both.data() + padded_;
      for (Index i = begin * strip; i < std::min(end * strip, rows); ++i) {
        const double* shift = shifts_.data() + (domain ? domain[i] * padded_ : 0);
        scaled_sincos(angles_.data() + i * padded_, shift, padded_, scale, cosines, sines);
        std::copy(cosines, cosines + size_, Zt + i * 2 * size_);
        std::copy(sines, sines + size_, Zt + (2 * i + 1) * size_);
      }
    });
  }
};

}  // namespace domgen

#endif
