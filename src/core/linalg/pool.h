// Who does the work: threads that take pieces of it, and the one way in which a call is stopped.
#ifndef DOMGEN_CORE_LINALG_POOL_H
#define DOMGEN_CORE_LINALG_POOL_H

#include "exact-math.h"

#include <atomic>
#include <cstddef>
#include <exception>
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

// The first exception of several workers, kept for the calling thread.
class FirstException {
 public:
  // On any thread; after an exception nothing is done.
  template <class Body>
  void guard(const Body& body) {
    if (taken_) return;
    try {
      body();
    } catch (...) {
      if (!taken_.exchange(true)) first_ = std::current_exception();
    }
  }
  // When all workers are done.
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> taken_{false};
  std::exception_ptr first_;
};

}  // namespace domgen

#endif
