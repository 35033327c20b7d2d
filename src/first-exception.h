// What fails in a worker thread, for the thread that waits for it. Without R, so that it is tested
// with the core.
#ifndef DOMGEN_FIRST_EXCEPTION_H
#define DOMGEN_FIRST_EXCEPTION_H

#include <atomic>
#include <exception>

namespace domgen {

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
