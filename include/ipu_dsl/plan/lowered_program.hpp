// SPDX-License-Identifier: MIT
// A program as calls: while it is made, read only, and in static storage.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/packed_counts.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/lowering_facts.hpp>
#include <ipu_dsl/plan/access_view.hpp>
#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/step_order.hpp>

namespace ipu_dsl {

/// The calls of one kind of action of one stage, as a range of `lowered_view::calls`.
constexpr std::size_t action_entry(std::int32_t stage, action_kind kind) {
  return static_cast<std::size_t>(stage) * action_kinds + static_cast<std::size_t>(kind);
}

/// Where in `first_call` the end of an action's calls stands. The entries of both halves follow
/// that of the whole backward, which does whatever stands in the three.
constexpr std::size_t last_call_entry(std::int32_t stage, action_kind kind) {
  return action_entry(stage, last_part(kind)) + 1;
}

/// A lowered program, read only. Calls stand in order of execution within each action: those of
/// action kind `k` of stage `s` from `first_call[s * action_kinds + k]` to the entry that
/// `last_call_entry` tells.
struct lowered_view {
  list_view<buffer> buffers;
  list_view<emitted_call> calls;
  list_view<std::int32_t> operands;    ///< numbers of buffers
  list_view<std::int32_t> first_call;  ///< [stages * action_kinds + 1]
  access_view accesses;                ///< of the calls, where they were noted
  backward_form form = backward_form::whole;
  std::int32_t replicas = 1;  ///< of the model, which update together
};

/// A lowered program while the compiler evaluates.
struct lowered_program {
  call_list made;
  list<std::int32_t> first_call;
  backward_form form = backward_form::whole;
  std::int32_t replicas = 1;

  constexpr lowered_view view() const {
    return {.buffers = {made.buffers.data(), made.buffers.size()},
            .calls = {made.calls.data(), made.calls.size()},
            .operands = {made.operands.data(), made.operands.size()},
            .first_call = {first_call.data(), first_call.size()},
            .accesses = view_of(made.accesses),
            .form = form,
            .replicas = replicas};
  }
};

struct lowered_sizes {
  std::size_t buffers = 0;
  std::size_t calls = 0;
  std::size_t operands = 0;
  std::size_t actions = 0;  ///< stages x kinds

  /// All of them in one number.
  constexpr std::uint64_t packed() const {
    return packed_count(buffers, 18, 46) + packed_count(calls, 16, 30) +
           packed_count(operands, 20, 10) + packed_count(actions, 10, 0);
  }
};

constexpr lowered_sizes unpack_lowered_sizes(std::uint64_t packed) {
  return {unpacked_count(packed, 18, 46), unpacked_count(packed, 16, 30),
          unpacked_count(packed, 20, 10), unpacked_count(packed, 10, 0)};
}

constexpr lowered_sizes sizes_of(const lowered_program& program) {
  return {.buffers = program.made.buffers.size(),
          .calls = program.made.calls.size(),
          .operands = program.made.operands.size(),
          .actions = program.first_call.size() - 1};
}

/// A lowered program in static storage, for the compiler alone: its calls point to families.
template <lowered_sizes Sizes>
struct frozen_lowered_program {
  frozen_list<buffer, Sizes.buffers> buffers;
  frozen_list<emitted_call, Sizes.calls> calls;
  frozen_list<std::int32_t, Sizes.operands> operands;
  frozen_list<std::int32_t, Sizes.actions + 1> first_call;
  backward_form form;
  std::int32_t replicas;
  problem fault;  ///< what a family's rule asked for that there is not

  constexpr explicit frozen_lowered_program(const lowered_program& program)
      : buffers(freeze_list<Sizes.buffers>(program.made.buffers)),
        calls(freeze_list<Sizes.calls>(program.made.calls)),
        operands(freeze_list<Sizes.operands>(program.made.operands)),
        first_call(freeze_list<Sizes.actions + 1>(program.first_call)),
        form(program.form),
        replicas(program.replicas),
        fault(program.made.fault) {}

  constexpr lowered_view view() const {
    return {.buffers = buffers.view(),
            .calls = calls.view(),
            .operands = operands.view(),
            .first_call = first_call.view(),
            .accesses = {},
            .form = form,
            .replicas = replicas};
  }
};

struct access_sizes {
  std::size_t axes = 0;
  std::size_t reaches = 0;
  std::size_t operands = 0;
  std::size_t calls = 0;
};

/// Of two lists one behind the other.
constexpr access_sizes sum_of(const access_sizes& first, const access_sizes& second) {
  return {.axes = first.axes + second.axes,
          .reaches = first.reaches + second.reaches,
          .operands = first.operands + second.operands,
          .calls = first.calls + second.calls};
}

constexpr access_sizes sizes_of(const access_list& accesses) {
  return {.axes = accesses.axes.size(),
          .reaches = accesses.reaches.size(),
          .operands = accesses.operands.size(),
          .calls = accesses.calls.size()};
}

/// What the calls of a program access, in static storage.
template <access_sizes Sizes>
struct frozen_accesses {
  frozen_list<access_axis, Sizes.axes> axes;
  frozen_list<reach, Sizes.reaches> reaches;
  frozen_list<operand_access, Sizes.operands> operands;
  frozen_list<call_access, Sizes.calls> calls;

  constexpr frozen_accesses() = default;

  constexpr explicit frozen_accesses(const access_list& made)
      : axes(freeze_list<Sizes.axes>(made.axes)),
        reaches(freeze_list<Sizes.reaches>(made.reaches)),
        operands(freeze_list<Sizes.operands>(made.operands)),
        calls(freeze_list<Sizes.calls>(made.calls)) {}

  /// Copies a piece to where it begins.
  constexpr void enter(const access_view& piece, const access_sizes& begin) {
    for (std::size_t i = 0; i < piece.axes.size(); ++i) {
      axes.elements[begin.axes + i] = piece.axes[i];
    }
    for (std::size_t i = 0; i < piece.reaches.size(); ++i) {
      reaches.elements[begin.reaches + i] = piece.reaches[i];
    }
    for (std::size_t i = 0; i < piece.operands.size(); ++i) {
      operand_access& entered = operands.elements[begin.operands + i];
      entered = piece.operands[i];
      entered.first_reach += static_cast<std::int32_t>(begin.reaches);
    }
    for (std::size_t i = 0; i < piece.calls.size(); ++i) {
      call_access& entered = calls.elements[begin.calls + i];
      entered = piece.calls[i];
      entered.first_axis += static_cast<std::int32_t>(begin.axes);
      entered.first_operand += static_cast<std::int32_t>(begin.operands);
    }
  }

  constexpr access_view view() const {
    return {axes.view(), reaches.view(), operands.view(), calls.view()};
  }
};

}  // namespace ipu_dsl
