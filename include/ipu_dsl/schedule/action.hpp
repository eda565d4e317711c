// SPDX-License-Identifier: MIT
// What a device does in one entry of its row.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl {

/// The kinds of actions. A whole `backward` is an `input_gradient` followed by a `weight_gradient`;
/// a schedule names either the whole or both halves of a micro-batch. What the backward needs is
/// either kept, recomputed before it, or offloaded after the forward and fetched back before it.
///
/// The kinds before `update` hand data from stage to stage; the others wait for their row alone.
enum class action_kind : std::uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  recompute,
  update,
  offload,
  fetch,
};

/// How many kinds there are; a table over stages and kinds has stages x this many entries.
inline constexpr int action_kinds = 8;

/// Whether actions of this kind read or write edges.
constexpr bool uses_edges(action_kind kind) {
  return kind < action_kind::update;
}

/// One kind of work of one stage on one micro-batch. An update belongs to many micro-batches; its
/// `micro_batch` is the number of the update, which is 0 where a run has one.
struct action {
  action_kind kind;
  int stage;
  int micro_batch;
  /// One step with the next action of the row. A step starts when all of its parts are ready, and
  /// what they write, and the slots that they free, are there when the last of them ends. So no
  /// part can wait for another part of its step, of whatever stage: the proof refuses it as a wait
  /// forever. Devices do the parts side by side; workers that play devices do them one after the
  /// other, as soon as each is ready.
  bool joined;

  /// Trivial, so that thousands of them cost a constant evaluation nothing before they are set;
  /// `action()` is F0(0).
  constexpr action() = default;

  constexpr action(action_kind kind_, int stage_, int micro_batch_, bool joined_ = false)
      : kind(kind_), stage(stage_), micro_batch(micro_batch_), joined(joined_) {}

  friend constexpr bool operator==(const action&, const action&) = default;
};

/// F, B, I, W, R, U, O (offload) or L (fetch, that is load); ? for what is no kind.
constexpr char letter(action_kind kind) {
  return static_cast<int>(kind) < action_kinds ? "FBIWRUOL"[static_cast<int>(kind)] : '?';
}

/// "F2(5)": forward of stage 2 on micro-batch 5; "U2": update of stage 2, "U2(1)" its second.
constexpr label describe(const action& what) {
  label words;
  words << letter(what.kind) << what.stage;
  if (what.kind != action_kind::update || what.micro_batch != 0) {
    words << "(" << what.micro_batch << ")";
  }
  return words;
}

/// What an action adds to the micro-batches that its device keeps for the backward.
constexpr int stash_change(action_kind kind) {
  switch (kind) {
    case action_kind::forward:
    case action_kind::fetch:
      return 1;
    case action_kind::backward:
    case action_kind::weight_gradient:
    case action_kind::offload:
      return -1;
    default:
      return 0;
  }
}

}  // namespace ipu_dsl
