// The memory of a Gram matrix, K [n x n], which a solver consumes: it goes in by std::move and
// holds a factor afterwards. It cannot be copied, so that there is one such matrix and one owner.
#ifndef DOMGEN_CORE_LINALG_GRAM_BUFFER_H
#define DOMGEN_CORE_LINALG_GRAM_BUFFER_H

#include "assert.h"
#include "large-pages.h"

#include <Eigen/Core>

#include <cstddef>
#include <memory>
#include <utility>

namespace domgen {

class GramBuffer {
 public:
  // Of its own, not initialised.
  explicit GramBuffer(Eigen::Index n) : rows_(n) {
    std::shared_ptr<double> own(new double[static_cast<std::size_t>(n * n)],
                                std::default_delete<double[]>());
    advise_large_pages(own.get(), n * n);
    data_ = own.get();
    owner_ = std::move(own);
  }
  // `owner` keeps the memory; nobody else may hold it.
  GramBuffer(double* data, Eigen::Index n, std::shared_ptr<void> owner)
      : data_(data), rows_(n), owner_(std::move(owner)) {
    DOMGEN_EXPECT(n >= 0 && (data || n == 0));
  }
  GramBuffer(const GramBuffer&) = delete;
  GramBuffer& operator=(const GramBuffer&) = delete;
  GramBuffer(GramBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), rows_(std::exchange(other.rows_, 0)),
        owner_(std::move(other.owner_)) {}
  GramBuffer& operator=(GramBuffer&&) = delete;

  Eigen::Index rows() const { return rows_; }
  Eigen::Map<Eigen::MatrixXd> matrix() { return Eigen::Map<Eigen::MatrixXd>(data_, rows_, rows_); }

 private:
  double* data_ = nullptr;
  Eigen::Index rows_;
  std::shared_ptr<void> owner_;
};

}  // namespace domgen

#endif
