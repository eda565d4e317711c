// SPDX-License-Identifier: MIT
// Trains the tutorial under every schedule, cut and number of threads, and compares the bits.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <ipu_dsl/data/feed.hpp>

#include "support/catch2.hpp"
#include "training/tutorial.hpp"

namespace ipu_dsl::tests {

/// What a training run ended in.
struct run_outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;
};

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

template <dataset Data>
run_outcome train_tutorial(const Data& data, tutorial_schedule schedule, int cut, int threads,
                           int updates) {
  const auto run = make_tutorial(
      schedule, cut, {.threads = threads, .shared_from = 0, .seed = 7, .poison_freed_slots = true});
  auto feed = make_feed(data | shuffled(10'000) | repeated(), 3);
  const history& done = run->fit(feed, {.steps_per_epoch = updates * tutorial_accumulation});
  return {run->weights().fingerprint(), {done.losses().begin(), done.losses().end()}};
}

/// All three schedules, 1 and 2 threads, all five cuts, against the tutorial's cut under the
/// sequential schedule on one thread.
template <dataset Data>
void check_tutorial_bits(const Data& data, int updates) {
  const run_outcome expected =
      train_tutorial(data, tutorial_schedule::sequential, tutorial_cut, 1, updates);
  REQUIRE(expected.losses.size() ==
          static_cast<std::size_t>(updates) * std::size_t{tutorial_accumulation});
  CHECK(expected.losses.back() < expected.losses.front());
  int compared = 0;
  for (const tutorial_schedule schedule :
       {tutorial_schedule::grouped, tutorial_schedule::interleaved,
        tutorial_schedule::sequential}) {
    for (int cut = 1; cut <= 5; ++cut) {
      for (int threads = 1; threads <= 2; ++threads) {
        const run_outcome found = train_tutorial(data, schedule, cut, threads, updates);
        INFO("schedule " << static_cast<int>(schedule) << ", cut " << cut << ", " << threads
                         << " threads");
        CHECK(found.weights == expected.weights);
        CHECK(same_bits(found.losses, expected.losses));
        ++compared;
      }
    }
  }
  CHECK(compared == 30);
  std::printf(
      "bits: compared %d combinations of schedule, cut and threads over %d updates, "
      "weights %016llx\n",
      compared, updates, static_cast<unsigned long long>(expected.weights));
}

}  // namespace ipu_dsl::tests
