// SPDX-License-Identifier: MIT
#include "table/contest.hpp"

#include <algorithm>
#include <cmath>

namespace table {
namespace {

measure::timing scaled(const measure::timing& time, double factor) {
  return {time.minimum * factor, time.median * factor, time.rounds};
}

/// A library's own entry, made if there is none yet.
measure::timing& place_of(outcome& made, const std::string& library) {
  if (library == peers::ours) {
    return made.ours;
  }
  for (auto& [name, time] : made.peers) {
    if (name == library) {
      return time;
    }
  }
  return made.peers.emplace_back(library, measure::timing{}).second;
}

}  // namespace

outcome best_of(const std::vector<measure::lane>& lanes, const std::vector<double>& limit_runs) {
  outcome made;
  const std::size_t contestants = lanes.size() - limit_runs.size();
  for (std::size_t i = 0; i < limit_runs.size(); ++i) {
    const measure::timing time = scaled(lanes[contestants + i].time, limit_runs[i]);
    if (time.minimum > made.limit.minimum) {
      made.limit = time;
    }
  }
  for (std::size_t i = 0; i < contestants; ++i) {
    measure::timing& best = place_of(made, lanes[i].name);
    if (best.rounds == 0 || lanes[i].time.minimum < best.minimum) {
      best = lanes[i].time;
    }
  }
  return made;
}

std::vector<measure::row> rows_of(const std::string& name, const outcome& raced, double work,
                                  const std::string& unit,
                                  const std::optional<measure::goal>& own_goal,
                                  const peer_goals& goals) {
  std::vector<measure::row> rows;
  rows.push_back({.name = name,
                  .value = work / raced.ours.minimum,
                  .unit = unit,
                  .wanted = own_goal,
                  .limit_fraction = raced.limit.minimum / raced.ours.minimum,
                  .median = work / raced.ours.median,
                  .median_fraction = raced.limit.median / raced.ours.median});
  for (const auto& [peer, time] : raced.peers) {
    rows.push_back({.name = name,
                    .value = time.minimum / raced.ours.minimum,
                    .unit = "x",
                    .peer = peer,
                    .wanted = goals(peer),
                    .median = time.median / raced.ours.median});
  }
  return rows;
}

measure::goal ratio_within_limit(double ratio, const outcome& raced, const std::string& peer) {
  constexpr double enough = 0.95;
  for (const auto& [name, time] : raced.peers) {
    if (name == peer) {
      const double share_of_peer = raced.limit.minimum / time.minimum;
      return {measure::bound::value_at_least, std::min(ratio, enough / share_of_peer)};
    }
  }
  return {measure::bound::value_at_least, ratio};
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b, double floor) {
  if (a.size() != b.size() || a.empty()) {
    return HUGE_VAL;
  }
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double left = static_cast<double>(a[i]);
    const double right = static_cast<double>(b[i]);
    const double difference = std::abs(left - right) / (std::abs(left) + std::abs(right) + floor);
    // Not std::max alone: it drops what is not a number.
    largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
  }
  return largest;
}

}  // namespace table
