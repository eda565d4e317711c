// SPDX-License-Identifier: MIT
// What checkpoint_interface.hpp declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/dtype.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/bytes.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/hdf5.hpp>
#include <ipu_dsl/formats/npy_conversion.hpp>
#include <ipu_dsl/formats/npy_header.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/zip_reader.hpp>
#include <ipu_dsl/formats/zip_writer.hpp>
#include <ipu_dsl/training/checkpoint_interface.hpp>

namespace ipu_dsl {

namespace checkpoint {

// Arrays go between parameters and the bytes of a file without `npy_array`, `npz_entry` and
// vectors of them: every program that predicts compiles this.

/// The extents of a parameter as files have them.
inline npy::file_extents file_extents_of(const tensor& parameter) {
  npy::file_extents extents;
  for (std::int32_t axis = 0; axis < parameter.extents.rank; ++axis) {
    extents.values[axis] = parameter.extents[axis];
  }
  extents.rank = static_cast<std::size_t>(parameter.extents.rank);
  return extents;
}

/// How many values a parameter has.
inline std::size_t values_of(const parameters& weights, std::size_t index) {
  return static_cast<std::size_t>(weights.at(index).extents.elements());
}

/// The bytes of an NPY file of a parameter. Throws `error` for infinities and NaN that are not to
/// be kept in the file at `path`.
inline std::vector<std::uint8_t> npy_file_of(const parameters& weights, std::size_t index,
                                             const std::string& path, non_finite floats) {
  list<float> values(values_of(weights, index));
  weights.get(index, {values.data(), values.size()});
  if (floats == non_finite::refused) {
    weights.check_savable(index, {values.data(), values.size()}, path);
  }
  const npy::file_extents extents = file_extents_of(weights.at(index));
  std::vector<std::uint8_t> bytes = npy::header_bytes(dtype::float32, extents.view());
  append_bytes(bytes, values.data(), values.size() * sizeof(float));
  return bytes;
}

/// Reads the values of a parameter from the bytes of an NPY file, which sentences call `name`.
/// Throws `error` if the array has another shape or type.
[[gnu::cold]] inline void read_values(const parameters& weights, std::size_t index,
                                      std::span<const std::uint8_t> bytes, const std::string& name,
                                      const std::string& path, float* values) {
  const npy::array_in_file array = npy::find_array(bytes, name);
  const tensor& parameter = weights.at(index);
  const npy::file_extents& extents = array.header.extents;
  bool same = extents.rank == static_cast<std::size_t>(parameter.extents.rank);
  for (std::int32_t axis = 0; same && axis < parameter.extents.rank; ++axis) {
    same = extents.values[axis] == parameter.extents[axis];
  }
  if (!same) {
    raise_error({"The array ", weights.name(index), " of ", path, " must have the shape ",
                 describe(parameter.extents), ", got ", npy::describe(extents.view()), "."});
  }
  if (array.header.stored.element != dtype::float32) {
    raise_error({"The array ", weights.name(index), " of ", path,
                 " holds whole numbers; expected floats."});
  }
  npy::convert(array, name, reinterpret_cast<std::uint8_t*>(values));
}

/// Throws `error` for the first infinity or NaN of a parameter in a file.
inline void check_finite(const parameters& weights, std::size_t index,
                         std::span<const float> values, const std::string& path) {
  if (!holds_non_finite(values)) {
    return;
  }
  std::size_t first = 0;
  while (!is_non_finite(values[first])) {
    ++first;
  }
  const bool infinite = values[first] == values[first];
  raise_error({"Value ", first, " of the array ", weights.name(index), " of ", path, " is ",
               infinite ? "infinite" : "not a number",
               "; expected finite numbers. Hint: non_finite::kept behind the path keeps it."});
}

/// Refuses what people have instead of a file that `save` or `save_training` wrote, with what to
/// do.
[[gnu::cold]] inline void refuse_other_formats(std::span<const std::uint8_t> file,
                                               const std::string& path) {
  const std::string_view start(reinterpret_cast<const char*>(file.data()), file.size());
  refuse_hdf5(start, path);
  // Behind the length of its header, eight bytes, JSON begins.
  if (start.size() > 8 && start[8] == '{') {
    raise_error({path,
                 " is a file of safetensors. Hint: load_by_name(run.weights(), path) of "
                 "<ipu_dsl/exchange/weights_by_name.hpp> takes its weights."});
  }
}

/// The name of the array that an entry of an archive is, without ".npy".
inline std::string_view array_name(const zips::record& entry) {
  const std::string_view name = entry.name;
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

/// The entry of this array, or the number of entries if there is none.
[[gnu::cold]] inline std::size_t find_entry(const zips::archive_reader& archive,
                                            std::string_view wanted) {
  std::size_t index = 0;
  while (index < archive.size() && array_name(archive.at(index)) != wanted) {
    ++index;
  }
  return index;
}

/// The names of the arrays of a file, the first eight if there are more.
[[gnu::cold]] inline std::string names_in(const zips::archive_reader& archive) {
  constexpr std::size_t most = 8;
  std::string names;
  for (std::size_t i = 0; i < archive.size() && i < most; ++i) {
    names += sentence_of({i == 0 ? "" : ", ", printable(array_name(archive.at(i)))});
  }
  if (archive.size() > most) {
    names += sentence_of({" and ", archive.size() - most, " more"});
  }
  return names.empty() ? "none at all" : names;
}

/// What only saved training has, which `save_training` and `model_checkpoint` write.
inline constexpr std::string_view version_name = "training/version";

/// Refuses a file that has every parameter and something else.
[[noreturn, gnu::cold]] inline void refuse_strangers(const parameters& weights,
                                                     const zips::archive_reader& archive,
                                                     const std::string& path) {
  if (find_entry(archive, version_name) != archive.size()) {
    raise_error({"The file ", path,
                 " holds saved training, more than weights. load_training goes on from it; "
                 "load_by_name of <ipu_dsl/exchange/weights_by_name.hpp> takes its weights alone, "
                 "with {.partly = true} behind the path."});
  }
  list<std::int32_t> seen(weights.size());
  for (std::size_t entry = 0; entry < archive.size(); ++entry) {
    const std::string_view name = array_name(archive.at(entry));
    std::size_t i = 0;
    while (i < weights.size() && weights.name(i) != name) {
      ++i;
    }
    if (i == weights.size()) {
      raise_error({"The file ", path, " has ", archive.size(), " arrays, the model has ",
                   weights.size(), " parameters; ", printable(name), " is none of them."});
    }
    if (seen[i] != 0) {
      raise_error({path, " has two arrays of the name ", printable(name), "."});
    }
    seen[i] = 1;
  }
  raise_error({"The file ", path, " has other arrays than the model has parameters."});
}

/// The values of all parameters in a file: all are read before the first is changed.
[[gnu::cold]] inline list<float> read_all(const parameters& weights, zips::archive_reader& archive,
                                          const std::string& path, non_finite floats) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    count += values_of(weights, i);
  }
  list<float> values(count);
  float* next = values.data();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t entry = find_entry(archive, weights.name(i));
    if (entry == archive.size()) {
      raise_error({"The file ", path, " has no array ", weights.name(i), "; it has ",
                   names_in(archive), "."});
    }
    read_values(weights, i, archive.take(entry).bytes, archive.name_of(entry), path, next);
    const std::size_t read = values_of(weights, i);
    weights.check_range(i, {next, read}, path);
    if (floats == non_finite::refused) {
      check_finite(weights, i, {next, read}, path);
    }
    next += read;
  }
  return values;
}

