// SPDX-License-Identifier: MIT
// MNIST in its original files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/idx.hpp>

namespace ipu_dsl::mnist {

/// 28 x 28 grey values (0 is paper, 255 ink) and which of the ten digits they show.
using digit_images = labelled_dataset<shape{28, 28}, 10, std::uint8_t>;

/// The two parts of the data set: 60,000 and 10,000 digits in the published files.
struct data {
  digit_images train;
  digit_images test;
};

/// The path of the file `name` in `directory`, plain or, if only that is there, as .gz. Throws
/// `error` if there is neither.
inline std::string find_file(const std::string& directory, const std::string& name) {
  const std::string plain = directory + "/" + name;
  if (file_exists(plain)) {
    return plain;
  }
  if (file_exists(plain + ".gz")) {
    return plain + ".gz";
  }
  throw error("There is neither " + plain + " nor " + plain +
              ".gz; MNIST is four files, two of images and two of labels.");
}

/// Reads a file of images and its file of labels. Throws `error` if one is missing, truncated or
/// wrong, or if they do not belong together.
inline digit_images load_part(const std::string& images_path, const std::string& labels_path,
                              file_reader reader = read_file) {
  idx_array images = read_idx(images_path, 3, reader);
  const idx_array labels = read_idx(labels_path, 1, reader);
  if (images.extents[1] != 28 || images.extents[2] != 28) {
    throw error(images_path + " holds images of " + std::to_string(images.extents[1]) + " x " +
                std::to_string(images.extents[2]) + " pixels; expected 28 x 28.");
  }
  if (images.extents[0] != labels.extents[0]) {
    throw error(images_path + " holds " + std::to_string(images.extents[0]) + " images, but " +
                labels_path + " holds " + std::to_string(labels.extents[0]) + " labels.");
  }
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    if (labels.bytes[i] > 9) {
      throw error("Label " + std::to_string(i) + " of " + labels_path + " is " +
                  std::to_string(labels.bytes[i]) + "; expected 0 to 9.");
    }
  }
  return digit_images(std::move(images.bytes), {labels.bytes.begin(), labels.bytes.end()});
}

/// Reads the four files of `directory`, under the names they were published by. Throws `error` if
/// one is missing, truncated or wrong; files *.gz ask for `read_file_or_gzip` as the reader.
inline data load(const std::string& directory, file_reader reader = read_file) {
  return {load_part(find_file(directory, "train-images-idx3-ubyte"),
                    find_file(directory, "train-labels-idx1-ubyte"), reader),
          load_part(find_file(directory, "t10k-images-idx3-ubyte"),
                    find_file(directory, "t10k-labels-idx1-ubyte"), reader)};
}

}  // namespace ipu_dsl::mnist
