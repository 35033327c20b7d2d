// A kernel as a tree: leaves evaluate a profile, nodes combine their parts tile
// by tile, so that sums and products need a tile each, never a matrix.
#ifndef DOMGEN_CORE_KERNEL_TREE_H
#define DOMGEN_CORE_KERNEL_TREE_H

#include "../linalg/view.h"
#include "anova.h"
#include "columns.h"
#include "kernel.h"
#include "leaf.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace domgen {

template <class Operation>
class CombinedKernel : public Kernel {
 public:
  explicit CombinedKernel(std::vector<std::unique_ptr<Kernel>> parts) : parts_(std::move(parts)) {}

  int scratch_tiles() const override {
    int most = 0;
    for (const auto& part : parts_) most = std::max(most, part->scratch_tiles());
    return most + 1;
  }

  void evaluate(const Patch& at, double* scratch, double* tile) const override {
    parts_[0]->evaluate(at, scratch, tile);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      parts_[i]->evaluate(at, scratch + tile_size, scratch);
      run_vectorised(TileCombineLoop<Operation>{at.padded_rows(), at.padded_cols(), scratch, tile});
    }
  }

  Eigen::VectorXd self(Side side) const override {
    Eigen::VectorXd value = parts_[0]->self(side);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const Eigen::VectorXd part = parts_[i]->self(side);
      for (Index row = 0; row < value.size(); ++row) Operation::apply(value[row], part[row]);
    }
    return value;
  }

 private:
  std::vector<std::unique_ptr<Kernel>> parts_;
};

// k(x, z) / sqrt(k(x, x) k(z, z)); 0 where k(x, x) or k(z, z) is 0, because
// k(x, z) is then 0 as well.
class NormalisedKernel : public Kernel {
 public:
  explicit NormalisedKernel(std::unique_ptr<Kernel> part)
      : part_(std::move(part)), x_(inverse_roots(Side::x)), z_(inverse_roots(Side::z)) {}

  int scratch_tiles() const override { return part_->scratch_tiles(); }

  void evaluate(const Patch& at, double* scratch, double* tile) const override {
    part_->evaluate(at, scratch, tile);
    for (Index j = 0; j < at.cols; ++j) {
      double* column = tile + j * tile_rows;
      const double z = z_[at.col + j];
      for (Index i = 0; i < at.rows; ++i) column[i] *= x_[at.row + i] * z;
    }
  }

  Eigen::VectorXd self(Side side) const override {
    const Eigen::VectorXd& roots = side == Side::x ? x_ : z_;
    return part_->self(side).array() * roots.array().square();
  }

 private:
  Eigen::VectorXd inverse_roots(Side side) const {
    return part_->self(side).unaryExpr(
        [](double value) { return value == 0 ? 0 : 1 / std::sqrt(value); });
  }

  std::unique_ptr<Kernel> part_;
  Eigen::VectorXd x_, z_;  // 1 / sqrt(k(x_i, x_i)), 1 / sqrt(k(z_j, z_j))
};

// What KernelBuilder::build() does.
class KernelTree {
 public:
  KernelTree(const MatrixView& X, const MatrixView& Z, Side centred)
      : X_(X), Z_(Z), centred_(centred) {}

  std::unique_ptr<Kernel> build(const KernelProgram& k) const {
    std::unique_ptr<Kernel> found;
    if (of_distance<Rbf>("rbf", k, found) || of_distance<Laplace>("laplace", k, found) ||
        of_distance<Matern3>("matern3", k, found) || of_distance<Matern5>("matern5", k, found) ||
        of_distance<Cauchy>("cauchy", k, found)) {
      return found;
    }
    if (k.type == "linear") return leaf<InnerKernel<Linear>>(inner(k), Linear());
    if (k.type == "poly") {
      return leaf<InnerKernel<Poly>>(inner(k), Poly{k.degree, k.gamma, k.coef0});
    }
    if (k.type == "exponential") {
      return leaf<InnerKernel<Exponential>>(pack(zeros(), inv(k)), Exponential());
    }
    if (k.type == "anova") return anova(k);
    if (k.type == "delta") return leaf<DeltaKernel>(raw());
    if (k.type == "categories") return leaf<CategoryKernel>(raw(), k.gamma);
    if (k.type == "lookup") return leaf<LookupKernel>(k.table, X_, Z_);
    if (k.type == "given") return given(k);
    if (k.type == "columns" && k.parts.size() == 1) return on_columns(k);
    if (k.type == "sum") return combined<Sum>(k);
    if (k.type == "product") return combined<Times>(k);
    if (k.type == "normalise" && k.parts.size() == 1) {
      return leaf<NormalisedKernel>(build(k.parts[0]));
    }
    throw std::invalid_argument("unknown kernel: " + k.type);
  }

