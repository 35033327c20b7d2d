#include "test.h"

#include "../linalg/band.h"
#include "../linalg/cholesky.h"
#include "../linalg/dense.h"
#include "../linalg/group-means.h"
#include "../linalg/inverse.h"
#include "../linalg/lanczos.h"
#include "../linalg/tridiagonal.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace {

using namespace domgen_test;

// Every job on blocks of larger matrices, of every size from none on, against Eigen.
void dense() {
  using domgen::Half;
  using domgen::transposed;
  double products = 0, squares = 0, halves = 0, solved = 0, vectors = 0;
  for (const Index m : {0, 1, 5})
    for (const Index n : {0, 1, 4})
      for (const Index k : {0, 1, 6}) {
        const MatrixXd all = numbers(20, 20, 3), some = numbers(20, 20, 4),
                       start = numbers(20, 20, 5);
        const auto A = all.block(1, 2, m, k), B = some.block(3, 1, k, n);
        const MatrixXd At = A.transpose(), Bt = B.transpose();
        const auto error = [](const MatrixXd& found, const MatrixXd& expected) {
          return found.size() > 0 ? largest(found - expected) : 0;
        };
        MatrixXd C = start;
        auto part = C.block(2, 3, m, n);
        domgen::add_product(part, A, transposed(Bt), 2);
        MatrixXd expected = start;
        expected.block(2, 3, m, n) += 2 * A * B;
        products = std::max(products, error(C, expected));
        domgen::set_product(part, transposed(At), B, -1);
        expected.block(2, 3, m, n) = -A * B;
        products = std::max(products, error(C, expected));

        const MatrixXd square = A * A.transpose(), pair = A * At + At.transpose() * A.transpose();
        for (const Half half : {Half::upper, Half::lower}) {
          C = expected = start;
          MatrixXd own = start.block(2, 3, m, m) + square + 0.5 * pair;
          auto to = C.block(2, 3, m, m);
          domgen::add_square(half, to, transposed(At));
          domgen::add_pair(half, to, A, MatrixXd(At.transpose()), 0.5);
          auto known = expected.block(2, 3, m, m);
          if (half == Half::upper) known.triangularView<Eigen::Upper>() = own;
          else known.triangularView<Eigen::Lower>() = own;
          squares = std::max(squares, error(C, expected));

          MatrixXd S = square;
          S.diagonal().array() += 1;
          const MatrixXd right = start.topLeftCorner(m, n);
          MatrixXd X(m, n), Y(n, m), factor = S;
          domgen::set_product(X, domgen::Symmetric(half, S), right, 3);
          domgen::set_product(Y, MatrixXd(right.transpose()), domgen::Symmetric(half, S));
          halves = std::max({halves, error(X, 3 * S * right), error(Y, right.transpose() * S)});
          if (!domgen::cholesky_factor(half, factor)) solved = 1;
          const domgen::Triangle T(half, factor);
          const domgen::Triangle first = half == Half::upper ? transposed(T) : T;
          X = right;
          domgen::solve_factored(half, factor, X);
          Y = right.transpose();
          domgen::solve_triangle(Y, transposed(first));
          domgen::solve_triangle(Y, first);
          solved = std::max({solved, error(S * X, right), error(S * Y.transpose(), right)});
          if (n == 0) continue;
          VectorXd x = right.col(0);
          domgen::solve_factored(half, factor, x.data());
          VectorXd Sx(m), y = VectorXd::Ones(k);
          domgen::set_product(Sx.data(), domgen::Symmetric(half, S), x.data());
          vectors = std::max(vectors, error(Sx, right.col(0)));
          domgen::add_product(y.data(), transposed(A), x.data(), 2);
          vectors = std::max(vectors, error(y, VectorXd::Ones(k) + 2 * A.transpose() * x));
          domgen::set_product(y.data(), transposed(A), x.data());
          vectors = std::max(vectors, error(y, A.transpose() * x));
        }
      }
  check("dense: products", products, 1e-12);
  check("dense: products with the transpose", squares, 1e-12);
  check("dense: symmetric matrices", halves, 1e-12);
  check("dense: factors", solved, 1e-12);
  check("dense: vectors", vectors, 1e-12);

  int refused = 0;
  double y = 0;
  try {
    domgen::set_product(&y, domgen::Operand(&y, Index(1) << 31, 1), &y);
  } catch (const std::length_error&) {
    ++refused;
  }
  check("dense: more rows than the BLAS counts are refused", 1 - refused, 0);
}

