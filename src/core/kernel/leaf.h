// The leaves of a kernel: a profile applied to the tile of inner products,
// squared distances or mismatches of two sets of rows.
#ifndef DOMGEN_CORE_KERNEL_LEAF_H
#define DOMGEN_CORE_KERNEL_LEAF_H

#include "../linalg/view.h"
#include "kernel.h"
#include "profile.h"
#include "tile.h"

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <utility>

namespace domgen {

struct RowPair {
  std::shared_ptr<const Rows> x, z;

  const Rows& rows(Side side) const { return side == Side::x ? *x : *z; }
};

template <class Profile>
class StationaryKernel : public Kernel {
 public:
  StationaryKernel(RowPair pair, const Profile& profile, Distance distance)
      : pair_(std::move(pair)), profile_(profile), distance_(distance) {}

  // Equal rows have distance exactly 0 either way: their norms and their inner
  // product are the same sums.
  void evaluate(const Patch& at, double*, double* tile) const override {
    const Rows& x = *pair_.x;
    const Rows& z = *pair_.z;
    const Index rows = at.padded_rows(), cols = at.padded_cols();
    const double norms = x.largest_norm(at.row, at.rows) + z.largest_norm(at.col, at.cols);
    if (distance_ == Distance::any && norms < 256) {
      run_vectorised(PairLoop<Product>{x, z, at, tile});
      run_vectorised(DistanceProfileLoop<Profile>{profile_, x.norms() + at.row, z.norms() + at.col,
                                                  rows, cols, tile});
    } else {
      run_vectorised(PairLoop<SquaredDifference>{x, z, at, tile});
      run_vectorised(ProfileLoop<Profile>{profile_, rows, cols, tile});
    }
  }

  Eigen::VectorXd self(Side side) const override {
    return Eigen::VectorXd::Ones(pair_.rows(side).n());
  }

 private:
  RowPair pair_;
  Profile profile_;
  Distance distance_;
};

template <class Profile>
class InnerKernel : public Kernel {
 public:
  InnerKernel(RowPair pair, const Profile& profile) : pair_(std::move(pair)), profile_(profile) {}

  void evaluate(const Patch& at, double*, double* tile) const override {
    run_vectorised(PairLoop<Product>{*pair_.x, *pair_.z, at, tile});
    run_vectorised(ProfileLoop<Profile>{profile_, at.padded_rows(), at.padded_cols(), tile});
  }

  Eigen::VectorXd self(Side side) const override {
    const Rows& rows = pair_.rows(side);
    AlignedBuffer values(round_up(rows.n(), block_rows));
    std::copy(rows.norms(), rows.norms() + rows.n(), values.data());
    run_vectorised(
        ProfileLoop<Profile>{profile_, round_up(rows.n(), block_rows), 1, values.data()});
    return Eigen::Map<const Eigen::VectorXd>(values.data(), rows.n());
  }

 private:
  RowPair pair_;
  Profile profile_;
};

class DeltaKernel : public Kernel {
 public:
  explicit DeltaKernel(RowPair pair) : pair_(std::move(pair)) {}

  void evaluate(const Patch& at, double*, double* tile) const override {
    run_vectorised(PairLoop<Mismatch>{*pair_.x, *pair_.z, at, tile});
    run_vectorised(ProfileLoop<Delta>{Delta(), at.padded_rows(), at.padded_cols(), tile});
  }

  Eigen::VectorXd self(Side side) const override {
    return Eigen::VectorXd::Ones(pair_.rows(side).n());
  }

 private:
  RowPair pair_;
};

// Values that were computed elsewhere: values [n x m].
class GivenKernel : public Kernel {
 public:
  GivenKernel(const MatrixView& values, const MatrixView& self_x, const MatrixView& self_z)
      : values_(values), self_x_(self_x), self_z_(self_z) {}

  void evaluate(const Patch& at, double*, double* tile) const override {
    for (Index j = 0; j < at.cols; ++j) {
      const double* column = values_.data() + at.row + (at.col + j) * values_.rows();
      std::copy(column, column + at.rows, tile + j * tile_rows);
    }
  }

  Eigen::VectorXd self(Side side) const override {
    const MatrixView& values = side == Side::x ? self_x_ : self_z_;
    return Eigen::Map<const Eigen::VectorXd>(values.data(), values.size());
  }

 private:
  MatrixView values_, self_x_, self_z_;
};

}  // namespace domgen

#endif
