// The only unit that knows threads.
#include "parallel.h"

#include <R_ext/Utils.h>

#include "on-threads.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>

namespace {

// More than there are processors would wait for each other; 0 where the system does not say.
int useful(int count) {
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  return processors > 0 ? std::min(count, processors) : count;
}

}  // namespace

// R may only be asked for an interrupt on the main thread, so the pieces run
// in batches that grow until one takes about a tenth of a second, fast, since threads are started
// for each. A batch is expected to take as long as the last one, piece by piece.
void domgen::Threads::run(std::ptrdiff_t pieces, const Pieces& body) const {
  using clock = std::chrono::steady_clock;
  const int threads = count_ > 1 ? useful(count_) : 1;
  const double worth_threads = 1e-3;  // seconds
  std::ptrdiff_t batch = 1;
  double expected = 0;
  for (std::ptrdiff_t begin = 0; begin < pieces;) {
    const std::ptrdiff_t end = std::min(begin + batch, pieces), size = end - begin;
    const clock::time_point start = clock::now();
    if (threads == 1 || expected * double(size) < worth_threads) body(begin, end);
    else on_threads(begin, end, threads, body);
    interrupt();
    const std::chrono::duration<double> taken = clock::now() - start;
    expected = taken.count() / double(size);
    const double growth = std::min(8.0, 0.1 / std::max(taken.count(), 1e-6));
    batch = std::max<std::ptrdiff_t>(threads, std::ptrdiff_t(growth * double(size)));
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
