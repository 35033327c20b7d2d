// What the doors of the core expect of shapes and alignment: checked in builds with assertions
// (without NDEBUG, or with DOMGEN_ASSERT), and nothing at all in those that users get.
#ifndef DOMGEN_CORE_LINALG_ASSERT_H
#define DOMGEN_CORE_LINALG_ASSERT_H

#if defined(DOMGEN_ASSERT) || !defined(NDEBUG)

#include <cstdio>
#include <cstdlib>

namespace domgen {

[[noreturn]] inline void assertion_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: Assertion `%s' failed.\n", file, line, condition);
  std::abort();
}

}  // namespace domgen

#define DOMGEN_EXPECT(condition) \
  ((condition) ? static_cast<void>(0) : domgen::assertion_failed(#condition, __FILE__, __LINE__))
#else
// Not evaluated.
#define DOMGEN_EXPECT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#endif

#endif
