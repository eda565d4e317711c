// SPDX-License-Identifier: MIT
// MNIST in its original files: what there is, without the code that reads them.
#pragma once

#include <cstdint>
#include <string>

#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/formats/file.hpp>

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
IPU_DSL_INLINE std::string find_file(const std::string& directory, const std::string& name);

/// Reads a file of images and its file of labels. Throws `error` if one is missing, truncated or
/// wrong, or if they do not belong together.
IPU_DSL_INLINE digit_images load_part(const std::string& images_path,
                                      const std::string& labels_path,
                                      file_reader reader = read_file);

/// Reads the four files of `directory`, under the names they were published by. Throws `error` if
/// one is missing, truncated or wrong; files *.gz ask for `read_file_or_gzip` as the reader.
IPU_DSL_INLINE data load(const std::string& directory, file_reader reader = read_file);

}  // namespace ipu_dsl::mnist
