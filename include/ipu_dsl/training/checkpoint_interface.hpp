// SPDX-License-Identifier: MIT
// The weights of a session in files that NumPy reads: what there is, without the code for files.
#pragma once

#include <cstddef>
#include <string>

#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/formats/entry_inflater.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl {

/// Writes one parameter as an .npy file, a kernel as [inputs, units]. The old file stays until the
/// new one is whole. Throws `error` if the file cannot be written, or if there are infinities or
/// NaN that are not to be kept.
IPU_DSL_INLINE void save_parameter(const parameters& weights, std::size_t index,
                                   const std::string& path,
                                   non_finite floats = non_finite::refused);

/// Reads one parameter. Throws `error` if the file is not of its shape, or has infinities or NaN
/// that are not to be kept; nothing is changed then.
IPU_DSL_INLINE void load_parameter(parameters& weights, std::size_t index, const std::string& path,
                                   non_finite floats = non_finite::refused);

/// Writes all parameters and states as an .npz file: one array each, called "layer/parameter",
/// kernels as [inputs, units]. The old file stays until the new one is whole.
/// Throws `error` if the file cannot be written or ends as those of other formats do, or if there
/// are infinities or NaN that are not to be kept: a file of them would not be read, and stand where
/// a good one stood.
IPU_DSL_INLINE void save_weights(const parameters& weights, const std::string& path,
                                 non_finite floats = non_finite::refused);

/// Reads what `save_weights` wrote, or `np.savez`: float64 becomes the nearest float32, Fortran
/// order C order. What `np.savez_compressed` wrote asks for `inflate_entry` of formats/gzip.hpp.
/// Throws `error` if the file is not of this model: a parameter is missing, has another shape,
/// holds a number that float32 cannot, or there is one too many; or if it has infinities or NaN
/// that are not to be kept. Nothing is changed then.
IPU_DSL_INLINE void load_weights(parameters& weights, const std::string& path,
                                 entry_inflater inflater, non_finite floats = non_finite::refused);
IPU_DSL_INLINE void load_weights(parameters& weights, const std::string& path,
                                 non_finite floats = non_finite::refused);

}  // namespace ipu_dsl
