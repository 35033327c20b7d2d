// Centring, H = I - 11'/n, of a Gram matrix and of the columns of a factor.
#ifndef DOMGEN_CORE_PROJECTION_CENTRE_H
#define DOMGEN_CORE_PROJECTION_CENTRE_H

#include "../linalg/pool.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace domgen {

// Rounding leaves entries of about this size, relative to those before
// centring, where the exact result is zero.
constexpr double centring_noise = 16 * std::numeric_limits<double>::epsilon();

struct Centring {
  Eigen::VectorXd mean;       // column means of K before centring [n]
  double uncentred_norm = 0;  // Frobenius norm of K before
  double norm = 0;            // and of HKH

  bool vanishes() const { return !(norm > centring_noise * uncentred_norm); }
};

// visit(j) for each column, which has one writer and its own sum, so that the
// result does not depend on the number of threads.
template <class Visit>
void each_column(std::ptrdiff_t n, const Pool& pool, const Visit& visit) {
  const std::ptrdiff_t piece = 32, pieces = (n + piece - 1) / piece;
  pool.run(pieces, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t j = begin * piece; j < std::min(end * piece, n); ++j) visit(j);
  });
}

// The means and the norm of K [n x n] as it is.
inline Centring describe_gram(Eigen::Map<const Eigen::MatrixXd> K, const Pool& pool) {
  Centring centring;
  centring.mean.resize(K.cols());
  Eigen::VectorXd squares(K.cols());
  each_column(K.cols(), pool, [&](std::ptrdiff_t j) {
    centring.mean[j] = K.col(j).mean();
    squares[j] = K.col(j).squaredNorm();
  });
  centring.norm = centring.uncentred_norm = std::sqrt(squares.sum());
  return centring;
}

// K [n x n] <- HKH.
inline Centring centre_gram(Eigen::Map<Eigen::MatrixXd> K, const Pool& pool) {
  Centring centring =
      describe_gram(Eigen::Map<const Eigen::MatrixXd>(K.data(), K.rows(), K.cols()), pool);
  const double grand_mean = centring.mean.mean();
  Eigen::VectorXd squares(K.cols());
  each_column(K.cols(), pool, [&](std::ptrdiff_t j) {
    K.col(j).array() -= centring.mean.array() + centring.mean[j];
    K.col(j).array() += grand_mean;
    squares[j] = K.col(j).squaredNorm();
  });
  centring.norm = std::sqrt(squares.sum());
  return centring;
}

// F [n x r] <- HF.
inline void centre_columns(Eigen::MatrixXd& F) {
  const Eigen::RowVectorXd mean = F.colwise().mean();
  F.rowwise() -= mean;
}

}  // namespace domgen

#endif
