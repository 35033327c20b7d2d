// The core tells NaN from numbers and relies on the order of operations.
#ifndef DOMGEN_CORE_LINALG_EXACT_MATH_H
#define DOMGEN_CORE_LINALG_EXACT_MATH_H

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "domgen gives wrong results under -ffast-math and -ffinite-math-only: compile without them."
#endif

#endif