 private:
  MatrixView X_, Z_;
  Side centred_;

  template <class Leaf, class... Args>
  static std::unique_ptr<Kernel> leaf(Args&&... args) {
    return std::unique_ptr<Kernel>(new Leaf(std::forward<Args>(args)...));
  }

  Eigen::VectorXd zeros() const { return Eigen::VectorXd::Zero(X_.cols()); }

  Eigen::VectorXd ones() const { return Eigen::VectorXd::Ones(X_.cols()); }

  RowPair raw() const { return pack(zeros(), ones()); }

  RowPair inner(const KernelProgram& k) const {
    if (k.origin.size() == 0) return raw();
    if (k.origin.size() != X_.cols()) throw std::invalid_argument("origin must match X");
    return pack(k.origin, ones());
  }

  RowPair pack(const Eigen::VectorXd& centre, const Eigen::VectorXd& inv) const {
    auto z = std::make_shared<const Rows>(Z_, centre, inv);
    const bool same = X_.data() == Z_.data() && X_.rows() == Z_.rows();
    return RowPair{same ? z : std::make_shared<const Rows>(X_, centre, inv), z};
  }

  Eigen::VectorXd inv(const KernelProgram& k) const {
    if (k.inv.size() == X_.cols()) return k.inv;
    if (k.inv.size() != 1) throw std::invalid_argument("inv must have length 1 or ncol(X)");
    return Eigen::VectorXd::Constant(X_.cols(), k.inv[0]);
  }

  // The kernel of that name, its rate or its slope, where it is meant.
  template <class P>
  bool of_distance(const std::string& name, const KernelProgram& k,
                   std::unique_ptr<Kernel>& found) const {
    if (k.type == name) found = stationary<ValueOf<P>>(k, P::distance());
    if (k.type == name + "_rate") found = stationary<RateOf<P>>(k, P::distance());
    if (k.type == name + "_slope") found = stationary<SlopeOf<P>>(k, P::distance());
    return found != nullptr;
  }

  // Centred, so that a large common offset costs no digits.
  RowPair in_bandwidths(const KernelProgram& k) const {
    return pack(column_means(centred_ == Side::x ? X_ : Z_), inv(k));
  }

  template <class Profile>
  std::unique_ptr<Kernel> stationary(const KernelProgram& k, Distance distance) const {
    return leaf<StationaryKernel<Profile>>(in_bandwidths(k), Profile(), distance);
  }

  std::unique_ptr<Kernel> anova(const KernelProgram& k) const {
    if (k.degree < 1 || X_.cols() < 1) {
      throw std::invalid_argument("an ANOVA kernel needs a degree and a predictor");
    }
    return leaf<AnovaKernel>(in_bandwidths(k), k.degree);
  }

  std::unique_ptr<Kernel> given(const KernelProgram& k) const {
    if (k.values.rows() != X_.rows() || k.values.cols() != Z_.rows() ||
        k.self_x.size() != X_.rows() || k.self_z.size() != Z_.rows()) {
      throw std::invalid_argument("the given kernel matrix does not match X and Z");
    }
    return leaf<GivenKernel>(k.values, k.self_x, k.self_z);
  }

  // Leaves keep what they need of the copied columns.
  std::unique_ptr<Kernel> on_columns(const KernelProgram& k) const {
    const bool same = X_.data() == Z_.data() && X_.rows() == Z_.rows();
    const Eigen::MatrixXd z = chosen(Z_, k.columns);
    const Eigen::MatrixXd other = same ? Eigen::MatrixXd() : chosen(X_, k.columns);
    const Eigen::MatrixXd& x = same ? z : other;
    return KernelTree(MatrixView(x.data(), x.rows(), x.cols()),
                      MatrixView(z.data(), z.rows(), z.cols()), centred_)
        .build(k.parts[0]);
  }

  static Eigen::MatrixXd chosen(const MatrixView& rows, const std::vector<int>& columns) {
    Eigen::MatrixXd found(rows.rows(), columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j] < 0 || columns[j] >= rows.cols()) {
        throw std::invalid_argument("a kernel asks for a column that is not there");
      }
      const double* column = rows.data() + columns[j] * rows.rows();
      std::copy(column, column + rows.rows(), found.col(j).data());
    }
    return found;
  }

  template <class Operation>
  std::unique_ptr<Kernel> combined(const KernelProgram& k) const {
    if (k.parts.empty()) throw std::invalid_argument("a sum or product needs parts");
    std::vector<std::unique_ptr<Kernel>> parts;
    for (const KernelProgram& part : k.parts) parts.push_back(build(part));
    return leaf<CombinedKernel<Operation>>(std::move(parts));
  }
};

}  // namespace domgen

#endif
