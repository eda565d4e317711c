// SPDX-License-Identifier: MIT
// A second opinion on programs, written from the rules and apart from the library: a discrete-event
// simulation that asks every rule of every action each time, over maps and a queue of events.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "schedule/oracle.hpp"

namespace oracle {

class simulation : row_rules {
 public:
  simulation(const program_view& rows, const stage_graph_view& graph, std::span<const int> slots,
             const limits& kept)
      : row_rules(rows, graph, kept), slots_(slots.begin(), slots.end()) {}

  /// The first fault, or all times: what the rows say by themselves, then slots that a device would
  /// overwrite by itself, then devices that wait forever.
  outcome judged() {
    if (hold() && check_slots_within_devices()) {
      run();
    }
    return found_;
  }

 private:
  /// The actions that a step of an edge stands for, of one micro-batch: none in a program that does
  /// not do it, both halves of a backward that is read in halves.
  std::vector<place> standing(int stage, action_kind kind, int micro_batch, bool writes) const {
    using enum action_kind;
    std::vector<action_kind> forms = {kind};
    if (kind == backward) {
      forms = {backward, input_gradient};
      if (!writes) {
        forms.push_back(weight_gradient);
      }
    } else if (kind == input_gradient || kind == weight_gradient) {
      forms.push_back(backward);
    }
    std::vector<place> places;
    const auto life_found = stands_.find({stage, micro_batch});
    for (const action_kind form : forms) {
      if (life_found != stands_.end() && life_found->second.count(form) != 0) {
        places.push_back(life_found->second.at(form));
      }
    }
    return places;
  }

  /// The micro-batches in the order in which the writer of an edge writes them.
  std::vector<int> order_of_writes(const edge& link) const {
    std::vector<place> writes;
    for (int i = 0; i < rows_.micro_batches; ++i) {
      for (const place where : standing(link.writer.stage, link.writer.kind, i, true)) {
        writes.push_back(where);
      }
    }
    std::sort(writes.begin(), writes.end());
    std::vector<int> order;
    for (const place where : writes) {
      order.push_back(at(where).micro_batch);
    }
    return order;
  }

  std::vector<place> readers_of(const edge& link, int micro_batch) const {
    std::vector<place> places;
    for (const ipu_dsl::step& reader : graph_.readers_of(link)) {
      for (const place where : standing(reader.stage, reader.kind, micro_batch, false)) {
        places.push_back(where);
      }
    }
    return places;
  }

  bool stays_on_device(const edge& link) const {
    for (const ipu_dsl::step& reader : graph_.readers_of(link)) {
      if (device_of(reader.stage) != device_of(link.writer.stage)) {
        return false;
      }
    }
    return true;
  }

  bool touches(const edge& link, int stage) const {
    bool any = link.writer.stage == stage;
    for (const ipu_dsl::step& reader : graph_.readers_of(link)) {
      any = any || reader.stage == stage;
    }
    return any;
  }

  int slots_of(std::size_t link) const {
    return slots_.empty() ? rows_.micro_batches : slots_[link];
  }

  /// Where all is on one device its row decides: what is still to be read must not be overwritten.
  bool check_slots_within_devices() {
    for (std::size_t number = 0; number < graph_.edges.size(); ++number) {
      const edge& link = graph_.edges[number];
      const auto depth = static_cast<std::size_t>(slots_of(number));
      if (!stays_on_device(link) || slots_of(number) >= rows_.micro_batches) {
        continue;
      }
      const std::vector<int> order = order_of_writes(link);
      for (std::size_t k = depth; k < order.size(); ++k) {
        const place write = standing(link.writer.stage, link.writer.kind, order[k], true).front();
        for (const place reader : readers_of(link, order[k - depth])) {
          if (reader > write || one_step(reader, write)) {
            return fail(schedule_fault::deadlock, write.device, write.position, at(write));
          }
        }
      }
    }
    return true;
  }

  // Time.

  /// What an action waits for, and how long after the end of it the wait is over.
  std::vector<std::pair<place, std::int64_t>> waits_of(place where) const {
    const action& what = at(where);
    std::vector<std::pair<place, std::int64_t>> waits;
    for (std::size_t number = 0; number < graph_.edges.size(); ++number) {
      const edge& link = graph_.edges[number];
      if (what.kind == action_kind::update || !touches(link, what.stage)) {
        continue;
      }
      const std::vector<place> readers = readers_of(link, what.micro_batch);
      const bool reads = std::count(readers.begin(), readers.end(), where) != 0;
      const std::vector<place> writers =
          standing(link.writer.stage, link.writer.kind, what.micro_batch, true);
      // Within a stage the row has the order.
      if (reads && link.writer.stage != what.stage) {
        for (const place writer : writers) {
          waits.push_back({writer, writer.device == where.device ? 0 : graph_.hop});
        }
      }
      if (std::count(writers.begin(), writers.end(), where) != 0 && !stays_on_device(link)) {
        for (const place reader : readers_before(link, number, what.micro_batch)) {
          waits.push_back({reader, 0});
        }
      }
    }
    if (what.kind == action_kind::update) {
      wait_for_copies(what, waits);
    }
    return waits;
  }

