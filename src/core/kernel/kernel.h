// What a kernel is to those who evaluate it, and what it is made of. How it is made is in tree.h,
// whose loops take longer to compile than all that calls them, and are compiled once.
#ifndef DOMGEN_CORE_KERNEL_KERNEL_H
#define DOMGEN_CORE_KERNEL_KERNEL_H

#include "../linalg/view.h"
#include "tile.h"

#include <Eigen/Core>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace domgen {

enum class Side { x, z };

class Kernel {
 public:
  virtual ~Kernel() = default;
  // Tiles of scratch space that evaluate() uses.
  virtual int scratch_tiles() const { return 0; }
  virtual void evaluate(const Patch& at, double* scratch, double* tile) const = 0;
  // k(x_i, x_i) or k(z_j, z_j)
  virtual Eigen::VectorXd self(Side side) const = 0;
};

// What R hands over, with every number filled in.
struct KernelProgram {
  std::string type;
  Eigen::VectorXd inv;     // 1 / sigma: one value, or one per predictor
  Eigen::VectorXd origin;  // of inner products; empty: 0
  double gamma = 0, coef0 = 0;
  int degree = 1;
  std::vector<KernelProgram> parts;
  std::vector<int> columns;  // that the part sees
  MatrixView table;          // of a lookup
  // Kernels evaluated in R: values [n x m], k(x_i, x_i), k(z_j, z_j).
  MatrixView values, self_x, self_z;
};

// The kernel of a program on the rows of X [n x p] and Z [m x p]; when Z is X
// they share their packed rows. centred: whose mean becomes the origin.
class KernelBuilder {
 public:
  KernelBuilder(const MatrixView& X, const MatrixView& Z, Side centred = Side::z)
      : X_(X), Z_(Z), centred_(centred) {
    if (X.cols() != Z.cols()) throw std::invalid_argument("X and Z differ in columns");
  }

  // Defined by who links the core, in one unit: that of KernelTree.
  std::unique_ptr<Kernel> build(const KernelProgram& program) const;

 private:
  MatrixView X_, Z_;
  Side centred_;
};

}  // namespace domgen

#endif
