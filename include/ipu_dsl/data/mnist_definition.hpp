// SPDX-License-Identifier: MIT
// What mnist_interface.hpp declares.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/mnist_interface.hpp>
#include <ipu_dsl/formats/idx.hpp>

namespace ipu_dsl::mnist {

IPU_DSL_INLINE std::string find_file(const std::string& directory, const std::string& name) {
  const std::string plain = directory + "/" + name;
  if (file_exists(plain)) {
    return plain;
  }
  if (file_exists(plain + ".gz")) {
    return plain + ".gz";
  }
  raise_error({"There is neither ", plain, " nor ", plain,
               ".gz; MNIST is four files, two of images and two of labels."});
}

IPU_DSL_INLINE digit_images load_part(const std::string& images_path,
                                      const std::string& labels_path, file_reader reader) {
  idx_array images = read_idx(images_path, 3, reader);
  const idx_array labels = read_idx(labels_path, 1, reader);
  if (images.extents[1] != 28 || images.extents[2] != 28) {
    raise_error({images_path, " holds images of ", images.extents[1], " x ", images.extents[2],
                 " pixels; expected 28 x 28."});
  }
  if (images.extents[0] != labels.extents[0]) {
    raise_error({images_path, " holds ", images.extents[0], " images, but ", labels_path, " holds ",
                 labels.extents[0], " labels."});
  }
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    if (labels.bytes[i] > 9) {
      raise_error(
          {"Label ", i, " of ", labels_path, " is ", labels.bytes[i], "; expected 0 to 9."});
    }
  }
  return digit_images(std::move(images.bytes), {labels.bytes.begin(), labels.bytes.end()});
}

IPU_DSL_INLINE data load(const std::string& directory, file_reader reader) {
  // One after the other: in one call a compiler would choose which missing file is told of first.
  const std::string train_images = find_file(directory, "train-images-idx3-ubyte");
  const std::string train_labels = find_file(directory, "train-labels-idx1-ubyte");
  const std::string test_images = find_file(directory, "t10k-images-idx3-ubyte");
  const std::string test_labels = find_file(directory, "t10k-labels-idx1-ubyte");
  return {load_part(train_images, train_labels, reader),
          load_part(test_images, test_labels, reader)};
}

}  // namespace ipu_dsl::mnist
