// SPDX-License-Identifier: MIT
// What a device does in one entry of its row.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl {

/// The kinds of actions. A whole `backward` is an `input_gradient` followed by a `weight_gradient`;
/// a schedule names either the whole or both halves of a micro-batch.
enum class action_kind : std::uint8_t {
  forward,
  backward,
  input_gradient,
  weight_gradient,
  recompute,
  update,
};

/// How many kinds there are; a table over stages and kinds has stages x this many entries.
inline constexpr int action_kinds = 6;

/// One kind of work of one stage on one micro-batch. An update belongs to the whole run; its
/// micro-batch is 0.
struct action {
  action_kind kind = action_kind::forward;
  int stage = 0;
  int micro_batch = 0;

  friend constexpr bool operator==(const action&, const action&) = default;
};

/// F, B, I, W, R or U.
constexpr char letter(action_kind kind) {
  return "FBIWRU"[static_cast<int>(kind)];
}

/// "F2(5)": forward of stage 2 on micro-batch 5; "U2": update of stage 2.
constexpr label describe(const action& what) {
  label words;
  words << letter(what.kind) << what.stage;
  if (what.kind != action_kind::update) {
    words << "(" << what.micro_batch << ")";
  }
  return words;
}

}  // namespace ipu_dsl
