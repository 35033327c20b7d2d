// The kernels, compiled once.
#include "core/kernel/tree.h"

#include <memory>

std::unique_ptr<domgen::Kernel> domgen::KernelBuilder::build(const KernelProgram& program) const {
  return KernelTree(X_, Z_, centred_).build(program);
}
