// The dense work of the core by job, each a call of the BLAS or LAPACK that R was given. Matrices
// are column-major doubles; `set_` writes C, `add_` adds to it.
#ifndef DOMGEN_CORE_LINALG_DENSE_H
#define DOMGEN_CORE_LINALG_DENSE_H

#include "assert.h"
#include "view.h"

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

namespace domgen {

// As the Fortran interface defines them; the trailing lengths are those that Fortran compilers pass
// for each character argument. Nothing outside this file calls them.
namespace fortran {
extern "C" {
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
            const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
            const double* beta, double* c, const int* ldc, std::size_t, std::size_t);
void dsymm_(const char* side, const char* uplo, const int* m, const int* n, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
            double* c, const int* ldc, std::size_t, std::size_t);
void dsymv_(const char* uplo, const int* n, const double* alpha, const double* a, const int* lda,
            const double* x, const int* incx, const double* beta, double* y, const int* incy,
            std::size_t);
void dsyrk_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* beta, double* c, const int* ldc,
            std::size_t, std::size_t);
void dsyr2k_(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha,
             const double* a, const int* lda, const double* b, const int* ldb, const double* beta,
             double* c, const int* ldc, std::size_t, std::size_t);
void dtrsm_(const char* side, const char* uplo, const char* transa, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb, std::size_t, std::size_t, std::size_t, std::size_t);
void dgemv_(const char* trans, const int* m, const int* n, const double* alpha, const double* a,
            const int* lda, const double* x, const int* incx, const double* beta, double* y,
            const int* incy, std::size_t);
void dtrmv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a,
            const int* lda, double* x, const int* incx, std::size_t, std::size_t, std::size_t);
void dtrsv_(const char* uplo, const char* trans, const char* diag, const int* n, const double* a,
            const int* lda, double* x, const int* incx, std::size_t, std::size_t, std::size_t);
void dlatrd_(const char* uplo, const int* n, const int* nb, double* a, const int* lda, double* e,
             double* tau, double* w, const int* ldw, std::size_t);
void dsytd2_(const char* uplo, const int* n, double* a, const int* lda, double* d, double* e,
             double* tau, int* info, std::size_t);
void dstemr_(const char* jobz, const char* range, const int* n, double* d, double* e,
             const double* vl, const double* vu, const int* il, const int* iu, int* m, double* w,
             double* z, const int* ldz, const int* nzc, int* isuppz, int* tryrac, double* work,
             const int* lwork, int* iwork, const int* liwork, int* info, std::size_t, std::size_t);
void dormtr_(const char* side, const char* uplo, const char* trans, const int* m, const int* n,
             const double* a, const int* lda, const double* tau, double* c, const int* ldc,
             double* work, const int* lwork, int* info, std::size_t, std::size_t, std::size_t);
void dsteqr_(const char* compz, const int* n, double* d, double* e, double* z, const int* ldz,
             double* work, int* info, std::size_t);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda,
            double* wr, double* wi, double* vl, const int* ldvl, double* vr, const int* ldvr,
            double* work, const int* lwork, int* info, std::size_t, std::size_t);
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work,
             const int* lwork, int* info);
void dlarft_(const char* direct, const char* storev, const int* n, const int* k, const double* v,
             const int* ldv, const double* tau, double* t, const int* ldt, std::size_t,
             std::size_t);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
}

// The one place where a size becomes what the BLAS counts with.
inline int count(Index n) {
  if (n > std::numeric_limits<int>::max())
    throw std::length_error("a matrix of the BLAS has at most 2^31 - 1 rows and columns");
  return static_cast<int>(n);
}
inline int stride(Index rows, Index stride) { return count(std::max({rows, stride, Index(1)})); }

constexpr int step = 1;
}  // namespace fortran

// ---- what is read and written ----

// A or A', with `stride` numbers from one column of A to the next.
struct Operand {
  const double* data;
  Index rows, cols, stride;  // of A
  char op = 'N';

