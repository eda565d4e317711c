// SPDX-License-Identifier: MIT
// Programs that are not written as text, because nobody would read the same from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/study/text/csv_text.hpp>
#include <ipu_dsl/study/text/schedule_assembly.hpp>

namespace ipu_dsl::csv {

/// Whether the actions of a program are those of its counts, each in the row of its stage's device.
constexpr bool stand_in_their_rows(const program_view& rows) {
  for (int device = 0; device < rows.devices; ++device) {
    for (const action& what : rows.row(device)) {
      const bool updates = what.kind == action_kind::update;
      const int limit = updates ? schedule_assembly::most_micro_batches : rows.micro_batches;
      if (static_cast<int>(what.kind) >= action_kinds || what.stage < 0 ||
          what.stage >= rows.stages || what.micro_batch < 0 || what.micro_batch >= limit ||
          rows.device_of_stage[what.stage] != device) {
        return false;
      }
    }
  }
  return true;
}

/// Whether a program goes backward and updates nothing: who reads its text adds the updates.
constexpr bool lacks_updates(const program_view& rows) {
  bool backward = false;
  bool updates = false;
  for (const action& what : rows.actions) {
    const int kind = static_cast<int>(what.kind);
    backward = backward || begins_backward[kind] || ends_backward[kind];
    updates = updates || what.kind == action_kind::update;
  }
  return backward && !updates;
}

/// The last column of a program with slots, those of idle cells included.
constexpr std::int64_t columns_of(const program_view& rows) {
  int last = 0;
  for (const int slot : rows.slot) {
    last = last < slot ? slot : last;
  }
  return std::int64_t{last} + 1;
}

/// What `parse_csv` would refuse of the complete form of a program, or read otherwise.
constexpr problem fault_of_program(const program_view& rows) {
  constexpr int most_micro_batches = schedule_assembly::most_micro_batches;
  problem found;
  if (rows.devices > schedule_assembly::most_devices ||
      rows.stages > schedule_assembly::most_stages || rows.micro_batches > most_micro_batches ||
      rows.weights.update_interval > most_micro_batches ||
      rows.weights.delay > most_micro_batches) {
    found.expected << "at most " << schedule_assembly::most_devices << " devices, "
                   << schedule_assembly::most_stages << " stages and " << most_micro_batches
                   << " micro-batches";
    found.got << rows.devices << ", " << rows.stages << " and " << rows.micro_batches;
  } else if (rows.row_begin.size() != static_cast<std::size_t>(rows.devices) + 1 ||
             rows.device_of_stage.size() != static_cast<std::size_t>(rows.stages) ||
             rows.weights.copies < 1 || rows.stages % rows.weights.copies != 0 ||
             !stand_in_their_rows(rows)) {
    found = refuse("actions of its stages and micro-batches, each in the row of its device",
                   "others", "the proof names the first");
  } else if (rows.micro_batches < 1 || rows.actions.empty() ||
             is_sparse(rows.actions.size(), rows.stages, rows.micro_batches)) {
    found.expected = "every micro-batch forward in every stage";
    found.got << how_many(rows.actions.size(), "action") << " for "
              << how_many(rows.stages, "stage") << " and "
              << how_many(rows.micro_batches, "micro-batch");
  } else if (lacks_updates(rows)) {
    found = refuse("an update of every stage after its backwards", "none",
                   "end_training_row puts them behind the row of a device");
  } else if (columns_of(rows) * rows.devices > static_cast<std::int64_t>(most_characters)) {
    found.expected << "time slots for a text of at most " << most_characters << " characters";
    found.got << columns_of(rows) << " of " << how_many(rows.devices, "device");
  }
  return found;
}

/// Throws `error` with that fault, if there is one.
inline void refuse_unreadable(const program_view& rows) {
  problem found = fault_of_program(rows);
  if (found.found()) {
    found.where = "the text of a schedule";
    raise_error(found.message());
  }
}

}  // namespace ipu_dsl::csv
