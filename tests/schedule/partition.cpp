// SPDX-License-Identifier: MIT
#include <cstdio>
#include <initializer_list>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/partition/balanced_partition.hpp>
#include <ipu_dsl/schedule/partition/partition.hpp>
#include <ipu_dsl/schedule/partition/scheduled_partition.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using costs_t = list<std::int64_t>;

constexpr bool cuts_are(const partition& cut, std::initializer_list<int> first) {
  bool same = cut.first_layer_of_stage.size() == first.size();
  const int* at = cut.first_layer_of_stage.data();
  for (const int layer : first) {
    same = same && *at++ == layer;
  }
  return same;
}

// The costs of schedules whose best partition is known (PyTorch's tests of its partitioner).
constexpr std::int64_t published[] = {8, 11, 2, 1, 18, 5, 4, 11};

constexpr list<stage_cost> published_layers() {
  list<stage_cost> layers;
  for (const std::int64_t cost : published) {
    layers.push_back({.forward = cost, .input_gradient = cost, .weight_gradient = cost});
  }
  return layers;
}

constexpr bool test_published_base() {
  const partition cut = min_max_partition(published, 4);
  return cuts_are(cut, {0, 1, 4, 5, 8}) && cut.bottleneck == 20;
}

static_assert(test_published_base());

constexpr bool test_published_base_makespan() {
  const list<stage_cost> layers = published_layers();
  const partition cut = min_max_partition(published, 4);
  return makespan_of_partition<relaxed<interleaved>>(layers, cut, {4, 8}) == 600;
}

static_assert(test_published_base_makespan());

/// One micro-batch through two stages of layers {2, 3, 4}: there and back with a hop each.
constexpr bool test_makespan_counts_everything() {
  const list<stage_cost> layers = {{2, 3, 4, 100}, {2, 3, 4, 0}, {2, 3, 4, 10}};
  partition cut;
  cut.first_layer_of_stage = {0, 1, 3};
  const std::int64_t there_and_back = 2 + 50 + 4 + 14 + 50 + 7;
  return makespan_of_partition<relaxed<interleaved>>(layers, cut, {2, 1, 50}) ==
         there_and_back + 100;
}

static_assert(test_makespan_counts_everything());

constexpr checks test_published_best() {
  const scheduled_partition found =
      best_partition<relaxed<interleaved>>(published_layers(), 4, {4, 8});
  checks done;
  done.that(cuts_are(found.cut, {0, 3, 5, 6, 8}));
  done.that(found.makespan == 573);
  done.that(found.cut.bottleneck == 3 * 21);
  return done;
}

static_assert(test_published_best());

constexpr checks test_small() {
  const costs_t one = {7};
  const costs_t same = {1, 1, 1, 1, 1, 1};
  const costs_t zeros = {0, 0, 0};
  checks done;
  done.that(cuts_are(min_max_partition(one, 1), {0, 1}));
  done.that(cuts_are(min_max_partition(same, 3), {0, 2, 4, 6}));
  done.that(cuts_are(min_max_partition(same, 6), {0, 1, 2, 3, 4, 5, 6}));
  done.that(cuts_are(min_max_partition(zeros, 2), {0, 1, 3}));
  done.that(min_max_partition(one, 2).stages() == 0);
  done.that(min_max_partition(one, 0).stages() == 0);
  return done;
}

static_assert(test_small());

constexpr costs_t random_costs(std::uint64_t stream, int layers, std::uint32_t bound) {
  costs_t costs;
  for (int layer = 0; layer < layers; ++layer) {
    const std::uint32_t word = random_word(2024, stream, static_cast<std::uint64_t>(layer));
    costs.push_back(uniform_below(word, bound));
  }
  return costs;
}

// 256 layers in 16 stages, below the default limits of both compilers.
constexpr std::int64_t large_bottleneck(std::uint32_t bound) {
  costs_t costs;
  for (std::uint32_t layer = 0; layer < 256; ++layer) {
    costs.push_back(1 + layer * 7919 % bound);
  }
  return min_max_partition(costs, 16).bottleneck;
}

static_assert(large_bottleneck(997) > 997 * 256 / 2 / 16);

constexpr checks test_memory() {
  const costs_t costs = {5, 1, 1, 1, 5};
  const costs_t bytes = {1, 9, 1, 1, 1};
  checks done;
  done.that(cuts_are(min_max_partition(costs, 3), {0, 1, 4, 5}));
  done.that(cuts_are(min_max_partition(costs, bytes, 9, 3), {0, 1, 2, 5}));
  done.that(cuts_are(min_max_partition(costs, bytes, 13, 1), {0, 5}));
  done.that(min_max_partition(costs, bytes, 12, 1).stages() == 0);
  return done;
}

static_assert(test_memory());

