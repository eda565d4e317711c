// SPDX-License-Identifier: MIT
// Tests of data/mnist.hpp on small files; the published ones are compressed: see gzip.cpp.
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/data/mnist.hpp>

#include "data/mnist_files.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using tests::bytes;

/// What `mnist::load` says when one of the four files is another.
std::string sentence_with(const tests::temporary_directory& directory, const std::string& name,
                          const bytes& content) {
  tests::write_small_mnist(directory);
  write_file_atomically(directory / name, content);
  return tests::sentence_of([&] { mnist::load(directory.path()); });
}

TEST_CASE("the four files are read into two data sets") {
  const tests::temporary_directory directory;
  tests::write_small_mnist(directory);
  const mnist::data data = mnist::load(directory.path());
  CHECK(data.train.size() == 3);
  CHECK(data.train.label(0) == 7);
  CHECK(data.train.label(2) == 9);
  CHECK(data.train.features()[2 * 784] == 2);
  CHECK(data.test.size() == 2);
  CHECK(data.test.label(1) == 2);
  CHECK(data.test.features()[2 * 784 - 1] == 1);
}

TEST_CASE("a missing file is named with its directory") {
  const tests::temporary_directory directory;
  tests::write_small_mnist(directory);
  const std::string path = directory / "t10k-labels-idx1-ubyte";
  REQUIRE(std::remove(path.c_str()) == 0);
  CHECK(tests::sentence_of([&] { mnist::load(directory.path()); }) ==
        "There is neither " + path + " nor " + path +
            ".gz; MNIST is four files, two of images and two of labels.");
}

TEST_CASE("of several missing files the first is told of, images before labels") {
  const tests::temporary_directory directory;
  int checked = 0;
  for (const char* name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                           "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    const std::string path = directory / name;
    CHECK(tests::sentence_of([&] {
            mnist::load(directory.path());
          }).starts_with("There is neither " + path + " nor "));
    write_file_atomically(path, tests::image_file(1));
    ++checked;
  }
  CHECK(checked == 4);
}

TEST_CASE("files that do not belong together or are no digits are refused") {
  const tests::temporary_directory directory;
  const std::string images = directory / "train-images-idx3-ubyte";
  const std::string labels = directory / "train-labels-idx1-ubyte";
  CHECK(sentence_with(directory, "train-images-idx3-ubyte", tests::image_file(3, 28, 27)) ==
        images + " holds images of 28 x 27 pixels; expected 28 x 28.");
  CHECK(sentence_with(directory, "train-images-idx3-ubyte", tests::image_file(4)) ==
        images + " holds 4 images, but " + labels + " holds 3 labels.");
  CHECK(sentence_with(directory, "train-labels-idx1-ubyte", tests::label_file({7, 0, 10})) ==
        "Label 2 of " + labels + " is 10; expected 0 to 9.");
  CHECK(sentence_with(directory, "train-labels-idx1-ubyte", tests::image_file(3)) ==
        labels + " has 3 dimensions; expected 1.");
  CHECK(sentence_with(directory, "train-labels-idx1-ubyte", {0, 0, 8, 1, 0, 0, 0, 3, 1}) ==
        labels + " is truncated: its dimensions ask for 3 bytes behind the header and it has 1.");
}

TEST_CASE("compressed MNIST files without the component say what to do") {
  const tests::temporary_directory directory;
  tests::write_small_mnist(directory);
  const std::string path = directory / "train-images-idx3-ubyte";
  REQUIRE(std::remove(path.c_str()) == 0);
  write_file_atomically(path + ".gz", bytes{0x1F, 0x8B, 8, 0});
  CHECK(tests::sentence_of([&] { mnist::load(directory.path()); }) ==
        path +
            ".gz is compressed: unpack it with gunzip, or read it with read_file_or_gzip of "
            "ipu_dsl/formats/gzip.hpp (component gzip).");
}

}  // namespace
