// SPDX-License-Identifier: MIT
// What a recurrent layer hands over of its states: the last one, or all of them from the last to
// the first; and the same of their gradients. And what is carried from step to step.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>

namespace ipu_dsl {

enum class sequence_ends_variant : std::int32_t {
  taken,      ///< writes vectors, reads one position of sequences
  placed,     ///< writes sequences: a vector at one position, zeros at all others
  copied,     ///< writes sequences, reads sequences
  reversed,   ///< the same from the last position to the first
  added,      ///< adds vectors to one position of sequences
  put,        ///< writes one position of sequences, reads vectors
  kept,       ///< copies the first of two positions of sequences to the second
  moved,      ///< copies each position of sequences to the one before it
  cleared,    ///< writes sequences: zeros
  taken_all,  ///< writes sequences, reads neighbouring positions of longer ones
  put_all     ///< writes neighbouring positions of longer sequences, reads sequences
};

struct sequence_ends_call {
  sequence_ends_variant variant;
  std::int32_t batch;
  std::int32_t steps;
  std::int32_t units;
  std::int32_t position;  ///< of the vector, or of the first step
  std::int32_t kept;      ///< positions of longer sequences, and of those that are reversed
};

/// Calls of layers of sequences; no layer is made of it.
inline constexpr family sequence_ends_family{.name = "sequence ends"};

/// `positions` x `units` numbers of every sample.
struct sequence_extents {
  std::int32_t steps;
  std::int32_t units;

  constexpr sequence_ends_call key(const emitter& emit, sequence_ends_variant variant,
                                   std::int32_t position = 0, std::int32_t kept = 0) const {
    return {.variant = variant,
            .batch = emit.batch(),
            .steps = steps,
            .units = units,
            .position = position,
            .kept = kept > 0 ? kept : steps};
  }

  /// `vectors` are those at `position` of `sequences`.
  constexpr void take(emitter& emit, const buffer_ref& vectors, const buffer_ref& sequences,
                      std::int32_t position) const {
    call_draft call =
        emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::taken, position));
    const auto [sample, unit] = call.over(emit.batch(), units);
    reach at;
    at.offset = position;
    call.writes(vectors, {sample, unit}).reads(sequences, {sample, at, unit});
  }

  /// `sequences` are zero but at `position`, where `vectors` stand.
  constexpr void place(emitter& emit, const buffer_ref& sequences, const buffer_ref& vectors,
                       std::int32_t position) const {
    call_draft call =
        emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::placed, position));
    const axis_id sample = call.over(emit.batch());
    const auto [step, unit] = call.over(steps, units);
    call.writes(sequences, {sample, step, unit}).reads(vectors, {sample, unit});
  }

  /// `sequences` are zero.
  constexpr void clear(emitter& emit, const buffer_ref& sequences) const {
    call_draft call = emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::cleared));
    const axis_id sample = call.over(emit.batch());
    const auto [step, unit] = call.over(steps, units);
    call.writes(sequences, {sample, step, unit});
  }

  constexpr void copy(emitter& emit, const buffer_ref& made, const buffer_ref& read) const {
    call_draft call = emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::copied));
    const axis_id sample = call.over(emit.batch());
    const auto [step, unit] = call.over(steps, units);
    call.writes(made, {sample, step, unit}).reads(read, {sample, step, unit});
  }

  /// `vectors` stand at `position` of `sequences`; other positions stay what they are.
  constexpr void put(emitter& emit, const buffer_ref& sequences, const buffer_ref& vectors,
                     std::int32_t position) const {
    call_draft call =
        emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::put, position));
    const auto [sample, unit] = call.over(emit.batch(), units);
    reach at;
    at.offset = position;
    call.writes(sequences, {sample, at, unit}).reads(vectors, {sample, unit});
  }

  /// The same, added to what is there.
  constexpr void add(emitter& emit, const buffer_ref& sequences, const buffer_ref& vectors,
                     std::int32_t position) const {
    call_draft call =
        emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::added, position));
    const auto [sample, unit] = call.over(emit.batch(), units);
    reach at;
    at.offset = position;
    call.updates(sequences, {sample, at, unit}).reads(vectors, {sample, unit});
  }

  /// Of sequences of two positions the first becomes the second as well.
  constexpr void keep(emitter& emit, const buffer_ref& sequences) const {
    call_draft call = emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::kept));
    const auto [sample, unit] = call.over(emit.batch(), units);
    reach second;
    second.offset = 1;
    call.writes(sequences, {sample, second, unit}).reads(sequences, {sample, reach(), unit});
  }

  /// Each position becomes the one before it; the last stays as well.
  constexpr void move(emitter& emit, const buffer_ref& sequences) const {
    call_draft call = emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::moved));
    const auto [sample, unit] = call.over(emit.batch(), units);
    const axis_id step = call.all(steps - 1);
    call.writes(sequences, {sample, step, unit}).reads(sequences, {sample, shifted(step, 1), unit});
  }

  /// From the last position to the first; what is read has `kept` positions, of which the last may
  /// be no steps.
  constexpr void reverse(emitter& emit, const buffer_ref& made, const buffer_ref& read,
                         std::int32_t kept = 0) const {
    call_draft call =
        emit.call_of(sequence_ends_family, key(emit, sequence_ends_variant::reversed, 0, kept));
    const axis_id sample = call.over(emit.batch());
    const auto [step, unit] = call.over(steps, units);
    call.writes(made, {sample, step, unit}).reads(read, {sample, counted_back(step, steps), unit});
  }

  /// `made` are the positions of `read`, which has `kept` of them, from `position` on.
  constexpr void take_all(emitter& emit, const buffer_ref& made, const buffer_ref& read,
                          std::int32_t position, std::int32_t kept) const {
    call_draft call = emit.call_of(sequence_ends_family,
                                   key(emit, sequence_ends_variant::taken_all, position, kept));
    const axis_id sample = call.over(emit.batch());
    const auto [step, unit] = call.over(steps, units);
    call.writes(made, {sample, step, unit}).reads(read, {sample, shifted(step, position), unit});
  }

  /// Those positions of `made` are `read`; others stay what they are.
  constexpr void put_all(emitter& emit, const buffer_ref& made, const buffer_ref& read,
                         std::int32_t position, std::int32_t kept) const {
    call_draft call = emit.call_of(sequence_ends_family,
                                   key(emit, sequence_ends_variant::put_all, position, kept));
    const axis_id sample = call.over(emit.batch());
    const auto [step, unit] = call.over(steps, units);
    call.writes(made, {sample, shifted(step, position), unit}).reads(read, {sample, step, unit});
  }
};

}  // namespace ipu_dsl