// The amounts that are tried, and that none is tried for ever.
void raised_diagonal() {
  std::vector<double> tried;
  const auto helps_at = [&](double least) {
    return [&tried, least](double added) {
      tried.push_back(added);
      return added >= least;
    };
  };
  const double added = domgen::raise_diagonal(0, 1, 64, helps_at(10), "never");
  check("raised diagonal: the smallest that helps", added - 16, 0);
  check("raised diagonal: what is tried", tried == std::vector<double>{0, 1, 4, 16} ? 0 : 1, 0);
  check("raised diagonal: the first", domgen::raise_diagonal(3, 1, 64, helps_at(2), "never") - 3,
        0);
  int refused = 0;
  for (const double rounding : {1.0, 0.0, -1.0, std::nan("")}) {
    try {
      domgen::raise_diagonal(0, rounding, 64 * rounding, helps_at(1e9), "none helps");
    } catch (const std::domain_error&) {
      ++refused;
    }
  }
  check("raised diagonal: an error where none helps", 4 - refused, 0);
}

void cholesky() {
  const Index n = 1100;  // more than a panel
  const MatrixXd A = positive(n);
  MatrixXd R = A;
  const bool done = domgen::cholesky_upper(R.data(), n, pool);
  const MatrixXd upper = R.triangularView<Eigen::Upper>();
  const Index few = 5;  // last columns
  const MatrixXd rebuilt = upper.transpose() * upper.rightCols(few);
  check("Cholesky: R'R = A", done ? largest(rebuilt - A.rightCols(few)) : 1, n * unit * A.trace());
  MatrixXd P = upper;
  domgen::inverse_from_cholesky(P.data(), n, pool);
  const MatrixXd whole = P.selfadjointView<Eigen::Upper>();
  const MatrixXd identity = MatrixXd::Identity(n, n).rightCols(few);
  check("inverse: PA = I", largest(whole * A.rightCols(few) - identity), n * unit * A.trace());

  const MatrixXd S = A.topLeftCorner(150, 150);
  VectorXd lambda(2);
  lambda << 0.1, 3;
  const MatrixXd B = numbers(150, 1, 3);
  const MatrixXd shifted = domgen::solve_shifted(buffer(S), B, lambda, pool);
  check("band: (S + lambda I) x = b",
        std::max(largest(S * shifted.col(0) + 0.1 * shifted.col(0) - B),
                 largest(S * shifted.col(1) + 3 * shifted.col(1) - B)),
        150 * unit * S.trace());
}

// S has the decaying eigenvalues of points on a line. The band ends early; more columns than it
// begins with need all of it.
void band() {
  const Index n = 400;
  const double least = 0.01;
  MatrixXd S(n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) S(i, j) = std::exp(-1e-3 * double((i - j) * (i - j)));
  for (const Index columns : {1, 20, 70}) {
    const MatrixXd B = numbers(n, columns, 3);
    MatrixXd memory = S;
    const domgen::BandForm form({memory.data(), n, n}, B, least, pool);
    double worst = 0;
    for (const double lambda : {least, 1.0}) {
      MatrixXd X = form.to_band(B);
      if (!form.solve(lambda, X)) X.setConstant(1e300);
      X = form.from_band(X);
      const MatrixXd left = B - S * X - lambda * X;
      worst =
          std::max(worst, (left.colwise().norm().array() / X.colwise().norm().array()).maxCoeff());
    }
    check("band: residual, whether or not it ends early", worst, n * unit * S.norm());
    const bool early = form.size() < n / 2;
    check("band: it ends early where it begins with B", early == (columns <= 64) ? 0 : 1, 0);
  }
}

