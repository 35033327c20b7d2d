// The rows of CSV files, in bytes that come piece by piece.
#include "core/data/csv-rows.h"

#include <Rcpp.h>

#include <climits>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

// The bytes that were added, from `begin` on those that were not taken.
struct CsvBytes {
  std::vector<char> bytes;
  std::size_t begin = 0;

  void drop_taken() {
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
};

// [[Rcpp::export]]
SEXP csv_bytes_() { return Rcpp::XPtr<CsvBytes>(new CsvBytes); }

// How many bytes there are then.
// [[Rcpp::export]]
double csv_add_(SEXP buffer, Rcpp::RawVector more) {
  CsvBytes& held = *Rcpp::XPtr<CsvBytes>(buffer);
  held.drop_taken();
  const char* const from = reinterpret_cast<const char*>(RAW(more));
  held.bytes.insert(held.bytes.end(), from, from + more.size());
  return static_cast<double>(held.bytes.size());
}

// Adds `most` bytes of a file from `offset` on, or those that there are: their number, -1 where it
// cannot be read. Raw vectors of R in their place would cost more in collecting them than reading.
// [[Rcpp::export]]
double csv_add_file_(SEXP buffer, std::string path, double offset, double most) {
  CsvBytes& held = *Rcpp::XPtr<CsvBytes>(buffer);
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(offset))) return -1;
  held.drop_taken();
  const std::size_t before = held.bytes.size();
  held.bytes.resize(before + static_cast<std::size_t>(most));
  file.read(held.bytes.data() + before, static_cast<std::streamsize>(most));
  held.bytes.resize(before + static_cast<std::size_t>(file.gcount()));
  return file.bad() ? -1 : static_cast<double>(file.gcount());
}

// The first bytes that are held.
// [[Rcpp::export]]
Rcpp::RawVector csv_head_(SEXP buffer, double most) {
  const CsvBytes& held = *Rcpp::XPtr<CsvBytes>(buffer);
  const std::size_t size = held.bytes.size() - held.begin;
  const std::size_t n = most < static_cast<double>(size) ? static_cast<std::size_t>(most) : size;
  const char* const from = held.bytes.data() + held.begin;
  return Rcpp::RawVector(from, from + n);
}

// Passes over bytes.
// [[Rcpp::export]]
void csv_skip_(SEXP buffer, int bytes) {
  Rcpp::XPtr<CsvBytes>(buffer)->begin += static_cast<std::size_t>(bytes);
}

// Takes whole rows, at most so many: list(text: these as one string; rows, blank: numbers of them;
// bytes: what they took; fields: of the last; doubled, literal: see CsvRows; problem: 0 is none).
// text = FALSE: they are counted only.
// [[Rcpp::export]]
Rcpp::List csv_take_(SEXP buffer, std::string separator, int fields, bool last, bool text,
                     double most) {
  CsvBytes& held = *Rcpp::XPtr<CsvBytes>(buffer);
  const char* const begin = held.bytes.data() + held.begin;
  const domgen::CsvScan scan(separator.at(0), static_cast<std::size_t>(fields));
  const std::size_t limit = most < 1e15 ? static_cast<std::size_t>(most) : SIZE_MAX;
  const domgen::CsvRows found = scan(begin, held.bytes.size() - held.begin, last, limit);
  Rcpp::CharacterVector whole(1);
  if (text && found.problem == domgen::CsvProblem::none) {
    if (found.end >= INT_MAX) Rcpp::stop("a piece of more than 2 GB");
    // a text without a line end is the name of a file to fread()
    const bool open = found.end > 0 && begin[found.end - 1] != '\n';
    if (open) held.bytes.push_back('\n');
    const char* const rows = held.bytes.data() + held.begin;
    whole[0] = Rf_mkCharLenCE(rows, static_cast<int>(found.end) + open, CE_NATIVE);
    if (open) held.bytes.pop_back();
  }
  held.begin += found.end;
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  return Rcpp::List::create(
      Rcpp::Named("text") = whole, Rcpp::Named("rows") = number(found.rows),
      Rcpp::Named("blank") = number(found.blank), Rcpp::Named("bytes") = number(found.end),
      Rcpp::Named("fields") = number(found.fields), Rcpp::Named("doubled") = found.doubled,
      Rcpp::Named("literal") = found.literal,
      Rcpp::Named("problem") = static_cast<int>(found.problem));
}

// The fields of rows without a problem, as many as `rows`, of the columns `which` (from 1): a list
// of character vectors, in which empty fields and NA are missing.
// [[Rcpp::export]]
Rcpp::List csv_fields_(Rcpp::CharacterVector text, std::string separator, int fields, int rows,
                       Rcpp::IntegerVector which) {
  Rcpp::List columns(which.size());
  std::vector<SEXP> target(static_cast<std::size_t>(fields), R_NilValue);
  for (R_xlen_t j = 0; j < which.size(); ++j) {
    columns[j] = Rcpp::CharacterVector(rows);
    target[static_cast<std::size_t>(which[j] - 1)] = columns[j];
  }
  const char* const begin = CHAR(STRING_ELT(text, 0));
  const char* const end = begin + LENGTH(STRING_ELT(text, 0));
  const domgen::CsvScan scan(separator.at(0), static_cast<std::size_t>(fields));
  scan.each_field(begin, end, [&](std::size_t row, std::size_t column, const std::string& field) {
    if (target[column] == R_NilValue || row >= static_cast<std::size_t>(rows)) return;
    const bool missing = field.empty() || field == "NA";
    SET_STRING_ELT(target[column], static_cast<R_xlen_t>(row),
                   missing
                       ? NA_STRING
                       : Rf_mkCharLenCE(field.data(), static_cast<int>(field.size()), CE_NATIVE));
  });
  return columns;
}
