// SPDX-License-Identifier: MIT
// Tests of data/feed.hpp.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using points = labelled_dataset<shape{3}, 4, float>;

static_assert(feed<dataset_feed<points>>);
static_assert(feed<batch_feed>);
static_assert(!feed<points>);

/// Sample i is (i + 1, i + 1, i + 1) with label i % 4.
points some_points(std::size_t count) {
  std::vector<float> features;
  std::vector<std::int32_t> labels;
  for (std::size_t i = 0; i < count; ++i) {
    features.insert(features.end(), 3, static_cast<float>(i + 1));
    labels.push_back(static_cast<std::int32_t>(i % 4));
  }
  return points(features, labels);
}

/// Two rows of 3 values and 2 of padding, soiled so that it shows what is not written.
struct soiled_rows {
  std::array<float, 10> features;
  std::array<std::int32_t, 2> labels;
  source_rows sources[2] = {{dtype::float32, features.data(), 3, 5},
                            {dtype::int32, labels.data(), 1, 1}};

  feed_rows rows(std::size_t count = 2) {
    features.fill(-9.0f);
    labels.fill(-9);
    return {std::span(sources).first(count), 2};
  }
};

using values = std::array<float, 10>;
using label_values = std::array<std::int32_t, 2>;

/// Three samples in micro-batches of two, of any feed that begins with them.
template <feed Feed>
void check_three_samples(Feed& source) {
  soiled_rows to;
  CHECK(source.next(to.rows()) == 2);
  CHECK(to.features == values{1, 1, 1, 0, 0, 2, 2, 2, 0, 0});
  CHECK(to.labels == label_values{0, 1});
  CHECK(source.next(to.rows()) == 1);
  CHECK(to.features == values{3, 3, 3, 0, 0, 0, 0, 0, 0, 0});
  CHECK(to.labels == label_values{2, 0});
  CHECK(source.next(to.rows()) == 0);
  CHECK(to.features == values{});
  CHECK(to.labels == label_values{});
}

TEST_CASE("a data set is fed in rows with zeros behind and below") {
  const points data = some_points(3);
  dataset_feed<points> source = make_feed(data, 1);
  CHECK(source.sources()[0].elements == 3);
  CHECK(source.sources()[1].classes == 4);
  CHECK(source.length() == 3);
  check_three_samples(source);
  source.restart();
  check_three_samples(source);
}

TEST_CASE("plain arrays are fed alike") {
  const points data = some_points(3);
  batch_feed source({data.features(), 3}, {data.labels(), 1, 4});
  CHECK(source.sources()[0].elements == 3);
  CHECK(source.sources()[1].classes == 4);
  CHECK(source.length() == 3);
  check_three_samples(source);
  source.restart();
  check_three_samples(source);
}

TEST_CASE("any feed is fed alike through a reference") {
  const points data = some_points(3);
  batch_feed source({data.features(), 3}, {data.labels(), 1, 4});
  feed_reference any = source;
  check_three_samples(any);
}

TEST_CASE("features alone, for predictions") {
  const std::vector<float> features = {1, 1, 1, 2, 2, 2};
  batch_feed source({features, 3});
  CHECK(source.sources().size() == 1);
  soiled_rows to;
  CHECK(source.next(to.rows(1)) == 2);
  CHECK(to.features == values{1, 1, 1, 0, 0, 2, 2, 2, 0, 0});
  CHECK(to.labels == label_values{-9, -9});
  source.restart();
  CHECK(source.next(to.rows()) == 2);
  CHECK(to.labels == label_values{0, 0});
}

TEST_CASE("float targets are fed as the samples are") {
  const std::vector<float> features = {1, 1, 1, 2, 2, 2, 3, 3, 3};
  const std::vector<float> targets = {10, 11, 20, 21, 30, 31};
  const paired_dataset<shape{3}, shape{2}> data(features, targets);
  dataset_feed<paired_dataset<shape{3}, shape{2}>> of_data = make_feed(data, 1);
  batch_feed of_arrays({features, 3}, {targets, 2});
  const auto check = [](feed_reference source) {
    std::array<float, 8> samples;
    std::array<float, 6> wanted;
    const source_rows sources[] = {{dtype::float32, samples.data(), 3, 4},
                                   {dtype::float32, wanted.data(), 2, 3}};
    const feed_rows rows = {sources, 2};
    wanted.fill(-9.0F);
    CHECK(source.sources()[1].type == dtype::float32);
    CHECK(source.sources()[1].elements == 2);
    CHECK(source.next(rows) == 2);
    CHECK(wanted == std::array<float, 6>{10, 11, 0, 20, 21, 0});
    CHECK(source.next(rows) == 1);
    CHECK(wanted == std::array<float, 6>{30, 31, 0, 0, 0, 0});
    CHECK(samples == std::array<float, 8>{3, 3, 3, 0, 0, 0, 0, 0});
  };
  check(of_data);
  check(of_arrays);
  CHECK(tests::sentence_of([&] { batch_feed({features, 3}, {std::span(targets).first(4), 2}); }) ==
        "A batch of 3 samples got 2 targets.");
}

