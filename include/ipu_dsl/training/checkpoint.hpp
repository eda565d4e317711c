// SPDX-License-Identifier: MIT
// The weights of a session in a file that NumPy reads.
#pragma once

#include <string>
#include <vector>

#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/training/parameters.hpp>

namespace ipu_dsl {

/// Writes all parameters and states as an .npz file: one array each, called "layer/parameter",
/// kernels as [inputs, units]. The old file stays until the new one is whole.
/// Throws `error` if the file cannot be written.
inline void save_weights(const parameters& weights, const std::string& path) {
  std::vector<npz_entry> entries;
  std::vector<float> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const shape& extents = weights.at(i).extents;
    values.resize(static_cast<std::size_t>(extents.elements()));
    weights.get(i, values);
    const std::vector<std::int64_t> sizes(extents.extents, extents.extents + extents.rank);
    entries.push_back({weights.name(i), make_npy(std::span<const float>(values), sizes)});
  }
  write_npz(path, entries);
}

/// Reads what `save_weights` wrote. Throws `error` if the file is not of this model: a parameter is
/// missing, has another shape, or there is one too many. Nothing is changed then.
inline void load_weights(parameters& weights, const std::string& path) {
  const std::vector<npz_entry> entries = read_npz(path);
  std::vector<std::vector<float>> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const npy_array* array = find_array(entries, weights.name(i));
    if (array == nullptr) {
      throw error("The file " + path + " has no array " + weights.name(i) + ".");
    }
    const shape& wanted = weights.at(i).extents;
    const std::vector<std::int64_t> sizes(wanted.extents, wanted.extents + wanted.rank);
    if (array->extents != sizes) {
      throw error("The array " + weights.name(i) + " of " + path + " must have the shape " +
                  std::string(describe(wanted).view()) + ".");
    }
    values.push_back(npy_values<float>(*array, weights.name(i)));
  }
  if (entries.size() != weights.size()) {
    throw error("The file " + path + " has " + std::to_string(entries.size()) +
                " arrays, the model has " + std::to_string(weights.size()) + " parameters.");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights.set(i, values[i]);
  }
}

}  // namespace ipu_dsl
