// SPDX-License-Identifier: MIT
// Programs as tables that a test can edit, one vector of actions a device, and a second opinion on
// what rows say by themselves: written from the rules, apart from the library, over sets and maps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <ipu_dsl/schedule/verdict.hpp>

namespace oracle {

using ipu_dsl::action;
using ipu_dsl::action_kind;
using ipu_dsl::edge;
using ipu_dsl::program_view;
using ipu_dsl::schedule_fault;
using ipu_dsl::stage_graph_view;

using row_table = std::vector<std::vector<action>>;

constexpr row_table rows_of(const ipu_dsl::program& from) {
  row_table table;
  for (int device = 0; device < from.devices; ++device) {
    const std::span<const action> row = from.view().row(device);
    table.emplace_back(row.begin(), row.end());
  }
  return table;
}

/// The program with the placement, the counts and the weights of `like`, and these rows. Time slots
/// are left out, since they belong to the rows that were.
constexpr ipu_dsl::program program_of(const row_table& table, const ipu_dsl::program& like) {
  ipu_dsl::program made(like.devices, like.device_of_stage, like.micro_batches);
  made.weights = like.weights;
  for (const std::vector<action>& row : table) {
    for (const action& what : row) {
      made.actions.push_back(what);
    }
    made.end_row();
  }
  return made;
}

/// One stage on each device.
constexpr ipu_dsl::program program_of(const row_table& table, int micro_batches) {
  const int devices = static_cast<int>(table.size());
  const ipu_dsl::list<int> placement = ipu_dsl::neighbouring_placement(devices, devices);
  return program_of(table, ipu_dsl::program(devices, placement, micro_batches));
}

/// What a device may keep, by device; empty for no limit.
struct limits {
  std::vector<std::int64_t> micro_batches;
  std::vector<std::int64_t> bytes;
};

/// The first fault and where it is, or the times of every action, device after device.
struct outcome {
  schedule_fault kind = schedule_fault::none;
  int device = -1;
  int position = -1;
  action at = {};
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
  std::int64_t makespan = 0;
};

/// The rules that need no time: what may follow what in a row, what may be one step, what must not
/// be missing, and what a device may keep.
class row_rules {
 public:
  row_rules(const program_view& rows, const stage_graph_view& graph, const limits& kept)
      : rows_(rows), graph_(graph), kept_(kept) {}

  /// Whether nothing is wrong. Faults are told in the order of rows, then steps, missing actions,
  /// memory.
  bool hold() { return read_rows() && read_steps() && find_missing() && weigh(); }

  const outcome& found() const { return found_; }

 protected:
  using life = std::pair<int, int>;  // stage, micro-batch

  /// Where an action stands: a device and a position.
  struct place {
    int device = 0;
    int position = 0;

    friend bool operator==(const place&, const place&) = default;
    friend auto operator<=>(const place&, const place&) = default;
  };

  bool fail(schedule_fault kind, int device, int position, const action& at) {
    found_.kind = kind;
    found_.device = device;
    found_.position = position;
    found_.at = at;
    return false;
  }

  int device_of(int stage) const { return rows_.device_of_stage[static_cast<std::size_t>(stage)]; }

  const action& at(place where) const {
    return rows_.row(where.device)[static_cast<std::size_t>(where.position)];
  }

  int updates_expected() const {
    const int interval = rows_.weights.update_interval;
    int updates = 0;
    for (int first = 0; first < rows_.micro_batches; first += interval == 0 ? 1 << 20 : interval) {
      ++updates;
    }
    return updates;
  }

  /// The micro-batches whose gradients an update takes.
  std::vector<int> taken_by(const action& update) const {
    std::vector<int> taken;
    for (int i = 0; i < rows_.micro_batches; ++i) {
      const int interval = rows_.weights.update_interval;
      if (interval == 0 || i / interval == update.micro_batch) {
        taken.push_back(i);
      }
    }
    return taken;
  }

  // The rows by themselves.

