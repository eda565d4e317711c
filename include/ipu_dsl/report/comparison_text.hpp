// SPDX-License-Identifier: MIT
// A measured run beside its proof, as people read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/report/action_name.hpp>
#include <ipu_dsl/report/compared_run.hpp>

namespace ipu_dsl {

namespace comparing {

/// "12.3" of 12'345 nanoseconds, in a column.
inline std::string microseconds(std::int64_t nanoseconds, int width, const char* sign = "") {
  char words[40];
  const std::string form = std::string("%") + sign + "*.1f";
  std::snprintf(words, sizeof words, form.c_str(), width, static_cast<double>(nanoseconds) / 1'000);
  return words;
}

}  // namespace comparing

/// The comparison for people: three makespans in microseconds, then `most` kinds of actions that
/// differ most from their prediction, the one action that took longest beside its like, and before
/// which actions devices waited longer than by what was fed back.
inline std::string comparison_text(const compared_run& found, std::size_t most = 8) {
  using comparing::microseconds;
  char unit[64];
  std::snprintf(unit, sizeof unit, "%.4g", found.nanoseconds_of_cost);
  std::string page = found.counts + "; times in microseconds\n";
  page += "predicted  " + microseconds(found.predicted, 10) +
          "  by modelled costs, a unit taking " + unit + " nanoseconds\n";
  page += "fed back   " + microseconds(found.fed_back, 10) +
          "  the same order, every action as long as its like took on average\n";
  page += "measured   " + microseconds(found.measured, 10) +
          "  first start to last end: " + microseconds(found.measured - found.fed_back, 0, "+") +
          " beside what was fed back\n";
  page += "\n                         times  predicted       mean   shortest    longest   in all\n";
  for (std::size_t i = 0; i < found.actions.size() && i < most; ++i) {
    const compared_actions& one = found.actions[i];
    std::string name = std::string(kind_name(one.kind)) + " of stage " + std::to_string(one.stage);
    name.resize((std::max)(name.size(), std::size_t{24}), ' ');
    char count[16];
    std::snprintf(count, sizeof count, "%6d", one.count);
    page += name + count + microseconds(one.predicted, 11) + microseconds(one.mean(), 11) +
            microseconds(one.shortest, 11) + microseconds(one.longest, 11) +
            microseconds(one.difference(), 9, "+") + "\n";
  }
  const traced_action& longest = found.exceptional.at(0);
  page += "longest beside its like: " + std::string(describe(longest.what).view()) + ", " +
          microseconds(longest.end - longest.start, 0) + "\nwaited longer than fed back:";
  constexpr std::size_t most_waits = 3;
  for (std::size_t i = 0; i < most_waits && i < found.waits.size(); ++i) {
    page += std::string(i == 0 ? " " : ", ") + std::string(describe(found.waits[i].what).view()) +
            " " + microseconds(found.waits[i].difference(), 0, "+");
  }
  return page + "\n";
}

}  // namespace ipu_dsl
