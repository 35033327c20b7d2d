// Features of rows that are known, as those of the rows from which landmarks were drawn.
#ifndef DOMGEN_CORE_FEATURE_GIVEN_H
#define DOMGEN_CORE_FEATURE_GIVEN_H

#include "../linalg/assert.h"
#include "map.h"

#include <algorithm>

namespace domgen {

// values: Zt [dim x n] of all n rows.
class GivenMap : public FeatureMap {
 public:
  explicit GivenMap(const MatrixView& values) : values_(values) {}

  Index dim() const override { return values_.rows(); }

  void evaluate(const RowBlock& rows, double* Zt, const Pool&) override {
    DOMGEN_EXPECT(rows.first + rows.count <= values_.cols());
    const double* from = values_.data() + rows.first * dim();
    std::copy(from, from + rows.count * dim(), Zt);
  }

 private:
  MatrixView values_;
};

}  // namespace domgen

#endif
