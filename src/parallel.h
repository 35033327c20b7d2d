// The only file that knows RcppParallel: run independent pieces of work on a
// fixed number of threads, and let Ctrl-C in between.
#ifndef DOMGEN_PARALLEL_H
#define DOMGEN_PARALLEL_H

#include <Rcpp.h>
#include <RcppParallel.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace domgen {

template <class Body>
struct RangeWorker : public RcppParallel::Worker {
  const Body& body;
  explicit RangeWorker(const Body& body) : body(body) {}
  void operator()(std::size_t begin, std::size_t end) {
    body(static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(end));
  }
};

// body(begin, end) handles pieces begin..end-1; each piece has one writer, so
// the result does not depend on how they are dealt out.
class Threads {
 public:
  // Far fewer than would end the session: the number may come from a file.
  explicit Threads(int count) : count_(std::min(std::max(count, 1), 1024)) {}

  int count() const { return count_; }

  // R may only be asked for an interrupt on the main thread, so the pieces run
  // in batches that grow until one takes about a tenth of a second. They grow
  // fast: starting threads for many short batches costs more than it saves.
  template <class Body>
  void run(std::ptrdiff_t pieces, const Body& body) const {
    using clock = std::chrono::steady_clock;
    std::ptrdiff_t batch = 1;
    for (std::ptrdiff_t begin = 0; begin < pieces;) {
      const std::ptrdiff_t end = std::min(begin + batch, pieces);
      const clock::time_point start = clock::now();
      run_batch(begin, end, body);
      interrupt();
      const std::chrono::duration<double> taken = clock::now() - start;
      const double growth = std::min(8.0, 0.1 / std::max(taken.count(), 1e-6));
      batch = std::max<std::ptrdiff_t>(count_, std::ptrdiff_t(growth * double(end - begin)));
      begin = end;
    }
  }

  static void interrupt() { Rcpp::checkUserInterrupt(); }

 private:
  int count_;

  template <class Body>
  void run_batch(std::ptrdiff_t begin, std::ptrdiff_t end, const Body& body) const {
    if (count_ == 1 || end - begin == 1) {
      body(begin, end);
      return;
    }
    RangeWorker<Body> worker(body);
    RcppParallel::parallelFor(static_cast<std::size_t>(begin), static_cast<std::size_t>(end),
                              worker, 1, count_);
  }
};

}  // namespace domgen

#endif
