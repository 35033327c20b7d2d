// Two coordinates of the dual in their box, solved exactly.
#ifndef DOMGEN_CORE_SVM_SMO_PAIR_H
#define DOMGEN_CORE_SVM_SMO_PAIR_H

#include <algorithm>
#include <cmath>

namespace domgen {

// maximise v'x - 1/2 x'Hx over least <= x <= most, H = [h_0 k; k h_1], h > 0.
struct BoxPair {
  double v[2] = {0, 0}, h[2] = {1, 1}, k = 0;
  double least[2] = {0, 0}, most[2] = {0, 0};

  double clip(double x, int i) const { return std::min(std::max(x, least[i]), most[i]); }

  // One coordinate while the other rests.
  double single(int i) const { return clip(v[i] / h[i], i); }

  double gain(const double* x) const {
    return v[0] * x[0] + v[1] * x[1] -
           (h[0] * x[0] * x[0] + 2 * k * x[0] * x[1] + h[1] * x[1] * x[1]) / 2;
  }

  // Inside the box if the stationary point is, else the best point of an edge.
  void solve(double* x) const {
    const double det = h[0] * h[1] - k * k;
    if (det > 1e-14 * h[0] * h[1]) {
      const double x0 = (v[0] * h[1] - k * v[1]) / det;
      const double x1 = (v[1] * h[0] - k * v[0]) / det;
      if (clip(x0, 0) == x0 && clip(x1, 1) == x1) {
        x[0] = x0;
        x[1] = x1;
        return;
      }
    }
    x[0] = single(0);
    x[1] = 0;
    for (int fixed = 0; fixed < 2; ++fixed) {
      const int other = 1 - fixed;
      for (const double edge : {least[fixed], most[fixed]}) {
        if (std::isinf(edge)) continue;
        double trial[2];
        trial[fixed] = edge;
        trial[other] = clip((v[other] - k * edge) / h[other], other);
        if (gain(trial) > gain(x)) std::copy(trial, trial + 2, x);
      }
    }
  }
};

}  // namespace domgen

#endif
