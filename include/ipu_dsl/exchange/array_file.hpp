// SPDX-License-Identifier: MIT
// Named arrays of a file, NPZ or safetensors: what it is, it says itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/hdf5.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/formats/safetensors.hpp>

namespace ipu_dsl {

/// Arrays by name, out of a file that was checked as a whole.
class array_file {
 public:
  /// Of the bytes of a file; `name` is what sentences call it. Throws `error` if they are neither
  /// NPZ nor safetensors, or if anything about them is wrong; compressed archives ask for an
  /// `inflater`.
  array_file(std::vector<std::uint8_t> bytes, std::string name,
             entry_inflater inflater = refuse_deflated)
      : name_(std::move(name)) {
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()),
                                 bytes.size() < 256 ? bytes.size() : 256);
    refuse_others(start);
    if (start.starts_with("PK")) {
      npz_archive found = parse_npz_archive(bytes, name_, inflater);
      if (found.arrays.empty() && !found.other_files.empty()) {
        raise_error({name_, " holds no arrays but a file ", printable(found.other_files[0]),
                     instead_of_other_formats});
      }
      arrays_ = std::move(found.arrays);
      other_files_ = std::move(found.other_files);
    } else {
      tensors_.emplace(std::move(bytes), name_);
    }
  }

  /// What sentences call it.
  const std::string& name() const { return name_; }

  std::size_t size() const { return tensors_ ? tensors_->size() : arrays_.size(); }

  std::string_view name_of(std::size_t index) const {
    return tensors_ ? tensors_->at(index).name : arrays_[index].name;
  }

  std::span<const std::int64_t> extents_of(std::size_t index) const {
    return tensors_ ? tensors_->at(index).extents : arrays_[index].array.extents;
  }

  /// Names of the files of an NPZ that are no arrays: the
  /// `training/architecture.txt` of `save_training`.
  std::span<const std::string> other_files() const { return other_files_; }

  /// The number of the array called so, or `size()` if there is none.
  std::size_t find(std::string_view wanted) const {
    std::size_t index = 0;
    while (index < size() && name_of(index) != wanted) {
      ++index;
    }
    return index;
  }

  /// Whether `floats` can read the array.
  bool holds_floats(std::size_t index) const {
    return tensors_ ? tensors_->holds_floats(index)
                    : arrays_[index].array.element == dtype::float32;
  }

  /// What the elements of an array are, as its file says it: "int32", "I32".
  std::string_view type_of(std::size_t index) const {
    return tensors_ ? tensors_->at(index).stored.name
                    : ipu_dsl::name_of(arrays_[index].array.element);
  }

  /// The elements of an array in C order. Throws `error` if they are no floats, or if float32
  /// cannot hold one.
  std::vector<float> floats(std::size_t index) const {
    return tensors_ ? tensors_->floats(index)
                    : npy_values<float>(arrays_[index].array, printable(name_of(index)));
  }

 private:
  /// Throws `error` for what people have instead, with what to do.
  void refuse_others(std::string_view start) const {
    refuse_hdf5(start, name_);
    if (start.starts_with("\x93NUMPY")) {
      raise_error({name_,
                   " is one array of NumPy, which has no name. Hint: np.savez(\"weights.npz\", **{"
                   "\"dense/kernel\": array}) gives it that of its parameter."});
    }
    if (start.starts_with("PK") && start.find("data.pkl") != std::string_view::npos) {
      raise_error({name_, " is what torch.save wrote, pickled Python, which is not read",
                   instead_of_other_formats});
    }
  }

  std::string name_;
  std::vector<npz_entry> arrays_;
  std::vector<std::string> other_files_;
  std::optional<safetensors_file> tensors_;
};

/// Reads the NPZ or safetensors file at `path`. Throws `error` if it is missing or anything about
/// it is wrong.
inline array_file read_arrays(const std::string& path, entry_inflater inflater = refuse_deflated) {
  return array_file(read_file(path), path, inflater);
}

}  // namespace ipu_dsl
