// SPDX-License-Identifier: MIT
// The version of the library: stated here and nowhere else, the build reads it from this line.
#pragma once

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// "major.minor.patch". Before 1.0.0 a new minor version may change the interface.
inline constexpr char version[] = "0.1.0";

}  // namespace ipu_dsl