  bool read_rows() {
    for (int device = 0; device < rows_.devices; ++device) {
      int position = 0;
      for (const action& what : rows_.row(device)) {
        const schedule_fault fault = fault_of(what, device);
        if (fault == schedule_fault::early_update && lost_before(what).stage >= 0) {
          return fail(schedule_fault::missing, device, -1, lost_before(what));
        }
        if (fault != schedule_fault::none) {
          return fail(fault, device, position, what);
        }
        if (what.kind == action_kind::update) {
          ++updates_[what.stage];
        } else {
          stands_[{what.stage, what.micro_batch}][what.kind] = {device, position};
        }
        ++position;
      }
    }
    return true;
  }

  schedule_fault fault_of(const action& what, int device) {
    const bool updates = what.kind == action_kind::update;
    const int count = updates ? updates_expected() : rows_.micro_batches;
    if (what.stage < 0 || what.stage >= rows_.stages || what.micro_batch < 0 ||
        what.micro_batch >= count) {
      return schedule_fault::unknown;
    }
    if (device_of(what.stage) != device) {
      return schedule_fault::misplaced;
    }
    return updates ? fault_of_update(what) : fault_of_life(what);
  }

  bool has(int stage, int micro_batch, action_kind kind) const {
    const auto life_found = stands_.find({stage, micro_batch});
    return life_found != stands_.end() && life_found->second.count(kind) != 0;
  }

  schedule_fault fault_of_life(const action& what) const {
    using enum action_kind;
    const auto done = [&](action_kind kind) { return has(what.stage, what.micro_batch, kind); };
    const bool begun = done(backward) || done(input_gradient);
    const bool away = done(offload) && !done(fetch);
    bool again = done(what.kind);
    bool early = !done(forward);
    switch (what.kind) {
      case forward:
        early = !finds_version(what);
        break;
      case backward:
        again = begun;
        early = early || away;
        break;
      case input_gradient:
        again = begun;
        early = early || away;
        break;
      case weight_gradient:
        again = again || done(backward);
        early = !begun;
        break;
      case recompute:
        early = early || begun || away;
        break;
      case offload:
        early = early || begun;
        break;
      default:
        early = !done(offload);
        break;
    }
    if (again) {
      return schedule_fault::twice;
    }
    if (!early) {
      return schedule_fault::none;
    }
    return what.kind == forward ? schedule_fault::no_version : schedule_fault::out_of_order;
  }

  /// Batch b sees the weights after b - delay updates.
  bool finds_version(const action& what) const {
    const ipu_dsl::weight_policy& weights = rows_.weights;
    if (weights.update_interval == 0 || weights.delay == ipu_dsl::weight_policy::newest) {
      return true;
    }
    const auto made = updates_.find(what.stage);
    const int version = made == updates_.end() ? 0 : made->second;
    return what.micro_batch / weights.update_interval - weights.delay <= version;
  }

  bool gradient_done(int stage, int micro_batch) const {
    return has(stage, micro_batch, action_kind::backward) ||
           has(stage, micro_batch, action_kind::weight_gradient);
  }

  schedule_fault fault_of_update(const action& what) {
    if (what.micro_batch < updates_[what.stage]) {
      return schedule_fault::twice;
    }
    if (what.micro_batch > updates_[what.stage]) {
      return schedule_fault::out_of_order;
    }
    for (const int i : taken_by(what)) {
      if (!gradient_done(what.stage, i)) {
        return schedule_fault::early_update;
      }
    }
    return schedule_fault::none;
  }

  /// Of the backwards that an update takes the first of which nothing that ends it stands in any
  /// row, or one of no stage.
  action lost_before(const action& update) const {
    for (const int i : taken_by(update)) {
      bool ended = false;
      bool halved = false;
      for (const action& what : rows_.actions) {
        const bool of_it = what.stage == update.stage && what.micro_batch == i;
        ended = ended || (of_it && (what.kind == action_kind::backward ||
                                    what.kind == action_kind::weight_gradient));
        halved = halved || (of_it && what.kind == action_kind::input_gradient);
      }
      if (!ended) {
        return {halved ? action_kind::weight_gradient : action_kind::backward, update.stage, i};
      }
    }
    return {action_kind::backward, -1, 0};
  }

  // Steps. Their parts start together, so that none of them can have waited for another.

  /// Whether two places of a device are in one step.
  bool one_step(place first, place second) const {
    bool same = first.device == second.device;
    for (int i = first.position; same && i < second.position; ++i) {
      same = at({first.device, i}).joined;
    }
    return same && first.position <= second.position;
  }

