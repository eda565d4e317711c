// SPDX-License-Identifier: MIT
// Writes schedules as text. Run time only: a text of unknown length is a std::string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <ipu_dsl/schedule/csv_text.hpp>
#include <ipu_dsl/schedule/program.hpp>

namespace ipu_dsl {

/// How much of a program a text holds.
enum class csv_form : std::uint8_t {
  complete,      ///< all of it: `parse_csv` returns the same rows, placement and weight policy
  compute_only,  ///< what PyTorch's grammar has words for; `dropped_by` says what that leaves out
};

namespace csv {

/// Whether PyTorch's grammar has a word for a kind.
constexpr bool is_common(action_kind kind) {
  return kind < action_kind::recompute;
}

/// The end of the step that begins at `first`: one behind its last action.
constexpr std::size_t step_end(std::span<const action> row, std::size_t first) {
  while (row[first].joined && first + 1 < row.size()) {
    ++first;
  }
  return first + 1;
}

/// Whether PyTorch's grammar has a word for a step of several actions: a forward and a backward.
constexpr bool is_common_pair(std::span<const action> step) {
  return step.size() == 2 && step[0].kind == action_kind::forward &&
         (step[1].kind == action_kind::backward || step[1].kind == action_kind::input_gradient);
}

/// Writes one program in one form.
class writer {
 public:
  writer(const program_view& rows, csv_form form) : rows_(rows), complete_(form == csv_form::complete) {}

  std::string write() {
    const bool slotted = has_a_column_per_step();
    if (complete_) {
      write_header(slotted);
    }
    for (int device = 0; device < rows_.devices; ++device) {
      write_row(device, slotted);
    }
    return std::move(written_);
  }

 private:
  /// How many actions of the step at `first` stand in one cell; 0 if the cell is left out.
  std::size_t cell_size(std::span<const action> row, std::size_t first) const {
    const std::size_t size = step_end(row, first) - first;
    if (complete_ || is_common_pair(row.subspan(first, size))) {
      return size;
    }
    return is_common(row[first].kind) ? 1 : 0;
  }

  /// Whether slots ascend from cell to cell, and do not change within one.
  bool has_a_column_per_step() const {
    for (int device = 0; device < rows_.devices; ++device) {
      int previous = -1;
      const std::span<const action> row = rows_.row(device);
      const std::span<const int> slot = slots_of(device);
      std::size_t size = 0;
      for (std::size_t first = 0; first < slot.size(); first += size == 0 ? 1 : size) {
        
      }
    }
  }
};

}
}
