// What is asked of R while C++ holds something. R answers an allocation that fails by a jump past
// all destructors, so that each goes through protected_call(), which makes an exception of the
// jump. Rcpp's own vectors and wrap() do not: they are not used for results.
#ifndef DOMGEN_RESULTS_H
#define DOMGEN_RESULTS_H

#ifndef R_NO_REMAP
#define R_NO_REMAP
#endif
#include <Rinternals.h>

#include <Eigen/Core>

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/linalg/large-pages.h"

namespace domgen {

// Rcpp::unwindProtect(), whose header takes the compiler longer than all of ours.
SEXP without_jump(SEXP (*call)(void*), void* data);

// Kept by R as long as this lives.
class Shield {
 public:
  Shield(SEXP value) : value_(PROTECT(value)) {}
  ~Shield() { UNPROTECT(1); }
  Shield(const Shield&) = delete;
  Shield& operator=(const Shield&) = delete;

  operator SEXP() const { return value_; }

 private:
  SEXP value_;
};

// What make() gives, which may jump as long as it holds nothing itself, or throw.
template <class Make>
SEXP protected_call(const Make& make) {
  struct Call {
    const Make& make;
    std::exception_ptr thrown;
    SEXP made;
  } call{make, nullptr, R_NilValue};
  without_jump(
      [](void* data) -> SEXP {
        Call& call = *static_cast<Call*>(data);
        // not through the frames of R
        try {
          call.made = call.make();
        } catch (...) {
          call.thrown = std::current_exception();
        }
        // R keeps what is returned here, which would then look like a shared object.
        return R_NilValue;
      },
      &call);
  if (call.thrown) std::rethrow_exception(call.thrown);
  return call.made;
}

// A matrix of R for results, not initialised, which lives as long as this or longer.
class ResultMatrix {
 public:
  ResultMatrix(R_xlen_t rows, R_xlen_t cols) : matrix_(allocate(rows, cols)) {
    advise_large_pages(data(), rows * cols);
  }

  double* data() const { return REAL(matrix_); }
  operator SEXP() const { return matrix_; }

 private:
  Shield matrix_;

  static SEXP allocate(R_xlen_t rows, R_xlen_t cols) {
    if (std::max(rows, cols) > INT_MAX) throw std::length_error("a matrix has too many rows");
    return protected_call(
        [&] { return Rf_allocMatrix(REALSXP, static_cast<int>(rows), static_cast<int>(cols)); });
  }
};

// Copies for R, to be made in a protected_call(): they hold nothing.
inline SEXP copy_for_r(SEXP value) { return value; }
inline SEXP copy_for_r(double value) { return Rf_ScalarReal(value); }
inline SEXP copy_for_r(bool value) { return Rf_ScalarLogical(value); }
inline SEXP copy_for_r(int value) { return Rf_ScalarInteger(value); }

inline SEXP copy_for_r(const std::vector<int>& values) {
  const SEXP copy = Rf_allocVector(INTSXP, static_cast<R_xlen_t>(values.size()));
  std::copy(values.begin(), values.end(), INTEGER(copy));
  return copy;
}

inline SEXP copy_for_r(const Eigen::VectorXd& values) {
  const SEXP copy = Rf_allocVector(REALSXP, values.size());
  std::copy(values.data(), values.data() + values.size(), REAL(copy));
  return copy;
}

inline SEXP copy_for_r(const Eigen::MatrixXd& values) {
  if (std::max(values.rows(), values.cols()) > INT_MAX) Rf_error("a matrix has too many rows");
  const SEXP copy =
      Rf_allocMatrix(REALSXP, static_cast<int>(values.rows()), static_cast<int>(values.cols()));
  std::copy(values.data(), values.data() + values.size(), REAL(copy));
  return copy;
}

inline SEXP copy_for_r(const std::vector<Eigen::VectorXd>& values) {
  const SEXP copies = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(values.size())));
  for (std::size_t i = 0; i < values.size(); ++i)
    SET_VECTOR_ELT(copies, static_cast<R_xlen_t>(i), copy_for_r(values[i]));
  UNPROTECT(1);
  return copies;
}

using NamedNumbers = std::vector<std::pair<const char*, double>>;

inline SEXP copy_for_r(const NamedNumbers& values) {
  const R_xlen_t size = static_cast<R_xlen_t>(values.size());
  const SEXP copy = PROTECT(Rf_allocVector(REALSXP, size));
  const SEXP names = PROTECT(Rf_allocVector(STRSXP, size));
  for (R_xlen_t i = 0; i < size; ++i) {
    REAL(copy)[i] = values[static_cast<std::size_t>(i)].second;
    SET_STRING_ELT(names, i, Rf_mkChar(values[static_cast<std::size_t>(i)].first));
  }
  Rf_setAttrib(copy, R_NamesSymbol, names);
  UNPROTECT(2);
  return copy;
}

template <class T>
SEXP for_r(const T& value) {
  return protected_call([&] { return copy_for_r(value); });
}

// A named value of a list, NULL where it is not wanted. Refers to the value.
class Element {
 public:
  template <class T>
  Element(const char* name, const T& value, bool wanted = true)
      : name(name), value_(wanted ? std::addressof(value) : nullptr),
        copy_([](const void* it) { return copy_for_r(*static_cast<const T*>(it)); }) {}

  const char* name;
  SEXP copy() const { return value_ ? copy_(value_) : R_NilValue; }

 private:
  const void* value_;
  SEXP (*copy_)(const void*);
};

inline SEXP named_list(std::initializer_list<Element> elements) {
  return protected_call([&] {
    const R_xlen_t size = static_cast<R_xlen_t>(elements.size());
    const SEXP list = PROTECT(Rf_allocVector(VECSXP, size));
    const SEXP names = PROTECT(Rf_allocVector(STRSXP, size));
    Rf_setAttrib(list, R_NamesSymbol, names);
    R_xlen_t i = 0;
    for (const Element& element : elements) {
      SET_STRING_ELT(names, i, Rf_mkChar(element.name));
      SET_VECTOR_ELT(list, i++, element.copy());
    }
    UNPROTECT(2);
    return list;
  });
}

}  // namespace domgen

#endif
