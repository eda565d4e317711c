// SPDX-License-Identifier: MIT
// What makes the parts of a kernel one function.
#pragma once

#include <ipu_dsl/core/standard.hpp>

/// Without it the inliner's budget decides per translation unit whether a lambda in a register
/// tile becomes a call: the same tile ran at 97 % and at 25 % of the peak (g++ 12.2).
#define IPU_DSL_ALWAYS_INLINE [[gnu::always_inline]] inline

/// The same for a lambda, where the attribute stands behind the parameters.
#define IPU_DSL_ALWAYS_INLINE_LAMBDA __attribute__((always_inline))

/// Before a loop over the rows or vectors of a register tile, at most 32: unrolled, so that an
/// array of accumulators lives in registers. A lambda called with constants makes the same
/// instructions, but a layer of a session then takes g++ 12 half as long again to compile, and
/// clang 19 three times as long.
#define IPU_DSL_UNROLLED _Pragma("GCC unroll 32")
