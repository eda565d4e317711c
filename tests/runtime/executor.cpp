// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/runtime/executor.hpp>

#include "runtime/loaded_model.hpp"
#include "runtime/pipelines.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;

  friend bool operator==(const outcome&, const outcome&) = default;
};

/// Trains for two updates and evaluates.
template <compiled_model C>
outcome train(const point_set& data, int threads, bool poison) {
  session<C> run({.learning_rate = 0.05F, .momentum = 0.9F},
                 {.threads = threads, .shared_from = 0, .poison_freed_slots = poison});
  const history& done = run.fit(data | repeated(), two_updates);
  outcome made{run.weights().fingerprint(), {done.losses().begin(), done.losses().end()}};
  made.losses.push_back(static_cast<float>(run.evaluate(data).loss));
  return made;
}

/// Freed slots are NaN and nobody notices: nothing reads what is free. Returns the losses compared.
template <compiled_model C>
int check_poison(const point_set& data) {
  const outcome plain = train<C>(data, 1, false);
  int compared = 0;
  for (int threads = 1; threads <= C::stages; ++threads) {
    CHECK(train<C>(data, threads, true) == plain);
    CHECK(train<C>(data, threads, false) == plain);
    compared += 2 * static_cast<int>(plain.losses.size());
  }
  return compared;
}

/// Bytes of all slots, and how many of them are not the poison.
struct slot_bytes {
  std::int64_t all = 0;
  std::int64_t others = 0;
};

template <compiled_model C>
slot_bytes look_at_slots(const loaded_model<C>& made, const program_plan_view& plan) {
  slot_bytes found;
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    const std::byte* const begin = made.memory.edge(i);
    const std::int64_t bytes = plan.edges[i].bytes * plan.slots[i];
    found.all += bytes;
    found.others += std::count_if(begin, begin + bytes,
                                  [](std::byte value) { return value != std::byte{0xFF}; });
  }
  return found;
}

template <compiled_model C>
std::int64_t check_slots_after_run(const point_set& data, int threads) {
  loaded_model<C> made(data, threads);
  made.update();
  CHECK(look_at_slots(made, made.train.plan()).others > 0);
  made.train.poison_freed_slots(true);
  made.update();
  const slot_bytes found = look_at_slots(made, made.train.plan());
  CHECK(found.others == 0);
  return found.all;
}

/// Two updates with poison, of a plan whose edges are these.
template <compiled_model C>
outcome train_with_edges(const point_set& data, std::span<const edge> edges) {
  program_plan_view plan = training_plan<C>();
  plan.edges = edges;
  loaded_model<C> made(data, 1, plan);
  made.train.poison_freed_slots(true);
  outcome found;
  found.losses = made.update();
  const std::vector<float>& second = made.update();
  found.losses.insert(found.losses.end(), second.begin(), second.end());
  found.weights = made.weights.fingerprint();
  return found;
}

bool has_nan(const outcome& found) {
  return std::any_of(found.losses.begin(), found.losses.end(),
                     [](float loss) { return std::isnan(loss); });
}

}  // namespace

TEST_CASE("what is free is poisoned, and no result changes") {
  const point_set data = labelled_points(96, 1);
  int compared = check_poison<trained<two_stages, grouped>>(data);
  compared += check_poison<trained<two_stages, interleaved>>(data);
  compared += check_poison<trained<two_stages, sequential_schedule>>(data);
  compared += check_poison<trained<three_stages, grouped>>(data);
  CHECK(compared == 450);
  std::printf("poison: checked %d losses\n", compared);
}

TEST_CASE("after a run every slot is free") {
  const point_set data = labelled_points(96, 1);
  std::int64_t bytes = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    bytes += check_slots_after_run<trained<two_stages, grouped>>(data, threads);
    bytes += check_slots_after_run<trained<two_stages, interleaved>>(data, threads);
  }
  CHECK(bytes > 0);
  std::printf("poison: checked %lld bytes of slots\n", static_cast<long long>(bytes));
}

TEST_CASE("a slot that is freed too early is found") {
  using planned = trained<three_stages, grouped>;
  const point_set data = labelled_points(96, 1);
  const program_plan_view plan = training_plan<planned>();
  const outcome expected = train_with_edges<planned>(data, plan.edges);
  CHECK_FALSE(has_nan(expected));
  const std::size_t labels = edge_of_labels(plan);
  REQUIRE(labels < plan.edges.size());
  int found = 0;
  int with_nan = 0;
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    if (i == labels) {
      continue;
    }
    // Without its last reader, an edge is freed by the one before it, or by its writer.
    std::vector<edge> edges(plan.edges.begin(), plan.edges.end());
    --edges[i].reader_count;
    const outcome planted = train_with_edges<planned>(data, edges);
    INFO("edge " << i);
    // A mask of relu takes NaN for a number below zero: the losses stay finite, but are others.
    CHECK_FALSE(planted == expected);
    ++found;
    with_nan += has_nan(planted) ? 1 : 0;
  }
  CHECK(found == static_cast<int>(plan.edges.size()) - 1);
  CHECK(with_nan >= 4);
  std::printf("poison: found %d edges freed too early, %d by a loss of NaN\n", found, with_nan);
}

TEST_CASE("more slots than needed change nothing") {
  using planned = trained<two_stages, grouped>;
  const point_set data = labelled_points(96, 1);
  const std::vector<float> expected = loaded_model<planned>(data, 1).update();
  int compared = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    for (const int more : {1, 5, 20}) {
      program_plan_view plan = training_plan<planned>();
      std::vector<int> slots(plan.slots.begin(), plan.slots.end());
      for (int& of_edge : slots) {
        of_edge += more;
      }
      plan.slots = slots;
      CHECK(loaded_model<planned>(data, threads, plan).update() == expected);
      compared += static_cast<int>(expected.size());
    }
  }
  CHECK(compared == 72);
}
