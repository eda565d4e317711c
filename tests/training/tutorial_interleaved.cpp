// SPDX-License-Identifier: MIT
#include "training/tutorial_model.hpp"

namespace ipu_dsl::tests {

std::unique_ptr<tutorial_session> interleaved_tutorial(int cut, const session_options& options) {
  return tutorial_of<interleaved>(cut, options);
}

}  // namespace ipu_dsl::tests
