// SPDX-License-Identifier: MIT
// Recurrent networks in float64, written down step by step, and the gradients of a session compared
// with central differences of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/error_bound.hpp"
#include "support/reference/numbers.hpp"
#include "training/gradient_check.hpp"

namespace ipu_dsl::tests {

inline constexpr std::size_t sequence_steps = 5;
inline constexpr std::size_t sequence_features = 3;
inline constexpr std::size_t sequence_classes = 3;
inline constexpr std::size_t sequence_samples = 4;

/// A number, and a size whose derivative bounds what a rounding can grow to: the same sums of the
/// magnitudes of all terms, with slopes of at least those that there are.
struct sized {
  double value = 0;
  double size = 0;
};

using numbers = std::vector<sized>;

inline sized sized_input(double value) {
  return {value, std::abs(value)};
}

inline void add_product(sized& sum, const sized& left, const sized& right) {
  sum.value += left.value * right.value;
  sum.size += left.size * right.size;
}

inline double logistic_of(double x) {
  return 1 / (1 + std::exp(-x));
}

enum class recurrent_kind { simple, lstm, gru, gru_reset_first };

/// What a layer has left behind its last step.
struct left_behind {
  numbers state;
  numbers cell;
};

/// One layer's states for one sample: kernel, recurrent kernel, bias or none.
struct recurrent_layer {
  recurrent_kind kind = recurrent_kind::simple;
  std::size_t inputs = 0;
  std::size_t units = 0;
  bool has_bias = true;
  double (*function)(double) = nullptr;  ///< of slope at most 1, and f(0) = 0
  bool all_states = false;
  bool backwards = false;
  bool both_ways = false;        ///< and another with all states, beside it
  bool hands_over_cell = false;  ///< behind the last state, twice; of others but that state
  bool goes_on = false;  ///< reads what the network reads, from where the last that does not ended
  bool reads_all = false;  ///< masked steps as well

  std::size_t parameters() const { return (both_ways ? 2 : 1) * own_parameters(); }

  std::size_t own_parameters() const { return !has_bias ? 2 : kind == recurrent_kind::gru ? 4 : 3; }

  std::size_t columns() const {
    const std::size_t gates = kind == recurrent_kind::simple ? 1
                              : kind == recurrent_kind::lstm ? 4
                                                             : 3;
    return gates * units;
  }

  /// What the input gives to a column.
  sized input_at(const numbers* weights, const sized* x, std::size_t column) const {
    sized sum = has_bias ? weights[2][column] : sized();
    for (std::size_t k = 0; k < inputs; ++k) {
      add_product(sum, x[k], weights[0][k * columns() + column]);
    }
    return sum;
  }

  /// What a state gives to a column.
  sized state_at(const numbers* weights, const numbers& state, std::size_t column) const {
    sized sum = has_bias && kind == recurrent_kind::gru ? weights[3][column] : sized();
    for (std::size_t j = 0; j < units; ++j) {
      add_product(sum, state[j], weights[1][j * columns() + column]);
    }
    return sum;
  }

  sized sum_at(const numbers* weights, const sized* x, const numbers& state,
               std::size_t column) const {
    return sum_of(input_at(weights, x, column), state_at(weights, state, column));
  }

  static sized sum_of(const sized& left, const sized& right) {
    return {left.value + right.value, left.size + right.size};
  }

  sized shown(const sized& sum) const { return {function(sum.value), sum.size}; }

  /// gate(sum) times a number: the slope of a gate is at most 1/4.
  static sized gated(const sized& sum, const sized& number) {
    const double gate = logistic_of(sum.value);
    return {gate * number.value, gate * number.size + std::abs(number.value) * sum.size / 4};
  }

  /// The candidate of a GRU at unit `n`.
  sized candidate_of(const numbers* weights, const sized* x, const numbers& state,
                     std::size_t n) const {
    const std::size_t column = 2 * units + n;
    const sized given = input_at(weights, x, column);
    if (kind == recurrent_kind::gru) {
      const sized reset = sum_at(weights, x, state, units + n);
      return shown(sum_of(given, gated(reset, state_at(weights, state, column))));
    }
    numbers kept(units);
    for (std::size_t j = 0; j < units; ++j) {
      kept[j] = gated(sum_at(weights, x, state, units + j), state[j]);
    }
    return shown(sum_of(given, state_at(weights, kept, column)));
  }

  /// z h + (1 - z) candidate, where 1 - z is the gate of the negative sum.
  sized blended(const numbers* weights, const sized* x, const numbers& state, std::size_t n) const {
    const sized update = sum_at(weights, x, state, n);
    return sum_of(gated(update, state[n]),
                  gated({-update.value, update.size}, candidate_of(weights, x, state, n)));
  }

