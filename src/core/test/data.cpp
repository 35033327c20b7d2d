#include "test.h"

#include "../data/csv-rows.h"
#include "../data/md5.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// Character by character: the fields of each row, and where it ends.
struct NaiveRows {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> ends;
};

NaiveRows naive_rows(const std::string& bytes) {
  NaiveRows found;
  std::vector<std::string> row(1);
  bool inside = false, open = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (inside) {
      if (c != '"') row.back() += c;
      else if (i + 1 < bytes.size() && bytes[i + 1] == '"') row.back() += bytes[++i];
      else inside = false;
    } else if (c == '"' && row.back().empty() && !open) {
      inside = open = true;
    } else if (c == ',') {
      row.emplace_back();
      open = false;
    } else if (c == '\n') {
      if (row.size() > 1 || !row[0].empty() || open) {
        found.rows.push_back(row);
        found.ends.push_back(i + 1);
      }
      row.assign(1, "");
      open = false;
    } else {
      row.back() += c;
    }
  }
  return found;
}

// Texts of three fields a row, of pieces that are chosen by the seed.
std::string some_text(int seed) {
  const char* const pieces[] = {"1",    "-2.5e3", "\"a,b\"", "\"x\ny\"", "\"he said \"\"no\"\"\"",
                                "\"\"", "",       "a\"b",    "\"\"\"\""};
  std::string text;
  for (int row = 0; row < 40; ++row) {
    for (int j = 0; j < 3; ++j) {
      text +=
          pieces[static_cast<std::size_t>(std::abs(seed * 7 + row * row + 5 * j * row + j)) % 9];
      if (j == 0 && row % 5 == 0) text += std::string(static_cast<std::size_t>(row * 110), '7');
      text += j < 2 ? ',' : '\n';
    }
    if (row % 7 == seed % 7) text += '\n';
  }
  return text;
}

void rows_of_text() {
  int wrong = 0, cut = 0;
  for (int seed = 0; seed < 20; ++seed) {
    std::string text = some_text(seed);
    // digits behind a closing quote are a problem, and not this test's
    for (std::size_t at; (at = text.find("\"7")) != std::string::npos;) text.erase(at + 1, 1);
    const NaiveRows naive = naive_rows(text);
    const domgen::CsvScan scan(',', 3);
    const domgen::CsvRows all = scan(text.data(), text.size(), true, 1000);
    wrong += all.problem != domgen::CsvProblem::none || all.rows != naive.rows.size() ||
             all.end != text.size();
    std::string field;
    scan.each_field(
        text.data(), text.data() + text.size(), field,
        [&](std::size_t i, std::size_t j) { wrong += naive.rows.at(i).at(j) != field; });
    // cut anywhere, the whole rows are those that end before
    for (std::size_t size = 0; size < text.size(); size += 13) {
      const domgen::CsvRows some = scan(text.data(), size, false, 1000);
      std::size_t before = 0;
      while (before < naive.ends.size() && naive.ends[before] <= size) ++before;
      cut += some.problem != domgen::CsvProblem::none || some.rows != before;
    }
  }
  domgen_test::check("rows of CSV: fields", wrong, 0);
  domgen_test::check("rows of CSV: cut anywhere", cut, 0);
}

void problems() {
  const auto problem = [](const std::string& text, bool last) {
    return domgen::CsvScan(',', 2)(text.data(), text.size(), last, 1000).problem;
  };
  using domgen::CsvProblem;
  int wrong = problem("1,2\n3,4", true) != CsvProblem::none;
  wrong += problem("1,2\n3", false) != CsvProblem::none;
  wrong += problem("1,2\n3", true) != CsvProblem::fields;
  wrong += problem("1,2\n3,4,5\n", false) != CsvProblem::fields;
  wrong += problem("1,2\n3,\"4\n", false) != CsvProblem::none;
  wrong += problem("1,2\n3,\"4\n", true) != CsvProblem::open_quote;
  wrong += problem("1,\"2\"3\n", true) != CsvProblem::after_quote;
  wrong += problem("1,\"2\"", false) != CsvProblem::none;
  wrong += problem(std::string("1,\0\n", 4), true) != CsvProblem::zero_byte;
  wrong += problem(std::string("1,\"a\0\"\n", 7), true) != CsvProblem::zero_byte;
  domgen_test::check("rows of CSV: problems", wrong, 0);
  int read = 0;
  for (const std::string text : {"1,2\n3\n", "1,2\n3,\"4\n", "1,2,3\n", "1,\"2\"3\n"}) {
    std::string field;
    try {
      domgen::CsvScan(',', 2).each_field(text.data(), text.data() + text.size(), field,
                                         [](std::size_t, std::size_t) {});
      ++read;
    } catch (const std::invalid_argument&) {
    }
  }
  domgen_test::check("rows of CSV: fields of rows with a problem are refused", read, 0);
}

// The test suite of RFC 1321, as a whole and byte by byte.
void sums() {
  const std::string texts[][2] = {{"", "d41d8cd98f00b204e9800998ecf8427e"},
                                  {"abc", "900150983cd24fb0d6963f7d28e17f72"},
                                  {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
                                  {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                                   "d174ab98d277d9f5a5611c2c9f419d9f"},
                                  {std::string(200, 'a'), "887f30b43b2867f4a9accceee7d16e6c"}};
  int wrong = 0;
  for (const auto& text : texts) {
    domgen::Md5 whole, parts;
    const auto* bytes = reinterpret_cast<const unsigned char*>(text[0].data());
    whole.add(bytes, text[0].size());
    for (std::size_t i = 0; i < text[0].size(); ++i) parts.add(bytes + i, 1);
    const std::string sum = whole.sum();
    wrong += sum != parts.sum();
    wrong += !text[1].empty() && sum != text[1];
  }
  domgen_test::check("MD5 sums", wrong, 0);
}

std::string sum_of(std::initializer_list<double> numbers) {
  domgen::Md5 md5;
  for (const double x : numbers) md5.number(x);
  return md5.sum();
}

std::string sum_of(std::initializer_list<std::string> texts) {
  domgen::Md5 md5;
  for (const std::string& text : texts) md5.text(text.data(), text.size());
  return md5.sum();
}

void sums_of_values() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  int wrong = sum_of({0.0, nan}) != sum_of({-0.0, -nan});
  wrong += sum_of({1.0, 2.0}) == sum_of({2.0, 1.0});
  wrong += sum_of({1.0}) == sum_of({1.0, 0.0});
  wrong += sum_of({1.0}) == sum_of({1.0 + 1e-15});
  wrong += sum_of({"ab", "c"}) == sum_of({"a", "bc"});
  wrong += sum_of({"longer than eight"}) == sum_of({"longer than eighT"});
  domgen_test::check("MD5 sums of values", wrong, 0);
}

}  // namespace

void test_data() {
  rows_of_text();
  problems();
  sums();
  sums_of_values();
}
