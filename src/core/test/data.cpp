#include "test.h"

#include "../data/md5.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

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
  sums();
  sums_of_values();
}
