// Reads the kernel programs and domain codes that R hands over.
#ifndef DOMGEN_PROGRAM_H
#define DOMGEN_PROGRAM_H

#include <RcppEigen.h>

#include <memory>
#include <vector>

#include "core/kernel/gram.h"
#include "core/kernel/tree.h"
#include "list.h"

namespace domgen {

// The program must outlive the result, which points into its matrices.
inline KernelProgram read_program(const Rcpp::List& list) {
  KernelProgram program;
  program.type = Rcpp::as<std::string>(list["type"]);
  const auto number = [&](const char* name) {
    return has(list, name) ? Rcpp::as<double>(list[name]) : 0;
  };
  if (has(list, "inv")) program.inv = read<Eigen::VectorXd>(list, "inv");
  if (has(list, "origin")) program.origin = read<Eigen::VectorXd>(list, "origin");
  program.gamma = number("gamma");
  program.coef0 = number("coef0");
  program.degree = static_cast<int>(number("degree"));
  if (has(list, "part")) program.parts.push_back(read_program(list["part"]));
  if (has(list, "parts")) {
    const Rcpp::List parts = list["parts"];
    for (const Rcpp::List part : parts) program.parts.push_back(read_program(part));
  }
  if (has(list, "columns")) program.columns = Rcpp::as<std::vector<int>>(list["columns"]);
  program.table = matrix_of(list, "table");
  program.values = matrix_of(list, "values");
  program.self_x = matrix_of(list, "diag_x");
  program.self_z = matrix_of(list, "diag_z");
  return program;
}

inline std::unique_ptr<Kernel> read_kernel(const Rcpp::List& program, const Rcpp::NumericMatrix& X,
                                           const Rcpp::NumericMatrix& Z) {
  return KernelBuilder(view(X), view(Z)).build(read_program(program));
}

// Codes 1, ..., domains of R as 0, ..., domains - 1.
inline std::vector<int> read_domains(const Rcpp::IntegerVector& codes, R_xlen_t rows,
                                     R_xlen_t domains) {
  if (codes.size() != rows) throw std::invalid_argument("one domain code is needed per row");
  std::vector<int> result(codes.begin(), codes.end());
  for (int& code : result) {
    if (code < 1 || code > domains) throw std::invalid_argument("domain code out of range");
    --code;
  }
  return result;
}

inline DomainWeights read_weights(const Rcpp::Nullable<Rcpp::NumericMatrix>& kappa,
                                  const Rcpp::Nullable<Rcpp::IntegerVector>& dx, R_xlen_t n,
                                  const Rcpp::Nullable<Rcpp::IntegerVector>& dz, R_xlen_t m) {
  DomainWeights weights;
  if (kappa.isNull()) return weights;
  if (dx.isNull() || dz.isNull()) throw std::invalid_argument("kappa needs domain codes");
  // A conversion would make a copy that nobody keeps.
  if (TYPEOF(kappa.get()) != REALSXP) throw std::invalid_argument("kappa must be of doubles");
  const Rcpp::NumericMatrix table(kappa.get());
  weights.kappa = view(table);
  weights.x = read_domains(Rcpp::IntegerVector(dx.get()), n, table.nrow());
  weights.z = read_domains(Rcpp::IntegerVector(dz.get()), m, table.ncol());
  return weights;
}

}  // namespace domgen

#endif
