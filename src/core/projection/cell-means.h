// Means by cell, a set of rows such as a domain or a class in a domain: the
// averaging matrix J [n x cells], J[i, c] = 1/n_c if row i is in cell c.
#ifndef DOMGEN_CORE_PROJECTION_CELL_MEANS_H
#define DOMGEN_CORE_PROJECTION_CELL_MEANS_H

#include "../linalg/assert.h"
#include "../linalg/pool.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace domgen {

class CellMeans {
 public:
  // code [n]: 1, ..., cells, every cell with a row.
  CellMeans(const std::vector<int>& code, Eigen::Index cells)
      : code_(code), count_(Eigen::VectorXd::Zero(cells)) {
    for (int c : code_) {
      if (c < 1 || c > cells) throw std::invalid_argument("cell codes must be between 1 and cells");
      count_[c - 1] += 1;
    }
    if (cells < 1 || count_.minCoeff() == 0)
      throw std::invalid_argument("every cell must have at least one row");
  }

  Eigen::Index cells() const { return count_.size(); }

  // KJ [n x cells] for symmetric K [n x n]: column j of K gives row j. Four
  // columns at a time, because neighbouring rows tend to be of one cell and
  // would wait for each other's sum.
  Eigen::MatrixXd of_gram(Eigen::Map<const Eigen::MatrixXd> K, const Pool& pool) const {
    const std::ptrdiff_t n = K.rows(), width = 4, pieces = (n + width - 1) / width;
    DOMGEN_EXPECT(n == static_cast<std::ptrdiff_t>(code_.size()));
    Eigen::MatrixXd M(n, cells());
    pool.run(pieces, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      Eigen::Matrix<double, 4, Eigen::Dynamic> sums(4, cells());
      for (std::ptrdiff_t piece = begin; piece < end; ++piece) {
        const std::ptrdiff_t first = piece * width, columns = std::min(width, n - first);
        const double* column[4];
        for (std::ptrdiff_t c = 0; c < width; ++c)
          column[c] = K.col(first + std::min(c, columns - 1)).data();
        sums.setZero();
        for (std::ptrdiff_t i = 0; i < n; ++i)
          for (std::ptrdiff_t c = 0; c < width; ++c) sums(c, cell(i)) += column[c][i];
        M.middleRows(first, columns) = sums.topRows(columns) * count_.cwiseInverse().asDiagonal();
      }
    });
    return M;
  }

  // J'S [cells x m] for S [n x m]
  Eigen::MatrixXd of_columns(const Eigen::MatrixXd& S) const {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(cells(), S.cols());
    for (Eigen::Index j = 0; j < S.cols(); ++j)
      for (Eigen::Index i = 0; i < S.rows(); ++i) sums(cell(i), j) += S(i, j);
    return count_.cwiseInverse().asDiagonal() * sums;
  }

 private:
  std::vector<int> code_;
  Eigen::VectorXd count_;

  Eigen::Index cell(Eigen::Index i) const { return code_[static_cast<std::size_t>(i)] - 1; }
};

}  // namespace domgen

#endif
