// The n x n matrices of R that a solver may overwrite.
#ifndef DOMGEN_GRAM_ARGUMENT_H
#define DOMGEN_GRAM_ARGUMENT_H

#include <algorithm>

#include "arguments.h"
#include "core/linalg/gram-buffer.h"
#include "results.h"

namespace domgen {

// A matrix of doubles of that shape whose memory is this call's own, or NULL.
inline SEXP own_matrix(SEXP x, R_xlen_t rows, R_xlen_t cols) {
  const bool fits = TYPEOF(x) == REALSXP && Rf_isMatrix(x) && Rf_nrows(x) == rows &&
                    Rf_ncols(x) == cols && !MAYBE_SHARED(x) && !ALTREP(x);
  return fits ? x : R_NilValue;
}

// R counts who holds an object. A temporary of the call has one reference, the call's own, and its
// memory is taken; whatever may have another name, a place in a list or a closure that keeps it is
// copied. R counts too many rather than too few, so that a copy may be made for nothing, but no
// matrix changes that somebody still sees.
class GramArgument {
 public:
  GramArgument(SEXP K, const char* name) : rows_(checked_rows(K, name)), matrix_(own(K)) {}

  Eigen::Index rows() const { return rows_; }
  // What the memory holds, during and after the work of who took it.
  SEXP matrix() const { return matrix_; }
  // R keeps the memory, as long as this lives.
  GramBuffer take() { return GramBuffer(REAL(matrix_), rows_, nullptr); }

 private:
  R_xlen_t rows_;
  Shield matrix_;

  static R_xlen_t checked_rows(SEXP K, const char* name) {
    demand(TYPEOF(K) == REALSXP && Rf_isMatrix(K) && Rf_nrows(K) == Rf_ncols(K) && Rf_nrows(K) > 0,
           name, "be a square matrix of doubles");
    return Rf_nrows(K);
  }

  static SEXP own(SEXP K) {
    if (!Rf_isNull(own_matrix(K, Rf_nrows(K), Rf_ncols(K)))) return K;
    const MatrixArgument given(K, "K");
    const ResultMatrix copy(given.rows(), given.cols());
    std::copy(given.data(), given.data() + given.size(), copy.data());
    return copy;
  }
};

// A matrix that an environment keeps from call to call: its own memory where nothing else refers to
// it, else new memory in its place, with what it held where that is `wanted`.
class KeptMatrix {
 public:
  KeptMatrix(SEXP memory, const char* name, R_xlen_t rows, R_xlen_t cols, bool wanted)
      : matrix_(find(memory, name, rows, cols, wanted)) {}

  double* data() const { return REAL(matrix_); }

 private:
  Shield matrix_;

  static SEXP find(SEXP memory, const char* name, R_xlen_t rows, R_xlen_t cols, bool wanted) {
    demand(TYPEOF(memory) == ENVSXP, "memory", "be an environment");
    const SEXP held = protected_call([&] { return Rf_findVarInFrame(memory, Rf_install(name)); });
    if (!Rf_isNull(own_matrix(held, rows, cols))) return held;
    const ResultMatrix fresh(rows, cols);
    if (wanted) {
      const MatrixArgument given(held, name, rows, cols);
      std::copy(given.data(), given.data() + given.size(), fresh.data());
    }
    protected_call([&] { return Rf_defineVar(Rf_install(name), fresh, memory), R_NilValue; });
    return fresh;
  }
};

}  // namespace domgen

#endif
