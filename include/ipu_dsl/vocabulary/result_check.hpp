// SPDX-License-Identifier: MIT
// That a loss or a metric asks for as many numbers as its code counts.
#pragma once

#include <cstdint>

#include <ipu_dsl/graph/emitter.hpp>

namespace ipu_dsl {

/// Refuses a call that counts so many numbers for a family whose `shapes` asked for others: code
/// would write behind them.
constexpr void check_result(const emitter& emit, call_draft& call, std::int64_t numbers) {
  const std::int64_t asked = emit.output_shape(0).elements();
  if (asked != numbers) {
    call.refuse_here(refuse(
        label() << numbers << " numbers that are counted", label("draft.result(") << asked << ")",
        text<191>("in the shapes of the family write draft.result(") << numbers << ")"));
  }
}

}  // namespace ipu_dsl
