// SPDX-License-Identifier: MIT
// Writes schedules as text. Run time only: a text of any length is a std::string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/program.hpp>
#include <ipu_dsl/study/text/csv_refusal.hpp>
#include <ipu_dsl/study/text/csv_text.hpp>

namespace ipu_dsl {

/// How much of a program a text holds.
enum class csv_form : std::uint8_t {
  complete,      ///< all of it: `parse_csv` returns the same rows, placement and weight policy
  compute_only,  ///< what PyTorch's grammar has words for; `dropped_by` says what it leaves out
};

namespace csv {

/// Neighbouring actions of a row that are written into one cell.
struct written_cell {
  std::size_t first = 0;  ///< in the row
  std::size_t size = 1;
  int slot = 0;
};

/// Whether PyTorch's grammar has a word for a kind.
constexpr bool is_common(action_kind kind) {
  return kind < action_kind::recompute;
}

/// Whether PyTorch's grammar has a word for a step: a single action, or a forward and a backward.
constexpr bool is_common_step(list_view<action> step) {
  return step.size() == 1 || (step.size() == 2 && step[0].kind == action_kind::forward &&
                              begins_backward[static_cast<int>(step[1].kind)]);
}

/// The actions from `first` on that are one step.
constexpr list_view<action> step_at(list_view<action> row, std::size_t first) {
  std::size_t last = first;
  while (row[last].joined && last + 1 < row.size()) {
    ++last;
  }
  return row.part(first, last + 1 - first);
}

/// The cells of a device's row. Without words for a step, its actions stand one after another, but
/// for a pair at its end that there are words for; without a word for an action, there is no cell.
constexpr list<written_cell> cells_of_row(const program_view& rows, int device, csv_form form) {
  const list_view<action> row = rows.row(device);
  const list_view<int> slots =
      rows.slot.empty() ? rows.slot : rows.slot.part(rows.row_begin[device], row.size());
  list<written_cell> cells;
  for (std::size_t first = 0; first < row.size();) {
    const list_view<action> step = step_at(row, first);
    const bool whole = form == csv_form::complete || is_common_step(step);
    const std::size_t size = whole ? step.size() : 1;
    if (form == csv_form::complete || is_common(row[first].kind)) {
      cells.push_back({first, size, slots.empty() ? 0 : slots[first]});
    }
    first += size;
  }
  return cells;
}

/// Whether every device has at most one cell in a slot, so that columns can be slots.
constexpr bool has_a_slot_per_cell(const program_view& rows, csv_form form) {
  for (int device = 0; device < rows.devices; ++device) {
    int previous = -1;
    for (const written_cell& what : cells_of_row(rows, device, form)) {
      if (what.slot <= previous) {
        return false;
      }
      previous = what.slot;
    }
  }
  return !rows.slot.empty();
}

/// Whether a stage has no action in the rows, so that they do not tell its device.
constexpr bool has_silent_stage(const program_view& rows) {
  list<bool> speaks(rows.stages, false);
  for (const action& what : rows.actions) {
    speaks[what.stage] = true;
  }
  for (const bool stage_speaks : speaks) {
    if (!stage_speaks) {
      return true;
    }
  }
  return false;
}

inline void write_action(std::string& text, const action& what) {
  text += std::to_string(what.stage);
  text += word_of(what.kind);
  if (what.kind != action_kind::update || what.micro_batch != 0) {
    text += std::to_string(what.micro_batch);
  }
}

/// `2F0`, or `(0F7;7B3)OVERLAP_F_B`.
inline void write_cell(std::string& text, list_view<action> step) {
  if (step.size() == 1) {
    write_action(text, step[0]);
    return;
  }
  char before = '(';
  for (const action& what : step) {
    text += before;
    write_action(text, what);
    before = ';';
  }
  text += ')';
  text += joined_word;
}

inline void write_header(std::string& text, const program_view& rows, bool slotted) {
  text += "# devices=" + std::to_string(rows.devices) + " stages=" + std::to_string(rows.stages) +
          " micro_batches=" + std::to_string(rows.micro_batches);
  if (rows.weights.copies != 1) {
    text += " copies=" + std::to_string(rows.weights.copies);
  }
  if (rows.weights.update_interval != 0) {
    text += " update_interval=" + std::to_string(rows.weights.update_interval);
  }
  if (rows.weights.delay != weight_policy::newest) {
    text += " delay=" + std::to_string(rows.weights.delay);
  }
  text += slotted ? "\n" : " columns=order\n";
  if (has_silent_stage(rows)) {
    text += "# placement=";
    for (std::size_t stage = 0; stage < rows.device_of_stage.size(); ++stage) {
      text += (stage == 0 ? "" : ",") + std::to_string(rows.device_of_stage[stage]);
    }
    text += '\n';
  }
}

inline void write_row(std::string& text, const program_view& rows, int device, csv_form form,
                      bool slotted) {
  const list<written_cell> cells = cells_of_row(rows, device, form);
  const list_view<action> row = rows.row(device);
  int column = 0;
  for (const written_cell& what : cells) {
    const int idle = slotted ? what.slot - column : 0;
    // One comma ends the cell before, the others are idle cells.
    text.append(static_cast<std::size_t>(column > 0 ? idle + 1 : idle), ',');
    write_cell(text, row.part(what.first, what.size));
    column += idle + 1;
  }
  // A row of nothing is a cell of nothing, and not a line of nothing, which could be none.
  text += cells.empty() ? ",\n" : "\n";
}

/// Appends to a list of words: "3 UPDATE actions, the weight policy".
inline void add_words(std::string& told, std::string_view what) {
  told += told.empty() ? "" : ", ";
  told += what;
}

inline void add_count(std::string& told, int count, const std::string& what) {
  if (count > 0) {
    add_words(told, how_many(count, what).view());
  }
}

/// Adds the actions and steps that PyTorch's grammar has no words for.
inline void add_dropped_actions(std::string& told, const program_view& rows) {
  int dropped[action_kinds] = {};
  int parted = 0;
  for (int device = 0; device < rows.devices; ++device) {
    const list_view<action> row = rows.row(device);
    for (std::size_t first = 0; first < row.size();) {
      const list_view<action> step = step_at(row, first);
      parted += is_common_step(step) ? 0 : 1;
      for (const action& what : step) {
        dropped[static_cast<int>(what.kind)] += is_common(what.kind) ? 0 : 1;
      }
      first += step.size();
    }
  }
  for (int kind = 0; kind < action_kinds; ++kind) {
    add_count(told, dropped[kind],
              std::string(word_of(static_cast<action_kind>(kind))) + " action");
  }
  add_count(told, parted, "joined step");
}

}  // namespace csv

/// The text of a program, with a line for each device: the grammar of `parse_csv`. Columns are
/// lockstep slots, with empty cells where a device is idle, if the program has slots with at most
/// one step of a device in each; else cells follow each other. Throws `error` for the complete form
/// of a program that `parse_csv` would not return.
inline std::string to_csv(const program_view& rows, csv_form form) {
  if (form == csv_form::complete) {
    csv::refuse_unreadable(rows);
  }
  const bool slotted = csv::has_a_slot_per_cell(rows, form);
  std::string text;
  if (form == csv_form::complete) {
    csv::write_header(text, rows, slotted);
  }
  for (int device = 0; device < rows.devices; ++device) {
    csv::write_row(text, rows, device, form, slotted);
  }
  return text;
}

/// What the text of a program leaves out, as a list of words for a person; empty if nothing. (What
/// reads the text puts an update of each stage at the end of its device's row.)
inline std::string dropped_by(const program_view& rows, csv_form form) {
  std::string told;
  if (form == csv_form::compute_only) {
    csv::add_dropped_actions(told, rows);
    if (rows.weights != weight_policy{}) {
      csv::add_words(told, "the weight policy");
    }
    if (csv::has_silent_stage(rows)) {
      csv::add_words(told, "the placement of stages without actions");
    }
  }
  if (!rows.slot.empty() && !csv::has_a_slot_per_cell(rows, form)) {
    csv::add_words(told, "the time slots");
  }
  return told;
}

}  // namespace ipu_dsl