  /// A step: the state, and the cell if there is one.
  void go_on(const numbers* weights, const sized* x, numbers& state, numbers& cell) const {
    numbers made(units);
    for (std::size_t n = 0; n < units; ++n) {
      if (kind == recurrent_kind::simple) {
        made[n] = shown(sum_at(weights, x, state, n));
        continue;
      }
      if (kind != recurrent_kind::lstm) {
        made[n] = blended(weights, x, state, n);
        continue;
      }
      const sized candidate = shown(sum_at(weights, x, state, 2 * units + n));
      const sized kept = gated(sum_at(weights, x, state, units + n), cell[n]);
      const sized let_in = gated(sum_at(weights, x, state, n), candidate);
      cell[n] = sum_of(kept, let_in);
      made[n] = gated(sum_at(weights, x, state, 3 * units + n), shown(cell[n]));
    }
    state = made;
  }

  /// What is handed over: all states, in the order in which they were made, or the last one; or all
  /// states of both directions at the places of their steps, side by side.
  numbers run(const numbers* weights, const numbers& x, const std::vector<bool>& masked,
              left_behind& left) const {
    if (!both_ways) {
      return one_way(weights, x, masked, backwards, left);
    }
    const numbers there = one_way(weights, x, masked, false, left);
    const numbers back = one_way(weights + own_parameters(), x, masked, true, left);
    const std::size_t steps = x.size() / inputs;
    numbers made;
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t n = 0; n < units; ++n) {
        made.push_back(there[t * units + n]);
      }
      for (std::size_t n = 0; n < units; ++n) {
        made.push_back(back[(steps - 1 - t) * units + n]);
      }
    }
    return made;
  }

  /// A masked step leaves everything as it was, and what is handed over, which begins with zeros;
  /// of both ways it hands over zeros.
  numbers one_way(const numbers* weights, const numbers& x, const std::vector<bool>& masked,
                  bool from_last, left_behind& left) const {
    const std::size_t steps = x.size() / inputs;
    numbers state = goes_on ? left.state : numbers(units);
    numbers cell = goes_on ? left.cell : numbers(units);
    numbers handed(units);
    numbers states;
    for (std::size_t t = 0; t < steps; ++t) {
      const std::size_t place = from_last ? steps - 1 - t : t;
      const bool none = masked[place] && !reads_all;
      if (!none) {
        go_on(weights, &x[place * inputs], state, cell);
        handed = state;
      }
      const numbers made = none && both_ways ? numbers(units) : handed;
      states.insert(states.end(), made.begin(), made.end());
    }
    if (!goes_on) {
      left = {state, cell};
    }
    if (hands_over_cell) {
      states = handed;
      states.insert(states.end(), state.begin(), state.end());
      if (kind == recurrent_kind::lstm) {
        states.insert(states.end(), cell.begin(), cell.end());
      }
    }
    return all_states || hands_over_cell ? states : handed;
  }
};

/// Recurrent layers, then a dense layer on what the last of them hands over; of those that go on
/// all, side by side.
struct recurrent_network {
  std::vector<recurrent_layer> layers;
  float range = 0.4F;  ///< of the weights
  bool masks = false;  ///< steps of zeros are none

  /// Whether each step of a sample is none.
  std::vector<bool> masked_steps(const numbers& x) const {
    std::vector<bool> made;
    for (std::size_t step = 0; step < sequence_steps; ++step) {
      bool zeros = masks;
      for (std::size_t n = 0; n < sequence_features; ++n) {
        zeros = zeros && x[step * sequence_features + n].value == 0;
      }
      made.push_back(zeros);
    }
    return made;
  }

  numbers logits(const std::vector<numbers>& weights, numbers x) const {
    std::size_t first = 0;
    const numbers given = x;
    const std::vector<bool> masked = masked_steps(x);
    numbers joined;
    left_behind left;
    for (const recurrent_layer& layer : layers) {
      const numbers made = layer.run(&weights[first], layer.goes_on ? given : x, masked, left);
      joined.insert(joined.end(), made.begin(), made.end());
      x = layer.goes_on ? joined : made;
      if (!layer.goes_on) {
        joined.clear();
      }
      first += layer.parameters();
    }
    numbers made(sequence_classes);
    for (std::size_t n = 0; n < sequence_classes; ++n) {
      made[n] = weights[first + 1][n];
      for (std::size_t k = 0; k < x.size(); ++k) {
        add_product(made[n], x[k], weights[first][k * sequence_classes + n]);
      }
    }
    return made;
  }

  /// The mean loss of all samples; of sizes the largest sum that a gradient can have.
  sized total(const std::vector<numbers>& weights, const std::vector<float>& given,
              const std::vector<std::int32_t>& labels) const {
    constexpr std::size_t elements = sequence_steps * sequence_features;
    sized sum;
    for (std::size_t sample = 0; sample < sequence_samples; ++sample) {
      numbers x;
      for (std::size_t i = 0; i < elements; ++i) {
        x.push_back(sized_input(static_cast<double>(given[sample * elements + i])));
      }
      double exponentials = 0;
      const numbers scores = logits(weights, x);
      for (const sized& score : scores) {
        exponentials += std::exp(score.value);
        // A gradient of a logit is at most one.
        sum.size += score.size;
      }
      sum.value += std::log(exponentials) - scores[static_cast<std::size_t>(labels[sample])].value;
    }
    constexpr auto count = static_cast<double>(sequence_samples);
    return {sum.value / count, sum.size / count};
  }