TEST_CASE("a transformed data set without end goes on over its passes") {
  const points data = some_points(3);
  dataset_feed<points> source = make_feed(data | repeated(), 1);
  CHECK_FALSE(source.length().has_value());
  soiled_rows to;
  CHECK(source.next(to.rows()) == 2);
  CHECK(source.next(to.rows()) == 2);
  CHECK(to.features == values{3, 3, 3, 0, 0, 1, 1, 1, 0, 0});
  CHECK(to.labels == label_values{2, 0});
}

TEST_CASE("labels go with their samples through a shuffle") {
  const points data = some_points(40);
  dataset_feed<points> source = make_feed(data | shuffled(16), 7);
  soiled_rows to;
  std::vector<int> seen(40);
  int checked = 0;
  while (source.next(to.rows()) == 2) {
    for (std::size_t row = 0; row < 2; ++row) {
      const int sample = static_cast<int>(to.features[row * 5]) - 1;
      CHECK(to.labels[row] == sample % 4);
      ++seen[static_cast<std::size_t>(sample)];
      ++checked;
    }
  }
  CHECK(checked == 40);
  CHECK(std::count(seen.begin(), seen.end(), 1) == 40);
  WARN("checked " << checked << " samples");
}

TEST_CASE("plain arrays that do not belong together are refused") {
  const std::vector<float> seven(7);
  const std::vector<float> six(6);
  const std::vector<std::int32_t> two = {0, 3};
  CHECK(tests::sentence_of([&] { batch_feed({seven, 3}); }) ==
        "A batch of 7 values does not divide into samples of 3.");
  CHECK(tests::sentence_of([&] { batch_feed({six, 0}); }) ==
        "A batch of 6 values does not divide into samples of 0.");
  CHECK(tests::sentence_of([&] { batch_feed({six, 1}, {two, 1, 4}); }) ==
        "A batch of 6 samples got 2 labels.");
  CHECK(tests::sentence_of([&] {
          batch_feed({six, 3}, {std::span<const std::int32_t>(), 1, 4});
        }) == "A batch of 2 samples got 0 labels.");
  CHECK(tests::sentence_of([&] { batch_feed({six, 3}, {two, 1, 3}); }) ==
        "A batch has the label 3 in sample 1; expected 0 to 2.");
  CHECK(tests::sentence_of([&] { batch_feed({two, 1, 3}); }) ==
        "A batch has the input 3 in sample 1; expected 0 to 2.");
}

/// The first number of each sample that is left.
template <typename Feed>
std::vector<float> numbers_left(Feed& source) {
  std::vector<float> found;
  std::array<float, 3> row = {};
  const source_rows to[] = {{dtype::float32, row.data(), 3, 3}};
  while (source.next({to, 1}) == 1) {
    found.push_back(row[0]);
  }
  return found;
}

TEST_CASE("feeds of arrays and of data sets go on where others stood") {
  static_assert(placed_feed<batch_feed> && placed_feed<dataset_feed<points>>);
  std::vector<float> numbers(15);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<float>(i / 3);
  }
  batch_feed first({numbers, 3});
  batch_feed second({numbers, 3});
  second.go_to(feed_position{5, 3});
  CHECK(numbers_left(second) == std::vector<float>{3, 4});
  second.go_to(first.position());
  CHECK(numbers_left(second).size() == 5);
  for (const feed_position& wrong : {feed_position{5}, feed_position{6, 3}, feed_position{5, 6}}) {
    CHECK(tests::sentence_of([&] { first.go_to(wrong); }) ==
          "This is no position in a batch of 5 samples.");
  }
  const points data = some_points(20);
  auto shuffled_once = make_feed(data | shuffled(7), 3);
  auto other = make_feed(data | shuffled(7), 3);
  std::array<float, 18> row = {};
  const source_rows to[] = {{dtype::float32, row.data(), 3, 3}};
  CHECK(shuffled_once.next({to, 6}) == 6);
  other.go_to(shuffled_once.position());
  const std::vector<float> left = numbers_left(other);
  CHECK(left.size() == 14);
  CHECK(left == numbers_left(shuffled_once));
}

}  // namespace
