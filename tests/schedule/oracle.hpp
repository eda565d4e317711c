// SPDX-License-Identifier: MIT
// A second opinion on programs, written apart from the library: sets of finished actions, and every
// rule asked of every action each time.
#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <ipu_dsl/schedule/program.hpp>

namespace oracle {

using key = std::tuple<int, int, int>;  // kind, stage, micro-batch
using rows = std::vector<std::vector<ipu_dsl::action>>;

inline key key_of(const ipu_dsl::action& what) {
  return {static_cast<int>(what.kind), what.stage, what.micro_batch};
}

/// Whether rows of whole backwards of a plain pipeline, stage s on device s, do everything once and
/// never get stuck, with slots for activations, gradients and stashes (0 for unbounded ones).
inline bool runs(const rows& given, int micro_batches, int activation_slots, int gradient_slots,
                 int stash_slots) {
  const int stages = static_cast<int>(given.size());
  constexpr int F = 0;
  constexpr int B = 1;
  constexpr int U = 5;
  std::map<key, int> times;
  for (int device = 0; device < stages; ++device) {
    for (const ipu_dsl::action& what : given[static_cast<std::size_t>(device)]) {
      if (what.stage != device || ++times[key_of(what)] > 1) {
        return false;
      }
    }
  }
  if (times.size() != static_cast<std::size_t>(stages * (2 * micro_batches + 1))) {
    return false;
  }
  // The micro-batches in the order in which a stage writes them.
  std::map<std::pair<int, int>, std::vector<int>> written;
  for (const std::vector<ipu_dsl::action>& row : given) {
    for (const ipu_dsl::action& what : row) {
      written[{static_cast<int>(what.kind), what.stage}].push_back(what.micro_batch);
    }
  }
  std::set<key> done;
  const auto tenant_gone = [&](int kind, int stage, int m, int slots, int reader_kind,
                               int reader_stage) {
    const std::vector<int>& order = written[{kind, stage}];
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (order[k] == m && slots > 0 && k >= static_cast<std::size_t>(slots)) {
        const int tenant = order[k - static_cast<std::size_t>(slots)];
        return done.count({reader_kind, reader_stage, tenant}) == 1;
      }
    }
    return true;
  };
  const auto ready = [&](const ipu_dsl::action& what) {
    const int s = what.stage;
    const int m = what.micro_batch;
    if (static_cast<int>(what.kind) == F) {
      return (s == 0 || done.count({F, s - 1, m}) == 1) &&
             (s + 1 == stages || tenant_gone(F, s, m, activation_slots, B, s + 1)) &&
             tenant_gone(F, s, m, stash_slots, B, s);
    }
    if (static_cast<int>(what.kind) == B) {
      return done.count({F, s, m}) == 1 && (s + 1 == stages || done.count({B, s + 1, m}) == 1) &&
             (s == 0 || tenant_gone(B, s, m, gradient_slots, B, s - 1));
    }
    bool all = true;
    for (int i = 0; i < micro_batches; ++i) {
      all = all && done.count({B, s, i}) == 1;
    }
    return all && static_cast<int>(what.kind) == U;
  };
  std::vector<std::size_t> at(static_cast<std::size_t>(stages), 0);
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t device = 0; device < at.size(); ++device) {
      while (at[device] < given[device].size() && ready(given[device][at[device]])) {
        done.insert(key_of(given[device][at[device]]));
        ++at[device];
        moved = true;
      }
    }
  }
  return done.size() == times.size();
}

}  // namespace oracle
