// What dual SVMs know of their losses.
#ifndef DOMGEN_CORE_SVM_LOSS_H
#define DOMGEN_CORE_SVM_LOSS_H

#include <cmath>

namespace domgen {

// sup_{0 <= a <= upper} a t - ridge a^2 / 2: the loss whose dual variable is a.
inline double conjugate_loss(double t, double upper, double ridge) {
  if (!(t > 0) || upper == 0) return 0;
  if (ridge > 0 && t <= ridge * upper) return t * t / (2 * ridge);
  return upper * (t - ridge * upper / 2);
}

// Of an interval, or its end where the other is infinite.
inline double middle(double least, double most, double of_everything) {
  if (std::isinf(least) && std::isinf(most)) return of_everything;
  if (std::isinf(least)) return most;
  return std::isinf(most) ? least : (least + most) / 2;
}

}  // namespace domgen

#endif
