// Where rows of a CSV file end, in bytes that come piece by piece.
#include <climits>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "arguments.h"
#include "results.h"

namespace {

enum class Problem { none, fields, open_quote, after_quote, odd_byte };

struct Cut {
  std::string text;                 // whole rows, without blank ones
  std::size_t end = 0, rows = 0;    // bytes that they took, and their number
  std::size_t fields = 0;           // of the last one
  bool doubled = false;             // has `text` stand-ins for quotes?
  Problem problem = Problem::none;  // of the row behind them
};

// A byte that no text has stands for a quote that is doubled between quotes, which fread() leaves
// doubled and cannot tell from two quotes in a field that does not begin with one.
constexpr char stand_in = '\1';

// A quote opens a field only where the field begins (RFC 4180), so that separators and line ends
// between quotes are text. fields: of each row, 0 for any number; a blank row is a row where there
// is one column. ended: do no bytes come any more? Then the last row needs no end. most: rows.
Cut cut(const char* bytes, std::size_t size, char separator, std::size_t fields, bool ended,
        double most) {
  enum { start, plain, quoted, closing, closed } state = start;
  Cut found;
  std::string& text = found.text;
  text.reserve(size + 4);
  std::size_t begin = 0, count = 1;  // of the row: its place in `text`, its fields so far
  bool blank = true;
  for (std::size_t i = 0; i <= size && static_cast<double>(found.rows) < most; ++i) {
    if (i == size && (!ended || found.end == size)) break;
    const char c = i == size ? '\n' : bytes[i];
    if (c == '\0' || c == stand_in) found.problem = Problem::odd_byte;
    if (i == size && state == quoted) found.problem = Problem::open_quote;
    if (found.problem != Problem::none) break;
    if (state == quoted) {
      if (c == '"') state = closing;
      else text.push_back(c);
      continue;
    }
    if (state == closing) {
      state = c == '"' ? quoted : closed;
      found.doubled = found.doubled || c == '"';
      text.push_back(c == '"' ? stand_in : '"');
      if (c == '"') continue;
    }
    if (c == separator) {
      text.push_back(c);
      ++count;
      blank = false;
      state = start;
    } else if (c == '\n') {
      if (state == plain && text.back() == '\r') text.pop_back();
      if (blank) text.resize(begin);
      if (!blank || fields == 1) {
        found.fields = count;
        if (fields > 0 && count != fields) {
          found.problem = Problem::fields;
          break;
        }
        text += blank ? "NA\n" : "\n";
        ++found.rows;
      }
      found.end = i == size ? size : i + 1;
      begin = text.size();
      count = 1;
      blank = true;
      state = start;
    } else if (state == closed) {
      if (c != ' ' && c != '\r') {
        found.problem = Problem::after_quote;
        break;
      }
    } else if (state == plain || c != ' ') {
      state = state == start && c == '"' ? quoted : plain;
      blank = blank && c == '\r';
      text.push_back(c);
    }
  }
  text.resize(begin);
  return found;
}

}  // namespace

// The whole rows at the start of some bytes: list(text: these as one string; rows: their number;
// bytes: that they took; fields: of the last; doubled: does "\001" stand for quotes in it?
// problem: of the row behind them, 0 is none).
// [[Rcpp::export(rng = false)]]
SEXP cut_rows_(SEXP bytes, SEXP separator, SEXP fields, SEXP ended, SEXP most) {
  domgen::demand(TYPEOF(bytes) == RAWSXP, "bytes", "be raw");
  const std::string one = domgen::text(separator, "separator");
  domgen::demand(one.size() == 1, "separator", "be one character");
  const Cut found =
      cut(reinterpret_cast<const char*>(RAW(bytes)), static_cast<std::size_t>(Rf_xlength(bytes)),
          one[0], static_cast<std::size_t>(domgen::whole(fields, "fields", 0)),
          domgen::flag(ended, "ended"), domgen::number(most, "most", 0, domgen::infinite));
  if (found.text.size() >= INT_MAX) throw std::length_error("a piece of more than 2 GB");
  const domgen::Shield whole(domgen::protected_call([&] {
    return Rf_ScalarString(
        Rf_mkCharLenCE(found.text.data(), static_cast<int>(found.text.size()), CE_NATIVE));
  }));
  const SEXP text = whole;
  return domgen::named_list({{"text", text},
                             {"rows", static_cast<double>(found.rows)},
                             {"bytes", static_cast<double>(found.end)},
                             {"fields", static_cast<double>(found.fields)},
                             {"doubled", found.doubled},
                             {"problem", static_cast<int>(found.problem)}});
}
