// Features from landmarks S (Nystrom): z(d, x) = L^-1 (kappa[d_S, d] o k(S, x)),
// where L L' is the kernel's matrix at the landmarks, so that z'z = k_x' W^-1 k_x.
#ifndef DOMGEN_CORE_FEATURE_LANDMARKS_H
#define DOMGEN_CORE_FEATURE_LANDMARKS_H

#include "../kernel/gram.h"
#include "../kernel/kernel.h"
#include "../linalg/dense.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "map.h"

#include <Eigen/Core>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace domgen {

// Kernels that were evaluated in R: the values of the given columns only.
class GivenColumns {
 public:
  GivenColumns(const KernelProgram& program, const std::vector<Index>& columns)
      : program_(select(program, columns)) {}
  GivenColumns(const GivenColumns&) = delete;
  GivenColumns& operator=(const GivenColumns&) = delete;

  const KernelProgram& program() const { return program_; }

 private:
  std::vector<std::unique_ptr<Eigen::MatrixXd>> store_;
  KernelProgram program_;

  KernelProgram select(const KernelProgram& program, const std::vector<Index>& columns) {
    KernelProgram part = program;
    if (program.values.size() > 0) {
      part.values = select(program.values, columns);
      part.self_z = select(MatrixView(program.self_z.data(), 1, program.self_z.size()), columns);
    }
    for (KernelProgram& inner : part.parts) inner = select(inner, columns);
    return part;
  }

  MatrixView select(const MatrixView& values, const std::vector<Index>& columns) {
    const Index rows = values.rows();
    store_.emplace_back(new Eigen::MatrixXd(rows, Index(columns.size())));
    double* out = store_.back()->data();
    for (Index column : columns) {
      const double* from = values.data() + column * rows;
      out = std::copy(from, from + rows, out);
    }
    return MatrixView(store_.back()->data(), rows, Index(columns.size()));
  }
};

// program: of the kernel between S [q x p] and all rows; L [q x q], its lower
// triangle, or empty where sums of the kernel are solved later; weights: kappa
// [G_S x G] and the domains of the landmarks.
class LandmarkMap : public FeatureMap {
 public:
  LandmarkMap(const KernelProgram& program, const MatrixView& S, const MatrixView& L,
              const DomainWeights& weights)
      : program_(program), S_(S), L_(L), weights_(weights) {
    if (L.size() > 0 && (L.rows() != S.rows() || L.cols() != S.rows())) {
      throw std::invalid_argument("the factor must have one row and column per landmark");
    }
  }

  Index dim() const override { return S_.rows(); }
  Index domains() const override { return weights_.kappa.cols(); }

  void evaluate(const RowBlock& rows, double* Zt, const Pool& pool) override {
    const MatrixView X = copy_rows(rows, rows_);
    std::vector<Index> columns(rows.count);
    std::iota(columns.begin(), columns.end(), rows.first);
    const GivenColumns given(program_, columns);
    const auto kernel = KernelBuilder(S_, X, Side::x).build(given.program());
    if (!weights_.empty()) weights_.z.assign(rows.domains(), rows.domains() + rows.count);
    cross_matrix(*kernel, weights_, S_.rows(), rows.count, Zt, pool);
    if (L_.size() == 0) return;
    solve_triangle(lower_triangle(L_), panel(Zt, L_.rows(), rows.count, L_.rows()));
  }

 private:
  KernelProgram program_;
  MatrixView S_, L_;
  DomainWeights weights_;
  Buffer rows_;
};

}  // namespace domgen

#endif
