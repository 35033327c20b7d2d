// The median distance between pairs of rows.
#ifndef DOMGEN_CORE_KERNEL_MEDIAN_DISTANCE_H
#define DOMGEN_CORE_KERNEL_MEDIAN_DISTANCE_H

#include "../linalg/assert.h"
#include "../linalg/view.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace domgen {

// Squared distances of all pairs of rows. Terms are added predictor by predictor, without fused
// operations, so that the sums are those of a plain loop.
inline std::vector<double> pair_squares(const MatrixView& X) {
  const Index n = X.rows();
  const Eigen::Map<const Eigen::ArrayXXd> x(X.data(), n, X.cols());
  std::vector<double> squares(static_cast<std::size_t>(n * (n - 1) / 2), 0.0);
  double* next = squares.data();
  for (Index j = 0; j + 1 < n; ++j) {
    const Index below = n - j - 1;
    Eigen::Map<Eigen::ArrayXd> sums(next, below);
    for (Index k = 0; k < X.cols(); ++k) sums += (x.col(k).tail(below) - x(j, k)).square();
    next += below;
  }
  return squares;
}

// The one or two values in the middle of at least one. A sample of many says between which two
// values they lie, so that few have to be put in order.
inline std::pair<double, double> middle_values(std::vector<double>& values) {
  DOMGEN_EXPECT(!values.empty());
  const std::size_t n = values.size(), stride = 101;
  std::size_t low = (n - 1) / 2, high = n / 2, first = 0;
  std::vector<double> part;
  if (n > 100 * stride) {
    std::vector<double> sample;
    for (std::size_t i = 0; i < n; i += stride) sample.push_back(values[i]);
    const auto margin = static_cast<std::size_t>(3 * std::sqrt(double(sample.size())));
    const auto at = [&](std::size_t place) {
      std::nth_element(sample.begin(), sample.begin() + std::ptrdiff_t(place), sample.end());
      return sample[place];
    };
    const std::size_t middle = sample.size() / 2;
    const double least = at(middle - margin), most = at(middle + margin);
    for (const double value : values) first += value < least;
    for (const double value : values)
      if (value >= least && value <= most) part.push_back(value);
    if (low < first || high >= first + part.size()) part.clear(), first = 0;
  }
  std::vector<double>& searched = part.empty() ? values : part;
  low -= first, high -= first;
  const auto middle = searched.begin() + std::ptrdiff_t(high);
  std::nth_element(searched.begin(), middle, searched.end());
  return {low == high ? *middle : *std::max_element(searched.begin(), middle), *middle};
}

// The median distance, the mean of two where their number is even. Distances of at most `rounding`
// count as 0; if the median is 0, it is that of the others, and 0 if there are none.
inline double median_distance(const MatrixView& X, double rounding) {
  std::vector<double> squares = pair_squares(X);
  const auto distance = [rounding](double square) {
    const double root = std::sqrt(square);
    return root > rounding ? root : 0;
  };
  const auto median = [&] {
    if (squares.empty()) return 0.0;
    const std::pair<double, double> middle = middle_values(squares);
    return (distance(middle.first) + distance(middle.second)) / 2;
  };
  const double all = median();
  if (all > 0) return all;
  const auto none = [&](double square) { return distance(square) == 0; };
  squares.erase(std::remove_if(squares.begin(), squares.end(), none), squares.end());
  return median();
}

}  // namespace domgen

#endif
