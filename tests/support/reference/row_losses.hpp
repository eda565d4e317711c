// SPDX-License-Identifier: MIT
// Losses of one sample in float64, as Keras 2.4 writes them: what was predicted, what was wanted.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace reference {

using numbers_of_row = std::span<const double>;

/// Keras's `epsilon()`, and what it clips probabilities to, as the floats that they are there.
inline constexpr double keras_epsilon = static_cast<double>(1e-7F);
inline constexpr double keras_highest = static_cast<double>(1.0F - 1e-7F);

/// The mean over a row of what each pair says.
template <typename Pair>
double mean_over(numbers_of_row predicted, numbers_of_row wanted, Pair pair) {
  double sum = 0;
  for (std::size_t n = 0; n < predicted.size(); ++n) {
    sum += pair(predicted[n], wanted[n]);
  }
  return sum / static_cast<double>(predicted.size());
}

/// The sum over a row.
template <typename Pair>
double sum_over(numbers_of_row predicted, numbers_of_row wanted, Pair pair) {
  return mean_over(predicted, wanted, pair) * static_cast<double>(predicted.size());
}

inline double mean_squared_error(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [](double p, double y) { return (p - y) * (p - y); });
}

inline double mean_absolute_error(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [](double p, double y) { return std::abs(p - y); });
}

inline double mean_absolute_percentage_error(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [](double p, double y) {
    return 100 * std::abs((y - p) / std::max(std::abs(y), keras_epsilon));
  });
}

inline double mean_squared_logarithmic_error(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [](double p, double y) {
    const double difference =
        std::log(std::max(y, keras_epsilon) + 1) - std::log(std::max(p, keras_epsilon) + 1);
    return difference * difference;
  });
}

inline double huber_from(double delta, numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [delta](double p, double y) {
    const double size = std::abs(p - y);
    return size <= delta ? 0.5 * size * size : 0.5 * delta * delta + delta * (size - delta);
  });
}

inline double huber(numbers_of_row predicted, numbers_of_row wanted) {
  return huber_from(1, predicted, wanted);
}

inline double huber_from_quarter(numbers_of_row predicted, numbers_of_row wanted) {
  return huber_from(0.25, predicted, wanted);
}

inline double log_cosh(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [](double p, double y) {
    return (p - y) + std::log1p(std::exp(-2 * (p - y))) - std::log(2.0);
  });
}

inline double poisson(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted,
                   [](double p, double y) { return p - y * std::log(p + keras_epsilon); });
}

/// Keras's sign: 0 stands for -1.
inline double sign_of(double wanted) {
  return wanted == 0 ? -1 : wanted;
}

inline double hinge(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted,
                   [](double p, double y) { return std::max(1 - sign_of(y) * p, 0.0); });
}

inline double squared_hinge(numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [](double p, double y) {
    return std::pow(std::max(1 - sign_of(y) * p, 0.0), 2);
  });
}

inline double binary_smoothed(double wanted, double share) {
  return wanted * (1 - share) + 0.5 * share;
}

inline double binary_from_logits(double share, numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [share](double x, double y) {
    const double z = binary_smoothed(y, share);
    return std::max(x, 0.0) - x * z + std::log1p(std::exp(-std::abs(x)));
  });
}

inline double binary_from_clipped(double share, numbers_of_row predicted, numbers_of_row wanted) {
  return mean_over(predicted, wanted, [share](double p, double y) {
    const double z = binary_smoothed(y, share);
    const double q = std::clamp(p, keras_epsilon, keras_highest);
    return -(z * std::log(q + keras_epsilon) + (1 - z) * std::log(1 - q + keras_epsilon));
  });
}

inline double binary_logits(numbers_of_row predicted, numbers_of_row wanted) {
  return binary_from_logits(0, predicted, wanted);
}

inline double smoothed_binary_logits(numbers_of_row predicted, numbers_of_row wanted) {
  return binary_from_logits(0.25, predicted, wanted);
}

inline double binary_clipped(numbers_of_row predicted, numbers_of_row wanted) {
  return binary_from_clipped(0, predicted, wanted);
}

inline double smoothed_binary_clipped(numbers_of_row predicted, numbers_of_row wanted) {
  return binary_from_clipped(0.25, predicted, wanted);
}

inline double kl_divergence(numbers_of_row predicted, numbers_of_row wanted) {
  return sum_over(predicted, wanted, [](double p, double y) {
    const double from = std::clamp(y, keras_epsilon, 1.0);
    return from * std::log(from / std::clamp(p, keras_epsilon, 1.0));
  });
}

inline double cosine(numbers_of_row predicted, numbers_of_row wanted) {
  const double product = sum_over(predicted, wanted, [](double p, double y) { return p * y; });
  const double p2 = sum_over(predicted, wanted, [](double p, double) { return p * p; });
  const double y2 = sum_over(predicted, wanted, [](double, double y) { return y * y; });
  return product / std::sqrt(std::max(p2, 1e-12) * std::max(y2, 1e-12));
}

inline double minus_cosine(numbers_of_row predicted, numbers_of_row wanted) {
  return -cosine(predicted, wanted);
}

inline double categorical_hinge(numbers_of_row predicted, numbers_of_row wanted) {
  double best = (1 - wanted[0]) * predicted[0];
  for (std::size_t n = 1; n < predicted.size(); ++n) {
    best = std::max(best, (1 - wanted[n]) * predicted[n]);
  }
  const double right = sum_over(predicted, wanted, [](double p, double y) { return p * y; });
  return std::max(0.0, best - right + 1);
}

inline double categorical_from_logits(double share, numbers_of_row predicted,
                                      numbers_of_row wanted) {
  const double rest = share / static_cast<double>(predicted.size());
  const double largest = *std::max_element(predicted.begin(), predicted.end());
  const double sum =
      sum_over(predicted, wanted, [&](double x, double) { return std::exp(x - largest); });
  return sum_over(predicted, wanted, [&](double x, double y) {
    return -(y * (1 - share) + rest) * (x - largest - std::log(sum));
  });
}

inline double categorical_from_clipped(double share, numbers_of_row predicted,
                                       numbers_of_row wanted) {
  const double rest = share / static_cast<double>(predicted.size());
  const double sum = sum_over(predicted, wanted, [](double p, double) { return p; });
  return sum_over(predicted, wanted, [&](double p, double y) {
    return -(y * (1 - share) + rest) * std::log(std::clamp(p / sum, keras_epsilon, keras_highest));
  });
}

inline double categorical_logits(numbers_of_row predicted, numbers_of_row wanted) {
  return categorical_from_logits(0, predicted, wanted);
}

inline double smoothed_categorical_logits(numbers_of_row predicted, numbers_of_row wanted) {
  return categorical_from_logits(0.25, predicted, wanted);
}

inline double categorical_clipped(numbers_of_row predicted, numbers_of_row wanted) {
  return categorical_from_clipped(0, predicted, wanted);
}

inline double smoothed_categorical_clipped(numbers_of_row predicted, numbers_of_row wanted) {
  return categorical_from_clipped(0.25, predicted, wanted);
}

}  // namespace reference