constexpr checks test_hops() {
  const costs_t costs = {4, 4, 4, 4};
  const costs_t free = {0, 0, 0, 0};
  const costs_t dear = {0, 0, 9, 0};
  checks done;
  done.that(cuts_are(min_max_partition_with_hops(costs, free, 2), {0, 2, 4}));
  done.that(cuts_are(min_max_partition_with_hops(costs, dear, 2), {0, 2, 4}));
  done.that(min_max_partition_with_hops(costs, dear, 2).bottleneck == 9);
  done.that(cuts_are(min_max_partition_with_hops(costs, costs_t{0, 0, 13, 0}, 2), {0, 1, 4}));
  done.that(min_max_partition_with_hops(costs, costs_t{0, 0, 13, 0}, 2).bottleneck == 12);
  return done;
}

static_assert(test_hops());

constexpr checks test_problems() {
  const costs_t bytes = {60, 60, 140, 60};
  problem alone = partition_problem(bytes, 100, 4);
  problem more = partition_problem(bytes, 150, 2);
  problem few = partition_problem(3, 4);
  alone.where = "mine";
  more.where = "mine";
  few.where = "mine";
  checks done;
  done.that(alone.message().view() ==
            "mine: expected layers of at most 100 bytes, the limit of a stage, got layer 2 of "
            "140 bytes");
  done.that(more.message().view() ==
            "mine: expected at least 3 stages of at most 150 bytes, got 2. Hint: use 3 stages, "
            "or allow 200 bytes a stage");
  done.that(few.message().view() ==
            "mine: expected a layer for each of 4 stages, got 3 layers. Hint: use at most 3 "
            "stages");
  done.that(!partition_problem(bytes, 200, 2).found());
  done.that(partition_problem(3, 0).found());
  done.that(!partition_problem(3, 3).found());
  return done;
}

static_assert(test_problems());

/// Calls `visit` with every partition: cuts chosen one by one, apart from the library's order.
template <typename Visit>
void each_partition(std::vector<int>& cuts, int layers, int stages, const Visit& visit) {
  const int stage = static_cast<int>(cuts.size());
  if (stage == stages) {
    cuts.push_back(layers);
    visit(cuts);
    cuts.pop_back();
    return;
  }
  const int least = stage == 0 ? 0 : cuts.back() + 1;
  const int most = stage == 0 ? 0 : layers - (stages - stage);
  for (int first = least; first <= most; ++first) {
    cuts.push_back(first);
    each_partition(cuts, layers, stages, visit);
    cuts.pop_back();
  }
}

constexpr std::int64_t sum_of(const costs_t& costs, int begin, int end) {
  std::int64_t sum = 0;
  for (int layer = begin; layer < end; ++layer) {
    sum += costs[static_cast<std::size_t>(layer)];
  }
  return sum;
}

/// What the definition says of the first `layers` layers, or -1 if no partition is allowed.
std::int64_t least_of_all(const costs_t& costs, const costs_t& bytes, std::int64_t limit,
                          const costs_t& hops, int layers, int stages) {
  std::int64_t least = -1;
  std::vector<int> none;
  each_partition(none, layers, stages, [&](const std::vector<int>& cuts) {
    std::int64_t most = 0;
    bool allowed = true;
    for (std::size_t stage = 0; stage + 1 < cuts.size(); ++stage) {
      most = std::max(most, sum_of(costs, cuts[stage], cuts[stage + 1]));
      most = stage == 0 ? most : std::max(most, hops[static_cast<std::size_t>(cuts[stage])]);
      allowed = allowed && sum_of(bytes, cuts[stage], cuts[stage + 1]) <= limit;
    }
    least = allowed && (least < 0 || most < least) ? most : least;
  });
  return least;
}

/// Least bottleneck, and the rule for ties: every prefix of stages has the least bottleneck of its
/// layers, and the last stage of each could not be longer.
void check_cuts(const partition& cut, const costs_t& costs, const costs_t& bytes,
                std::int64_t limit, const costs_t& hops, int stages) {
  REQUIRE(cut.stages() == stages);
  REQUIRE(cut.first_layer_of_stage[0] == 0);
  for (int k = stages; k >= 1; --k) {
    const int end = cut.first_layer_of_stage[static_cast<std::size_t>(k)];
    const int begin = cut.first_layer_of_stage[static_cast<std::size_t>(k) - 1];
    REQUIRE(begin < end);
    REQUIRE(sum_of(bytes, begin, end) <= limit);
    const std::int64_t least = least_of_all(costs, bytes, limit, hops, end, k);
    std::int64_t most = 0;
    for (int stage = 0; stage < k; ++stage) {
      const int first = cut.first_layer_of_stage[static_cast<std::size_t>(stage)];
      const int next = cut.first_layer_of_stage[static_cast<std::size_t>(stage) + 1];
      most = std::max(most, sum_of(costs, first, next));
      most = stage == 0 ? most : std::max(most, hops[static_cast<std::size_t>(first)]);
    }
    REQUIRE(most == least);
    REQUIRE((k < stages || cut.bottleneck == least));
    for (int longer = k - 1; k > 1 && longer < begin; ++longer) {
      const std::int64_t rest = least_of_all(costs, bytes, limit, hops, longer, k - 1);
      const bool possible = rest >= 0 && rest <= least && sum_of(costs, longer, end) <= least &&
                            hops[static_cast<std::size_t>(longer)] <= least &&
                            sum_of(bytes, longer, end) <= limit;
      REQUIRE(!possible);
    }
  }
}

