// Checksums of values: tools::md5sum() of R needs a file.
#include "core/data/md5.h"

#include <Rcpp/Light>

#include <string>

// [[Rcpp::export(rng = false)]]
std::string md5_numbers_(const Rcpp::NumericVector& values) {
  domgen::Md5 md5;
  for (const double value : values) md5.number(value);
  return md5.sum();
}

// In UTF-8.
// [[Rcpp::export(rng = false)]]
std::string md5_texts_(const Rcpp::CharacterVector& values) {
  domgen::Md5 md5;
  for (R_xlen_t i = 0; i < values.size(); ++i) {
    const SEXP value = STRING_ELT(values, i);
    if (value == NA_STRING) md5.missing_text();
    else md5.text(CHAR(value), static_cast<std::size_t>(LENGTH(value)));
  }
  return md5.sum();
}
