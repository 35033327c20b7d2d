// Pieces of work on several threads. Without R, so that it is tested with the core.
#ifndef DOMGEN_ON_THREADS_H
#define DOMGEN_ON_THREADS_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace domgen {

// The first exception of several workers, kept for the calling thread: one that leaves a thread
// would end R.
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

// body(begin, end) of all pieces begin, ..., end - 1, on this thread and others that are started
// here: a few microseconds each, where work that is worth it takes a thousand times as long.
inline void on_threads(std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t threads,
                       const std::function<void(std::ptrdiff_t, std::ptrdiff_t)>& body) {
  // Several parts for each, since some take longer than others.
  const std::ptrdiff_t part = std::max<std::ptrdiff_t>(1, (end - begin) / (8 * threads));
  std::atomic<std::ptrdiff_t> next{begin};
  FirstException failed;
  const auto work = [&] {
    for (std::ptrdiff_t first = next.fetch_add(part); first < end; first = next.fetch_add(part))
      failed.guard([&] { body(first, std::min(end, first + part)); });
  };
  std::vector<std::thread> others;
  const std::ptrdiff_t wanted = std::min(threads, end - begin) - 1;
  others.reserve(static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted, 0)));
  try {
    while (static_cast<std::ptrdiff_t>(others.size()) < wanted) others.emplace_back(work);
  } catch (const std::system_error&) {
    // as many as the system gives
  }
  work();
  for (std::thread& other : others) other.join();
  failed.rethrow();
}

}  // namespace domgen

#endif
