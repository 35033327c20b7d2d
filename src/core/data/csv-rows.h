// Where the rows of a CSV file end, in a piece of its bytes that begins where a row begins. A quote
// opens a field only where the field begins, and is doubled inside (RFC 4180), so that separators
// and row ends between quotes are text.
#ifndef DOMGEN_CORE_DATA_CSV_ROWS_H
#define DOMGEN_CORE_DATA_CSV_ROWS_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace domgen {

enum class CsvProblem { none, fields, open_quote, after_quote, zero_byte };

struct CsvRows {
  std::size_t end = 0;                    // bytes of the whole rows
  std::size_t rows = 0;                   // their number, without blank ones
  std::size_t blank = 0;                  // number of blank ones
  std::size_t fields = 0;                 // of the row with the problem, else of the last one
  bool doubled = false;                   // is there a doubled quote between quotes,
  bool literal = false;                   // and a quote in a field that does not begin with one?
  CsvProblem problem = CsvProblem::none;  // of row `rows` + 1
};

class CsvScan {
 public:
  // fields: of each row, 0 for any number. A blank row is a row where there is one column.
  CsvScan(char separator, std::size_t fields) : separator_(separator), fields_(fields) {
    stops_.fill(false);
    for (const char c : {separator, '\n', '\0'}) stops_[static_cast<unsigned char>(c)] = true;
  }

  // f(row, column) for each field of rows without a problem, blank rows left out, with its text in
  // `field`: the number of rows.
  template <class F>
  std::size_t each_field(const char* at, const char* end, std::string& field, F&& f) const {
    CsvRows found;
    std::size_t number = 0;
    while (at < end) {
      const char* const next = row(at, end, true, found);
      if (next != nullptr && fields_ != 1 && is_blank(at, next)) {
        at = next;
        continue;
      }
      if (next == nullptr || found.fields != fields_)
        throw std::invalid_argument("a row of the text has other fields");
      for (std::size_t column = 0; column < fields_; ++column) {
        const char* const stop = this->field(at, end, true, found);
        set_text(at, stop, field);
        f(number, column);
        at = stop + 1;
      }
      at = next;
      ++number;
    }
    return number;
  }

  // last: are these the last bytes of the file? Then its last row needs no end. most: rows.
  CsvRows operator()(const char* bytes, std::size_t size, bool last, std::size_t most) const {
    CsvRows found;
    const char* at = bytes;
    const char* const end = bytes + size;
    while (at < end && found.rows < most) {
      const char* const next = row(at, end, last, found);
      if (next == nullptr) return found;
      const bool blank = fields_ != 1 && is_blank(at, next);
      if (!blank && fields_ > 0 && found.fields != fields_) {
        found.problem = CsvProblem::fields;
        return found;
      }
      (blank ? found.blank : found.rows) += 1;
      at = next;
      found.end = static_cast<std::size_t>(at - bytes);
    }
    return found;
  }

 private:
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));

  static Bytes all(char value) {
    Bytes b;
    std::memset(&b, value, sizeof b);
    return b;
  }

  // The number of separators from `at` to `end`; -1 where there is a quote or a zero byte.
  std::ptrdiff_t separators(const char* at, const char* end) const {
    std::ptrdiff_t total = 0;
    const Bytes separator = all(separator_), quote = all('"'), zero = all('\0');
    while (end - at >= 16) {
      const std::ptrdiff_t steps = std::min<std::ptrdiff_t>((end - at) / 16, 255);
      Bytes count = {}, odd = {};
      for (std::ptrdiff_t k = 0; k < steps; ++k, at += 16) {
        Bytes b;
        std::memcpy(&b, at, 16);
        // a comparison that holds is -1
        count -= reinterpret_cast<Bytes>(b == separator);
        odd |= reinterpret_cast<Bytes>(b == quote) | reinterpret_cast<Bytes>(b == zero);
      }
      for (int k = 0; k < 16; ++k) {
        if (odd[k]) return -1;
        total += count[k];
      }
    }
    for (; at < end; ++at) {
      if (*at == '"' || *at == '\0') return -1;
      total += *at == separator_;
    }
    return total;
  }

  // The end of the row that begins here; null where it has none, or a problem.
  const char* row(const char* at, const char* end, bool last, CsvRows& found) const {
    const void* const newline = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    const char* const next = static_cast<const char*>(newline);
    if (next == nullptr && !last) return nullptr;
    const std::ptrdiff_t plain = separators(at, next ? next : end);
    if (plain >= 0) {
      found.fields = static_cast<std::size_t>(plain) + 1;
      return next ? next + 1 : end;
    }
    found.fields = 1;
    while (true) {
      at = field(at, end, last, found);
      if (at == nullptr) return nullptr;
      if (at == end) return last ? end : nullptr;
      if (*at == '\n') return at + 1;
      ++found.fields;
      ++at;
    }
  }

  // The separator or row end behind the field that begins here, or the end of the bytes.
  const char* field(const char* at, const char* end, bool last, CsvRows& found) const {
    while (at < end && *at == ' ') ++at;
    if (at < end && *at == '"') return quoted(at + 1, end, last, found);
    const char* const from = at;
    while (at < end && !stops_[static_cast<unsigned char>(*at)]) ++at;
    if (at < end && *at == '\0') return stop(CsvProblem::zero_byte, found);
    found.literal |= std::memchr(from, '"', static_cast<std::size_t>(at - from)) != nullptr;
    return at;
  }

  const char* quoted(const char* at, const char* end, bool last, CsvRows& found) const {
    const char* const from = at;
    while (true) {
      at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
      if (at == nullptr) return last ? stop(CsvProblem::open_quote, found) : nullptr;
      ++at;
      if (at == end || *at != '"') break;
      found.doubled = true;
      ++at;
    }
    if (std::memchr(from, '\0', static_cast<std::size_t>(at - from))) {
      return stop(CsvProblem::zero_byte, found);
    }
    while (at < end && (*at == ' ' || *at == '\r')) ++at;
    if (at == end || *at == '\n' || *at == separator_) return at;
    return stop(CsvProblem::after_quote, found);
  }

  // Without the blanks around it and without quotes.
  static void set_text(const char* at, const char* end, std::string& text) {
    const auto trim = [&] {
      while (at < end && *at == ' ') ++at;
      while (at < end && (end[-1] == ' ' || end[-1] == '\r')) --end;
    };
    trim();
    text.clear();
    if (at == end || *at != '"') {
      text.assign(at, end);
      return;
    }
    for (++at, --end; at < end; ++at) {
      if (*at == '"') ++at;
      text.push_back(*at);
    }
  }

  static const char* stop(CsvProblem problem, CsvRows& found) {
    found.problem = problem;
    return nullptr;
  }

  static bool is_blank(const char* at, const char* end) {
    while (at < end && (*at == ' ' || *at == '\r' || *at == '\n')) ++at;
    return at == end;
  }

  char separator_;
  std::size_t fields_;
  std::array<bool, 256> stops_;
};

}  // namespace domgen

#endif
