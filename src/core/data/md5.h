#ifndef DOMGEN_CORE_DATA_MD5_H
#define DOMGEN_CORE_DATA_MD5_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace domgen {

// The MD5 sum of bytes, as text (RFC 1321). It tells the same from the changed, and is no
// protection against those who want two texts to have one sum.
class Md5 {
 public:
  void add(const unsigned char* bytes, std::size_t n) {
    while (n > 0) {
      const std::size_t take = std::min(n, block_.size() - filled_);
      std::memcpy(block_.data() + filled_, bytes, take);
      filled_ += take;
      total_ += take;
      bytes += take;
      n -= take;
      if (filled_ == block_.size()) mix();
    }
  }

  // Values that R prints alike are alike, on every processor: NA and NaN, 0 and -0.
  void number(double x) {
    if (x != x) return word(0x7ff00000000007a2u);
    if (x == 0) x = 0;
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    word(bits);
  }

  // Its size comes first, so that "ab", "c" is not "a", "bc".
  void text(const char* at, std::size_t size) {
    word(size);
    add(reinterpret_cast<const unsigned char*>(at), size);
  }

  void missing_text() { word(~std::uint64_t{0}); }

  std::string sum() {
    const std::uint64_t bits = total_ * 8;
    const unsigned char one = 0x80, zero = 0;
    add(&one, 1);
    while (filled_ != 56) add(&zero, 1);
    for (int i = 0; i < 8; ++i) {
      const unsigned char byte = static_cast<unsigned char>(bits >> (8 * i));
      add(&byte, 1);
    }
    std::string text;
    for (const std::uint32_t word : state_) {
      for (int i = 0; i < 8; ++i) {
        // the low byte first, and of it the high half
        text += "0123456789abcdef"[(word >> (8 * (i / 2) + (i % 2 ? 0 : 4))) & 15u];
      }
    }
    return text;
  }

 private:
  void word(std::uint64_t bits) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(bits >> (8 * i));
    add(bytes, 8);
  }

  void mix() {
    // whole parts of 2^32 |sin(i)|
    static const std::uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
        0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
        0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
        0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
        0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
        0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
        0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
        0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
        0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
        0xeb86d391};
    static const int turns[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    std::uint32_t word[16];
    for (std::size_t i = 0; i < 16; ++i) {
      word[i] = 0;
      for (std::size_t b = 4; b-- > 0;) word[i] = word[i] << 8 | block_[4 * i + b];
    }
    std::uint32_t a = state_[0], b = state_[1], c = state_[2], d = state_[3];
    for (std::uint32_t i = 0; i < 64; ++i) {
      std::uint32_t f;
      std::uint32_t from;
      if (i < 16) {
        f = (b & c) | (~b & d);
        from = i;
      } else if (i < 32) {
        f = (d & b) | (~d & c);
        from = 5 * i + 1;
      } else if (i < 48) {
        f = b ^ c ^ d;
        from = 3 * i + 5;
      } else {
        f = c ^ (b | ~d);
        from = 7 * i;
      }
      const std::uint32_t all = a + f + sines[i] + word[from % 16];
      const int turn = turns[i / 16][i % 4];
      a = d;
      d = c;
      c = b;
      b += all << turn | all >> (32 - turn);
    }
    state_[0] += a;
    state_[1] += b;
    state_[2] += c;
    state_[3] += d;
    filled_ = 0;
  }

  std::array<std::uint32_t, 4> state_{{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
  std::array<unsigned char, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace domgen

#endif
