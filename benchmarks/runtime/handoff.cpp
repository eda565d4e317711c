// SPDX-License-Identifier: MIT
// How long a worker's post takes to reach a worker that waits awake: half of a round trip between
// two threads on two cores, the clock's own time included. Percentiles of many round trips.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/runtime/counter.hpp>

#include "measure/machine.hpp"

using namespace ipu_dsl;

namespace {

constexpr waiting_policy awake{.spins = std::numeric_limits<int>::max()};

/// The one that answers every post.
struct answering_worker {
  counter& asked;
  counter& answered;
  std::uint32_t posts;

  void operator()() const {
    const stop_word never{false};
    measure::stay_on(1);
    for (std::uint32_t post_number = 1; post_number <= posts; ++post_number) {
      wait_for(asked, post_number, never, awake);
      post(answered);
    }
  }
};

/// Nanoseconds one way, in ascending order.
std::vector<double> hand_over(std::uint32_t posts) {
  using clock = std::chrono::steady_clock;
  counter asked;
  counter answered;
  const stop_word never{false};
  std::vector<double> ways;
  ways.reserve(posts);
  measure::stay_on(0);
  std::thread other(answering_worker{asked, answered, posts});
  for (std::uint32_t post_number = 1; post_number <= posts; ++post_number) {
    const clock::time_point start = clock::now();
    post(asked);
    wait_for(answered, post_number, never, awake);
    const std::chrono::duration<double, std::nano> both = clock::now() - start;
    ways.push_back(both.count() / 2);
  }
  other.join();
  std::sort(ways.begin(), ways.end());
  return ways;
}

void one_way(benchmark::State& state) {
  constexpr std::uint32_t posts = 200'000;
  if (std::thread::hardware_concurrency() < 2) {
    state.SkipWithError("there is one core");
    return;
  }
  for (auto _ : state) {
    const std::vector<double> ways = hand_over(posts);
    state.SetIterationTime(1e-9 * ways[posts / 2]);
    state.counters["p10_ns"] = ways[posts / 10];
    state.counters["p50_ns"] = ways[posts / 2];
    state.counters["p90_ns"] = ways[posts / 10 * 9];
  }
}

BENCHMARK(one_way)->Iterations(1)->UseManualTime();

}  // namespace