  Operand(const double* data, Index rows, Index cols, Index stride)
      : data(data), rows(rows), cols(cols), stride(stride) {}
  Operand(const double* data, Index rows, Index cols) : Operand(data, rows, cols, rows) {}
  Operand(const MatrixView& A) : Operand(A.data(), A.rows(), A.cols()) {}
  template <class Matrix>
  Operand(const Eigen::MatrixBase<Matrix>& A)
      : Operand(A.derived().data(), A.rows(), A.cols(), A.derived().outerStride()) {
    static_assert(!Matrix::IsRowMajor && Matrix::InnerStrideAtCompileTime == 1,
                  "the numbers of a column must lie side by side");
  }

  // Of A, not transposed.
  Operand block(Index row, Index col, Index height, Index width) const {
    DOMGEN_EXPECT(plain() && row + height <= rows && col + width <= cols);
    return {data + row + col * stride, height, width, stride};
  }
  bool plain() const { return op == 'N'; }
  Index height() const { return plain() ? rows : cols; }
  Index width() const { return plain() ? cols : rows; }
  int lead() const { return fortran::stride(rows, stride); }
};

inline Operand transposed(Operand A) {
  A.op = A.plain() ? 'T' : 'N';
  return A;
}

using Out = Eigen::Ref<Eigen::MatrixXd>;
using Panel = Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>>;

inline Panel panel(double* data, Index rows, Index cols, Index stride) {
  return {data, rows, cols, Eigen::OuterStride<>(stride)};
}
inline int lead(const Out& C) { return fortran::stride(C.rows(), C.outerStride()); }

// The half of a square matrix that is read or written, with its diagonal.
enum class Half : char { upper = 'U', lower = 'L' };
inline const char* letter(const Half& half) { return reinterpret_cast<const char*>(&half); }

// Triangular: one half of A, or its transpose.
struct Triangle {
  Half half;
  Operand A;
  char diagonal = 'N';  // 'U': 1, whatever is there

  Triangle(Half half, const Operand& A) : half(half), A(A) { DOMGEN_EXPECT(A.rows == A.cols); }
};
inline Triangle upper_triangle(const Operand& A) { return {Half::upper, A}; }
inline Triangle lower_triangle(const Operand& A) { return {Half::lower, A}; }
inline Triangle transposed(Triangle T) {
  T.A = transposed(T.A);
  return T;
}
inline Triangle with_unit_diagonal(Triangle T) {
  T.diagonal = 'U';
  return T;
}

// Symmetric, read from one half of A.
struct Symmetric {
  Half half;
  Operand A;

  Symmetric(Half half, const Operand& A) : half(half), A(A) { DOMGEN_EXPECT(A.rows == A.cols); }
};

// ---- products ----

namespace fortran {
// C <- keep C + scale A B, and so on
inline void product(double keep, Out C, const Operand& A, const Operand& B, double scale) {
  DOMGEN_EXPECT(A.height() == C.rows() && B.width() == C.cols() && A.width() == B.height());
  if (C.size() == 0) return;
  const int m = count(C.rows()), n = count(C.cols()), k = count(A.width());
  const int lda = A.lead(), ldb = B.lead(), ldc = lead(C);
  dgemm_(&A.op, &B.op, &m, &n, &k, &scale, A.data, &lda, B.data, &ldb, &keep, C.data(), &ldc, 1, 1);
}

inline void product(double keep, double* y, const Operand& A, const double* x, double scale) {
  if (A.width() == 0 && keep == 0) std::fill(y, y + A.height(), 0.0);
  const int m = count(A.rows), n = count(A.cols), lda = A.lead();
  dgemv_(&A.op, &m, &n, &scale, A.data, &lda, x, &step, &keep, y, &step, 1);
}

inline void square(double keep, Half half, Out C, const Operand& A, double scale) {
  DOMGEN_EXPECT(C.rows() == C.cols() && A.height() == C.rows());
  if (C.size() == 0) return;
  const int n = count(C.rows()), k = count(A.width()), lda = A.lead(), ldc = lead(C);
  dsyrk_(letter(half), &A.op, &n, &k, &scale, A.data, &lda, &keep, C.data(), &ldc, 1, 1);
}

inline void product(const char* side, Out C, const Symmetric& S, const Operand& B, double scale) {
  DOMGEN_EXPECT(B.plain() && B.rows == C.rows() && B.cols == C.cols());
  DOMGEN_EXPECT(S.A.rows == (*side == 'L' ? C.rows() : C.cols()));
  if (C.size() == 0) return;
  const int m = count(C.rows()), n = count(C.cols());
  const int lda = S.A.lead(), ldb = B.lead(), ldc = lead(C);
  const double keep = 0;
  dsymm_(side, letter(S.half), &m, &n, &scale, S.A.data, &lda, B.data, &ldb, &keep, C.data(), &ldc,
         1, 1);
}
}  // namespace fortran

