// SPDX-License-Identifier: MIT
// Steps of recurrent layers, one sample at a time, beside a stream of their weights.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "ours/recurrent_steps.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;

/// Weights that no first-level cache holds: from here on a step is limited by their stream.
constexpr std::int64_t streamed_weights = 32 * 1024;

/// The microseconds that all but one of a thousand single steps stay below.
double latency_of(measure::contestant& push) {
  constexpr std::size_t steps = 20'000;
  std::vector<double> taken(steps);
  for (double& each : taken) {
    const auto before = std::chrono::steady_clock::now();
    push.run(1);
    each = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before)
               .count();
  }
  const auto place = taken.begin() + static_cast<std::ptrdiff_t>(steps - steps / 1'000);
  std::nth_element(taken.begin(), place, taken.end());
  return *place;
}

void measure_step(const ours::recurrent_step& step, const run& settings) {
  const std::string name = "step of " + step.name;
  if (!settings.report->wants(name)) {
    return;
  }
  const auto stream = measure::make_stream(4 * step.weights);
  std::vector<measure::lane> lanes{
      {"ours", step.push.get()}, {"", stream.get()}, {"gates", step.gates.get()}};
  measure::race(lanes, settings.effort);
  const measure::timing& time = lanes[0].time;
  const measure::timing& most = lanes[1].time;
  const measure::timing& gates = lanes[2].time;
  const bool streams = step.weights >= streamed_weights;
  settings.report->add(
      {{.name = name,
        .value = 1e6 * time.minimum,
        .unit = "us",
        .wanted =
            streams ? std::optional(goal{bound::limit_fraction_at_least, 0.85}) : std::nullopt,
        .limit_fraction = most.minimum / time.minimum,
        .median = 1e6 * time.median,
        .median_fraction = most.median / time.median}});
  settings.report->say(
      fmt::format("{}: its gates alone take {:.3f} us, behind the stream {:.1f} % of the step",
                  name, 1e6 * gates.minimum, 100 * (most.minimum + gates.minimum) / time.minimum));
  settings.report->say(
      fmt::format("{}: 99.9 % of single steps within {:.2f} us", name, latency_of(*step.push)));
}

}  // namespace

void measure_recurrent(const run& settings) {
  if (!settings.report->wants("step of ")) {
    return;
  }
  for (const ours::recurrent_step& step : ours::recurrent_steps()) {
    measure_step(step, settings);
  }
}

}  // namespace table
