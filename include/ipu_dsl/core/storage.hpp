// SPDX-License-Identifier: MIT
// How the elements of a tensor lie in memory, by name; layout/ knows the arithmetic.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

enum class storage : std::int32_t {
  rows,        ///< [batch][elements of a sample], each row padded to whole vectors
  columns,     ///< [elements of a sample][batch], each row padded to whole vectors
  panels,      ///< weights [inputs, outputs] in column panels
  panel_bias,  ///< one element for every column of the panels
  plain        ///< contiguous, padded at the end to whole vectors
};

}  // namespace ipu_dsl