// C = scale A B
inline void set_product(Out C, const Operand& A, const Operand& B, double scale = 1) {
  fortran::product(0, C, A, B, scale);
}
inline void add_product(Out C, const Operand& A, const Operand& B, double scale = 1) {
  fortran::product(1, C, A, B, scale);
}
// A B. (Eigen's own products take the compiler a second each.)
inline Eigen::MatrixXd product_of(const Operand& A, const Operand& B) {
  Eigen::MatrixXd C(A.height(), B.width());
  set_product(C, A, B);
  return C;
}
// A A', both halves.
inline Eigen::MatrixXd square_of(const Operand& A) { return product_of(A, transposed(A)); }
// The same of vectors, y = scale A x.
inline void set_product(double* y, const Operand& A, const double* x, double scale = 1) {
  fortran::product(0, y, A, x, scale);
}
inline void add_product(double* y, const Operand& A, const double* x, double scale = 1) {
  fortran::product(1, y, A, x, scale);
}
// C = scale S B, C = scale B S, y = S x
inline void set_product(Out C, const Symmetric& S, const Operand& B, double scale = 1) {
  fortran::product("L", C, S, B, scale);
}
inline void set_product(Out C, const Operand& B, const Symmetric& S, double scale = 1) {
  fortran::product("R", C, S, B, scale);
}
inline void set_product(double* y, const Symmetric& S, const double* x) {
  const int n = fortran::count(S.A.rows), lda = S.A.lead();
  const double one = 1, zero = 0;
  fortran::dsymv_(letter(S.half), &n, &one, S.A.data, &lda, x, &fortran::step, &zero, y,
                  &fortran::step, 1);
}

// One half of C = scale A A'.
inline void set_square(Half half, Out C, const Operand& A, double scale = 1) {
  fortran::square(0, half, C, A, scale);
}
inline void add_square(Half half, Out C, const Operand& A, double scale = 1) {
  fortran::square(1, half, C, A, scale);
}
// One half of C += scale (A B' + B A').
inline void add_pair(Half half, Out C, const Operand& A, const Operand& B, double scale) {
  DOMGEN_EXPECT(A.plain() && B.plain() && A.rows == C.rows() && B.rows == C.rows());
  if (C.size() == 0) return;
  const int n = fortran::count(C.rows()), k = fortran::count(A.cols);
  const int lda = A.lead(), ldb = B.lead(), ldc = lead(C);
  const double one = 1;
  fortran::dsyr2k_(letter(half), "N", &n, &k, &scale, A.data, &lda, B.data, &ldb, &one, C.data(),
                   &ldc, 1, 1);
}

// ---- factors and what is solved with them ----

