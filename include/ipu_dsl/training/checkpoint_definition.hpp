// SPDX-License-Identifier: MIT
// What checkpoint_interface.hpp declares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/npy.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/zip.hpp>
#include <ipu_dsl/training/checkpoint_interface.hpp>

namespace ipu_dsl {

namespace checkpoint {

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

/// The names of the arrays of a file, the first eight if there are more.
inline std::string names_in(const std::vector<npz_entry>& entries) {
  constexpr std::size_t most = 8;
  std::string names;
  for (std::size_t i = 0; i < (std::min)(entries.size(), most); ++i) {
    names += (i == 0 ? "" : ", ") + printable(entries[i].name);
  }
  if (entries.size() > most) {
    names += " and " + std::to_string(entries.size() - most) + " more";
  }
  return names.empty() ? "none at all" : names;
}

/// The first array that is no parameter's; there is one if there are more arrays than parameters.
inline std::string name_of_stranger(const parameters& weights,
                                    const std::vector<npz_entry>& entries) {
  for (const npz_entry& entry : entries) {
    bool known = false;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      known = known || weights.name(i) == entry.name;
    }
    if (!known) {
      return printable(entry.name);
    }
  }
  return "one";
}

}  // namespace checkpoint

IPU_DSL_INLINE void save_parameter(const parameters& weights, std::size_t index,
                                   const std::string& path) {
  write_npy(path, checkpoint::to_array(weights, index));
}

IPU_DSL_INLINE void load_parameter(parameters& weights, std::size_t index,
                                   const std::string& path) {
  weights.set(index, checkpoint::from_array(weights, index, read_npy(path), path));
}

IPU_DSL_INLINE void save_weights(const parameters& weights, const std::string& path) {
  std::vector<npz_entry> entries;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    entries.push_back({weights.name(i), checkpoint::to_array(weights, i)});
  }
  write_npz(path, entries);
}

IPU_DSL_INLINE void load_weights(parameters& weights, const std::string& path,
                                 entry_inflater inflater) {
  const std::vector<npz_entry> entries = read_npz(path, inflater);
  std::vector<std::vector<float>> values;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const npy_array* array = find_array(entries, weights.name(i));
    if (array == nullptr) {
      throw error("The file " + path + " has no array " + weights.name(i) + "; it has " +
                  checkpoint::names_in(entries) + ".");
    }
    values.push_back(checkpoint::from_array(weights, i, *array, path));
  }
  if (entries.size() != weights.size()) {
    throw error("The file " + path + " has " + std::to_string(entries.size()) +
                " arrays, the model has " + std::to_string(weights.size()) + " parameters; " +
                checkpoint::name_of_stranger(weights, entries) + " is none of them.");
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights.set(i, values[i]);
  }
}

IPU_DSL_INLINE void load_weights(parameters& weights, const std::string& path) {
  load_weights(weights, path, refuse_deflated);
}

}  // namespace ipu_dsl
