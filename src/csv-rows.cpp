// The rows of CSV files, in bytes that come piece by piece.
#include "core/data/csv-rows.h"

#include <climits>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "arguments.h"
#include "results.h"

// The bytes that were added, from `begin` on those that were not taken.
struct CsvBytes {
  std::vector<char> bytes;
  std::size_t begin = 0;

  std::size_t size() const { return bytes.size() - begin; }
  void drop_taken() {
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
};

namespace {

SEXP csv_tag() { return Rf_install("domgen_csv_bytes"); }

void free_bytes(SEXP buffer) {
  delete static_cast<CsvBytes*>(R_ExternalPtrAddr(buffer));
  R_ClearExternalPtr(buffer);
}

CsvBytes& held_by(SEXP buffer) {
  const bool ours = TYPEOF(buffer) == EXTPTRSXP && R_ExternalPtrTag(buffer) == csv_tag() &&
                    R_ExternalPtrAddr(buffer) != nullptr;
  domgen::demand(ours, "buffer", "come from csv_bytes_() of this session");
  return *static_cast<CsvBytes*>(R_ExternalPtrAddr(buffer));
}

domgen::CsvScan scan_of(SEXP separator, SEXP fields, int least) {
  const std::string one = domgen::text(separator, "separator");
  domgen::demand(one.size() == 1, "separator", "be one character");
  return domgen::CsvScan(one[0], static_cast<std::size_t>(domgen::whole(fields, "fields", least)));
}

SEXP missing_or_text(const std::string& field) {
  if (field.empty() || field == "NA") return NA_STRING;
  return Rf_mkCharLenCE(field.data(), static_cast<int>(field.size()), CE_NATIVE);
}

// Whole rows as one string. A text without a line end is the name of a file to fread().
SEXP rows_as_text(const CsvBytes& held, std::size_t size) {
  if (size >= INT_MAX) throw std::length_error("a piece of more than 2 GB");
  const bool open = size > 0 && held.bytes[held.begin + size - 1] != '\n';
  std::string closed;
  if (open) closed.assign(held.bytes.data() + held.begin, size).push_back('\n');
  const char* const from = open ? closed.data() : held.bytes.data() + held.begin;
  return domgen::protected_call([&] {
    return Rf_ScalarString(Rf_mkCharLenCE(from, static_cast<int>(size) + open, CE_NATIVE));
  });
}

}  // namespace

// [[Rcpp::export(rng = false)]]
SEXP csv_bytes_() {
  const Rcpp::Shield<SEXP> buffer(domgen::protected_call([] {
    const SEXP made = PROTECT(R_MakeExternalPtr(nullptr, csv_tag(), R_NilValue));
    R_RegisterCFinalizerEx(made, free_bytes, TRUE);
    UNPROTECT(1);
    return made;
  }));
  R_SetExternalPtrAddr(buffer, new CsvBytes);
  return buffer;
}

// How many bytes there are then.
// [[Rcpp::export(rng = false)]]
SEXP csv_add_(SEXP buffer, SEXP more) {
  CsvBytes& held = held_by(buffer);
  domgen::demand(TYPEOF(more) == RAWSXP, "more", "be raw");
  held.drop_taken();
  const std::size_t before = held.bytes.size();
  held.bytes.resize(before + static_cast<std::size_t>(Rf_xlength(more)));
  RAW_GET_REGION(more, 0, Rf_xlength(more), reinterpret_cast<Rbyte*>(held.bytes.data() + before));
  return domgen::for_r(static_cast<double>(held.bytes.size()));
}

// Adds `most` bytes of a file from `offset` on, or those that there are: their number, -1 where it
// cannot be read. Raw vectors of R in their place would cost more in collecting them than reading.
// [[Rcpp::export(rng = false)]]
SEXP csv_add_file_(SEXP buffer, SEXP path, SEXP offset, SEXP most) {
  CsvBytes& held = held_by(buffer);
  std::ifstream file(domgen::text(path, "path"), std::ios::binary);
  const double from = domgen::number(offset, "offset", 0, 9e15);
  const double wanted = domgen::number(most, "most", 0, 9e15);
  if (!file.seekg(static_cast<std::streamoff>(from))) return domgen::for_r(-1.0);
  held.drop_taken();
  const std::size_t before = held.bytes.size();
  held.bytes.resize(before + static_cast<std::size_t>(wanted));
  file.read(held.bytes.data() + before, static_cast<std::streamsize>(wanted));
  held.bytes.resize(before + static_cast<std::size_t>(file.gcount()));
  return domgen::for_r(file.bad() ? -1 : static_cast<double>(file.gcount()));
}

// The first bytes that are held.
// [[Rcpp::export(rng = false)]]
SEXP csv_head_(SEXP buffer, SEXP most) {
  const CsvBytes& held = held_by(buffer);
  const double wanted = domgen::number(most, "most", 0, domgen::infinite);
  const std::size_t n =
      wanted < static_cast<double>(held.size()) ? static_cast<std::size_t>(wanted) : held.size();
  const char* const from = held.bytes.data() + held.begin;
  return domgen::protected_call([&] {
    const SEXP head = Rf_allocVector(RAWSXP, static_cast<R_xlen_t>(n));
    std::copy(from, from + n, RAW(head));
    return head;
  });
}

// Passes over bytes.
// [[Rcpp::export(rng = false)]]
void csv_skip_(SEXP buffer, SEXP bytes) {
  CsvBytes& held = held_by(buffer);
  const double passed = domgen::number(bytes, "bytes", 0, static_cast<double>(held.size()));
  held.begin += static_cast<std::size_t>(passed);
}

// Takes whole rows, at most so many: list(text: these as one string; rows, blank: numbers of them;
// bytes: what they took; fields: of the last; doubled, literal: see CsvRows; problem: 0 is none).
// text = FALSE: they are counted only. fields = 0: any number.
// [[Rcpp::export(rng = false)]]
SEXP csv_take_(SEXP buffer, SEXP separator, SEXP fields, SEXP last, SEXP text, SEXP most) {
  CsvBytes& held = held_by(buffer);
  const domgen::CsvScan scan = scan_of(separator, fields, 0);
  const bool ended = domgen::flag(last, "last"), wanted = domgen::flag(text, "text");
  const double rows = domgen::number(most, "most", 0, domgen::infinite);
  const std::size_t limit = rows < 1e15 ? static_cast<std::size_t>(rows) : SIZE_MAX;
  const domgen::CsvRows found = scan(held.bytes.data() + held.begin, held.size(), ended, limit);
  const bool shown = wanted && found.problem == domgen::CsvProblem::none;
  const Rcpp::Shield<SEXP> whole(rows_as_text(held, shown ? found.end : 0));
  const SEXP rows_text = whole;
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  const SEXP taken = domgen::named_list({{"text", rows_text},
                                         {"rows", number(found.rows)},
                                         {"blank", number(found.blank)},
                                         {"bytes", number(found.end)},
                                         {"fields", number(found.fields)},
                                         {"doubled", found.doubled},
                                         {"literal", found.literal},
                                         {"problem", static_cast<int>(found.problem)}});
  held.begin += found.end;
  return taken;
}

// The fields of rows without a problem, as many as `rows`, of the columns `which` (from 1): a list
// of character vectors, in which empty fields and NA are missing.
// [[Rcpp::export(rng = false)]]
SEXP csv_fields_(SEXP text, SEXP separator, SEXP fields, SEXP rows, SEXP which) {
  domgen::text(text, "text");
  const SEXP whole = STRING_ELT(text, 0);
  const domgen::CsvScan scan = scan_of(separator, fields, 1);
  const int columns = domgen::whole(fields, "fields", 1), size = domgen::whole(rows, "rows");
  const std::vector<int> wanted = domgen::places(which, "which", columns);
  const R_xlen_t chosen = static_cast<R_xlen_t>(wanted.size());
  std::vector<SEXP> target(static_cast<std::size_t>(columns), R_NilValue);
  std::string field;  // here, because R jumps past what is in a protected call
  return domgen::protected_call([&] {
    const SEXP found = PROTECT(Rf_allocVector(VECSXP, chosen));
    for (R_xlen_t j = 0; j < chosen; ++j) {
      SEXP& column = target[static_cast<std::size_t>(wanted[static_cast<std::size_t>(j)])];
      if (Rf_isNull(column)) column = Rf_allocVector(STRSXP, size);
      SET_VECTOR_ELT(found, j, column);
    }
    const std::size_t there = scan.each_field(
        CHAR(whole), CHAR(whole) + LENGTH(whole), field, [&](std::size_t row, std::size_t column) {
          if (Rf_isNull(target[column]) || row >= static_cast<std::size_t>(size)) return;
          SET_STRING_ELT(target[column], static_cast<R_xlen_t>(row), missing_or_text(field));
        });
    domgen::demand(there == static_cast<std::size_t>(size), "rows", "be those of the text");
    UNPROTECT(1);
    return found;
  });
}
