// A checksum of numbers and texts in order, the same on every processor. Values that R prints alike
// are alike: NA and NaN, 0 and -0.
#ifndef DOMGEN_CORE_DATA_DIGEST_H
#define DOMGEN_CORE_DATA_DIGEST_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace domgen {

class Digest {
 public:
  void number(double x) {
    if (x != x) return missing();
    if (x == 0) x = 0;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    word(bits);
  }

  void text(const char* at, std::size_t size) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < size; ++i) {
      bits = bits << 8 | static_cast<unsigned char>(at[i]);
      if (i % 8 == 7) word(bits);
    }
    word(bits);
    word(size);
  }

  void missing() { word(0x7ff00000000007a2u); }

  std::uint64_t value() const { return state_; }

 private:
  // Each step is a bijection: values that differ in one place never have the same checksum.
  void word(std::uint64_t bits) {
    state_ = (state_ ^ bits) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 32;
  }

  std::uint64_t state_ = 0x243f6a8885a308d3u;
};

}  // namespace domgen

#endif
