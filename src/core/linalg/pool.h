// Who does the work: threads that take pieces of it, and the one way in which a call is stopped.
#ifndef DOMGEN_CORE_LINALG_POOL_H
#define DOMGEN_CORE_LINALG_POOL_H

#include "exact-math.h"

#include <cstddef>
#include <functional>

namespace domgen {

class Pool {
 public:
  using Pieces = std::function<void(std::ptrdiff_t, std::ptrdiff_t)>;

  virtual ~Pool() = default;
  // body(begin, end) handles the pieces begin, ..., end - 1; each piece has one writer, so that the
  // result does not depend on how they are dealt out.
  virtual void run(std::ptrdiff_t pieces, const Pieces& body) const = 0;
  // Asks whether the user wants to stop, and throws if so. On the calling thread only, between
  // pieces of work of a fraction of a second; run() does so itself.
  virtual void interrupt() const = 0;
};

// The calling thread, for work too small to be stopped.
class SmallWork : public Pool {
 public:
  void run(std::ptrdiff_t pieces, const Pieces& body) const override { body(0, pieces); }
  void interrupt() const override {}
};

}  // namespace domgen

#endif
