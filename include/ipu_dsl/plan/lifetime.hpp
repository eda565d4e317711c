// SPDX-License-Identifier: MIT
// Which actions touch a buffer, and so how long it lives.
#pragma once

#include <cstdint>

#include <ipu_dsl/plan/lowered_program.hpp>
#include <ipu_dsl/schedule/step_order.hpp>

namespace ipu_dsl {

/// The actions that touch a buffer, as bits by position: see schedule/step_order.hpp.
struct action_set {
  static constexpr std::int32_t max_stages = 64;

  std::uint64_t words[step_roles * max_stages / 64] = {};

  constexpr void add(std::int32_t position) {
    words[position / 64] |= std::uint64_t{1} << (position % 64);
  }

  constexpr bool has(std::int32_t position) const {
    return (words[position / 64] >> (position % 64) & 1) != 0;
  }

  friend constexpr bool operator==(const action_set&, const action_set&) = default;
};

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
      const std::int32_t position = position_of({stage, static_cast<action_kind>(kind)}, stages);
      for (std::int32_t i = program.first_call[entry]; i < program.first_call[entry + 1]; ++i) {
        const call& row = program.calls[i];
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
