// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstdio>

#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using grouped_by_three = interleaved_one_f_one_b_grouped<3>;
using grouped_by_four = interleaved_one_f_one_b_grouped<4>;
using grouped_by_five = interleaved_one_f_one_b_grouped<5>;

static_assert(schedule_type<interleaved_one_f_one_b>);
static_assert(interleaved_one_f_one_b::name == "interleaved-1f1b");
static_assert(schedule_type<grouped_by_three>);
static_assert(schedule_type<looped_bfs> && looped_bfs::name == "looped-bfs");
static_assert(schedule_type<interleaved_zero_bubble>);
static_assert(interleaved_zero_bubble::name == "interleaved-zb");
static_assert(default_devices<interleaved_one_f_one_b>(8) == 4);
static_assert(default_devices<looped_bfs>(9) == 3);
static_assert(default_devices<interleaved_zero_bubble>(7) == 7);
static_assert(default_devices<interleaved_zero_bubble>(2) == 2);

constexpr verdict judge(const program& rows) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  return prove(rows.view(), graph.view());
}

/// Costs are those of a chunk: a device takes as many times that as it has stages.
constexpr facts facts_with(const program& rows, const stage_cost& cost = {}) {
  const stage_graph graph = chain_stage_graph(rows.stages, cost);
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view()));
}

constexpr bool same_rows(const program& left, const program& right) {
  return std::ranges::equal(left.actions, right.actions) &&
         std::ranges::equal(left.row_begin, right.row_begin);
}

/// The micro-batches (or the chunks) of an order.
constexpr bool order_is(const list<chunk_step>& order, std::initializer_list<int> micro_batches,
                        std::initializer_list<int> chunks) {
  return std::ranges::equal(order, micro_batches, {}, &chunk_step::micro_batch) &&
         std::ranges::equal(order, chunks, {}, &chunk_step::chunk);
}

// The table in a comment of Megatron-LM: two devices, groups of three, five micro-batches, two
// chunks.
static_assert(order_is(chunk_order(2, equal_groups(5, 3)), {0, 1, 2, 0, 1, 2, 3, 4, 3, 4},
                       {0, 0, 0, 1, 1, 1, 0, 0, 1, 1}));
static_assert(std::ranges::equal(even_groups(11, 4), list<int>{6, 5}));
static_assert(std::ranges::equal(even_groups(3, 4), list<int>{3}));

static_assert(judge(interleaved_one_f_one_b::make(3, 6, 4)).proven());
static_assert(judge(looped_bfs::make(2, 6, 3)).proven());
static_assert(judge(interleaved_zero_bubble::make(3, 6, 4)).proven());
static_assert(facts_with(interleaved_one_f_one_b::make(4, 8, 8)).makespan == 57);
static_assert(facts_with(interleaved_zero_bubble::make(4, 8, 8)).makespan == 51);

static_assert(interleaved_one_f_one_b::allows(4, 6, 8, purpose::training).message().view() ==
              "schedule interleaved-1f1b: expected a number of stages that is a multiple of 4 "
              "devices, got 6. Hint: cut the model into 4 or 8 stages, or use 3 devices");
static_assert(grouped_by_four::allows(4, 12, 9, purpose::training).message().view() ==
              "schedule interleaved-1f1b-grouped: expected a last group of 2 to 4 micro-batches, "
              "got 1 of 9 left by groups of 4. Hint: use 8 or 10 micro-batches, or "
              "interleaved_one_f_one_b");
static_assert(grouped_by_five::allows(5, 10, 7, purpose::training).message().view() ==
              "schedule interleaved-1f1b-grouped: expected a last group of 1 or 3 to 5 "
              "micro-batches, got 2 of 7 left by groups of 5. Hint: use 6 or 8 micro-batches, or "
              "interleaved_one_f_one_b");
static_assert(grouped_by_three::allows(4, 8, 9, purpose::training).message().view() ==
              "schedule interleaved-1f1b-grouped: expected groups of at least as many "
              "micro-batches as devices (4), got 3. Hint: use groups of 4");

/// The device's most micro-batches, over its stages.
int most_kept(const program& rows, int device) {
  return peak_stash_of_devices(rows.view())[static_cast<std::size_t>(device)];
}

/// Calls `check(devices, chunks, micro_batches)` and adds what it counts.
template <typename Check>
int over_grid(const Check& check) {
  int checked = 0;
  for (int devices = 1; devices <= 6; ++devices) {
    for (int chunks = 1; chunks <= 4; ++chunks) {
      for (int m = 1; m <= 3 * devices + 2; ++m) {
        checked += check(devices, chunks, m);
      }
    }
  }
  CHECK(checked > 0);
  return checked;
}

