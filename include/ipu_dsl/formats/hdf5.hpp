// SPDX-License-Identifier: MIT
// Files of HDF5, in which Keras saves: told from others, and refused.
#pragma once

#include <string_view>

#include <ipu_dsl/core/error.hpp>

namespace ipu_dsl {

/// What to do with weights in a format that is not read.
inline constexpr std::string_view instead_of_other_formats =
    "; save its weights as NPZ or safetensors, docs/weights.md has the lines.";

/// Throws `error` if a file begins as one of HDF5; `name` is what the sentence calls it.
inline void refuse_hdf5(std::string_view file, std::string_view name) {
  if (file.starts_with("\x89HDF")) {
    raise_error({name, " is HDF5, which is not read", instead_of_other_formats});
  }
}

}  // namespace ipu_dsl