  /// Whether the rules of rows want one action of a stage before another that stands behind it.
  bool ordered(const action& first, const action& second) const {
    if (first.stage != second.stage) {
      return false;
    }
    if (second.kind == action_kind::update) {
      const std::vector<int> taken = taken_by(second);
      return first.kind == action_kind::update ||
             std::count(taken.begin(), taken.end(), first.micro_batch) != 0;
    }
    if (first.kind == action_kind::update) {
      const ipu_dsl::weight_policy& weights = rows_.weights;
      return second.kind == action_kind::forward && weights.update_interval != 0 &&
             weights.delay != ipu_dsl::weight_policy::newest &&
             second.micro_batch / weights.update_interval - weights.delay > first.micro_batch;
    }
    return first.micro_batch == second.micro_batch;
  }

  bool read_steps() {
    for (int device = 0; device < rows_.devices; ++device) {
      for (int later = 0; later < static_cast<int>(rows_.row(device).size()); ++later) {
        for (int earlier = 0; earlier < later; ++earlier) {
          const action& what = at({device, later});
          if (one_step({device, earlier}, {device, later}) &&
              ordered(at({device, earlier}), what)) {
            return fail(schedule_fault::deadlock, device, later, what);
          }
        }
      }
    }
    return true;
  }

  bool goes_backward() const {
    for (const action& what : rows_.actions) {
      if (what.kind != action_kind::forward) {
        return true;
      }
    }
    return false;
  }

  bool find_missing() {
    for (int stage = 0; stage < rows_.stages; ++stage) {
      std::vector<action> lost;
      for (int i = 0; i < rows_.micro_batches; ++i) {
        const bool forward = has(stage, i, action_kind::forward);
        const bool whole = has(stage, i, action_kind::backward);
        const bool begun = whole || has(stage, i, action_kind::input_gradient);
        if (!forward) {
          lost.push_back({action_kind::forward, stage, i});
        }
        if (goes_backward() && !begun) {
          lost.push_back({action_kind::backward, stage, i});
        }
        if (goes_backward() && !gradient_done(stage, i)) {
          lost.push_back({action_kind::weight_gradient, stage, i});
        }
      }
      // By ascending micro-batch within a kind.
      const auto first =
          std::min_element(lost.begin(), lost.end(),
                           [](const action& a, const action& b) { return a.kind < b.kind; });
      if (first != lost.end()) {
        return fail(schedule_fault::missing, device_of(stage), -1, *first);
      }
    }
    for (int stage = 0; goes_backward() && stage < rows_.stages; ++stage) {
      if (updates_[stage] < updates_expected()) {
        return fail(schedule_fault::missing, device_of(stage), -1,
                    {action_kind::update, stage, updates_[stage]});
      }
    }
    return true;
  }

  bool weigh() {
    for (int device = 0; goes_backward() && device < rows_.devices; ++device) {
      const auto of = static_cast<std::size_t>(device);
      std::multiset<int> kept;  // stages
      int position = 0;
      for (const action& what : rows_.row(device)) {
        if (what.kind == action_kind::forward || what.kind == action_kind::fetch) {
          kept.insert(what.stage);
        } else if (what.kind == action_kind::backward || what.kind == action_kind::offload ||
                   what.kind == action_kind::weight_gradient) {
          kept.erase(kept.find(what.stage));
        }
        std::int64_t bytes = 0;
        for (const int stage : kept) {
          bytes += graph_.costs[static_cast<std::size_t>(stage)].stash_bytes;
        }
        if ((!kept_.micro_batches.empty() &&
             static_cast<std::int64_t>(kept.size()) > kept_.micro_batches[of]) ||
            (!kept_.bytes.empty() && bytes > kept_.bytes[of])) {
          return fail(schedule_fault::memory, device, position, what);
        }
        ++position;
      }
    }
    return true;
  }

  program_view rows_;
  stage_graph_view graph_;
  limits kept_;
  outcome found_;
  std::map<life, std::map<action_kind, place>> stands_;
  std::map<int, int> updates_;  // by stage
};

}  // namespace oracle
