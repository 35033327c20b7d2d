// The only unit that knows RcppParallel.
#include "parallel.h"

#include <RcppParallel.h>
#include <R_ext/Utils.h>

#include "first-exception.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>

namespace {

using Pieces = domgen::Pool::Pieces;

#if RCPP_PARALLEL_USE_TBB

// Kept for the session. RcppParallel::parallelFor() makes an arena for each call, which is gone
// only when a worker thread has seen that it is empty: where workers hardly get a processor,
// thousands pile up, and all that TBB does goes through their list. Never destroyed, as TBB may
// be unloaded first.
tbb::task_arena& arena(int threads) {
  static auto* const kept = new std::map<int, std::unique_ptr<tbb::task_arena>>;
  std::unique_ptr<tbb::task_arena>& own = (*kept)[threads];
  if (!own) own.reset(new tbb::task_arena(threads));
  return *own;
}

// TBB complains on stderr of a request for more threads than the processor has or another
// package has limited it to; it would run no more of them anyway.
int allowed() {
  using Control = tbb::global_control;
  return static_cast<int>(Control::active_value(Control::max_allowed_parallelism));
}

void on_threads(std::ptrdiff_t begin, std::ptrdiff_t end, int threads, const Pieces& body) {
  using Range = tbb::blocked_range<std::ptrdiff_t>;
  arena(std::min(threads, allowed())).execute([&] {
    tbb::parallel_for(Range(begin, end), [&](const Range& r) { body(r.begin(), r.end()); });
  });
}

#else

// An exception that leaves a thread of RcppParallel's own would end R.
struct RangeWorker : public RcppParallel::Worker {
  const Pieces& body;
  domgen::FirstException& failed;
  RangeWorker(const Pieces& body, domgen::FirstException& failed) : body(body), failed(failed) {}
  void operator()(std::size_t begin, std::size_t end) {
    failed.guard(
        [&] { body(static_cast<std::ptrdiff_t>(begin), static_cast<std::ptrdiff_t>(end)); });
  }
};

void on_threads(std::ptrdiff_t begin, std::ptrdiff_t end, int threads, const Pieces& body) {
  domgen::FirstException failed;
  RangeWorker worker(body, failed);
  RcppParallel::parallelFor(static_cast<std::size_t>(begin), static_cast<std::size_t>(end), worker,
                            1, threads);
  failed.rethrow();
}

#endif

}  // namespace

// R may only be asked for an interrupt on the main thread, so the pieces run
// in batches that grow until one takes about a tenth of a second. They grow
// fast: starting threads for many short batches costs more than it saves.
void domgen::Threads::run(std::ptrdiff_t pieces, const Pieces& body) const {
  using clock = std::chrono::steady_clock;
  std::ptrdiff_t batch = 1;
  for (std::ptrdiff_t begin = 0; begin < pieces;) {
    const std::ptrdiff_t end = std::min(begin + batch, pieces);
    const clock::time_point start = clock::now();
    if (count_ == 1 || end - begin == 1) body(begin, end);
    else on_threads(begin, end, count_, body);
    interrupt();
    const std::chrono::duration<double> taken = clock::now() - start;
    const double growth = std::min(8.0, 0.1 / std::max(taken.count(), 1e-6));
    batch = std::max<std::ptrdiff_t>(count_, std::ptrdiff_t(growth * double(end - begin)));
    begin = end;
  }
}

// R answers an interrupt and a time limit by a jump to whoever handles it, which may be a
// tryCatch() around the call: the jump is held up until C++ has cleaned up, then goes on. (Within
// R_ToplevelExec, as in Rcpp::checkUserInterrupt(), a time limit would end a script.)
void domgen::Threads::interrupt() const {
  without_jump(
      [](void*) -> SEXP {
        R_CheckUserInterrupt();
        return R_NilValue;
      },
      nullptr);
}
