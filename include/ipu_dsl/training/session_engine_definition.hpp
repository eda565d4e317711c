// SPDX-License-Identifier: MIT
// What `session_engine.hpp` declares: which engine a session has.
#pragma once

#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/training/session_core.hpp>
#include <ipu_dsl/training/session_engine.hpp>

namespace ipu_dsl {

IPU_DSL_INLINE engine_owner make_engine(const session_parts& parts,
                                        const session_options& options) {
  return engine_owner(new session_core(parts, options));
}

}  // namespace ipu_dsl