  /// Of the loss by a weight, and of its size by that of the weight.
  sized difference(std::vector<numbers>& weights, std::size_t parameter, std::size_t element,
                   const std::vector<float>& given, const std::vector<std::int32_t>& labels) const {
    constexpr double step = 0x1p-17;
    sized& weight = weights[parameter][element];
    const sized kept = weight;
    weight = {kept.value + step, kept.size};
    const double above = total(weights, given, labels).value;
    weight = {kept.value - step, kept.size};
    const double below = total(weights, given, labels).value;
    weight = {kept.value, kept.size + step};
    const double larger = total(weights, given, labels).size;
    weight = kept;
    const double size = total(weights, given, labels).size;
    return {(above - below) / (2 * step), (larger - size) / step};
  }
};

struct recurrent_counts {
  std::size_t compared = 0;
  double worst = 0;
  double loosest = 0;
};

template <typename Model>
struct recurrent_step_of : compile<Model, micro_batch<2>, gradient_accumulation<2>, mean_gradients,
                                   loss<sparse_categorical_crossentropy>> {};

/// What there is of the steps of four samples: all; the first; some, in between; none.
inline constexpr bool steps_there[sequence_samples][sequence_steps] = {
    {true, true, true, true, true},
    {true, true, true, false, false},
    {false, true, false, true, false},
    {false, false, false, false, false}};

/// Zeros at the steps that are not there.
inline void clear_masked(std::vector<float>& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::size_t step = i / sequence_features;
    given[i] = steps_there[step / sequence_steps][step % sequence_steps] ? given[i] : 0.0F;
  }
}

/// Trains one step and compares what every weight moved by.
template <typename Compiled>
void check_recurrent(const char* name, const recurrent_network& of) {
  session<Compiled> run{{.learning_rate = gradient_rate}};
  std::vector<float> given =
      reference::numbers(sequence_samples * sequence_steps * sequence_features, 11, 1.5F);
  if (of.masks) {
    clear_masked(given);
  }
  const std::vector<std::int32_t> labels =
      reference::labels(sequence_samples, 13, sequence_classes);
  std::vector<numbers> weights;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    const auto count = static_cast<std::size_t>(run.weights().at(i).extents.elements());
    const std::vector<float> values = reference::numbers(count, 71 + i, of.range);
    run.weights().set(i, values);
    weights.emplace_back();
    for (const float value : values) {
      weights.back().push_back(sized_input(static_cast<double>(value)));
    }
  }
  run.train_step(given, labels);
  // Of each number: the chains that it goes through, in all steps and layers, there (inputs, units,
  // bias, activation) and back (units, derivative), and the sum over samples and steps.
  const std::size_t chains =
      of.layers.size() * sequence_steps * (sequence_features + 4 + 1 + 12 + 4 + 40) +
      sequence_samples * sequence_steps;
  recurrent_counts found;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    INFO(name << ": " << run.weights().name(i));
    std::vector<float> after(weights[i].size());
    run.weights().get(i, after);
    double largest = 0;
    double loosest = 0;
    for (std::size_t j = 0; j < after.size(); ++j) {
      INFO("element " << j);
      const double got = (weights[i][j].value - static_cast<double>(after[j])) /
                         static_cast<double>(gradient_rate);
      const auto [expected, size] = of.difference(weights, i, j, given, labels);
      const double tolerance =
          reference::roundings(chains) * size + 0x1p-23 * std::abs(expected) + difference_error;
      CHECK(std::abs(got - expected) <= tolerance);
      found.worst = std::max(found.worst, std::abs(got - expected) / tolerance);
      largest = std::max(largest, std::abs(expected));
      loosest = std::max(loosest, tolerance);
      ++found.compared;
    }
    CHECK(largest > 0);
    CHECK(loosest < 0.01 * largest);
    found.loosest = std::max(found.loosest, loosest / largest);
  }
  CHECK(found.compared > 0);
  std::printf(
      "gradients of %s: compared %zu elements; tolerance at most %.0e of the largest, worst error "
      "%.1f %% of its tolerance\n",
      name, found.compared, found.loosest, 100 * found.worst);
}

/// All weights behind twenty steps on so many workers.
template <typename Compiled>
std::vector<float> weights_after(int threads) {
  session<Compiled> run({.learning_rate = 0.1F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  const std::vector<std::int32_t> labels =
      reference::labels(sequence_samples, 13, sequence_classes);
  for (std::size_t step = 0; step < 20; ++step) {
    run.train_step(
        reference::numbers(sequence_samples * sequence_steps * sequence_features, 101 + step, 1.5F),
        labels);
  }
  std::vector<float> weights;
  for (std::size_t i = 0; i < run.weights().size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(run.weights().at(i).extents.elements()));
    run.weights().get(i, values);
    weights.insert(weights.end(), values.begin(), values.end());
  }
  return weights;
}

inline double relu_of(double x) {
  return x > 0 ? x : 0;
}

inline double tanh_of(double x) {
  return std::tanh(x);
}

}  // namespace ipu_dsl::tests