  /// The readers of what was in the slot that a write takes.
  std::vector<place> readers_before(const edge& link, std::size_t number, int micro_batch) const {
    const std::vector<int> order = order_of_writes(link);
    const auto k = static_cast<std::size_t>(std::find(order.begin(), order.end(), micro_batch) -
                                            order.begin());
    const auto depth = static_cast<std::size_t>(slots_of(number));
    return k < depth ? std::vector<place>() : readers_of(link, order[k - depth]);
  }

  void wait_for_copies(const action& update,
                       std::vector<std::pair<place, std::int64_t>>& waits) const {
    const int length = rows_.stages / rows_.weights.copies;
    for (int stage = 0; stage < rows_.stages; ++stage) {
      if (stage == update.stage || stage % length != update.stage % length) {
        continue;
      }
      for (const int i : taken_by(update)) {
        const auto& life_found = stands_.at({stage, i});
        const auto whole = life_found.find(action_kind::backward);
        waits.push_back({whole != life_found.end() ? whole->second
                                                   : life_found.at(action_kind::weight_gradient),
                         0});
      }
    }
  }

  std::int64_t duration_of(const action& what) const {
    const ipu_dsl::stage_cost& cost = graph_.costs[static_cast<std::size_t>(what.stage)];
    const std::map<action_kind, std::int64_t> duration = {
        {action_kind::forward, cost.forward},
        {action_kind::backward, cost.input_gradient + cost.weight_gradient},
        {action_kind::input_gradient, cost.input_gradient},
        {action_kind::weight_gradient, cost.weight_gradient},
        {action_kind::recompute, cost.forward},
        {action_kind::update, cost.update},
        {action_kind::offload, cost.offload},
        {action_kind::fetch, cost.offload},
    };
    return duration.at(what.kind);
  }

  /// A step of a device: an action and what is joined to it.
  std::vector<place> step_at(int device) const {
    const std::span<const action> row = rows_.row(device);
    std::vector<place> step;
    for (int i = next_.at(device); i < static_cast<int>(row.size()); ++i) {
      step.push_back({device, i});
      if (!row[static_cast<std::size_t>(i)].joined) {
        break;
      }
    }
    return step;
  }

  bool ready(place where, std::int64_t now) {
    if (known_waits_.count(where) == 0) {
      known_waits_[where] = waits_of(where);
    }
    for (const auto& [awaited, hop] : known_waits_[where]) {
      const auto done = there_.find(awaited);
      if (done == there_.end() || done->second + hop > now) {
        return false;
      }
    }
    return true;
  }

  /// Starts the next step of a device if it can start now.
  bool started(int device, std::int64_t now) {
    const std::vector<place> step = step_at(device);
    if (step.empty() || free_at_[device] > now) {
      return false;
    }
    for (const place where : step) {
      if (!ready(where, now)) {
        return false;
      }
    }
    std::int64_t time = now;
    for (const place where : step) {
      const std::int64_t begin = time;
      const action& what = at(where);
      time += duration_of(what);
      ran_[where] = {begin, time};
    }
    for (const place where : step) {
      there_[where] = time;
    }
    free_at_[device] = time;
    next_[device] += static_cast<int>(step.size());
    events_.push(time);
    events_.push(time + graph_.hop);
    return true;
  }

  void run() {
    for (int device = 0; device < rows_.devices; ++device) {
      next_[device] = 0;
      free_at_[device] = 0;
    }
    events_.push(0);
    while (!events_.empty()) {
      const std::int64_t now = events_.top();
      events_.pop();
      // Again as long as something starts: an action may take no time.
      for (bool again = true; again;) {
        again = false;
        for (int device = 0; device < rows_.devices; ++device) {
          again = started(device, now) || again;
        }
      }
    }
    finish();
  }

  void finish() {
    constexpr std::int64_t end_of_time = std::int64_t{1} << 60;
    for (int device = 0; device < rows_.devices; ++device) {
      for (const place where : step_at(device)) {
        if (!ready(where, end_of_time)) {
          fail(schedule_fault::deadlock, device, where.position, at(where));
          return;
        }
      }
    }
    for (const auto& [where, times] : ran_) {
      found_.times.push_back(times);
      found_.makespan = std::max(found_.makespan, times.second);
    }
  }

  std::vector<int> slots_;
  std::map<int, int> next_;  // by device: position
  std::map<int, std::int64_t> free_at_;
  std::map<place, std::int64_t> there_;  // when what an action writes is there
  std::map<place, std::pair<std::int64_t, std::int64_t>> ran_;
  std::map<place, std::vector<std::pair<place, std::int64_t>>> known_waits_;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> events_;
};

inline outcome judge(const program_view& rows, const stage_graph_view& graph,
                     std::span<const int> slots = {}, const limits& kept = {}) {
  return simulation(rows, graph, slots, kept).judged();
}

}  // namespace oracle
