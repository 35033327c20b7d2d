// Means by domain, and the distributional variance they define:
// Q = E (I/G - 11'/G^2) E' with E [n x G], E[i, g] = 1/n_g if row i is in domain g.
#ifndef DOMGEN_CORE_DOMAIN_MEANS_H
#define DOMGEN_CORE_DOMAIN_MEANS_H

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace domgen {

class DomainMeans {
 public:
  // code [n]: 1..G, every domain with a row.
  DomainMeans(const std::vector<int>& code, Eigen::Index G)
      : code_(code), count_(Eigen::VectorXd::Zero(G)) {
    for (int g : code_) {
      if (g < 1 || g > G) throw std::invalid_argument("domain codes must be between 1 and G");
      count_[g - 1] += 1;
    }
    if (G < 1 || count_.minCoeff() == 0)
      throw std::invalid_argument("every domain must have at least one row");
  }

  Eigen::Index domains() const { return count_.size(); }

  // M = KE [n x G] for symmetric K [n x n]: column j of K gives row j of M. Four
  // columns at a time, because neighbouring rows tend to be of one domain and
  // would wait for each other's sum.
  template <class Pool>
  Eigen::MatrixXd gram_means(Eigen::Map<const Eigen::MatrixXd> K, const Pool& pool) const {
    const std::ptrdiff_t n = K.rows(), width = 4, pieces = (n + width - 1) / width;
    Eigen::MatrixXd M(n, domains());
    pool.run(pieces, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      Eigen::Matrix<double, 4, Eigen::Dynamic> sums(4, domains());
      for (std::ptrdiff_t piece = begin; piece < end; ++piece) {
        const std::ptrdiff_t first = piece * width, columns = std::min(width, n - first);
        const double* column[4];
        for (std::ptrdiff_t c = 0; c < width; ++c)
          column[c] = K.col(first + std::min(c, columns - 1)).data();
        sums.setZero();
        for (std::ptrdiff_t i = 0; i < n; ++i)
          for (std::ptrdiff_t c = 0; c < width; ++c) sums(c, domain(i)) += column[c][i];
        M.middleRows(first, columns) =
            sums.topRows(columns) * count_.cwiseInverse().asDiagonal();
      }
    });
    return M;
  }

  // E'S [G x m] for S [n x m]
  Eigen::MatrixXd means(const Eigen::MatrixXd& S) const {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(domains(), S.cols());
    for (Eigen::Index j = 0; j < S.cols(); ++j)
      for (Eigen::Index i = 0; i < rows(); ++i) sums(domain(i), j) += S(i, j);
    return count_.cwiseInverse().asDiagonal() * sums;
  }

  // (I - 11'/G) E'S [G x m]
  Eigen::MatrixXd deviations(const Eigen::MatrixXd& S) const {
    Eigen::MatrixXd deviation = means(S);
    const Eigen::RowVectorXd mean = deviation.colwise().mean();
    deviation.rowwise() -= mean;
    return deviation;
  }

  // Q S [n x m]
  Eigen::MatrixXd scatter(const Eigen::MatrixXd& S) const {
    const Eigen::MatrixXd deviation = deviations(S);
    Eigen::MatrixXd product(rows(), S.cols());
    for (Eigen::Index j = 0; j < S.cols(); ++j)
      for (Eigen::Index i = 0; i < rows(); ++i)
        product(i, j) = deviation(domain(i), j) / (count_[domain(i)] * double(domains()));
    return product;
  }

  // diag(S'QS) [m]: the variance over domains of the columns' means.
  Eigen::VectorXd variance(const Eigen::MatrixXd& S) const {
    return deviations(S).colwise().squaredNorm().transpose() / double(domains());
  }

  // tr(KQ), given M = KE [n x G].
  double trace(const Eigen::MatrixXd& M) const {
    const Eigen::MatrixXd T = means(M);
    const double G = double(domains());
    return std::max(T.trace() / G - T.sum() / (G * G), 0.0);
  }

  // M (I - 11'/G)/sqrt(G) [n x G], whose outer product is KQK.
  static Eigen::MatrixXd factor(Eigen::MatrixXd M) {
    const Eigen::VectorXd mean = M.rowwise().mean();
    M.colwise() -= mean;
    return M / std::sqrt(double(M.cols()));
  }

 private:
  std::vector<int> code_;
  Eigen::VectorXd count_;  // n_g [G]

  Eigen::Index rows() const { return static_cast<Eigen::Index>(code_.size()); }
  Eigen::Index domain(Eigen::Index i) const { return code_[static_cast<std::size_t>(i)] - 1; }
};

}  // namespace domgen

#endif
