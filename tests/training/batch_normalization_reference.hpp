// SPDX-License-Identifier: MIT
// What batch normalization is compared with: its forward pass in float64.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/runtime/parameters.hpp>

#include "support/labelled_points.hpp"

namespace ipu_dsl::tests {

using numbers = std::vector<double>;

/// Rows of samples.
using matrix = std::vector<numbers>;

inline std::vector<numbers> weights_of_session(const parameters& kept) {
  std::vector<numbers> weights;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(kept.at(i).extents.elements()));
    kept.get(i, values);
    weights.emplace_back(values.begin(), values.end());
  }
  return weights;
}

inline matrix dense(const matrix& x, const numbers& kernel, const numbers& bias) {
  matrix made;
  for (const numbers& row : x) {
    numbers y = bias;
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (std::size_t n = 0; n < y.size(); ++n) {
        y[n] += row[k] * kernel[k * y.size() + n];
      }
    }
    made.push_back(y);
  }
  return made;
}

struct moments {
  numbers mean;
  numbers variance;
};

inline moments moments_of(const matrix& x, std::size_t channels) {
  moments made{numbers(channels, 0), numbers(channels, 0)};
  const double count = static_cast<double>(x.size() * x[0].size() / channels);
  for (const numbers& row : x) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      made.mean[i % channels] += row[i] / count;
    }
  }
  for (const numbers& row : x) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double centred = row[i] - made.mean[i % channels];
      made.variance[i % channels] += centred * centred / count;
    }
  }
  return made;
}

inline matrix normalize(const matrix& x, const moments& by, double epsilon) {
  matrix made = x;
  const std::size_t channels = by.mean.size();
  for (numbers& row : made) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = (row[i] - by.mean[i % channels]) / std::sqrt(by.variance[i % channels] + epsilon);
    }
  }
  return made;
}

/// Samples of the data, from `first` on.
inline matrix points_of(const point_set& data, std::size_t first, std::size_t count) {
  matrix points;
  for (std::size_t sample = first; sample < first + count; ++sample) {
    const auto row = data.features().subspan(sample * 8, 8);
    points.emplace_back(row.begin(), row.end());
  }
  return points;
}

inline double cross_entropy(const numbers& logits, std::int32_t label) {
  double sum = 0;
  for (const double logit : logits) {
    sum += std::exp(logit);
  }
  return std::log(sum) - logits[static_cast<std::size_t>(label)];
}

/// By a quarter, as with running_momentum<0.75F>.
inline void move(numbers& running, const numbers& found) {
  for (std::size_t i = 0; i < running.size(); ++i) {
    running[i] += (found[i] - running[i]) * 0.25;
  }
}

}  // namespace ipu_dsl::tests
