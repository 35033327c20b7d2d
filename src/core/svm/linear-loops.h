// The passes over rows of features that a linear SVM consists of: z'w for
// many rows, and w + sum_k t_k z_k.
#ifndef DOMGEN_CORE_SVM_LINEAR_LOOPS_H
#define DOMGEN_CORE_SVM_LINEAR_LOOPS_H

#include "../linalg/pool.h"
#include "../simd/vector.h"
#include "linear-problem.h"
#include "working-set.h"

#include <Eigen/Core>

#include <algorithm>
#include <vector>

namespace domgen {

// Four sums hide the latency of one.
template <int W>
DOMGEN_INLINE double inner_product(const double* x, const double* y, Eigen::Index r) {
  typename Pack<W>::Vec sums[4] = {{}, {}, {}, {}};
  Eigen::Index k = 0;
  for (; k + 4 * W <= r; k += 4 * W) {
    for (int part = 0; part < 4; ++part) {
      sums[part] += Pack<W>::at(x + k + part * W) * Pack<W>::at(y + k + part * W);
    }
  }
  for (; k + W <= r; k += W) sums[0] += Pack<W>::at(x + k) * Pack<W>::at(y + k);
  sums[0] += sums[1];
  sums[2] += sums[3];
  sums[0] += sums[2];
  double sum = 0;
  for (int lane = 0; lane < W; ++lane) sum += sums[0][lane];
  for (; k < r; ++k) sum += x[k] * y[k];
  return sum;
}

// y += t x
template <int W>
DOMGEN_INLINE void add_multiple(double t, const double* x, double* y, Eigen::Index r) {
  using Vec = typename Pack<W>::Vec;
  Eigen::Index k = 0;
  for (; k + W <= r; k += W) {
    *reinterpret_cast<Vec*>(y + k) = Pack<W>::at(y + k) + t * Pack<W>::at(x + k);
  }
  for (; k < r; ++k) y[k] += t * x[k];
}

struct ProductsLoop {
  const LinearProblem& problem;
  const Eigen::Index* rows;
  const double* w;
  double* out;
  Eigen::Index begin, end;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Eigen::Index k = begin; k < end; ++k) {
      out[k] = inner_product<W>(problem.features(rows[k]), w, problem.dim());
    }
  }
};

struct SquaresLoop {
  const LinearProblem& problem;
  double* out;
  Eigen::Index begin, end;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Eigen::Index i = begin; i < end; ++i) {
      out[i] = inner_product<W>(problem.features(i), problem.features(i), problem.dim());
    }
  }
};

// w += sum_k t_k z_rows[k]
struct RowSumLoop {
  const LinearProblem& problem;
  const Eigen::Index* rows;
  const double* t;
  double* w;
  Eigen::Index begin, end;

  template <int W>
  DOMGEN_INLINE void run() const {
    for (Eigen::Index k = begin; k < end; ++k) {
      if (t[k] != 0) add_multiple<W>(t[k], problem.features(rows[k]), w, problem.dim());
    }
  }
};

// Rows at a time between two polls for an interrupt: some milliseconds.
inline Eigen::Index rows_at_a_time(const LinearProblem& problem) {
  const Eigen::Index values = Eigen::Index(1) << 21;
  return std::max<Eigen::Index>(values / std::max<Eigen::Index>(problem.dim(), 1), 1);
}

class FeatureRows {
 public:
  using Index = Eigen::Index;
  using Vector = Eigen::VectorXd;

  FeatureRows(const LinearProblem& problem, const Pool& pool) : problem_(problem), pool_(pool) {}

  // out_k = z_rows[k]'w
  void products(const std::vector<Index>& rows, const Vector& w, Vector* out) const {
    out->resize(static_cast<Index>(rows.size()));
    in_pieces(out->size(), [&](Index begin, Index end) {
      run_vectorised(ProductsLoop{problem_, rows.data(), w.data(), out->data(), begin, end});
    });
  }

  // |z_i|^2 of all rows
  Vector squares() const {
    Vector out(problem_.size());
    in_pieces(out.size(), [&](Index begin, Index end) {
      run_vectorised(SquaresLoop{problem_, out.data(), begin, end});
    });
    return out;
  }

  // w += sum_k t_k z_rows[k], in the order of the rows
  void combine(const std::vector<Index>& rows, const Vector& t, Vector* w) const {
    const Index step = rows_at_a_time(problem_);
    for (Index begin = 0; begin < t.size(); begin += step) {
      const Index end = std::min(begin + step, t.size());
      run_vectorised(RowSumLoop{problem_, rows.data(), t.data(), w->data(), begin, end});
      pool_.interrupt();
    }
  }

 private:
  const LinearProblem& problem_;
  const Pool& pool_;

  template <class Body>
  void in_pieces(Index n, const Body& body) const {
    const Index piece = 256;
    pool_.run((n + piece - 1) / piece,
              [&](Index first, Index last) { body(first * piece, std::min(n, last * piece)); });
  }
};

}  // namespace domgen

#endif