/// Copies what `read_all` read into the parameters.
inline void set_all(parameters& weights, const list<float>& values) {
  const float* next = values.data();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights.set(i, {next, values_of(weights, i)});
    next += values_of(weights, i);
  }
}

/// Adds one array for each parameter; see `npy_file_of`.
inline void add_all(zips::archive_writer& archive, const parameters& weights,
                    const std::string& path, non_finite floats) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    archive.add(sentence_of({weights.name(i), ".npy"}), npy_file_of(weights, i, path, floats));
  }
}

}  // namespace checkpoint

IPU_DSL_INLINE void save_parameter(const parameters& weights, std::size_t index,
                                   const std::string& path, non_finite floats) {
  write_file_atomically(path, checkpoint::npy_file_of(weights, index, path, floats));
}

IPU_DSL_INLINE void load_parameter(parameters& weights, std::size_t index, const std::string& path,
                                   non_finite floats) {
  const std::vector<std::uint8_t> file = read_file(path);
  list<float> values(checkpoint::values_of(weights, index));
  checkpoint::read_values(weights, index, file, path, path, values.data());
  weights.check_range(index, {values.data(), values.size()}, path);
  if (floats == non_finite::refused) {
    checkpoint::check_finite(weights, index, {values.data(), values.size()}, path);
  }
  weights.set(index, {values.data(), values.size()});
}

IPU_DSL_INLINE void save_weights(const parameters& weights, const std::string& path,
                                 non_finite floats) {
  files::check_archive_path(path);
  zips::archive_writer archive;
  checkpoint::add_all(archive, weights, path, floats);
  write_file_atomically(path, archive.finish());
}

[[gnu::cold]] IPU_DSL_INLINE void load_weights(parameters& weights, const std::string& path,
                                               entry_inflater inflater, non_finite floats) {
  const std::vector<std::uint8_t> file = read_file(path);
  checkpoint::refuse_other_formats(file, path);
  zips::archive_reader archive(file, path, inflater, default_unpacked_limit);
  const list<float> values = checkpoint::read_all(weights, archive, path, floats);
  if (archive.size() != weights.size()) {
    checkpoint::refuse_strangers(weights, archive, path);
  }
  checkpoint::set_all(weights, values);
}

[[gnu::cold]] IPU_DSL_INLINE void load_weights(parameters& weights, const std::string& path,
                                               non_finite floats) {
  load_weights(weights, path, refuse_deflated, floats);
}

}  // namespace ipu_dsl
