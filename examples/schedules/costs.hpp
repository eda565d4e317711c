// SPDX-License-Identifier: MIT
// Costs of a device, and what they make of its stages.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <ipu_dsl/core/error.hpp>
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

/// Reads "1,2,1" or "1,2,1,3". Throws `ipu_dsl::error` if that is not what stands there.
inline device_costs parse_costs(const std::string& words) {
  const auto refuse = [&words](const std::string& expected) {
    return ipu_dsl::error("--cost: expected " + expected + ", got " + words);
  };
  std::vector<std::int64_t> numbers;
  std::string_view rest = words;
  for (bool more = true; more;) {
    std::int64_t number = -1;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto length = static_cast<std::size_t>(end - rest.data());
    more = length < rest.size() && rest[length] == ',';
    if (fault != std::errc() || number < 0 || number > most_cost ||
        (!more && length < rest.size())) {
      throw refuse("whole numbers from 0 to 1000000 with commas between them");
    }
    numbers.push_back(number);
    rest.remove_prefix(length + (more ? 1 : 0));
  }
  if (numbers.size() != 3 && numbers.size() != 4) {
    throw refuse("the costs F,I,W of a device and perhaps a hop");
  }
  const device_costs costs = {numbers[0], numbers[1], numbers[2],
                              numbers.size() == 4 ? numbers[3] : 0};
  if (costs.sum() == 0) {
    throw refuse("a cost above 0 among F, I and W");
  }
  return costs;
}

/// A pipeline of stages whose costs are whole numbers of ticks.
struct costed_stages {
  ipu_dsl::stage_graph graph;
  device_costs costs;
  std::int64_t ticks_of_unit = 1;
};

/// The stages of devices that have `parts` of each copy of the weights, each with an equal share of
/// the costs of its device.
inline costed_stages make_stages(int stages, int copies, int parts, const device_costs& costs) {
  const std::int64_t shared = std::gcd(std::gcd(costs.forward, costs.input_gradient),
                                       std::gcd(costs.weight_gradient, std::int64_t{parts}));
  costed_stages made;
  made.costs = costs;
  made.ticks_of_unit = parts / shared;
  const auto ticks = [&](std::int64_t cost) { return cost * made.ticks_of_unit / parts; };
  const ipu_dsl::stage_cost each = {.forward = ticks(costs.forward),
                                    .input_gradient = ticks(costs.input_gradient),
                                    .weight_gradient = ticks(costs.weight_gradient)};
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

/// "F 1, I 1, W 1 units a device and micro-batch, hop 2"
inline std::string describe(const device_costs& costs, std::string_view whose) {
  return "F " + std::to_string(costs.forward) + ", I " + std::to_string(costs.input_gradient) +
         ", W " + std::to_string(costs.weight_gradient) + " units a " + std::string(whose) +
         " and micro-batch" + (costs.hop > 0 ? ", hop " + std::to_string(costs.hop) : "");
}

}  // namespace schedule_study
