// SPDX-License-Identifier: MIT
// A mistake as a value. Nothing below `diagnose` refuses anything: rules return problems.
#pragma once

#include <ipu_dsl/core/text.hpp>

namespace ipu_dsl {

/// The first thing wrong with a model, a schedule, a plan or a batch; `found()` is false if
/// nothing is. Each part is a few words; `message()` puts them into the one sentence people read.
/// A rule fills in what it expected and what it got; whoever called the rule knows where.
struct problem {
  label where;               ///< "layer 1 Dense<256> in stage 0"
  label expected;            ///< "a vector"
  label got;                 ///< "(28, 28)"
  text<191> hint;            ///< "put Flatten before it"
  bool late = false;         ///< most likely a consequence of another error: see late_refusal.hpp
  bool wants_steps = false;  ///< a sequence: who makes a vector may know how it makes one

  constexpr bool found() const { return !expected.empty(); }

  /// "layer 1 Dense<256> in stage 0: expected a vector, got (28, 28). Hint: put Flatten before it";
  /// nothing if nothing was found.
  [[gnu::cold, gnu::noinline]] constexpr sentence message() const {
    sentence words;
    if (!found()) {
      return words;
    }
    words << where << ": expected " << expected << ", got " << got;
    if (!hint.empty()) {
      words << ". Hint: " << hint;
    }
    return words;
  }
};

/// What a rule returns when it refuses; the caller adds `where`.
[[gnu::cold, gnu::noinline]] constexpr problem refuse(const label& expected, const label& got,
                                                      const text<191>& hint = {}) {
  return {.where = {},
          .expected = expected,
          .got = got,
          .hint = hint,
          .late = false,
          .wants_steps = false};
}

/// The same where a sequence is expected. Of a vector that a layer makes the hint is the layer's,
/// if it has one: `family::sequence_hint`.
[[gnu::cold, gnu::noinline]] constexpr problem refuse_without_steps(const label& expected,
                                                                    const label& got,
                                                                    const text<191>& hint = {}) {
  problem found = refuse(expected, got, hint);
  found.wants_steps = true;
  return found;
}

}  // namespace ipu_dsl
