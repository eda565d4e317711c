// SPDX-License-Identifier: MIT
// Whether what a family's rules say of their calls' accesses can be true.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/plan/lowered_program.hpp>
#include <ipu_dsl/plan/nest_map.hpp>

namespace ipu_dsl {

/// Looks at the declared accesses of a program, call by call, and finds the first that does not fit
/// its tensor, or that lets two tiles write the same element; then at what calls write together,
/// and finds the first buffer of which elements are left out.
class access_check {
 public:
  constexpr access_check(const graph_view& model, const lowered_view& program, std::int32_t batch)
      : model_(model), program_(program), batch_(batch) {}

  /// The first thing wrong, or nothing.
  constexpr problem find() {
    for (std::size_t i = 0; i < program_.calls.size() && !found_.found(); ++i) {
      const call_access& noted = program_.accesses.calls[i];
      if (noted.axes > static_cast<std::int32_t>(nest_block::most_axes)) {
        found_ = refuse(label("at most ") << nest_block::most_axes << " axes of a call",
                        label() << noted.axes);
      }
      for (const operand_access& row : operands_of(program_.accesses, noted)) {
        check_operand(axes_of(program_.accesses, noted), row);
      }
      if (found_.found()) {
        const emitted_call& where = program_.calls[i];
        found_.where = rule_for(where);
      }
    }
    if (!found_.found()) {
      check_left_out();
    }
    return found_;
  }

 private:
  /// What is known of a buffer that calls write.
  struct written_elements {
    std::int64_t all = 0;
    std::int64_t written = 0;  ///< at most: two calls may write the same
    std::int32_t call = -1;    ///< the last that writes some
    std::int32_t operand = 0;
  };

  constexpr label rule_for(const emitted_call& row) const {
    return label("the rule for ") << rule_of(row.phase) << " of " << place_of(row);
  }

  /// Elements that no call writes hold whatever was in their memory before.
  constexpr void check_left_out() {
    list<written_elements> of_buffers;
    of_buffers.resize(program_.buffers.size());
    for (std::size_t i = 0; i < program_.calls.size(); ++i) {
      add_written(of_buffers, static_cast<std::int32_t>(i));
    }
    for (const written_elements& row : of_buffers) {
      if (row.call >= 0 && row.written < row.all) {
        found_ = refuse(
            label("writes to all ")
                << row.all << " elements of operand " << row.operand << " in a micro-batch",
            label() << row.written << " of them",
            "let the axes of call.over(...) lead to all of them, or append a call for the rest");
        found_.where = rule_for(program_.calls[row.call]);
        return;
      }
    }
  }

  constexpr void add_written(list<written_elements>& of_buffers, std::int32_t number) const {
    const emitted_call& call = program_.calls[number];
    const call_access& noted = program_.accesses.calls[number];
    nest_block whole;
    const list_view<access_axis> axes = axes_of(program_.accesses, noted);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      whole.ranges[i] = {0, axes[i].extent};
    }
    for (const operand_access& row : operands_of(program_.accesses, noted)) {
      if (row.mode == access_mode::read) {
        continue;
      }
      written_elements& made = of_buffers[program_.operands[call.first_operand + row.operand]];
      const std::int64_t samples = row.samples > 0 ? std::int64_t{batch_} * row.samples : 1;
      made.all = samples * row.extents.elements();
      made.written += reached_elements(program_.accesses, row, whole, batch_);
      made.call = number;
      made.operand = row.operand;
    }
  }

  constexpr label place_of(const emitted_call& row) const {
    return row.node < 0 ? label(row.code->name) : model_.place_of(model_.node_at(row.node));
  }

  constexpr void check_operand(list_view<access_axis> axes, const operand_access& row) {
    if (row.whole || found_.found()) {
      return;
    }
    const std::int32_t extents = row.extents.rank + (row.samples > 0 ? 1 : 0);
    if (row.reaches != extents) {
      found_ = refuse(label() << extents << " positions in operand " << row.operand << ", "
                              << (row.samples > 0 ? "[samples] of " : "") << describe(row.extents),
                      label() << row.reaches,
                      "an element of a value has the position of its sample and one for each of "
                      "its extents; .flat() and .as({...}) see it in other extents");
      return;
    }
    const list_view<reach> reaches = reaches_of(program_.accesses, row);
    for (std::int32_t i = 0; i < row.reaches; ++i) {
      check_reach(axes, row, reaches[i], extent_of(row, i, batch_));
    }
    if (row.mode != access_mode::read) {
      check_written(axes, row);
    }
  }

  constexpr void check_reach(list_view<access_axis> axes, const operand_access& row,
                             const reach& at, std::int64_t extent) {
    if (at.first < 0 || found_.found()) {
      return;
    }
    const access_axis& along = axes[at.first];
    // Before the first step, and behind the last, there is nothing to read.
    const bool plain = at.second < 0 && at.scale == 1 && at.divisor == 1 && !along.step;
    if (plain && (at.offset < 0 || at.offset + std::int64_t{along.extent} > extent)) {
      found_ =
          refuse(label("positions below ") << extent << " in operand " << row.operand,
                 label("those from ") << at.offset << " to "
                                      << static_cast<std::int64_t>(at.offset) + along.extent - 1,
                 "an axis is as long as the extent that it walks along");
    }
  }

  /// What is written is written by one tile.
  constexpr void check_written(list_view<access_axis> axes, const operand_access& row) {
    for (std::size_t i = 0; i < axes.size() && !found_.found(); ++i) {
      bool named = !is_cut(axes[i], row.nest) || axes[i].extent == 1;
      for (const reach& at : reaches_of(program_.accesses, row)) {
        named = named || at.first == static_cast<std::int16_t>(i) ||
                at.second == static_cast<std::int16_t>(i);
      }
      if (!named) {
        found_ = refuse(label("every axis of call.over(...) in what operand ")
                            << row.operand << " writes",
                        label("axis ") << i << " is not there",
                        "tiles share such an axis, and two would write one element: sum over it "
                        "with call.all(...), or say another nest with call.beside()");
      }
    }
  }

  graph_view model_;
  lowered_view program_;
  std::int32_t batch_;
  problem found_;
};

}  // namespace ipu_dsl
