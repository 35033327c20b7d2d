// The rows of CSV files.
#include "core/data/csv-rows.h"

#include <Rcpp.h>

#include <limits>

// Of bytes that begin where a row begins: list(text: its whole rows as one string; rest: the other
// bytes; rows, blank: numbers of them; fields; doubled; problem: 0 is none). With text = FALSE rows
// are counted only. most: that many rows at most.
// [[Rcpp::export]]
Rcpp::List csv_rows_(Rcpp::RawVector bytes, std::string separator, int fields, bool last, bool text,
                     double most) {
  const char* const begin = reinterpret_cast<const char*>(RAW(bytes));
  const std::size_t size = static_cast<std::size_t>(bytes.size());
  const std::size_t limit = most < 1e15 ? static_cast<std::size_t>(most)
                                        : std::numeric_limits<std::size_t>::max();
  const domgen::CsvScan scan(separator.at(0), static_cast<std::size_t>(fields));
  const domgen::CsvRows found = scan(begin, size, last, limit);
  Rcpp::Shield<SEXP> rest(Rf_allocVector(RAWSXP, static_cast<R_xlen_t>(size - found.end)));
  if (size > found.end) std::memcpy(RAW(rest), begin + found.end, size - found.end);
  Rcpp::CharacterVector whole(1);
  if (text && found.problem == domgen::CsvProblem::none) {
    whole[0] = Rf_mkCharLenCE(begin, static_cast<int>(found.end), CE_NATIVE);
  }
  return Rcpp::List::create(
      Rcpp::Named("text") = whole, Rcpp::Named("rest") = static_cast<SEXP>(rest),
      Rcpp::Named("rows") = static_cast<double>(found.rows),
      Rcpp::Named("blank") = static_cast<double>(found.blank),
      Rcpp::Named("fields") = static_cast<double>(found.fields),
      Rcpp::Named("doubled") = found.doubled,
      Rcpp::Named("problem") = static_cast<int>(found.problem));
}
