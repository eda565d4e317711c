// SPDX-License-Identifier: MIT
// What the machine can do at most, in numbers.
#include "measure/machine.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

measure::timing time_of(measure::contestant& runner, const run& settings) {
  measure::lane lanes[] = {{"", &runner}};
  measure::race(lanes, settings.effort);
  return lanes[0].time;
}

void add(const std::string& name, measure::contestant& runner, double work, const std::string& unit,
         const run& settings) {
  if (!settings.report->wants(name)) {
    return;
  }
  const measure::timing time = time_of(runner, settings);
  settings.report->add({{.name = name,
                         .value = 1e-9 * work / time.minimum,
                         .unit = unit,
                         .median = 1e-9 * work / time.median}});
}

}  // namespace

void measure_limits(const run& settings) {
  add("limit: multiply-adds, operands in L1", *measure::make_cache_peak(),
      measure::operations_of_peak(), "GFLOP/s", settings);
  add("limit: multiply-adds, operands in registers", *measure::make_peak(),
      measure::operations_of_peak(), "GFLOP/s", settings);
  constexpr int kilobytes[] = {8, 128, 784, 16 * 1024};
  for (const int size : kilobytes) {
    const std::int64_t bytes = std::int64_t{size} * 1024;
    add("limit: one stream over " + std::to_string(size) + " KB", *measure::make_stream(bytes),
        static_cast<double>(bytes), "GB/s", settings);
  }
}

}  // namespace table
