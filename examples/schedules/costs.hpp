// SPDX-License-Identifier: MIT
// Costs of a device, and what they make of its stages.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>

namespace schedule_study {

/// What a micro-batch costs a device, all of its stages together, and the time from one device to
/// another. Schedules with one or several stages a device become comparable by it.
struct device_costs {
  std::int64_t forward = 1;
  std::int64_t input_gradient = 1;
  std::int64_t weight_gradient = 1;
  std::int64_t hop = 0;

  std::int64_t sum() const { return forward + input_gradient + weight_gradient; }
};

/// Keeps sums over all actions of the longest program well within 64 bits.
inline constexpr std::int64_t most_cost = 1'000'000;

/// How many times as dear as an equal share each stage is, at most.
inline constexpr std::int64_t most_stage_factor = 1'000;

/// "--cost: expected the costs F,I,W, got 1,2"
inline ipu_dsl::error refused_numbers(std::string_view option, const std::string& expected,
                                      const std::string& words) {
  return ipu_dsl::error(std::string(option) + ": expected " + expected + ", got " + words);
}

/// Reads "1,2,1". Throws `ipu_dsl::error` if other than whole numbers up to `most` stand there.
inline std::vector<std::int64_t> parse_numbers(std::string_view option, const std::string& words,
                                               std::int64_t most) {
  std::vector<std::int64_t> numbers;
  std::string_view rest = words;
  for (bool more = true; more;) {
    std::int64_t number = -1;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto length = static_cast<std::size_t>(end - rest.data());
    more = length < rest.size() && rest[length] == ',';
    if (fault != std::errc() || number < 0 || number > most || (!more && length < rest.size())) {
      throw refused_numbers(
          option, "whole numbers from 0 to " + std::to_string(most) + " with commas between them",
          words);
    }
    numbers.push_back(number);
    rest.remove_prefix(length + (more ? 1 : 0));
  }
  return numbers;
}

/// Reads "1,2,1" or "1,2,1,3". Throws `ipu_dsl::error` if that is not what stands there.
inline device_costs parse_costs(const std::string& words) {
  const std::vector<std::int64_t> numbers = parse_numbers("--cost", words, most_cost);
  if (numbers.size() != 3 && numbers.size() != 4) {
    throw refused_numbers("--cost", "the costs F,I,W of a device and perhaps a hop", words);
  }
  const device_costs costs = {numbers[0], numbers[1], numbers[2],
                              numbers.size() == 4 ? numbers[3] : 0};
  if (costs.sum() == 0) {
    throw refused_numbers("--cost", "a cost above 0 among F, I and W", words);
  }
  return costs;
}

/// Reads "1,1,3,1", a factor for each stage of the model. Throws `ipu_dsl::error` if that is not
/// what stands there.
inline std::vector<std::int64_t> parse_stage_factors(const std::string& words) {
  std::vector<std::int64_t> factors = parse_numbers("--stage-costs", words, most_stage_factor);
  if (std::count(factors.begin(), factors.end(), 0) == std::ssize(factors)) {
    throw refused_numbers("--stage-costs", "a factor above 0", words);
  }
  return factors;
}

/// A pipeline of stages whose costs are whole numbers of ticks.
struct costed_stages {
  ipu_dsl::stage_graph graph;
  device_costs costs;
  std::vector<std::int64_t> factors;  ///< of the stages of one copy; empty: all are equal
  std::int64_t ticks_of_unit = 1;
};

/// The stages of devices that have `parts` of each copy of the weights. A stage has an equal share
/// of the costs of its device, times its factor if there are `factors`: one for each stage of a
/// copy.
inline costed_stages make_stages(int stages, int copies, int parts, const device_costs& costs,
                                 const std::vector<std::int64_t>& factors) {
  const std::int64_t shared = std::gcd(std::gcd(costs.forward, costs.input_gradient),
                                       std::gcd(costs.weight_gradient, std::int64_t{parts}));
  costed_stages made;
  made.costs = costs;
  made.factors = factors;
  made.ticks_of_unit = parts / shared;
  const auto ticks = [&](std::int64_t cost) { return cost * made.ticks_of_unit / parts; };
  ipu_dsl::list<ipu_dsl::stage_cost> each;
  for (int stage = 0; stage < stages; ++stage) {
    const auto place = static_cast<std::size_t>(stage % (stages / copies));
    const std::int64_t factor = factors.empty() ? 1 : factors[place];
    each.push_back({.forward = factor * ticks(costs.forward),
                    .input_gradient = factor * ticks(costs.input_gradient),
                    .weight_gradient = factor * ticks(costs.weight_gradient)});
  }
  made.graph = ipu_dsl::chain_stage_graph(stages, each, ipu_dsl::output_use::forward_only, copies);
  made.graph.hop = costs.hop * made.ticks_of_unit;
  return made;
}

/// What a tick is, in the plural: "half units".
inline std::string name_of_ticks(std::int64_t ticks_of_unit) {
  constexpr std::string_view names[] = {"units",         "half units",  "third units",
                                        "quarter units", "fifth units", "sixth units",
                                        "seventh units", "eighth units"};
  return ticks_of_unit <= 8 ? std::string(names[ticks_of_unit - 1])
                            : "units of 1/" + std::to_string(ticks_of_unit);
}

/// "F 1, I 1, W 1 units a device and micro-batch, times 1, 1, 3, 1 from stage to stage, hop 2"
inline std::string describe(const device_costs& costs, const std::vector<std::int64_t>& factors,
                            std::string_view whose) {
  std::string words = "F " + std::to_string(costs.forward) + ", I " +
                      std::to_string(costs.input_gradient) + ", W " +
                      std::to_string(costs.weight_gradient) + " units a " + std::string(whose) +
                      " and micro-batch";
  for (std::size_t stage = 0; stage < factors.size(); ++stage) {
    words += (stage == 0 ? ", times " : ", ") + std::to_string(factors[stage]);
  }
  words += factors.empty() ? "" : " from stage to stage";
  return words + (costs.hop > 0 ? ", hop " + std::to_string(costs.hop) : "");
}

}  // namespace schedule_study
