// SPDX-License-Identifier: MIT
// All libraries that answer a question, raced beside what the machine can do at most.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/race.hpp"
#include "measure/report.hpp"
#include "peers/entries.hpp"

namespace table {

/// How long to measure, and where rows go.
struct run {
  measure::effort effort;
  bool quick = false;
  measure::report* report = nullptr;
};

/// A library's way to answer.
template <typename Contestant>
struct answer {
  std::string library;
  std::unique_ptr<Contestant> contestant;
};

template <typename Question, typename Contestant>
std::vector<answer<Contestant>> answers_to(const Question& question) {
  std::vector<answer<Contestant>> all;
  for (const auto& each : peers::entries<Question, Contestant>()) {
    if (std::unique_ptr<Contestant> made = each.make(question)) {
      all.push_back({each.library, std::move(made)});
    }
  }
  return all;
}

/// The limit of a race: a contestant, and how many of its runs are as much work as one of ours.
struct limit {
  std::unique_ptr<measure::contestant> contestant;
  double runs = 0;
};

/// Times by library, the fastest way of each, ours first.
struct outcome {
  measure::timing ours;
  std::vector<std::pair<std::string, measure::timing>> peers;
  measure::timing limit;  ///< seconds for the work of one run of ours
};

/// The last lanes are limits, of so many runs each; the one that takes longest counts.
outcome best_of(const std::vector<measure::lane>& lanes, const std::vector<double>& limit_runs);

/// Races them beside limits.
template <typename Contestant>
outcome race(const std::vector<answer<Contestant>>& answers, std::span<const limit> limits,
             const measure::effort& effort) {
  std::vector<measure::lane> lanes;
  for (const answer<Contestant>& each : answers) {
    lanes.push_back({each.library, each.contestant.get()});
  }
  std::vector<double> limit_runs;
  for (const limit& each : limits) {
    lanes.push_back({"", each.contestant.get()});
    limit_runs.push_back(each.runs);
  }
  measure::race(lanes, effort);
  return best_of(lanes, limit_runs);
}

template <typename Contestant>
outcome race(const std::vector<answer<Contestant>>& answers, const limit& most,
             const measure::effort& effort) {
  return race(answers, std::span(&most, 1), effort);
}

/// `ratio` times as fast as a peer. 95 % of the limit of ours is as fast as any: where the ratio
/// takes more than that, no more is asked for.
measure::goal ratio_within_limit(double ratio, const outcome& raced, const std::string& peer);

/// The goal for a peer; none for those that none is set for.
using peer_goals = std::function<std::optional<measure::goal>(const std::string& peer)>;

/// One row for ours, with `work` per run in `unit`, and one for every peer.
std::vector<measure::row> rows_of(const std::string& name, const outcome& raced, double work,
                                  const std::string& unit,
                                  const std::optional<measure::goal>& own_goal,
                                  const peer_goals& goals);

/// How far results are apart: |a - b| / (|a| + |b| + floor), the largest of all.
double largest_difference(const std::vector<float>& a, const std::vector<float>& b, double floor);

/// Whether a library takes part.
template <typename Question, typename Contestant>
bool enters(const std::string& library) {
  for (const auto& each : peers::entries<Question, Contestant>()) {
    if (each.library == library) {
      return true;
    }
  }
  return false;
}

}  // namespace table
