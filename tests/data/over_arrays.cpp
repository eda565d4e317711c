// SPDX-License-Identifier: MIT
// Tests of data/over_arrays.hpp and data/npy_columns.hpp.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/data/npy_columns.hpp>
#include <ipu_dsl/data/over_arrays.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "data/first_source.hpp"
#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using tests::first_numbers;
using pairs = feature_column<shape{2}>;
using kinds = label_column<3>;

TEST_CASE("arrays are data without a copy") {
  std::vector<float> features = {1, 2, 3, 4, 5, 6};
  const std::array<std::int32_t, 3> labels = {2, 0, 1};
  const auto data = over_arrays<pairs, kinds>(features, labels);
  static_assert(dataset<decltype(data)>);
  CHECK(data.size() == 3);
  CHECK(first_numbers(data) == features);
  CHECK(tests::labels_of(data) == std::vector<std::int32_t>{2, 0, 1});
  features[2] = 30;
  CHECK(first_numbers(data | skip(1)) == std::vector<float>{30, 4, 5, 6});
}

TEST_CASE("arrays stand in the order of their columns, sources in that of inputs and targets") {
  const std::vector<std::int32_t> labels = {2, 0};
  const std::vector<float> features = {1, 2, 3, 4};
  const std::vector<float> weights = {0.5F, 2};
  const auto data =
      over_arrays<weight_column<>, kinds, pairs>(weights, labels, std::span(features));
  static_assert(decltype(data)::inputs.size() == 1 && decltype(data)::weights.size() == 1);
  CHECK(first_numbers(data) == features);
  auto source = make_feed(data, 1);
  CHECK(tests::numbers_of_source<float>(source, 2, 4) == weights);
}

TEST_CASE("arrays that do not belong together are refused") {
  const std::vector<float> five = {1, 2, 3, 4, 5};
  const std::vector<float> four = {1, 2, 3, 4};
  const std::vector<std::int32_t> labels = {0, 1, 2};
  const float nan = (std::numeric_limits<float>::quiet_NaN)();
  CHECK(tests::sentence_of([&] { over_arrays<pairs, kinds>(five, labels); }) ==
        "Array 0 has 5 numbers, which do not divide into samples of 2.");
  CHECK(tests::sentence_of([&] { over_arrays<pairs, kinds>(four, labels); }) ==
        "Array 1 has 3 samples, the first 2.");
  const std::vector<float> six(6);
  CHECK(tests::sentence_of([&] { over_arrays<pairs, label_column<2>>(six, labels); }) ==
        "Label 2 of array 1 is 2; expected 0 to 1.");
  using maps = target_column<shape{2, 2}>;
  CHECK(tests::sentence_of([&] { over_arrays<pairs, maps>(six, six); }) ==
        "Array 1 has 6 numbers, which do not divide into samples of 4: the loss compares one for "
        "each place of (2, 2).");
  CHECK(tests::sentence_of([&] { over_arrays<pairs, maps>(six, four); }) ==
        "Array 1 has 1 sample, the first 3: the loss compares one for each place of (2, 2).");
  const std::vector<float> not_finite = {1, nan};
  const std::vector<std::int32_t> zero = {0};
  CHECK(tests::sentence_of([&] { over_arrays<pairs, kinds>(not_finite, zero); }) ==
        "Value 1 of sample 0 of array 0 is nan; expected finite numbers. Hint: non_finite::kept "
        "behind the values of a feature_column, in zipped(...), keeps it.");
}

/// What is said where the first of two arrays is taken as `Features`.
template <typename Features>
constexpr problem fault_of_features = over_arrays_fault_of<element_form<pairs, kinds>, Features,
                                                           const std::vector<std::int32_t>&>::value;

TEST_CASE("arrays that nobody keeps are refused, spans and views of others are not") {
  static_assert(fault_of_features<std::vector<float>>.found());
  static_assert(fault_of_features<std::array<float, 4>>.found());
  static_assert(!fault_of_features<std::vector<float>&>.found());
  static_assert(!fault_of_features<const std::array<float, 4>&>.found());
  static_assert(!fault_of_features<std::span<const float>>.found());
  const std::vector<float> features = {1, 2, 3, 4};
  const std::vector<std::int32_t> labels = {2, 0};
  const auto data = over_arrays<pairs, kinds>(std::span(features), std::span(labels));
  CHECK(first_numbers(data) == features);
}

