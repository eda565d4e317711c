// SPDX-License-Identifier: MIT
// Which actions touch a buffer, and so how long it lives.
#pragma once

#include <cstdint>

#include <ipu_dsl/plan/lowered_program.hpp>
#include <ipu_dsl/schedule/stage_graph.hpp>

namespace ipu_dsl {

/// The actions that touch a buffer, as bits in an order in which a micro-batch can meet them: F0,
/// F1, ..., then B (or its first half, I) of the last stage down to that of stage 0, then W alike.
struct action_set {
  static constexpr std::int32_t max_stages = 64;

  std::uint64_t words[3 * max_stages / 64] = {};

  constexpr void add(std::int32_t position) {
    words[position / 64] |= std::uint64_t{1} << (position % 64);
  }

  constexpr bool has(std::int32_t position) const {
    return (words[position / 64] >> (position % 64) & 1) != 0;
  }

  friend constexpr bool operator==(const action_set&, const action_set&) = default;
};

/// How many positions there are.
constexpr std::int32_t positions_of(std::int32_t stages) {
  return 3 * stages;
}

/// When a micro-batch meets an action; -1 for those that belong to no micro-batch or have no calls.
constexpr std::int32_t position_of(std::int32_t stage, action_kind kind, std::int32_t stages) {
  switch (kind) {
    case action_kind::forward:
      return stage;
    case action_kind::backward:
    case action_kind::input_gradient:
      return 2 * stages - 1 - stage;
    case action_kind::weight_gradient:
      return 3 * stages - 1 - stage;
    default:
      return -1;
  }
}

/// The action at a position, of a program whose backwards are lowered as given.
constexpr step step_at(std::int32_t position, std::int32_t stages, backward_form form) {
  if (position < stages) {
    return {position, action_kind::forward};
  }
  if (position < 2 * stages) {
    return {2 * stages - 1 - position,
            form == backward_form::whole ? action_kind::backward : action_kind::input_gradient};
  }
  return {3 * stages - 1 - position, action_kind::weight_gradient};
}

/// How long a buffer lives within its program.
struct lifetime {
  action_set touched;
  std::int32_t actions = 0;  ///< how many are in `touched`
  std::int32_t first_call = -1;
  std::int32_t last_call = -1;
};

/// The lifetimes of all buffers of a program, by buffer.
constexpr list<lifetime> lifetimes_of(const lowered_view& program, std::int32_t stages) {
  list<lifetime> lives(program.buffers.size());
  for (std::int32_t stage = 0; stage < stages; ++stage) {
    for (int kind = 0; kind < action_kinds; ++kind) {
      const std::size_t entry = action_entry(stage, static_cast<action_kind>(kind));
      const std::int32_t position = position_of(stage, static_cast<action_kind>(kind), stages);
      for (std::int32_t i = program.first_call[entry]; i < program.first_call[entry + 1]; ++i) {
        const call& row = program.calls[static_cast<std::size_t>(i)];
        for (std::int32_t operand = 0; operand < row.writes + row.reads; ++operand) {
          const auto entry_of_operand = static_cast<std::size_t>(row.first_operand + operand);
          const auto touched = static_cast<std::size_t>(program.operands[entry_of_operand]);
          lifetime& life = lives[touched];
          life.first_call = life.first_call < 0 ? i : life.first_call;
          life.last_call = i;
          if (position >= 0 && !life.touched.has(position)) {
            life.touched.add(position);
            ++life.actions;
          }
        }
      }
    }
  }
  return lives;
}

}  // namespace ipu_dsl
