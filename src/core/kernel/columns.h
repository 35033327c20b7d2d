// Kernels of columns that are no numbers: codes of categories, and places in a given matrix.
#ifndef DOMGEN_CORE_KERNEL_COLUMNS_H
#define DOMGEN_CORE_KERNEL_COLUMNS_H

#include "leaf.h"

#include <stdexcept>
#include <vector>

namespace domgen {

// 0 for one level of a category, 1 for two; of ordered ones, whose codes go from 0 to 1, the
// difference of their ranks; 1 from a code beyond, that of a level nobody knew.
struct Apart {
  template <class Vec, class Other>
  static DOMGEN_INLINE void add(Vec& sum, const Vec& a, const Other& b) {
    const Vec difference = a - b;
    const Vec size = difference < Vec{} ? -difference : difference;
    const Vec one = Vec{} + 1.0;
    sum += size < one ? size : one;
  }
};

// exp(-rate a), a how far apart two rows are
struct Smoothing {
  double rate;

  template <int W, class Vec>
  DOMGEN_INLINE void apply(Vec& apart) const {
    apart = -rate * apart;
    exp_negative_in_place<W>(apart);
  }
};

class CategoryKernel : public Kernel {
 public:
  CategoryKernel(RowPair pair, double rate) : pair_(pair), profile_{rate} {}

  void evaluate(const Patch& at, double*, double* tile) const override {
    run_vectorised(PairLoop<Apart>{*pair_.x, *pair_.z, at, tile});
    run_vectorised(ProfileLoop<Smoothing>{profile_, at.padded_rows(), at.padded_cols(), tile});
  }

  Eigen::VectorXd self(Side side) const override {
    return Eigen::VectorXd::Ones(pair_.rows(side).n());
  }

 private:
  RowPair pair_;
  Smoothing profile_;
};

// table(c_i, c_j), c the first column: places 1, ..., table.rows(). The table stays with its owner.
class LookupKernel : public Kernel {
 public:
  LookupKernel(const MatrixView& table, const MatrixView& X, const MatrixView& Z)
      : table_(table), x_(places(X)), z_(places(Z)) {
    if (table.rows() != table.cols())
      throw std::invalid_argument("the matrix of the kernel must be square");
  }

  void evaluate(const Patch& at, double*, double* tile) const override {
    for (Index j = 0; j < at.cols; ++j) {
      const double* column = table_.data() + z_[at.col + j] * table_.rows();
      for (Index i = 0; i < at.rows; ++i) tile[i + j * tile_rows] = column[x_[at.row + i]];
    }
  }

  Eigen::VectorXd self(Side side) const override {
    const std::vector<Index>& places = side == Side::x ? x_ : z_;
    Eigen::VectorXd values(places.size());
    for (Index i = 0; i < values.size(); ++i) values[i] = table_(places[i], places[i]);
    return values;
  }

 private:
  MatrixView table_;
  std::vector<Index> x_, z_;

  std::vector<Index> places(const MatrixView& rows) const {
    if (rows.cols() < 1) throw std::invalid_argument("the rows have no place in a matrix");
    std::vector<Index> found(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) {
      const double place = rows(i, 0) - 1;
      if (!(place >= 0 && place < table_.rows())) {
        throw std::invalid_argument("a row has no place in the matrix of the kernel");
      }
      found[i] = static_cast<Index>(place);
    }
    return found;
  }
};

}  // namespace domgen

#endif