/// The largest of the groups that the schedules make by default.
int largest_group(int micro_batches, int devices) {
  const int groups = std::max(1, micro_batches / devices);
  return (micro_batches + groups - 1) / groups;
}

constexpr stage_cost whole_costs[] = {{1, 1, 1}, {3, 1, 1}, {2, 5, 4}, {7, 3, 0}};

}  // namespace

TEST_CASE("interleaved 1F1B has 1F1B's bubble over the stages a device, whatever divides") {
  const int checked = over_grid([](int devices, int chunks, int m) {
    const program rows = interleaved_one_f_one_b::make(devices, devices * chunks, m);
    REQUIRE(judge(rows).proven());
    for (const stage_cost& cost : whole_costs) {
      const facts found = facts_with(rows, cost);
      const std::int64_t one = cost.forward + cost.of(action_kind::backward);
      // Fewer micro-batches than devices wait for the first one to come round.
      const int turns = chunks * std::max(m, devices) + std::min(m, devices) - 1;
      REQUIRE(found.makespan == turns * one);
      REQUIRE(found.ascending);
    }
    for (int device = 0; device < devices; ++device) {
      const int alternating = (chunks - 1) * largest_group(m, devices) + 2 * (devices - device) - 1;
      REQUIRE(most_kept(rows, device) == std::min(m * chunks, alternating));
    }
    return 9 + devices;
  });
  std::printf("checked %d facts of interleaved 1f1b\n", checked);
}

TEST_CASE("looped breadth first has the same bubble and keeps everything") {
  const int checked = over_grid([](int devices, int chunks, int m) {
    const program rows = looped_bfs::make(devices, devices * chunks, m);
    REQUIRE(judge(rows).proven());
    for (const stage_cost& cost : whole_costs) {
      const std::int64_t one = cost.forward + cost.of(action_kind::backward);
      const int turns = chunks * std::max(m, devices) + std::min(m, devices) - 1;
      REQUIRE(facts_with(rows, cost).makespan == turns * one);
    }
    for (int device = 0; device < devices; ++device) {
      REQUIRE(most_kept(rows, device) == m * chunks);
    }
    return 5 + devices;
  });
  std::printf("checked %d facts of looped bfs\n", checked);
}

TEST_CASE("interleaved zero bubble fills what the weight gradients can fill") {
  const int checked = over_grid([](int devices, int chunks, int m) {
    const program rows = interleaved_zero_bubble::make(devices, devices * chunks, m);
    REQUIRE(judge(rows).proven());
    REQUIRE(accumulates_ascending(rows.view()));
    int counted = 2 + devices;
    for (const stage_cost& cost : {stage_cost{1, 1, 1}, stage_cost{1, 3, 2}, stage_cost{2, 1, 5},
                                   stage_cost{4, 3, 1}, stage_cost{5, 6, 7}}) {
      const auto [forward, input, weight] =
          std::array{cost.forward, cost.input_gradient, cost.weight_gradient};
      const facts found = facts_with(rows, cost);
      const std::int64_t waits = std::max(input, forward + input - weight);
      if (m >= devices) {
        REQUIRE(found.flush_bubble() == (devices - 1) * std::max(forward, waits));
        REQUIRE(found.span_bubble == (devices - 1) * waits);
        counted += 2;
      }
    }
    for (int device = 0; device < devices; ++device) {
      const int most = (chunks - 1) * largest_group(m, devices) + devices;
      REQUIRE(most_kept(rows, device) == std::min(m * chunks, most));
    }
    return counted;
  });
  std::printf("checked %d facts of interleaved zero bubble\n", checked);
}

