// SPDX-License-Identifier: MIT
#include "table/questions.hpp"

#include <algorithm>
#include <cmath>

namespace table {
namespace {

/// The largest |a - b|, and not a number if one of them is none.
double largest_distance(const measure::buffer& a, const measure::buffer& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    largest = std::isnan(distance) ? HUGE_VAL : std::max(largest, distance);
  }
  return largest;
}

double largest_distance(const peers::network_weights& a, const peers::network_weights& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max({largest, largest_distance(a[i].kernel, b[i].kernel),
                        largest_distance(a[i].bias, b[i].bias)});
  }
  return largest;
}

/// The sum of (a - b)^2.
double squared_distance(const measure::buffer& a, const measure::buffer& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double distance = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += distance * distance;
  }
  return sum;
}

double squared_distance(const peers::network_weights& a, const peers::network_weights& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += squared_distance(a[i].kernel, b[i].kernel) + squared_distance(a[i].bias, b[i].bias);
  }
  return sum;
}

}  // namespace

peers::network_question make_question(int micro_batch, int micro_batches) {
  peers::network_question made;
  made.micro_batch = micro_batch;
  made.micro_batches = micro_batches;
  made.features = measure::random_numbers(std::int64_t{made.samples()} * network_inputs, 1, 1);
  for (int i = 0; i < made.samples(); ++i) {
    made.labels.push_back(i % network_classes);
  }
  std::uint32_t seed = 2;
  for (std::size_t i = 0; i < layer_count; ++i) {
    const layer_shape layer = layer_shapes[i];
    const float limit = std::sqrt(6.0F / static_cast<float>(layer.inputs + layer.outputs));
    made.start[i] = {
        measure::random_numbers(std::int64_t{layer.inputs} * layer.outputs, limit, seed),
        measure::random_numbers(layer.outputs, limit, seed + 1)};
    seed += 2;
  }
  return made;
}

peers::update_question make_update_question(std::size_t elements, int sets) {
  constexpr std::size_t longest_vector = 16;
  const std::size_t vectors = (elements + longest_vector - 1) / longest_vector;
  const auto count = static_cast<std::int64_t>(vectors * longest_vector);
  peers::update_question made{.elements = count,
                              .sets = sets,
                              .start = measure::random_numbers(count, 1, 1),
                              .gradient = measure::random_numbers(count, 0.01F, 2)};
  for (float& each : made.gradient) {
    each += each < 0 ? -0.01F : 0.01F;
  }
  return made;
}

double largest_difference(const peers::network_weights& a, const peers::network_weights& b,
                          const peers::network_weights& start) {
  return largest_distance(a, b) / largest_distance(a, start);
}

double usual_difference(const peers::network_weights& a, const peers::network_weights& b,
                        const peers::network_weights& start) {
  return std::sqrt(squared_distance(a, b) / squared_distance(a, start));
}

std::size_t elements_of(const peers::network_weights& weights) {
  std::size_t elements = 0;
  for (const peers::layer_weights& layer : weights) {
    elements += layer.kernel.size() + layer.bias.size();
  }
  return elements;
}

}  // namespace table
