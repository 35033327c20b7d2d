// Checksums of columns.
#include "core/data/digest.h"

#include <Rcpp.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

static std::string in_hex(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%08lx%08lx", static_cast<unsigned long>(value >> 32),
                static_cast<unsigned long>(value & 0xffffffffu));
  return text;
}

// [[Rcpp::export(rng = false)]]
std::string digest_numbers_(const Rcpp::NumericVector& values) {
  domgen::Digest digest;
  for (const double value : values) digest.number(value);
  return in_hex(digest.value());
}

// In UTF-8.
// [[Rcpp::export(rng = false)]]
std::string digest_texts_(const Rcpp::CharacterVector& values) {
  domgen::Digest digest;
  for (R_xlen_t i = 0; i < values.size(); ++i) {
    const SEXP value = STRING_ELT(values, i);
    if (value == NA_STRING) digest.missing();
    else digest.text(CHAR(value), static_cast<std::size_t>(LENGTH(value)));
  }
  return in_hex(digest.value());
}
