// Reads the kernel programs and domain codes that R hands over.
#ifndef DOMGEN_PROGRAM_H
#define DOMGEN_PROGRAM_H

#include <memory>
#include <vector>

#include "arguments.h"
#include "core/kernel/gram.h"
#include "core/kernel/kernel.h"

namespace domgen {

// The list must outlive the result, which points into its matrices.
inline KernelProgram read_program(SEXP from) {
  const ListArgument list(from, "program");
  KernelProgram program;
  program.type = text(list["type"], "type");
  const auto number_of = [&](const char* name) {
    return list.has(name) ? number(list[name], name, -infinite, infinite) : 0;
  };
  if (list.has("inv")) program.inv = some_numbers(list["inv"], "inv", -infinite, infinite);
  if (list.has("origin"))
    program.origin = some_numbers(list["origin"], "origin", -infinite, infinite);
  program.gamma = number_of("gamma");
  program.coef0 = number_of("coef0");
  if (list.has("degree")) program.degree = whole(list["degree"], "degree");
  if (list.has("part")) program.parts.push_back(read_program(list["part"]));
  if (list.has("parts")) {
    const ListArgument parts(list["parts"], "parts");
    for (R_xlen_t i = 0; i < parts.size(); ++i) program.parts.push_back(read_program(parts[i]));
  }
  if (list.has("columns")) {
    const Eigen::VectorXd columns = some_numbers(list["columns"], "columns", 0, INT_MAX);
    for (Index j = 0; j < columns.size(); ++j)
      program.columns.push_back(static_cast<int>(columns[j]));
  }
  program.table = list.view("table");
  program.values = list.view("values");
  program.self_x = list.view("diag_x");
  program.self_z = list.view("diag_z");
  return program;
}

// Values that were computed in R are those of these rows.
inline void check_given(const KernelProgram& program, Index rows, Index columns) {
  if (program.values.size() > 0) {
    demand_length(program.values.rows(), rows, "values", "rows");
    demand_length(program.values.cols(), columns, "values", "columns");
    demand_length(program.self_x.size(), rows, "diag_x", "values");
    demand_length(program.self_z.size(), columns, "diag_z", "values");
  }
  for (const KernelProgram& part : program.parts) check_given(part, rows, columns);
}

inline std::unique_ptr<Kernel> read_kernel(SEXP program, const MatrixView& X, const MatrixView& Z) {
  return KernelBuilder(X, Z).build(read_program(program));
}

// kappa and the domain codes of the rows, whose names are dx and dz; nothing where kappa is NULL.
inline DomainWeights read_weights(SEXP kappa, SEXP x, const char* dx, R_xlen_t n, SEXP z,
                                  const char* dz, R_xlen_t m) {
  DomainWeights weights;
  if (Rf_isNull(kappa)) return weights;
  // A copy of whole numbers would be gone when this returns.
  demand(TYPEOF(kappa) == REALSXP, "kappa", "be of doubles");
  const MatrixArgument table = filled_matrix(kappa, "kappa");
  weights.kappa = table;
  weights.x = places(x, dx, table.rows(), n);
  weights.z = places(z, dz, table.cols(), m);
  return weights;
}

inline DomainWeights read_weights(SEXP kappa, SEXP domain, R_xlen_t n) {
  return read_weights(kappa, domain, "domain", n, domain, "domain", n);
}

}  // namespace domgen

#endif
