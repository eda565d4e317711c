// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/training/dataset_benchmark.hpp>
#include <ipu_dsl/training/null_feed.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr benchmark_options quiet_ten{
    .number_of_epochs = 10, .elements_per_epoch = 100, .print_stats = false};

/// Counts the epochs whose numbers are all positive and agree.
int sound_epochs(const benchmark_result& found, double elements, double bytes) {
  int sound = 0;
  for (const benchmark_epoch& epoch : found.epochs) {
    const bool agree = epoch.elements_processed == elements &&
                       epoch.total_bytes_processed == bytes && epoch.time_elapsed > 0 &&
                       epoch.elements_per_second == elements / epoch.time_elapsed &&
                       epoch.bandwidth > 0 && epoch.bandwidth < 1e6;
    sound += agree ? 1 : 0;
  }
  return sound;
}

struct net : model<input<8>, sequential<Dense<4, relu>, Dense<3>>> {};

struct training : compile<net, micro_batch<4>, loss<sparse_categorical_crossentropy>> {};

}  // namespace

TEST_CASE("a benchmark of data has the reference's numbers for every epoch") {
  const point_set data = labelled_points(96, 1);
  // 16 samples of 8 floats and a label.
  const double bytes = 100.0 * 16 * (8 + 1) * 4;
  CHECK(sound_epochs(
            dataset_benchmark(data | shuffled(50) | repeated(), {.micro_batch = 16}, quiet_ten),
            100, bytes) == 10);
  null_feed nothing = null_feed_of<training>();
  CHECK(sound_epochs(dataset_benchmark(nothing, {.micro_batch = 16}, quiet_ten), 100, bytes) == 10);
  auto source = make_feed(data | repeated(), 1);
  infeed_queue infeed(source, {.micro_batch = 16, .depth = 255});
  benchmark_options in_place = quiet_ten;
  in_place.do_memcpy = false;
  CHECK(sound_epochs(infeed_benchmark(infeed, in_place), 100, bytes) == 10);
}

TEST_CASE("the JSON of a benchmark has the reference's keys, and floats") {
  benchmark_result found;
  found.epochs.push_back({1000, 4e9, 0.5, 2000, 8});
  found.epochs.push_back({1, 1e20, 0.25, 4, 0.001});
  CHECK(found.json() ==
        "{\"epochs\":[{\"elements_processed\":1000.0,\"total_bytes_processed\":4000000000.0,"
        "\"time_elapsed\":0.5,\"elements_per_second\":2000.0,\"bandwidth\":8.0},"
        "{\"elements_processed\":1.0,\"total_bytes_processed\":1e+20,\"time_elapsed\":0.25,"
        "\"elements_per_second\":4.0,\"bandwidth\":0.001}]}");
}

TEST_CASE("a benchmark of nothing, and of data that end, is refused") {
  const point_set data = labelled_points(96, 1);
  const auto refusal = [&](const benchmark_options& wanted) {
    return sentence_of([&] { dataset_benchmark(data, {.micro_batch = 16}, wanted); });
  };
  CHECK(refusal({.number_of_epochs = 0}) ==
        "A benchmark has a number_of_epochs of at least 1, got 0.");
  CHECK(refusal({.elements_per_epoch = 0}) ==
        "A benchmark has elements_per_epoch of at least 1, got 0.");
  CHECK(refusal({.number_of_epochs = 2, .elements_per_epoch = 4, .print_stats = false}) ==
        "The data ended behind 2 of 4 elements of epoch 1. Hint: repeat them.");
}

TEST_CASE("a null feed gives what a model is fed, without end") {
  null_feed zeros = null_feed_of<training>();
  null_feed numbers = null_feed_of<training>(7);
  REQUIRE(numbers.sources().size() == 2);
  CHECK(numbers.sources()[0].elements == 8);
  CHECK(numbers.sources()[1].classes == 3);
  CHECK_FALSE(numbers.length().has_value());
  std::vector<float> floats(4 * 16, 5.0F);
  std::vector<std::int32_t> labels(4, 5);
  const source_rows sources[] = {{dtype::float32, floats.data(), 8, 16},
                                 {dtype::int32, labels.data(), 1, 1}};
  int in_range = 0;
  float sum = 0;
  for (int element = 0; element < 100; ++element) {
    CHECK(numbers.next({sources, 4}) == 4);
    for (std::size_t row = 0; row < 4; ++row) {
      const bool label = labels[row] >= 0 && labels[row] < 3;
      const bool padding = floats[row * 16 + 8] == 0 && floats[row * 16 + 15] == 0;
      const bool value = floats[row * 16] >= 0 && floats[row * 16] < 1;
      in_range += label && padding && value ? 1 : 0;
      sum += floats[row * 16];
    }
  }
  CHECK(in_range == 400);
  CHECK(sum > 100);
  CHECK(sum < 300);
  // It goes on where another one stood.
  CHECK(numbers.next({sources, 3}) == 3);
  null_feed again = null_feed_of<training>(7);
  again.go_to(numbers.position());
  CHECK(numbers.next({sources, 4}) == 4);
  const std::vector<float> expected = floats;
  CHECK(again.next({sources, 4}) == 4);
  CHECK(floats == expected);
  again.restart();
  CHECK(again.next({sources, 4}) == 4);
  CHECK(floats != expected);
  CHECK(sentence_of([&] { again.go_to(feed_position{64}); }) ==
        "This is no position in a null feed.");
  CHECK(zeros.next({sources, 4}) == 4);
  CHECK(floats == std::vector<float>(4 * 16));
  CHECK(labels == std::vector<std::int32_t>(4));
  const source_form unknown[] = {{dtype::int32, 1, 0}};
  CHECK(sentence_of([&] { null_feed none(unknown); }) ==
        "A source of integers of a null feed has at least 1 class, got 0.");
}
