// Sums of what is in memory: tools::md5sum() of R needs a file, for which there may be no room.
#include "core/data/md5.h"

#include <Rcpp.h>

#include <string>

// before: the sum of the bytes that came before these, or "".
// [[Rcpp::export(rng = false)]]
std::string md5_(std::string before, Rcpp::RawVector bytes) {
  domgen::Md5 md5;
  md5.add(reinterpret_cast<const unsigned char*>(before.data()), before.size());
  md5.add(RAW(bytes), static_cast<std::size_t>(bytes.size()));
  return md5.sum();
}

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
