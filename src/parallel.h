// The core's pool of threads, which lets Ctrl-C and time limits in between.
#ifndef DOMGEN_PARALLEL_H
#define DOMGEN_PARALLEL_H

#include "arguments.h"
#include "core/linalg/pool.h"

#include <algorithm>
#include <cstddef>

namespace domgen {

class Threads : public Pool {
 public:
  // Far fewer than would end the session: the number may come from a file.
  explicit Threads(int count) : count_(std::min(std::max(count, 1), 1024)) {}
  // The argument `threads`.
  explicit Threads(SEXP threads) : Threads(whole(threads, "threads", 1)) {}

  void run(std::ptrdiff_t pieces, const Pieces& body) const override;
  void interrupt() const override;

 private:
  int count_;
};

}  // namespace domgen

#endif
