// K W K for a symmetric W [n x n] that is not of low rank: the scatter of rows
// around their class means, the Laplacian of a neighbourhood graph.
#ifndef DOMGEN_CORE_PROJECTION_ROW_FORM_H
#define DOMGEN_CORE_PROJECTION_ROW_FORM_H

#include "../linalg/symmetric.h"

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <cstddef>
#include <utility>
#include <vector>

namespace domgen {

class RowForm {
 public:
  virtual ~RowForm() = default;
  // Columns first, ..., first + width - 1.
  virtual Eigen::MatrixXd columns(const SymmetricLower& K, Eigen::Index first,
                                  Eigen::Index width) const = 0;
  // K W K B, given S = KB.
  virtual Eigen::MatrixXd apply(const SymmetricLower& K, const Eigen::MatrixXd& B,
                                const Eigen::MatrixXd& S) const = 0;
};

// W sparse, over rows.
class SparseForm : public RowForm {
 public:
  explicit SparseForm(const Eigen::SparseMatrix<double>& W) : W_(W) {}

  Eigen::MatrixXd columns(const SymmetricLower& K, Eigen::Index first,
                          Eigen::Index width) const override {
    const Eigen::MatrixXd WK = W_ * K.columns(first, width);
    return K * WK;
  }

  Eigen::MatrixXd apply(const SymmetricLower& K, const Eigen::MatrixXd&,
                        const Eigen::MatrixXd& S) const override {
    const Eigen::MatrixXd WS = W_ * S;
    return K * WS;
  }

 private:
  Eigen::SparseMatrix<double> W_;
};

// K W K itself [d x d], where d is small.
class DenseForm : public RowForm {
 public:
  explicit DenseForm(Eigen::MatrixXd M) : M_(std::move(M)) {}

  Eigen::MatrixXd columns(const SymmetricLower&, Eigen::Index first,
                          Eigen::Index width) const override {
    return M_.middleCols(first, width);
  }

  Eigen::MatrixXd apply(const SymmetricLower&, const Eigen::MatrixXd& B,
                        const Eigen::MatrixXd&) const override {
    return product_of(M_, B);
  }

 private:
  Eigen::MatrixXd M_;
};

// An undirected graph on rows, each edge once, codes 0, ..., n - 1.
struct Graph {
  std::vector<int> from, to;
  std::vector<double> weight;
};

// diag(diagonal) + scale (the Laplacian of the graph): f'(...)f =
// sum_i diagonal_i f_i^2 + scale sum_edges weight (f_i - f_j)^2.
inline Eigen::SparseMatrix<double> sparse_weights(const Eigen::VectorXd& diagonal,
                                                  const Graph& graph, double scale) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<std::size_t>(diagonal.size()) + 4 * graph.from.size());
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    entries.emplace_back(static_cast<int>(i), static_cast<int>(i), diagonal[i]);
  for (std::size_t e = 0; e < graph.from.size(); ++e) {
    const int i = graph.from[e], j = graph.to[e];
    const double w = scale * graph.weight[e];
    entries.emplace_back(i, i, w);
    entries.emplace_back(j, j, w);
    entries.emplace_back(i, j, -w);
    entries.emplace_back(j, i, -w);
  }
  Eigen::SparseMatrix<double> W(diagonal.size(), diagonal.size());
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

}  // namespace domgen

#endif
