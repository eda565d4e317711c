// SPDX-License-Identifier: MIT
// Uses a session with nothing but its interface.
#include "training/session_elsewhere.hpp"

namespace ipu_dsl::tests {

std::uint64_t weights_trained_elsewhere() {
  return trained_weights<compiled_elsewhere>();
}

}  // namespace ipu_dsl::tests
