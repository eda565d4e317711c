// SPDX-License-Identifier: MIT
// Which buffers share their memory, because a call writes one over the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/plan/lifetime.hpp>
#include <ipu_dsl/plan/lowered_program.hpp>
#include <ipu_dsl/schedule/step_order.hpp>

namespace ipu_dsl {

/// Finds for every buffer of one action whether the last call that reads it may write what it makes
/// in its place: an activation over what it reads, a gradient over the gradient that it comes from.
/// An activation then moves two thirds of what it moves elsewhere. The memory is that of what is
/// written, which is often kept for another action, so that it lives from when what is read is
/// written.
class in_place_buffers {
 public:
  constexpr in_place_buffers(const lowered_view& program, std::int32_t stages,
                             list<lifetime>& lives)
      : program_(program), lives_(lives), host_(program.buffers.size(), -1) {
    for (std::int32_t stage = 0; stage < stages; ++stage) {
      for (int kind = 0; kind < action_kinds; ++kind) {
        find_in_action(action_entry(stage, static_cast<action_kind>(kind)),
                       position_of({stage, static_cast<action_kind>(kind)}, stages));
      }
    }
  }

  /// By buffer: the number of that in whose memory it lies, or -1.
  constexpr const list<std::int32_t>& hosts() const { return host_; }

 private:
  /// From the last call to the first: where the memory lies of what a call writes is known then.
  constexpr void find_in_action(std::size_t entry, std::int32_t position) {
    const std::int32_t first = program_.first_call[entry];
    for (std::int32_t row = program_.first_call[entry + 1] - 1; row >= first; --row) {
      const emitted_call& made = program_.calls[row];
      if (position >= 0 && made.in_place != 0 && made.writes == 1 && made.steps == 1) {
        find_in_call(made, row, position);
      }
    }
  }

  constexpr void find_in_call(const emitted_call& made, std::int32_t row, std::int32_t position) {
    const std::int32_t written = program_.operands[made.first_operand];
    if (!begins_at(written, row, position)) {
      return;
    }
    for (std::int32_t i = 0; i < made.reads; ++i) {
      const std::int32_t read = program_.operands[made.first_operand + 1 + i];
      if (reads_in_place_alone(made, read) && ends_at(read, row) && are_alike(read, written)) {
        const std::int32_t host = host_[written] < 0 ? written : host_[written];
        host_[read] = host;
        lives_[host].first_call = lives_[read].first_call;
        return;
      }
    }
  }

  /// Whether a call reads it in place wherever it reads it.
  constexpr bool reads_in_place_alone(const emitted_call& made, std::int32_t read) const {
    for (std::int32_t i = 0; i < made.reads; ++i) {
      const bool in_place = i < 32 && (made.in_place >> i & 1) != 0;
      if (program_.operands[made.first_operand + 1 + i] == read && !in_place) {
        return false;
      }
    }
    return true;
  }

  /// Whether what a call writes has nothing in it before: not in this action, and in no other.
  constexpr bool begins_at(std::int32_t written, std::int32_t row, std::int32_t position) const {
    const lifetime& life = lives_[written];
    for (std::int32_t before = 0; before < position; ++before) {
      if (life.touched.has(before)) {
        return false;
      }
    }
    return life.first_call == row && program_.buffers[written].life == buffer_life::micro_batch;
  }

  /// Whether nobody reads it behind this call, and nobody has a place for it already.
  constexpr bool ends_at(std::int32_t read, std::int32_t row) const {
    const lifetime& life = lives_[read];
    return life.actions == 1 && life.last_call == row && life.first_call < row && host_[read] < 0 &&
           program_.buffers[read].life == buffer_life::micro_batch;
  }

  /// Whether every element of one lies where that of the other does.
  constexpr bool are_alike(std::int32_t read, std::int32_t written) const {
    const buffer& left = program_.buffers[read];
    const buffer& right = program_.buffers[written];
    return left.lies == right.lies && left.type == right.type && left.samples == right.samples &&
           left.extents == right.extents;
  }

  lowered_view program_;
  list<lifetime>& lives_;
  list<std::int32_t> host_;
};

}  // namespace ipu_dsl