// Two groupings of 150 rows, one group of the second without rows.
void group_means() {
  const Index n = 150;
  const MatrixXd Z = numbers(5, n, 2);
  std::vector<int> codes;
  for (Index i = 0; i < n; ++i) codes.push_back(static_cast<int>(i % 3));
  for (Index i = 0; i < n; ++i) codes.push_back(i < 40 ? 0 : 2);
  const VectorXd found = domgen::variance_of_means(view(Z), codes, 3, pool);
  VectorXd variances = VectorXd::Zero(2);
  for (Index b = 0; b < 2; ++b) {
    MatrixXd weights = MatrixXd::Zero(n, 3);
    for (Index i = 0; i < n; ++i) weights(i, codes[std::size_t(b * n + i)]) = 1;
    for (int g = 0; g < 3; ++g) weights.col(g) /= std::max(weights.col(g).sum(), 1.0);
    const MatrixXd means = Z * weights;
    for (int g = 0; g < 3; ++g)
      variances[b] += (means.col(g) - means.rowwise().mean()).squaredNorm() / 3;
  }
  check("group means: their variance", largest(found - variances), 1e-12);
}

// One of three groups without rows, one without weight.
void group_squares() {
  const Index n = 90;
  const MatrixXd X = numbers(n, 4, 3);
  VectorXd unit(4), weights(n);
  unit << 1, 2, 0.5, 4;
  std::vector<int> codes;
  for (Index i = 0; i < n; ++i) {
    codes.push_back(i % 3 == 0 ? 0 : 3);
    weights[i] = codes.back() == 0 ? 0 : double(i % 5);
  }
  const domgen::GroupSquares found = domgen::group_squares(view(X), unit, weights, codes, 4);
  const MatrixXd scaled = X * unit.cwiseInverse().asDiagonal();
  const Eigen::RowVectorXd mean = weights.transpose() * scaled / weights.sum();
  const Eigen::RowVectorXd square =
      weights.transpose() * (scaled.rowwise() - mean).array().square().matrix();
  check("group squares: sums of weights",
        largest(found.count - weights.sum() * VectorXd::Unit(4, 3)), 1e-12);
  check("group squares: means", largest(found.mean.row(3) - mean), 1e-12);
  check("group squares: squares", largest(found.square.row(3) - square), 1e-11);
  check("group squares: those of no weight are 0",
        largest(found.mean.topRows(3)) + largest(found.square.topRows(3)), 0);
}

void eigenpairs() {
  const Index n = 200, m = 5;
  const MatrixXd B = numbers(n, n, 1), A = positive(n) + 0.01 * B * B.transpose();
  const auto apply = [&](const double* x, double* y) {
    Eigen::Map<VectorXd>(y, n) = A * Eigen::Map<const VectorXd>(x, n);
  };
  const domgen::EigenPairs pairs = domgen::lanczos_leading_pairs(apply, n, m, pool);
  const MatrixXd defect = A * pairs.vectors - pairs.vectors * pairs.values.asDiagonal();
  check("Lanczos: A v = v theta", largest(defect), n * unit * A.norm());

  for (const double size : {1.0, 1e-200}) {
    MatrixXd D = size * A, E = D;
    const MatrixXd part = domgen::dense_leading_pairs(E, n - 1, pool).vectors;
    check("dense, all but one: V'V = I",
          largest(part.transpose() * part - MatrixXd::Identity(n - 1, n - 1)), n * unit);
    const domgen::EigenPairs dense = domgen::dense_leading_pairs(D, n, pool);
    const MatrixXd& V = dense.vectors;
    check("dense: A V = V Theta", largest(A * V - V * (dense.values / size).asDiagonal()),
          n * unit * A.norm());
    check("dense: V'V = I", largest(V.transpose() * V - MatrixXd::Identity(n, n)), 100 * n * unit);
    check("Lanczos and dense agree", largest(dense.values.head(m) / size - pairs.values),
          n * unit * A.norm());
  }
}

// What fails in a worker reaches the calling thread, and stops the others' work.
void failing_worker() {
  for (const int threads : {1, 3}) {
    std::atomic<int> done{0};
    int caught = 0;
    try {
      domgen::on_threads(0, 1000, threads, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        if (begin == 0) throw std::domain_error("in a worker");
        done += int(end - begin);
      });
    } catch (const std::domain_error&) {
      ++caught;
    }
    check("workers: an exception is kept for the calling thread", 1 - caught, 0);
    if (threads == 1) check("workers: after it the rest is left", done, 0);
  }
}

}  // namespace

void test_linalg() {
  failing_worker();
  dense();
  raised_diagonal();
  cholesky();
  band();
  group_means();
  group_squares();
  eigenpairs();
}
