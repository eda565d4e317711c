// SPDX-License-Identifier: MIT
// Files that training goes on from: what there is, without the code for them.
#pragma once

#include <string>

#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/training/session_engine.hpp>

namespace ipu_dsl {

/// Writes what training goes on from: weights and states, what the optimizer keeps beside them
/// ("logits/kernel/momentum"), and how many updates and samples there were. Not where in its data
/// the session was, nor the values of its runs, as of `set<"temperature">`. Throws `error` if the
/// file cannot be written.
IPU_DSL_INLINE void save_training(session_engine& engine, const std::string& path);

/// Reads what `save_training` wrote of a session of the same model and optimizer. Throws `error` as
/// `load_weights` does; nothing is changed then.
IPU_DSL_INLINE void load_training(session_engine& engine, const std::string& path,
                                  non_finite floats = non_finite::refused);

}  // namespace ipu_dsl
