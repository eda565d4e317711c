// SPDX-License-Identifier: MIT
// What a training ended in, without the headers that train.
#pragma once

#include <cstdint>

#include <ipu_dsl/layout/architecture.hpp>

namespace ipu_dsl::tests {

struct training_outcome {
  std::uint64_t weights;    ///< their fingerprint
  bool fused_multiply_add;  ///< of the architecture that trained
};

namespace IPU_DSL_ARCHITECTURE {

/// The small training on the architecture of the including translation unit.
training_outcome trained_weights();

}  // namespace IPU_DSL_ARCHITECTURE

}  // namespace ipu_dsl::tests
