// Every header of the core in one translation unit, and all tests; `core-test threads` runs them on
// four threads, with the same last line. `core-test eigen` and `core-test core` must die of a
// failed assertion of Eigen and of the core, and `core-test race`, where the thread sanitizer
// looks, of the race that it is.
#include "../cox/newton.h"
#include "../cox/risk-sets.h"
#include "../data/md5.h"
#include "../feature/fourier.h"
#include "../feature/given.h"
#include "../feature/landmarks.h"
#include "../feature/map.h"
#include "../feature/group-moments.h"
#include "../feature/moments.h"
#include "../feature/product.h"
#include "../feature/random-pivots.h"
#include "../gp/covariance.h"
#include "../gp/likelihood.h"
#include "../kernel/anova.h"
#include "../kernel/embedding.h"
#include "../kernel/gram.h"
#include "../kernel/columns.h"
#include "../kernel/kernel.h"
#include "../kernel/leaf.h"
#include "../kernel/median-distance.h"
#include "../kernel/neighbours.h"
#include "../kernel/pair-difference.h"
#include "../kernel/pair-sums.h"
#include "../kernel/pivoted-cholesky.h"
#include "../kernel/profile.h"
#include "../kernel/rows.h"
#include "../kernel/tile.h"
#include "../kernel/tree.h"
#include "../linalg/assert.h"
#include "../linalg/band.h"
#include "../linalg/cholesky.h"
#include "../linalg/conjugate-gradients.h"
#include "../linalg/dense.h"
#include "../linalg/exact-math.h"
#include "../linalg/gram-buffer.h"
#include "../linalg/group-means.h"
#include "../linalg/inverse.h"
#include "../linalg/lanczos.h"
#include "../linalg/large-pages.h"
#include "../linalg/pool.h"
#include "../linalg/symmetric.h"
#include "../linalg/tridiagonal.h"
#include "../linalg/view.h"
#include "../projection/cell-means.h"
#include "../projection/centre.h"
#include "../projection/dcm.h"
#include "../projection/denominator.h"
#include "../projection/directions.h"
#include "../projection/features.h"
#include "../projection/gram.h"
#include "../projection/numerator.h"
#include "../projection/ratio.h"
#include "../projection/row-form.h"
#include "../projection/solution.h"
#include "../projection/terms.h"
#include "../ridge/conjugate.h"
#include "../ridge/factor.h"
#include "../ridge/lodo-path.h"
#include "../ridge/lodo-tridiagonal.h"
#include "../ridge/lodo.h"
#include "../ridge/path.h"
#include "../ridge/squared-errors.h"
#include "../ridge/without-group.h"
#include "../simd/exp.h"
#include "../simd/sincos.h"
#include "../simd/vector.h"
#include "../svm/linear-descent.h"
#include "../svm/linear-loops.h"
#include "../svm/linear-newton.h"
#include "../svm/linear-problem.h"
#include "../svm/linear-system.h"
#include "../svm/linear.h"
#include "../svm/loss.h"
#include "../svm/smo-active.h"
#include "../svm/smo-problem.h"
#include "../svm/smo.h"
#include "../svm/working-set.h"

#include "test.h"

#include <memory>
#include <string>

std::unique_ptr<domgen::Kernel> domgen::KernelBuilder::build(const KernelProgram& program) const {
  return KernelTree(X_, Z_, centred_).build(program);
}

namespace {

int fail(const std::string& whose) {
  if (whose == "eigen") return int(Eigen::VectorXd::Zero(3)[Eigen::Index(whose.size())]);
  if (whose == "race") {
    int sum = 0;
    domgen_test::pool.run(4, [&](std::ptrdiff_t first, std::ptrdiff_t) { sum += int(first); });
    return sum == 0;
  }
  domgen::GramBuffer S(2);
  const Eigen::MatrixXd B(3, 1);
  return int(domgen::solve_shifted(std::move(S), B, {}, domgen_test::pool).size());
}

}  // namespace

int main(int argc, char** argv) {
  using domgen_test::counts;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "threads" || what == "race") domgen_test::pool_of_tests().threads = 4;
  if (!what.empty() && what != "threads") return fail(what);
  test_data();
  test_linalg();
  test_kernel();
  test_feature();
  test_gp();
  test_projection();
  test_svm();
  test_ridge();
  test_cox();
  domgen_test::check("interrupts were polled", counts().polls > 0 ? 0 : 1, 0);
  std::printf("errors: %s\n", counts().errors.sum().c_str());
  return counts().failures > 0;
}
