// SPDX-License-Identifier: MIT
// Tests of data/mnist.hpp on the published files, compressed as they are.
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/data/mnist.hpp>
#include <ipu_dsl/formats/gzip.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

/// The value of an environment variable, empty if it is not set.
std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::int32_t> first_labels(const mnist::digit_images& images, std::ptrdiff_t count) {
  return {images.labels().begin(), images.labels().begin() + count};
}

/// The mean grey of all pixels, 1 for white.
double mean_pixel(const mnist::digit_images& images) {
  const std::uint64_t sum =
      std::accumulate(images.features().begin(), images.features().end(), std::uint64_t{0});
  return static_cast<double>(sum) / static_cast<double>(images.features().size()) / 255.0;
}

TEST_CASE("MNIST as published") {
  const std::string directory = environment("IPU_DSL_MNIST");
  if (directory.empty()) {
    // Continuous integration has the files; there, not to look at them would be a lie.
    REQUIRE(environment("CI") != "true");
    WARN("skipped: set IPU_DSL_MNIST to the directory of the four MNIST files to run this test");
    return;
  }
  const mnist::data data = mnist::load(directory, read_file_or_gzip);
  CHECK(data.train.size() == 60000);
  CHECK(data.test.size() == 10000);
  CHECK(first_labels(data.train, 10) == std::vector<std::int32_t>{5, 0, 4, 1, 9, 2, 1, 3, 1, 4});
  CHECK(first_labels(data.test, 10) == std::vector<std::int32_t>{7, 2, 1, 0, 4, 1, 4, 9, 5, 9});
  // The mean of the training pixels that everyone normalises by, to its four published digits.
  CHECK(mean_pixel(data.train) == Approx(0.1307).margin(0.00005));
  CHECK(mean_pixel(data.test) == Approx(0.1325).margin(0.00005));
}

}  // namespace
