// SPDX-License-Identifier: MIT
// Small files in the form of MNIST.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ipu_dsl/formats/file.hpp>

#include "formats/temporary_directory.hpp"

namespace ipu_dsl::tests {

using bytes = std::vector<std::uint8_t>;

/// An IDX file of `count` images; every pixel of image i is i.
inline bytes image_file(std::uint8_t count, std::uint8_t rows = 28, std::uint8_t columns = 28) {
  bytes file = {0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, rows, 0, 0, 0, columns};
  for (std::uint8_t image = 0; image < count; ++image) {
    file.insert(file.end(), std::size_t{rows} * columns, image);
  }
  return file;
}

inline bytes label_file(const bytes& labels) {
  bytes file = {0, 0, 8, 1, 0, 0, 0, static_cast<std::uint8_t>(labels.size())};
  file.insert(file.end(), labels.begin(), labels.end());
  return file;
}

/// Three images for training and two for the test, in files named as the published ones.
inline void write_small_mnist(const temporary_directory& directory) {
  write_file_atomically(directory / "train-images-idx3-ubyte", image_file(3));
  write_file_atomically(directory / "train-labels-idx1-ubyte", label_file({7, 0, 9}));
  write_file_atomically(directory / "t10k-images-idx3-ubyte", image_file(2));
  write_file_atomically(directory / "t10k-labels-idx1-ubyte", label_file({1, 2}));
}

}  // namespace ipu_dsl::tests
