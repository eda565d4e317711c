// SPDX-License-Identifier: MIT
// Errors of the run time. Off the check path: a model is checked without this header.
#pragma once

#include <stdexcept>
#include <string>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

/// Thrown for everything that is refused at run time: a file that is not what it claims, a batch of
/// the wrong extents, a step count that does not divide. `what()` is one sentence; nothing has been
/// changed when it is thrown.
class error : public std::runtime_error {
 public:
  explicit error(const std::string& words) : std::runtime_error(words) {}

  explicit error(const problem& found) : std::runtime_error(std::string(found.message().view())) {}
};

}  // namespace ipu_dsl
