// SPDX-License-Identifier: MIT
// The weights of a session in files that NumPy reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/npy.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/formats/zip.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The extents of a parameter as files have them.
inline std::vector<std::int64_t> file_extents(const tensor& parameter) {
  const shape& extents = parameter.extents;
  return {extents.extents, extents.extents + extents.rank};
}

/// The values of a parameter as an array for a file.
inline npy_array to_array(const parameters& weights, std::size_t index) {
  std::vector<float> values(static_cast<std::size_t>(weights.at(index).extents.elements()));
  weights.get(index, values);
  return make_npy(std::span<const float>(values), file_extents(weights.at(index)));
}

/// The values of an array for a parameter. Throws `error` if it has another shape or type.
inline std::vector<float> from_array(const parameters& weights, std::size_t index,
                                     const npy_array& array, const std::string& path) {
  if (array.extents != file_extents(weights.at(index))) {
    throw error("The array " + weights.name(index) + " of " + path + " must have the shape " +
                std::string(describe(weights.at(index).extents).view()) + ", got " +
                npy::describe(array.extents) + ".");
  }
  return npy_values<float>(array, weights.name(index));
}

/// Writes one parameter as an .npy file, a kernel as [inputs, units]. The old file stays until the
/// new one is whole. Throws `error` if the file cannot be written.
inline void save_parameter(const parameters& weights, std::size_t index, const std::string& path) {
  write_npy(path, to_array(weights, index));
}

/// Reads one parameter. Throws `error` if the file is not of its shape; nothing is changed then.
inline void load_parameter(parameters& weights, std::size_t index, const std::string& path) {
  weights.set(index, from_array(weights, index, read_npy(path), path));
}

/// Writes all parameters and states as an .npz file: one array each, called "layer/parameter",
/// kernels as [inputs, units]. The old file stays until the new one is whole.
/// Throws `error` if the file cannot be written.
inline void save_weights(const parameters& weights, const std::string& path) {
  std::vector<npz_entry> entries;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    entries.push_back({weights.name(i), to_array(weights, i)});
  }
  write_npz(path, entries);
}

/// Reads what `save_weights` wrote, or `np.savez`: float64 becomes the nearest float32, Fortran
/// order C order. What `np.savez_compressed` wrote asks for `inflate_entry` of formats/gzip.hpp.
/// Throws `error` if the file is not of this model: a parameter is missing, has another shape,
/// holds a number that float32 cannot, or there is one too many. Nothing is changed then.
inline void load_weights(parameters& weights, const std::string& path,
                         entry_inflater inflater = refuse_deflated) {
  const std::vector<npz_entry> entries = read_npz(path, inflater);
  std::vector<std::vector<float>> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const npy_array* array = find_array(entries, weights.name(i));
    if (array == nullptr) {
      throw error("The file " + path + " has no array " + weights.name(i) + ".");
    }
    values.push_back(from_array(weights, i, *array, path));
  }
  if (entries.size() != weights.size()) {
    throw error("The file " + path + " has " + std::to_string(entries.size()) +
                " arrays, the model has " + std::to_string(weights.size()) + " parameters.");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights.set(i, values[i]);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
