// What R hands over, read and checked: types, lengths, ranges, missing values. Nothing is converted
// by R, which would allocate, and nothing reaches the core that it would read beyond its end.
#ifndef DOMGEN_ARGUMENTS_H
#define DOMGEN_ARGUMENTS_H

#include <cfloat>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/linalg/view.h"
#include "results.h"

namespace domgen {

constexpr double infinite = std::numeric_limits<double>::infinity();

inline void demand(bool holds, const char* name, const char* rule) {
  if (!holds) throw std::invalid_argument("`" + std::string(name) + "` must " + rule);
}

inline void demand_length(R_xlen_t found, R_xlen_t wanted, const char* name, const char* what) {
  if (found == wanted) return;
  std::ostringstream rule;
  rule << "have " << wanted << ' ' << what << ", not " << found;
  demand(false, name, rule.str().c_str());
}

inline void demand_range(bool holds, double low, double high, const char* name) {
  if (holds) return;
  std::ostringstream rule;
  rule << "be between " << low << " and " << high << ", not missing or out of range";
  demand(false, name, rule.str().c_str());
}

inline bool is_numeric(SEXP x) {
  return TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP || TYPEOF(x) == LGLSXP;
}

// Without the memory that the data of a compact sequence would be written to. NA is NaN.
inline double value_at(SEXP x, R_xlen_t i) {
  if (TYPEOF(x) == REALSXP) return REAL_ELT(x, i);
  const int value = TYPEOF(x) == INTSXP ? INTEGER_ELT(x, i) : LOGICAL_ELT(x, i);
  return value == NA_INTEGER ? std::numeric_limits<double>::quiet_NaN() : value;
}

inline double number(SEXP x, const char* name, double low = -DBL_MAX, double high = DBL_MAX) {
  demand(is_numeric(x) && Rf_xlength(x) == 1, name, "be one number");
  const double value = value_at(x, 0);
  demand_range(value >= low && value <= high, low, high, name);
  return value;
}

inline int whole(SEXP x, const char* name, int low = 0, int high = INT_MAX) {
  const double value = number(x, name, low, high);
  demand(value == std::floor(value), name, "be a whole number");
  return static_cast<int>(value);
}

inline bool flag(SEXP x, const char* name) {
  demand(TYPEOF(x) == LGLSXP && Rf_xlength(x) == 1 && LOGICAL_ELT(x, 0) != NA_LOGICAL, name,
         "be TRUE or FALSE");
  return LOGICAL_ELT(x, 0) != 0;
}

inline const char* text(SEXP x, const char* name) {
  demand(TYPEOF(x) == STRSXP && Rf_xlength(x) == 1 && STRING_ELT(x, 0) != NA_STRING, name,
         "be one string");
  return CHAR(STRING_ELT(x, 0));
}

inline Eigen::VectorXd some_numbers(SEXP x, const char* name, double low = -DBL_MAX,
                                    double high = DBL_MAX) {
  demand(is_numeric(x), name, "be numeric");
  Eigen::VectorXd values(Rf_xlength(x));
  for (R_xlen_t i = 0; i < values.size(); ++i) {
    const double value = value_at(x, i);
    demand_range(value >= low && value <= high, low, high, name);
    values[i] = value;
  }
  return values;
}

// `wanted` of them.
inline Eigen::VectorXd numbers(SEXP x, const char* name, Eigen::Index wanted, double low = -DBL_MAX,
                               double high = DBL_MAX) {
  demand(is_numeric(x), name, "be numeric");
  demand_length(Rf_xlength(x), wanted, name, "values");
  return some_numbers(x, name, low, high);
}

inline std::vector<int> whole_numbers(SEXP x, const char* name, Eigen::Index low,
                                      Eigen::Index most) {
  demand(is_numeric(x), name, "be whole numbers");
  std::vector<int> values(static_cast<std::size_t>(Rf_xlength(x)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = value_at(x, static_cast<R_xlen_t>(i));
    demand_range(value >= double(low) && value <= double(most), double(low), double(most), name);
    demand(value == std::floor(value), name, "be whole numbers");
    values[i] = static_cast<int>(value);
  }
  return values;
}

// `wanted` of them.
inline std::vector<int> whole_numbers(SEXP x, const char* name, Eigen::Index low, Eigen::Index most,
                                      Eigen::Index wanted) {
  demand_length(Rf_xlength(x), wanted, name, "values");
  return whole_numbers(x, name, low, most);
}

// Places 1, ..., most of R as 0, ..., most - 1.
inline std::vector<int> places(SEXP x, const char* name, Eigen::Index most) {
  std::vector<int> values = whole_numbers(x, name, 1, most);
  for (int& value : values) --value;
  return values;
}

inline std::vector<int> places(SEXP x, const char* name, Eigen::Index most, Eigen::Index wanted) {
  demand_length(Rf_xlength(x), wanted, name, "values");
  return places(x, name, most);
}

// sizes: number of rows of each group, in the order of the n rows. Where each begins, and n.
inline std::vector<Eigen::Index> read_begin(SEXP sizes, Eigen::Index n) {
  std::vector<Eigen::Index> begin(1, 0);
  for (const int last : places(sizes, "sizes", n)) begin.push_back(begin.back() + last + 1);
  demand(begin.back() == n, "sizes", "add up to the number of rows");
  return begin;
}

// The doubles of a matrix where they are; of whole numbers a copy.
class MatrixArgument : public MatrixView {
 public:
  MatrixArgument() = default;
  MatrixArgument(SEXP x, const char* name) {
    demand(is_numeric(x) && Rf_isMatrix(x), name, "be a numeric matrix");
    n = Rf_nrows(x);
    m = Rf_ncols(x);
    if (TYPEOF(x) == REALSXP) {
      if (ALTREP(x)) protected_call([&] { return DATAPTR_RO(x), R_NilValue; });
      values = REAL(x);
      return;
    }
    own_.resize(static_cast<std::size_t>(n * m));
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = value_at(x, static_cast<R_xlen_t>(i));
    values = own_.data();
  }
  MatrixArgument(SEXP x, const char* name, Index rows, Index cols) : MatrixArgument(x, name) {
    demand_length(n, rows, name, "rows");
    demand_length(m, cols, name, "columns");
  }
  // The view of whole numbers points into the copy.
  MatrixArgument(const MatrixArgument&) = delete;
  MatrixArgument& operator=(const MatrixArgument&) = delete;
  MatrixArgument(MatrixArgument&&) = default;
  MatrixArgument& operator=(MatrixArgument&&) = default;

  Eigen::Map<const Eigen::MatrixXd> map() const { return {values, n, m}; }

 private:
  std::vector<double> own_;
};

// With at least a row and a column, which the BLAS asks for.
inline MatrixArgument filled_matrix(SEXP x, const char* name) {
  MatrixArgument matrix(x, name);
  demand(matrix.size() > 0, name, "have a row and a column");
  return matrix;
}

inline MatrixArgument matrix_with_rows(SEXP x, const char* name, Index rows) {
  MatrixArgument matrix(x, name);
  demand_length(matrix.rows(), rows, name, "rows");
  return matrix;
}

class ListArgument {
 public:
  ListArgument(SEXP list, const char* name) : list_(list) {
    demand(TYPEOF(list) == VECSXP, name, "be a list");
    names_ = Rf_getAttrib(list, R_NamesSymbol);
  }

  R_xlen_t size() const { return Rf_xlength(list_); }
  SEXP operator[](R_xlen_t i) const { return VECTOR_ELT(list_, i); }
  // NULL where there is none.
  SEXP operator[](const char* name) const {
    for (R_xlen_t i = 0; i < Rf_xlength(names_); ++i)
      if (std::strcmp(CHAR(STRING_ELT(names_, i)), name) == 0) return VECTOR_ELT(list_, i);
    return R_NilValue;
  }
  bool has(const char* name) const { return !Rf_isNull((*this)[name]); }

  // A view into a matrix of doubles, or an empty one where there is none.
  MatrixView view(const char* name) const {
    const SEXP x = (*this)[name];
    if (Rf_isNull(x)) return MatrixView();
    demand(TYPEOF(x) == REALSXP, name, "be of doubles");
    if (ALTREP(x)) protected_call([&] { return DATAPTR_RO(x), R_NilValue; });
    return MatrixView(REAL(x), Rf_nrows(x), Rf_ncols(x));
  }

 private:
  SEXP list_, names_;
};

}  // namespace domgen

#endif
