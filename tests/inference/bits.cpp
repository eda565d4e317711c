// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include "inference/reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr std::int64_t samples = 70;

/// Predicts the samples of a reference in batches, from memory that begins anywhere; returns how
/// many results have its bits.
template <model_type M, int Batch>
std::size_t equal_results(const reference_of<M>& expected) {
  predictor<M, micro_batch<Batch>> given(expected.kept);
  constexpr std::size_t features = given.batch * given.sample_values;
  constexpr std::size_t results = given.batch * given.result_values;
  std::vector<float> moved(features + 1);
  std::vector<float> output(results + 2, -1.0F);
  std::size_t equal = 0;
  for (std::size_t batch = 0; batch < samples / given.batch; ++batch) {
    std::copy_n(expected.features.data() + batch * features, features, moved.data() + 1);
    CHECK(given.predict(std::span(moved).subspan(1), std::span(output).subspan(1, results)));
    equal += std::equal(output.begin() + 1, output.end() - 1,
                        expected.output.begin() + static_cast<std::ptrdiff_t>(batch * results))
                 ? given.batch
                 : 0;
    // Nothing is written beside the results, nor into the samples.
    CHECK(output.front() == -1.0F);
    CHECK(output.back() == -1.0F);
    CHECK(std::equal(moved.begin() + 1, moved.end(), expected.features.data() + batch * features));
  }
  return equal;
}

template <model_type M>
std::size_t equal_results_of_all_batches() {
  const reference_of<M> expected(samples);
  return equal_results<M, 1>(expected) + equal_results<M, 7>(expected) +
         equal_results<M, 35>(expected);
}

}  // namespace

TEST_CASE("a predictor gives a session's bits, whatever the batch") {
  std::size_t checked = 0;
  for (const std::size_t equal :
       {equal_results_of_all_batches<odd_ends>(), equal_results_of_all_batches<whole_ends>(),
        equal_results_of_all_batches<joined>()}) {
    CHECK(equal == 3 * samples);
    checked += equal;
  }
  CHECK(checked == 3 * 3 * samples);
  std::printf("checked %zu predictions\n", checked);
}

TEST_CASE("a stream of samples gives the results of the batches") {
  const reference_of<odd_ends> padded(samples);
  const reference_of<whole_ends> whole(samples);
  predictor<odd_ends> padded_stream(padded.kept);
  predictor<whole_ends> whole_stream(whole.kept);
  int checked = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto small = padded_stream.push(std::span(padded.features).subspan(20 * i).first<20>());
    CHECK(std::equal(small.begin(), small.end(), padded.output.data() + 5 * i));
    const auto large = whole_stream.push(std::span(whole.features).subspan(32 * i).first<32>());
    CHECK(std::equal(large.begin(), large.end(), whole.output.data() + 16 * i));
    ++checked;
  }
  CHECK(checked == samples);
  std::printf("checked %d samples of two streams\n", checked);
}