TEST_CASE("the published numbers, in units of a chunk") {
  // A device's forward takes as many units as it has chunks.
  CHECK(facts_with(interleaved_one_f_one_b::make(4, 16, 8)).makespan == 105);
  CHECK(facts_with(interleaved_one_f_one_b::make(8, 16, 16)).makespan == 117);
  CHECK(facts_with(interleaved_one_f_one_b::make(8, 32, 16)).makespan == 213);
  CHECK(facts_with(looped_bfs::make(4, 8, 8)).makespan == 57);
  CHECK(facts_with(looped_bfs::make(8, 16, 16)).makespan == 117);
  CHECK(facts_with(interleaved_zero_bubble::make(8, 16, 16)).makespan == 103);
  const auto kept = [](const program& rows) { return peak_stash_of_devices(rows.view()); };
  CHECK(std::ranges::equal(kept(interleaved_one_f_one_b::make(4, 8, 8)), list<int>{11, 9, 7, 5}));
  CHECK(
      std::ranges::equal(kept(interleaved_one_f_one_b::make(4, 16, 8)), list<int>{19, 17, 15, 13}));
  CHECK(std::ranges::equal(kept(looped_bfs::make(4, 8, 8)), list<int>{16, 16, 16, 16}));
  CHECK(std::ranges::equal(kept(interleaved_zero_bubble::make(4, 8, 8)), list<int>{8, 8, 8, 8}));
}

TEST_CASE("one stage a device: interleaved 1F1B is eager 1F1B") {
  int checked = 0;
  for (int devices = 1; devices <= 8; ++devices) {
    for (int m = 1; m <= 3 * devices + 1; ++m) {
      REQUIRE(same_rows(interleaved_one_f_one_b::make(devices, devices, m),
                        eager_one_f_one_b::make(devices, devices, m)));
      REQUIRE(same_rows(looped_bfs::make(devices, devices, m), gpipe::make(devices, devices, m)));
      checked += 2;
    }
  }
  std::printf("checked %d programs of one stage a device\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("groups of as many as divide are the default's, and larger ones cost memory alone") {
  int checked = 0;
  for (int chunks = 1; chunks <= 4; ++chunks) {
    for (int m = 3; m <= 12; m += 3) {
      REQUIRE(same_rows(interleaved_one_f_one_b::make(3, 3 * chunks, m),
                        grouped_by_three::make(3, 3 * chunks, m)));
      ++checked;
    }
    const program larger = grouped_by_four::make(3, 3 * chunks, 12);
    REQUIRE(facts_with(larger).flush_bubble() == 2 * 3);
    REQUIRE(most_kept(larger, 0) == std::min(12 * chunks, 4 * (chunks - 1) + 5));
    checked += 2;
  }
  std::printf("checked %d programs in groups\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("a short last group waits forever if and only if the rule refuses it") {
  int checked = 0;
  int refused = 0;
  int kinder_than_megatron = 0;
  for (int devices = 1; devices <= 8; ++devices) {
    for (int chunks = 1; chunks <= 4; ++chunks) {
      for (int size = devices; size <= 2 * devices; ++size) {
        for (int m = 1; m <= 3 * size; ++m) {
          const int stages = devices * chunks;
          const verdict found = judge(interleaved_rows(devices, stages, m, equal_groups(m, size)));
          const bool refuses = rules::last_group("", devices, stages, m, size).found();
          REQUIRE(found.proven() == !refuses);
          REQUIRE((found.proven() || found.kind == schedule_fault::deadlock));
          ++checked;
          refused += refuses;
          kinder_than_megatron += !refuses && m % size != 0 && m % size < devices && m > size;
        }
      }
    }
  }
  std::printf("checked %d last groups, %d wait forever, %d run that Megatron refuses\n", checked,
              refused, kinder_than_megatron);
  CHECK(refused > 0);
  CHECK(refused < checked);
  CHECK(kinder_than_megatron > 0);
}

TEST_CASE("the counts that the rule of the last group names are legal") {
  int checked = 0;
  for (int devices = 2; devices <= 8; ++devices) {
    for (int chunks = 2; chunks <= 3; ++chunks) {
      for (int size = devices; size <= 2 * devices; ++size) {
        for (int m = size + 1; m < 3 * size; ++m) {
          const int stages = devices * chunks;
          const problem found = rules::last_group("", devices, stages, m, size);
          if (!found.found()) {
            continue;
          }
          int below = 0;
          int above = 0;
          REQUIRE(std::sscanf(found.hint.characters, "use %d or %d", &below, &above) == 2);
          REQUIRE(below < m);
          REQUIRE(above > m);
          REQUIRE_FALSE(rules::last_group("", devices, stages, below, size).found());
          REQUIRE_FALSE(rules::last_group("", devices, stages, above, size).found());
          // And they are the nearest.
          REQUIRE(rules::last_group("", devices, stages, below + 1, size).found());
          REQUIRE(rules::last_group("", devices, stages, above - 1, size).found());
          checked += 6;
        }
      }
    }
  }
  std::printf("checked %d named counts\n", checked);
  CHECK(checked > 0);
}
