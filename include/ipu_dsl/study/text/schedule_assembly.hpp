// SPDX-License-Identifier: MIT
// How what is written, in a text or in a table, becomes a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/schedule/step_order.hpp>

namespace ipu_dsl {

/// What is said of a written schedule besides its actions. What is left at 0 or empty is derived:
/// from where actions stand, and from the largest numbers in them.
struct schedule_header {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;
  weight_policy weights = {};
  list<int> placement = {};       ///< [stages], for a stage without actions
  bool columns_are_slots = true;  ///< false: columns tell an order alone
};

/// A schedule that was read, or the first thing wrong with it.
struct parsed_schedule {
  program rows;     ///< empty if there is a fault
  problem fault;    ///< names line and cell, what was expected, and what stands there
  int line = 0;     ///< of the fault, from 1: the line of a text, the row of a table; 0: all of it
  int column = 0;   ///< of the fault, from 1: the character of a line, the column of a table
  int dropped = 0;  ///< communication actions passed over: here edges communicate, not rows

  /// Takes a fault, and says where it is: behind the name of the schedule, at a line and a column.
  constexpr void refuse_at(const problem& found, const label& where, int at_line, int at_column) {
    rows = program();
    fault = found;
    fault.where = where;
    line = at_line;
    column = at_column;
  }
};

/// Puts actions, row by row, into a program, and derives what is not said. Every reader of written
/// schedules ends here.
class schedule_assembly {
 public:
  /// Bounds of what is written: those of numbers, of rows, and of what a header says.
  static constexpr int most_devices = 1024;
  static constexpr int most_stages = 1024;
  static constexpr int most_micro_batches = 65536;

  constexpr explicit schedule_assembly(const schedule_header& said) : said_(said) {
    rows_.row_begin.push_back(0);
    const int known = said.stages > 0 ? said.stages : static_cast<int>(said.placement.size());
    stage_limit_ = known > 0 ? known : most_stages;
    micro_batch_limit_ = said.micro_batches > 0 ? said.micro_batches : most_micro_batches;
    rows_.device_of_stage.append(said.placement);
    rows_.device_of_stage.resize(known, -1);
  }

  constexpr void reserve(std::size_t actions) {
    rows_.actions.reserve(actions);
    rows_.slot.reserve(actions);
  }

  /// Appends an action to the row being written; false if it is refused, see `fault()`.
  constexpr bool put(const action& what, int column) {
    const bool updates = what.kind == action_kind::update;
    const int limit = updates ? most_micro_batches : micro_batch_limit_;
    if (what.stage < 0 || what.stage >= stage_limit_ || what.micro_batch < 0 ||
        what.micro_batch >= limit) {
      return refuse_range(what, limit);
    }
    while (what.stage >= static_cast<int>(rows_.device_of_stage.size())) {
      rows_.device_of_stage.push_back(-1);
    }
    int& home = rows_.device_of_stage.data()[what.stage];
    if (home != device_) {
      if (home >= 0) {
        return refuse_second_home(what, home);
      }
      home = device_;
    }
    if (!updates && what.micro_batch >= rows_.micro_batches) {
      rows_.micro_batches = what.micro_batch + 1;
      last_ = what;
    }
    seen_[static_cast<int>(what.kind)] = true;
    rows_.actions.push_back(what);
    rows_.slot.push_back(column);
    return true;
  }

  /// The row being written is complete and has `columns` columns.
  constexpr void end_row(int columns) {
    rows_.end_row();
    ++device_;
    columns_ = columns_ < columns ? columns : columns_;
  }

  constexpr int rows_ended() const { return device_; }

  constexpr const problem& fault() const { return fault_; }

  /// All rows are complete: derives the counts and, if there are backwards but no update at all,
  /// appends the update of each stage to the row of its device, in a column behind all others.
  /// False if something is missing.
  constexpr bool finish() {
    rows_.devices = device_;
    rows_.stages = static_cast<int>(rows_.device_of_stage.size());
    rows_.weights = said_.weights;
    if (!is_complete()) {
      return false;
    }
    rows_.micro_batches = said_.micro_batches > 0 ? said_.micro_batches : rows_.micro_batches;
    if (is_sparse(rows_.actions.size(), rows_.stages, rows_.micro_batches)) {
      return refuse_sparse();
    }
    if (goes_backward() && !seen_[static_cast<int>(action_kind::update)]) {
      append_updates();
    }
    if (!said_.columns_are_slots) {
      rows_.slot = list<int>();
    }
    return true;
  }

  /// Hands over the program; `finish` comes first.
  constexpr program take() { return std::move(rows_); }