// A = R'R in its upper half, or A = L L' in its lower one; false where A is not numerically
// positive definite.
inline bool cholesky_factor(Half half, Out A) {
  const int n = fortran::count(A.rows()), lda = lead(A);
  int info = 0;
  fortran::dpotrf_(letter(half), &n, A.data(), &lda, &info, 1);
  return info == 0;
}
// From the factor the inverse of A, the same half; false where the factor is singular.
inline bool invert_factored(Half half, Out A) {
  const int n = fortran::count(A.rows()), lda = lead(A);
  int info = 0;
  fortran::dpotri_(letter(half), &n, A.data(), &lda, &info, 1);
  return info == 0;
}

namespace fortran {
inline void divide(const char* side, const Triangle& T, Out B) {
  DOMGEN_EXPECT(T.A.rows == (*side == 'L' ? B.rows() : B.cols()));
  if (B.size() == 0) return;
  const int m = count(B.rows()), n = count(B.cols()), lda = T.A.lead(), ldb = lead(B);
  const double one = 1;
  dtrsm_(side, letter(T.half), &T.A.op, &T.diagonal, &m, &n, &one, T.A.data, &lda, B.data(), &ldb,
         1, 1, 1, 1);
}
}  // namespace fortran

// B <- T^-1 B, B <- B T^-1, x <- T^-1 x
inline void solve_triangle(const Triangle& T, Out B) { fortran::divide("L", T, B); }
inline void solve_triangle(Out B, const Triangle& T) { fortran::divide("R", T, B); }
inline void solve_triangle(const Triangle& T, double* x) {
  const int n = fortran::count(T.A.rows), lda = T.A.lead();
  fortran::dtrsv_(letter(T.half), &T.A.op, &T.diagonal, &n, T.A.data, &lda, x, &fortran::step, 1, 1,
                  1);
}

// x <- T x
inline void multiply_triangle(const Triangle& T, double* x) {
  const int n = fortran::count(T.A.rows), lda = T.A.lead();
  fortran::dtrmv_(letter(T.half), &T.A.op, &T.diagonal, &n, T.A.data, &lda, x, &fortran::step, 1, 1,
                  1);
}

// B <- A^-1 B, x <- A^-1 x with the factor F of A in this half.
template <class Target>
void solve_factored(Half half, const Operand& F, Target&& B) {
  const Triangle T(half, F), first = half == Half::upper ? transposed(T) : T;
  solve_triangle(first, B);
  solve_triangle(transposed(first), B);
}

// ---- orthogonal forms ----

// A [m x b] = (I - V F V') R: R in the upper triangle of A, V below it, with a diagonal of ones;
// F [k x k], k = min(m, b).
inline Eigen::MatrixXd reflectors(Out A) {
  const int m = fortran::count(A.rows()), b = fortran::count(A.cols()), k = std::min(m, b);
  const int lda = lead(A), length = fortran::count(64 * Index(b));
  int info = 0;
  Eigen::VectorXd tau(k), work(length);
  fortran::dgeqrf_(&m, &b, A.data(), &lda, tau.data(), work.data(), &length, &info);
  if (info != 0) throw std::runtime_error("a QR decomposition failed");
  Eigen::MatrixXd F = Eigen::MatrixXd::Zero(k, k);
  fortran::dlarft_("F", "C", &m, &k, A.data(), &lda, tau.data(), F.data(), &k, 1, 1);
  return F;
}