TEST_CASE("any range of numbers is copied, and of ranges of them") {
  const std::vector<std::array<double, 2>> points = {{1, 2}, {3, 4}};
  CHECK(numbers_from<float>(points) == std::vector<float>{1, 2, 3, 4});
  const std::list<int> some = {5, 6, 7};
  CHECK(numbers_from<std::int32_t>(some) == std::vector<std::int32_t>{5, 6, 7});
  const auto squares = std::views::iota(0, 4) | std::views::transform([](int i) { return i * i; });
  auto odd = std::views::iota(0, 6) | std::views::filter([](int i) { return i % 2 == 1; });
  CHECK(numbers_from<float>(squares) == std::vector<float>{0, 1, 4, 9});
  CHECK(numbers_from<std::int32_t>(odd) == std::vector<std::int32_t>{1, 3, 5});
  const auto data =
      zipped(feature_column<shape{2}>(numbers_from<float>(points)),
             label_column<10>(numbers_from<std::int32_t>(squares | std::views::take(2))));
  CHECK(tests::labels_of(data) == std::vector<std::int32_t>{0, 1});
  CHECK(tests::sentence_of([] {
          numbers_from<std::int32_t>(std::vector<std::int64_t>{1, 1LL << 40});
        }) == "Number 1 of a range is 1099511627776; expected -2147483648 to 2147483647.");
}

/// Two images of 2 x 3 grey values, and what they show.
std::vector<npz_entry> digits_file() {
  const std::vector<std::uint8_t> images = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const std::vector<std::int32_t> labels = {2, 0};
  return {{"images", make_npy<std::uint8_t>(images, {2, 2, 3, 1})},
          {"labels", make_npy<std::int32_t>(labels, {2})}};
}

TEST_CASE("arrays of NumPy are columns") {
  const std::vector<npz_entry> file = parse_npz(npz_bytes(digits_file()), "digits.npz");
  const auto data = zipped(column_of<byte_column<shape{2, 3}>>(file, "images"),
                           column_of<label_column<3>>(file, "labels"));
  CHECK(data.size() == 2);
  CHECK(tests::labels_of(data) == std::vector<std::int32_t>{2, 0});
  auto source = make_feed(data, 1);
  CHECK(tests::numbers_of_source<std::uint8_t>(source, 0, 2).size() == 12);
  CHECK(column_of<index_column<shape{2, 3}, 12>>(file, "images").size() == 2);
}

TEST_CASE("arrays of NumPy that are no such column are refused") {
  const std::vector<npz_entry> file = digits_file();
  CHECK(tests::sentence_of([&] { column_of<byte_column<shape{3, 2}>>(file, "images"); }) ==
        "images has the shape (2, 2, 3, 1); expected samples (3, 2) side by side.");
  const std::vector<std::int32_t> classes = {0, 0, 1, 1, 0, 0};
  const std::vector<npz_entry> one_hot = {{"y", make_npy<std::int32_t>(classes, {2, 3})}};
  CHECK(
      tests::sentence_of([&] { column_of<label_column<3>>(one_hot, "y"); }) ==
      "y has the shape (2, 3); expected one number for each sample. Hint: target_column<shape{3}> "
      "takes rows of 3; a label is the number of its class.");
  CHECK(tests::sentence_of([&] { column_of<feature_column<shape{2, 3}>>(file, "images"); }) ==
        "images holds uint8; expected float32. Hint: save array.astype(\"float32\").");
  CHECK(tests::sentence_of([&] { column_of<label_column<2>>(file, "labels"); }) ==
        "Label 0 of a column is 2; expected 0 to 1.");
  CHECK(tests::sentence_of([&] { column_of<label_column<3>>(file, "kinds"); }) ==
        "There is no array kinds in the file; it has images, labels.");
}

}  // namespace
