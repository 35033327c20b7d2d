// Pieces of work on several threads. Without R, so that it is tested with the core.
#ifndef DOMGEN_ON_THREADS_H
#define DOMGEN_ON_THREADS_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

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

// Pieces `next`, ..., end - 1 that are left, `open` that are not done. Threads that come late find
// no piece: nobody waits for them, and the body may be gone by then.
struct SharedPieces {
  using Body = std::function<void(std::ptrdiff_t, std::ptrdiff_t)>;

  std::atomic<std::ptrdiff_t> next, open;
  const std::ptrdiff_t end, part;
  const Body& body;
  FirstException failed;
  std::mutex mutex;
  std::condition_variable all_done;

  SharedPieces(std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t part, const Body& body)
      : next(begin), open(end - begin), end(end), part(part), body(body) {}

  void work() {
    for (std::ptrdiff_t first = next.fetch_add(part); first < end; first = next.fetch_add(part)) {
      const std::ptrdiff_t last = std::min(end, first + part);
      failed.guard([&] { body(first, last); });
      if (open.fetch_sub(last - first) > last - first) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      all_done.notify_one();
    }
  }
};

// body(begin, end) of all pieces begin, ..., end - 1, on this thread and others that are started
// here, which takes some ten microseconds each.
inline void on_threads(std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t threads,
                       const SharedPieces::Body& body) {
  // Several parts for each, since some take longer than others.
  const std::ptrdiff_t part = std::max<std::ptrdiff_t>(1, (end - begin) / (8 * threads));
  const auto pieces = std::make_shared<SharedPieces>(begin, end, part, body);
  try {
    for (std::ptrdiff_t k = 1; k < std::min(threads, end - begin); ++k)
      std::thread([pieces] { pieces->work(); }).detach();
  } catch (const std::system_error&) {
    // as many as the system gives
  }
  pieces->work();
  std::unique_lock<std::mutex> lock(pieces->mutex);
  pieces->all_done.wait(lock, [&] { return pieces->open == 0; });
  pieces->failed.rethrow();
}

}  // namespace domgen

#endif