// The first `columns` steps from A, lower half, to its tridiagonal form T = Q'A Q: what stands
// below the diagonal of T, the factors of the reflectors, and W, for the update of what is left.
inline void tridiagonal_panel(Out A, Index columns, double* below, double* tau, Out W) {
  const int n = fortran::count(A.rows()), panel = fortran::count(columns);
  const int lda = lead(A), ldw = lead(W);
  fortran::dlatrd_("L", &n, &panel, A.data(), &lda, below, tau, W.data(), &ldw, 1);
}
// All steps.
inline void tridiagonal_form(Out A, double* diagonal, double* below, double* tau) {
  const int n = fortran::count(A.rows()), lda = lead(A);
  int info = 0;
  fortran::dsytd2_("L", &n, A.data(), &lda, diagonal, below, tau, &info, 1);
}
// B <- Q B, with the reflectors of these steps below the diagonal of A.
inline void rotate_from_tridiagonal(const Operand& A, const double* tau, Out B) {
  const int n = fortran::count(B.rows()), columns = fortran::count(B.cols());
  const int lda = A.lead(), ldb = lead(B), length = fortran::count(64 * (Index(columns) + 65));
  int info = 0;
  std::vector<double> work(static_cast<std::size_t>(length));
  fortran::dormtr_("L", "L", "N", &n, &columns, A.data, &lda, tau, B.data(), &ldb, work.data(),
                   &length, &info, 1, 1, 1);
}

// The m largest eigenvalues, increasing, of the tridiagonal matrix with diagonal d [n] and e below
// it [n, the last unused], and their vectors, by multiple relatively robust representations; false
// where that fails.
inline bool tridiagonal_pairs(Eigen::VectorXd d, Eigen::VectorXd e, Index m,
                              Eigen::VectorXd& values, Eigen::MatrixXd& vectors) {
  const int n = fortran::count(d.size()), wanted = fortran::count(m), first = n - wanted + 1;
  const double unused = 0;
  values.resize(n);
  vectors.resize(n, m);
  std::vector<int> support(2 * static_cast<std::size_t>(m)), whole(10 * std::size_t(n));
  std::vector<double> work(18 * static_cast<std::size_t>(n));
  const int length = fortran::count(Index(work.size())),
            whole_length = fortran::count(Index(whole.size()));
  int found = 0, accurate = 1, info = 0;
  // Of all values at once, which is faster, or those wanted by bisection.
  fortran::dstemr_("V", wanted < n ? "I" : "A", &n, d.data(), e.data(), &unused, &unused, &first,
                   &n, &found, values.data(), vectors.data(), &n, &wanted, support.data(),
                   &accurate, work.data(), &length, whole.data(), &whole_length, &info, 1, 1);
  values.conservativeResize(m);
  return info == 0 && found == wanted;
}

// All of them, increasing, by the QL method, which is slower and hardly ever fails.
inline void all_tridiagonal_pairs(Eigen::VectorXd d, Eigen::VectorXd e, Eigen::VectorXd& values,
                                  Eigen::MatrixXd& vectors) {
  const int n = fortran::count(d.size());
  int info = 0;
  vectors.resize(n, n);
  Eigen::VectorXd work(2 * n);
  fortran::dsteqr_("I", &n, d.data(), e.data(), vectors.data(), &n, work.data(), &info, 1);
  if (info != 0) throw std::runtime_error("the symmetric eigenproblem failed");
  values = d;
}

// The eigenvalues of A [n x n], real and imaginary parts, and the real parts of their vectors, of
// which the two of a complex pair are the same.
inline void general_pairs(Eigen::MatrixXd A, Eigen::VectorXd& real, Eigen::VectorXd& imaginary,
                          Eigen::MatrixXd& vectors) {
  DOMGEN_EXPECT(A.rows() == A.cols() && A.rows() > 0);
  const int n = fortran::count(A.rows()), length = fortran::count(34 * A.rows());
  int info = 0;
  real.resize(n);
  imaginary.resize(n);
  vectors.resize(n, n);
  Eigen::VectorXd work(length);
  fortran::dgeev_("N", "V", &n, A.data(), &n, real.data(), imaginary.data(), nullptr, &n,
                  vectors.data(), &n, work.data(), &length, &info, 1, 1);
  if (info != 0) throw std::runtime_error("the eigenproblem failed");
  for (Index j = 0; j + 1 < n; ++j)
    if (imaginary[j] > 0) vectors.col(j + 1) = vectors.col(j);
}

}  // namespace domgen

#endif
