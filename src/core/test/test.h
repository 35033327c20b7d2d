// What the tests of the core share. Each file tests one folder against loops of two lines; main.cpp
// includes every header and runs them all.
#ifndef DOMGEN_CORE_TEST_TEST_H
#define DOMGEN_CORE_TEST_TEST_H

#include "../../on-threads.h"
#include "../data/md5.h"
#include "../kernel/kernel.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/pool.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>

void test_data();
void test_linalg();
void test_kernel();
void test_feature();
void test_gp();
void test_projection();
void test_svm();
void test_ridge();
void test_cox();

namespace domgen_test {

using domgen::Index;
using domgen::MatrixView;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Counts {
  int failures = 0, polls = 0;
  domgen::Md5 errors;
};

inline Counts& counts() {
  static Counts counts;
  return counts;
}

inline void check(const std::string& what, double error, double tolerance) {
  const bool fine = error <= tolerance;
  counts().errors.number(error);
  if (!fine) ++counts().failures;
  std::printf("%s: %s (%.1e, allowed %.1e)\n", fine ? "ok" : "WRONG", what.c_str(), error,
              tolerance);
}

// What src/parallel.cpp is in the package, each piece by itself.
class TestPool : public domgen::Pool {
 public:
  int threads = 1;

  void run(std::ptrdiff_t pieces, const Pieces& body) const override {
    // Small work would be done by the first thread before the others have begun: each waits for all
    // (without an order between them, which would hide a race).
    const std::ptrdiff_t all = std::min<std::ptrdiff_t>(threads, pieces);
    std::atomic<std::ptrdiff_t> arrived{0};
    domgen::on_threads(0, pieces, threads, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      arrived.fetch_add(1, std::memory_order_relaxed);
      while (arrived.load(std::memory_order_relaxed) < all) std::this_thread::yield();
      for (std::ptrdiff_t i = begin; i < end; ++i) body(i, i + 1);
    });
  }
  void interrupt() const override { ++counts().polls; }
};

inline TestPool& pool_of_tests() {
  static TestPool pool;
  return pool;
}
const domgen::Pool& pool = pool_of_tests();
const double unit = std::numeric_limits<double>::epsilon();

inline MatrixXd numbers(Index rows, Index cols, int seed) {
  MatrixXd A(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) A(i, j) = std::sin(double(seed + 7 * i + 13 * j + i * j));
  return A;
}

inline MatrixView view(const MatrixXd& A) { return MatrixView(A.data(), A.rows(), A.cols()); }

inline domgen::GramBuffer buffer(const MatrixXd& A) {
  domgen::GramBuffer copy(A.rows());
  copy.matrix() = A;
  return copy;
}

inline domgen::KernelProgram program(const std::string& type, double sigma) {
  domgen::KernelProgram k;
  k.type = type;
  k.inv = VectorXd::Constant(1, 1 / sigma);
  return k;
}

inline double largest(const MatrixXd& A) { return A.cwiseAbs().maxCoeff(); }

// A [n x n] with eigenvalues of about n beside 1.
inline MatrixXd positive(Index n) {
  const MatrixXd B = numbers(n, 20, 1);
  return MatrixXd::Identity(n, n) + B * B.transpose();
}

}  // namespace domgen_test

#endif
