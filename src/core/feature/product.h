// The product map z(d, x) = z_P(d) (x) z(x): for each coordinate of z_P, all of z(x).
#ifndef DOMGEN_CORE_FEATURE_PRODUCT_H
#define DOMGEN_CORE_FEATURE_PRODUCT_H

#include "../linalg/pool.h"
#include "../linalg/view.h"
#include "map.h"

#include <memory>
#include <stdexcept>
#include <utility>

namespace domgen {

// table [r_P x G]: z_P of each domain
class ProductMap : public FeatureMap {
 public:
  ProductMap(std::unique_ptr<FeatureMap> x, const MatrixView& table)
      : x_(std::move(x)), table_(table) {
    if (x_->domains() > 0 && x_->domains() != table.cols()) {
      throw std::invalid_argument("the factors of a product map differ in domains");
    }
  }

  Index dim() const override { return table_.rows() * x_->dim(); }
  Index domains() const override { return table_.cols(); }

  void evaluate(const RowBlock& rows, double* Zt, const Pool& pool) override {
    const Index inner = x_->dim(), outer = table_.rows();
    double* features = features_.reserve(inner * rows.count);
    x_->evaluate(rows, features, pool);
    pool.run(rows.count, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const double* z = features + i * inner;
        const double* weights = table_.data() + rows.domains()[i] * outer;
        double* out = Zt + i * inner * outer;
        for (Index a = 0; a < outer; ++a, out += inner) {
          for (Index k = 0; k < inner; ++k) out[k] = weights[a] * z[k];
        }
      }
    });
  }

 private:
  std::unique_ptr<FeatureMap> x_;
  MatrixView table_;
  Buffer features_;
};

}  // namespace domgen

#endif