constexpr checks test_published_under_1f1b() {
  checks done;
  const list<stage_cost> layers = published_layers();
  done.that(test_published_base());
  done.that(test_published_base_makespan());
  done.that(test_published_best());
  const partition start = min_max_partition(whole_costs(layers), 4);
  const scheduled_partition found = improve_partition<relaxed<interleaved>>(layers, start, {4, 8});
  // No move of one cut is better; the best partition is three moves away.
  done.that(found.makespan == 600);
  done.that(cuts_are(found.cut, {0, 1, 4, 5, 8}));
  return done;
}

static_assert(test_published_under_1f1b());

constexpr checks test_refusing_schedule() {
  checks done;
  const list<stage_cost> layers = published_layers();
  const partition cut = min_max_partition(published, 4);
  done.that(makespan_of_partition<interleaved>(layers, cut, {4, 7}) == -1);
  // Of a layer more than it cuts, and of one fewer.
  list<stage_cost> other = layers;
  other.push_back({.forward = 1000});
  done.that(makespan_of_partition<interleaved>(other, cut, {4, 8}) == -1);
  done.that(makespan_of_partition<interleaved>(list_view<stage_cost>(layers).first(7), cut,
                                               {4, 8}) == -1);
  done.that(makespan_of_partition<interleaved>(layers, cut, {4, 8}) == 600);
  done.that(improve_partition<interleaved>(layers, cut, {4, 7}).makespan == -1);
  done.that(best_partition<interleaved>(layers, 9, {9, 9}).makespan == -1);
  return done;
}

static_assert(test_refusing_schedule());

}  // namespace

TEST_CASE("partitions have the least bottleneck of all") {
  REQUIRE(test_small());
  REQUIRE(test_memory());
  REQUIRE(test_hops());
  REQUIRE(test_problems());
  int checked = 0;
  int refused = 0;
  for (int seed = 0; seed < 150; ++seed) {
    const std::uint64_t stream = static_cast<std::uint64_t>(4 * seed);
    const int layers = 1 + seed % 9;
    const std::uint32_t bound = seed % 3 == 0 ? 3 : seed % 3 == 1 ? 20 : 1000000;
    const costs_t costs = random_costs(stream, layers, bound);
    const costs_t bytes = random_costs(stream + 1, layers, 50);
    const costs_t hops = random_costs(stream + 2, layers, 2 * bound);
    const costs_t none(static_cast<std::size_t>(layers), 0);
    for (int stages = 1; stages <= layers; ++stages) {
      check_cuts(min_max_partition(costs, stages), costs, none, 0, none, stages);
      check_cuts(min_max_partition_with_hops(costs, hops, stages), costs, none, 0, hops, stages);
      const std::int64_t limit = 30 + seed % 90;
      const partition bounded = min_max_partition(costs, bytes, limit, stages);
      const bool possible = least_of_all(costs, bytes, limit, none, layers, stages) >= 0;
      REQUIRE(partition_problem(bytes, limit, stages).found() == !possible);
      REQUIRE((bounded.stages() > 0) == possible);
      if (possible) {
        check_cuts(bounded, costs, bytes, limit, none, stages);
      }
      refused += possible ? 0 : 1;
      checked += 3;
    }
  }
  std::printf("checked %d partitions, %d of them impossible\n", checked, refused);
  CHECK(checked > 0);
  CHECK(refused > 0);
  CHECK(refused < checked / 3);
}

TEST_CASE("a memory limit that binds costs no more than it has to") {
  int dearer = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const costs_t costs = random_costs(static_cast<std::uint64_t>(1000 + seed), 64, 100);
    const costs_t bytes = random_costs(static_cast<std::uint64_t>(2000 + seed), 64, 100);
    const std::int64_t least = min_max_partition(bytes, 8).bottleneck;
    const partition unbounded = min_max_partition(costs, 8);
    const partition bounded = min_max_partition(costs, bytes, least, 8);
    REQUIRE(bounded.stages() == 8);
    REQUIRE(bounded.bottleneck >= unbounded.bottleneck);
    dearer += bounded.bottleneck > unbounded.bottleneck ? 1 : 0;
    const std::int64_t all = sum_of(bytes, 0, 64);
    REQUIRE(min_max_partition(costs, bytes, all, 8).bottleneck == unbounded.bottleneck);
    REQUIRE(partition_problem(bytes, least - 1, 8).found());
  }
  std::printf("checked 40 limits, %d of them cost something\n", dearer);
  CHECK(dearer > 0);
}