 private:
  constexpr bool goes_backward() const {
    bool any = false;
    for (int kind = 0; kind < action_kinds; ++kind) {
      any = any || (seen_[kind] && (begins_backward[kind] || ends_backward[kind]));
    }
    return any;
  }

  constexpr bool refuse_range(const action& what, int limit) {
    fault_ = {};
    fault_.expected << "a stage below " << stage_limit_;
    fault_.expected << (what.kind == action_kind::update ? " and an update" : " and a micro-batch");
    fault_.expected << " below " << limit;
    fault_.got << describe(what);
    return false;
  }

  constexpr bool refuse_second_home(const action& what, int home) {
    fault_ = {};
    fault_.expected << "stage " << what.stage << " on one device";
    fault_.got << describe(what) << " on device " << device_;
    fault_.hint << "stage " << what.stage << " is on device " << home
                << ", where its other actions or the placement put it";
    return false;
  }

  constexpr bool refuse_sparse() {
    fault_ = {};
    fault_.expected << "every micro-batch forward in every stage, at least "
                    << static_cast<std::int64_t>(rows_.stages) * rows_.micro_batches << " actions";
    fault_.got << rows_.actions.size() << " for " << how_many(rows_.stages, "stage") << " and "
               << how_many(rows_.micro_batches, "micro-batch");
    if (said_.micro_batches > 0) {
      fault_.hint << "the header says micro_batches=" << said_.micro_batches;
    } else {
      fault_.hint << describe(last_) << " has the largest number; number micro-batches from 0 "
                  << "without gaps";
    }
    return false;
  }

  /// Whether every stage has a device.
  constexpr bool is_placed() {
    for (int stage = 0; stage < rows_.stages; ++stage) {
      const int home = rows_.device_of_stage.data()[stage];
      if (home >= rows_.devices) {
        fault_ = {};
        fault_.expected << "stages placed on devices below " << rows_.devices;
        fault_.got << "stage " << stage << " on device " << home;
        return false;
      }
      if (home < 0) {
        fault_ = {};
        fault_.expected << "actions of every stage from 0 to " << rows_.stages - 1;
        fault_.got << "none of stage " << stage;
        fault_.hint = "number stages without gaps, or say in the header where each one is placed";
        return false;
      }
    }
    return true;
  }

  /// Whether nothing is missing for the rows to be a program.
  constexpr bool is_complete() {
    if (rows_.micro_batches == 0) {
      fault_ = refuse("at least one action on a micro-batch", "none",
                      "0F0 is the forward of stage 0 on micro-batch 0");
      return false;
    }
    if (rows_.devices > most_devices) {
      fault_ = {};
      fault_.expected << "at most " << most_devices << " devices, a row each";
      fault_.got << rows_.devices << " rows";
      return false;
    }
    if (!is_placed()) {
      return false;
    }
    const int copies = rows_.weights.copies;
    if (copies < 1 || rows_.stages % copies != 0) {
      fault_ = {};
      fault_.expected << "a number of stages that is a multiple of the " << copies << " copies";
      fault_.got << how_many(rows_.stages, "stage");
      return false;
    }
    if (rows_.weights.update_interval > 0 && goes_backward() &&
        !seen_[static_cast<int>(action_kind::update)]) {
      fault_ = refuse("updates among the actions, as an update interval is given", "none",
                      "0UPDATE1 is the second update of stage 0, after the backwards it takes");
      return false;
    }
    return true;
  }

  /// Makes room from the last row to the first: a second program would cost twice the steps of
  /// constant evaluation.
  constexpr void append_updates() {
    const std::size_t count = rows_.actions.size() + static_cast<std::size_t>(rows_.stages);
    int from = static_cast<int>(rows_.actions.size());
    rows_.actions.resize(count);
    rows_.slot.resize(count);
    action* const actions = rows_.actions.data();
    int* const slot = rows_.slot.data();
    int to = static_cast<int>(count);
    for (int device = rows_.devices - 1; device >= 0; --device) {
      rows_.row_begin.data()[device + 1] = to;
      for (int stage = rows_.stages - 1; stage >= 0; --stage) {
        if (rows_.device_of_stage.data()[stage] == device) {
          --to;
          actions[to] = {action_kind::update, stage, 0};
          slot[to] = columns_;
        }
      }
      const int begin = rows_.row_begin.data()[device];
      while (from > begin) {
        --from;
        --to;
        actions[to] = actions[from];
        slot[to] = slot[from];
      }
    }
  }

  const schedule_header& said_;
  program rows_;
  problem fault_;
  int stage_limit_ = 0;
  int micro_batch_limit_ = 0;
  int device_ = 0;
  int columns_ = 0;
  action last_ = {};  // an action on the micro-batch with the largest number
  bool seen_[action_kinds] = {};
};

}  // namespace ipu_dsl
