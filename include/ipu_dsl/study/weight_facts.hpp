// SPDX-License-Identifier: MIT
// How many versions of the weights a schedule keeps, and how old the ones are that gradients see.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// What a stage needs of its weights. A synchronous schedule has one version and no staleness.
struct weight_facts {
  int versions = 1;   ///< the most kept at a time: those of micro-batches in flight, and the newest
  int staleness = 0;  ///< the most updates between the version a gradient was made with and its own

  friend constexpr bool operator==(const weight_facts&, const weight_facts&) = default;
};

namespace weight_versions {

/// The version that a forward sees when `updates` have been made.
constexpr int version_at(const weight_policy& weights, int micro_batch, int updates) {
  if (weights.update_interval == 0) {
    return 0;
  }
  if (weights.delay == weight_policy::newest) {
    return updates;
  }
  const int batch = micro_batch / weights.update_interval;
  return batch < weights.delay ? 0 : batch - weights.delay;
}

/// One stage, followed through its row.
struct follower {
  list<int> version;    ///< [micro-batches] the version each saw at its forward
  list<int> in_flight;  ///< [updates + 1] micro-batches in flight, by version
  int updates = 0;
  weight_facts found;

  constexpr follower(int micro_batches, int updates_of_run)
      : version(micro_batches), in_flight(updates_of_run + 1, 0) {}

  constexpr void count_versions() {
    int kept = 0;
    for (std::size_t number = 0; number < in_flight.size(); ++number) {
      const bool newest = static_cast<int>(number) == updates;
      kept += newest || in_flight[number] > 0 ? 1 : 0;
    }
    found.versions = found.versions < kept ? kept : found.versions;
  }

  constexpr void follow(const weight_policy& weights, const action& what) {
    switch (what.kind) {
      case action_kind::forward:
        version[what.micro_batch] = version_at(weights, what.micro_batch, updates);
        ++in_flight[version[what.micro_batch]];
        count_versions();
        break;
      case action_kind::backward:
      case action_kind::weight_gradient:
        --in_flight[version[what.micro_batch]];
        break;
      case action_kind::update:
        note_staleness(weights, what.micro_batch);
        ++updates;
        count_versions();
        break;
      default:
        break;
    }
  }

  /// An update that follows version v makes version v + 1: without staleness its gradients saw v.
  constexpr void note_staleness(const weight_policy& weights, int number) {
    const int interval = weights.update_interval;
    for (int i = number * interval; interval > 0 && i < (number + 1) * interval; ++i) {
      if (i < static_cast<int>(version.size())) {
        const int age = updates - version[i];
        found.staleness = found.staleness < age ? age : found.staleness;
      }
    }
  }
};

}  // namespace weight_versions

/// What each stage of a proven program needs: [stages].
constexpr list<weight_facts> weight_facts_of_stages(const program_view& rows) {
  list<weight_facts> facts;
  for (int stage = 0; stage < rows.stages; ++stage) {
    weight_versions::follower follower(rows.micro_batches, updates_of_run(rows));
    const int device = rows.device_of_stage[stage];
    for (const action& what : rows.row(device)) {
      if (what.stage == stage) {
        follower.follow(rows.weights, what);
      }
    }
    facts.push_back(follower.found);
  }
  return facts;
}

}  // namespace ipu_dsl