TEST_CASE("the published partition under 1F1B") {
  CHECK(test_published_under_1f1b());
}

TEST_CASE("moving cuts never loses and never beats the best") {
  int checked = 0;
  int improved = 0;
  int optimal = 0;
  for (int seed = 0; seed < 24; ++seed) {
    const costs_t costs = random_costs(static_cast<std::uint64_t>(3000 + seed), 8, 20);
    list<stage_cost> layers;
    for (const std::int64_t cost : costs) {
      layers.push_back({1 + cost, 1 + cost, cost, 0});
    }
    const pipeline_setting setting = {3 + seed % 2, 5 + seed % 4, seed % 3};
    const int stages = setting.devices;
    const partition start = min_max_partition(whole_costs(layers), stages);
    const std::int64_t first = makespan_of_partition<relaxed<interleaved>>(layers, start, setting);
    const scheduled_partition moved =
        improve_partition<relaxed<interleaved>>(layers, start, setting);
    const scheduled_partition best = best_partition<relaxed<interleaved>>(layers, stages, setting);
    std::int64_t least = -1;
    std::vector<int> none;
    each_partition(none, 8, stages, [&](const std::vector<int>& cuts) {
      partition trial;
      for (const int layer : cuts) {
        trial.first_layer_of_stage.push_back(layer);
      }
      const std::int64_t makespan =
          makespan_of_partition<relaxed<interleaved>>(layers, trial, setting);
      least = least < 0 || makespan < least ? makespan : least;
      ++checked;
    });
    REQUIRE(best.makespan == least);
    REQUIRE(moved.makespan <= first);
    REQUIRE(moved.makespan >= best.makespan);
    REQUIRE(makespan_of_partition<relaxed<interleaved>>(layers, moved.cut, setting) ==
            moved.makespan);
    for (int stage = 1; stage < stages; ++stage) {
      for (const int step : {-1, 1}) {
        partition beside = moved.cut;
        int* const first_layer = beside.first_layer_of_stage.data() + stage;
        *first_layer += step;
        if (first_layer[-1] < first_layer[0] && first_layer[0] < first_layer[1]) {
          REQUIRE(makespan_of_partition<relaxed<interleaved>>(layers, beside, setting) >=
                  moved.makespan);
        }
      }
    }
    improved += moved.makespan < first ? 1 : 0;
    optimal += moved.makespan == best.makespan ? 1 : 0;
  }
  std::printf("checked %d partitions of 24 models; moving cuts improved %d, was best in %d\n",
              checked, improved, optimal);
  CHECK(checked > 0);
  CHECK(improved > 0);
}

TEST_CASE("a schedule that refuses gives no makespan") {
  CHECK(test_refusing_schedule());
}

TEST_CASE("devices of several stages are balanced by their sums") {
  int checked = 0;
  int better = 0;
  int optimal = 0;
  for (int seed = 0; seed < 60; ++seed) {
    const int devices = 2 + seed % 2;
    const list<int> placement = seed % 4 < 2 ? snake_placement(devices, 2 * devices)
                                             : looped_placement(devices, 2 * devices);
    const costs_t costs = random_costs(static_cast<std::uint64_t>(4000 + seed), 10, 40);
    const costs_t sums = partitioning::running_sums(costs);
    const auto most = [&](const partition& cut) {
      return partitioning::imbalance_of(sums, cut, placement, devices).most;
    };
    const partition start = min_max_partition(costs, 2 * devices);
    const partition cut = balanced_partition(costs, placement, devices);
    std::int64_t least = -1;
    std::vector<int> none;
    each_partition(none, 10, 2 * devices, [&](const std::vector<int>& cuts) {
      partition trial;
      for (const int layer : cuts) {
        trial.first_layer_of_stage.push_back(layer);
      }
      least = least < 0 || most(trial) < least ? most(trial) : least;
      ++checked;
    });
    REQUIRE(cut.bottleneck == most(cut));
    REQUIRE(cut.bottleneck <= most(start));
    REQUIRE(cut.bottleneck >= least);
    better += cut.bottleneck < most(start) ? 1 : 0;
    optimal += cut.bottleneck == least ? 1 : 0;
  }
  std::printf("checked %d partitions of 60 models; balancing improved %d, was best in %d\n",
              checked, better, optimal);
  CHECK(checked > 0);
  CHECK(better > 0);
}
