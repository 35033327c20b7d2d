// A matrix that is read where it is.
#ifndef DOMGEN_CORE_LINALG_VIEW_H
#define DOMGEN_CORE_LINALG_VIEW_H

#include "exact-math.h"

#include <Eigen/Core>

namespace domgen {

using Eigen::Index;

// A column-major matrix owned by someone else. Unlike Eigen::Map it can be
// assigned.
struct MatrixView {
  const double* values = nullptr;
  Index n = 0, m = 0;

  MatrixView() = default;
  MatrixView(const double* values, Index n, Index m) : values(values), n(n), m(m) {}

  const double* data() const { return values; }
  Index rows() const { return n; }
  Index cols() const { return m; }
  Index size() const { return n * m; }
  double operator()(Index i, Index j) const { return values[i + j * n]; }
};

}  // namespace domgen

#endif
