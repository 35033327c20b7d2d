// Random Fourier features: (cos(w'(x - c) + b_d), sin(w'(x - c) + b_d)) / sqrt(D) for
// D frequencies w; first all cosines, then all sines.
#ifndef DOMGEN_CORE_FEATURE_FOURIER_H
#define DOMGEN_CORE_FEATURE_FOURIER_H

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
        padded_(round_up(size_, 8)), shifts_(padded_ * std::max<Index>(offset.cols(), 1)) {
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
    if (rows.count > capacity_) {
      angles_ = AlignedBuffer(padded_ * rows.count);
      capacity_ = rows.count;
    }
    const int D = static_cast<int>(size_), count = static_cast<int>(rows.count);
    const int p = static_cast<int>(rows.X.cols()), ld = static_cast<int>(padded_);
    const double one = 1, zero = 0;
    dgemm_("T", "N", &D, &count, &p, &one, frequencies_.data(), &p, X, &p, &zero, angles_.data(),
           &ld, 1, 1);

    const double scale = 1 / std::sqrt(static_cast<double>(size_));
    const bool shifted = offset_.size() > 0;
    pool.run(count_strips(rows.count), [&](Index begin, Index end) {
      AlignedBuffer both(2 * padded_);
      double *cosines = both.data(), *sines = both.data() + padded_;
      for (Index i = begin * strip; i < std::min(end * strip, rows.count); ++i) {
        const double* shift = shifts_.data() + (shifted ? rows.domains()[i] * padded_ : 0);
        scaled_sincos(angles_.data() + i * padded_, shift, padded_, scale, cosines, sines);
        std::copy(cosines, cosines + size_, Zt + i * 2 * size_);
        std::copy(sines, sines + size_, Zt + (2 * i + 1) * size_);
      }
    });
  }

 private:
  MatrixView frequencies_, offset_;
  Eigen::VectorXd centre_;
  Index size_, padded_, capacity_ = 0;
  AlignedBuffer shifts_, angles_;  // one column of `padded_` numbers a domain, a row
  Buffer rows_;

  static constexpr Index strip = 64;
  static Index count_strips(Index rows) { return round_up(rows, strip) / strip; }
};

}  // namespace domgen

#endif
