// SPDX-License-Identifier: MIT
#include <cstdio>

#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using candidates = best_of<sequential_schedule, grouped, interleaved, zero_bubble_list<>>;
using on_a_v = best_of<v_min, v_half, zb_v>;

static_assert(schedule_type<candidates>);
static_assert(costed_schedule<candidates>);
static_assert(schedule_type<best_of<on_a_v, v_min>>);
static_assert(candidates::devices_for(6) == 6 && on_a_v::devices_for(6) == 3);

static_assert(best_of<grouped, interleaved>::allows(3, 3, 4, purpose::training).message().view() ==
              "schedule best-of: expected counts that one of its schedules takes, got 3 devices, 3 "
              "stages and 4 micro-batches. Hint: grouped: use 6; interleaved: use 3 or 6");
static_assert(!best_of<grouped, interleaved>::allows(3, 3, 3, purpose::training).found());
static_assert(on_a_v::allows(3, 5, 4, purpose::training).found());

/// Which schedule is taken for stages that all cost the same.
constexpr std::string_view chosen(int stages, int micro_batches, const stage_cost& cost) {
  const stage_graph graph = chain_stage_graph(stages, cost);
  return candidates::chosen(stages, micro_batches, graph.view());
}

constexpr bool test_choice() {
  // One stage: all are equal, and the first named is taken. Grouped does not take 3 micro-batches.
  return chosen(1, 3, {}) == "sequential" && chosen(3, 6, {}) == "zb-list";
}

static_assert(test_choice());

constexpr checks test_ties() {
  const stage_graph graph = chain_stage_graph(2);
  checks done;
  done.that(best_of<grouped, interleaved>::chosen(2, 4, graph.view()) == "grouped");
  done.that(best_of<interleaved, grouped>::chosen(2, 4, graph.view()) == "interleaved");
  done.that(best_of<grouped, interleaved>::chosen(2, 2, graph.view()) == "interleaved");
  done.that(best_of<grouped>::chosen(2, 3, graph.view()).empty());
  return done;
}

static_assert(test_ties());

std::int64_t makespan_of(const program& rows, const stage_graph& graph) {
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view())).makespan;
}

template <typename Schedule>
std::int64_t makespan_if_allowed(int stages, int micro_batches, const stage_graph& graph) {
  const int devices = default_devices<Schedule>(stages);
  if (Schedule::allows(devices, stages, micro_batches, purpose::training).found()) {
    return std::int64_t{1} << 60;
  }
  return makespan_of(
      make_program_for<Schedule>(devices, micro_batches, graph.view(), purpose::training), graph);
}

stage_graph any_graph(int stages, std::uint64_t seed) {
  list<stage_cost> costs;
  for (int stage = 0; stage < stages; ++stage) {
    const random_block words = philox(seed, 0, static_cast<std::uint64_t>(stage));
    costs.push_back({1 + uniform_below(words.words[0], 9), 1 + uniform_below(words.words[1], 9),
                     uniform_below(words.words[2], 9), uniform_below(words.words[3], 3)});
  }
  return chain_stage_graph(stages, costs);
}

}  // namespace

TEST_CASE("the best is none longer than any, and is the one that it names") {
  CHECK(test_choice());
  CHECK(test_ties());
  int checked = 0;
  int taken[3] = {};
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const int devices = 1 + static_cast<int>(seed % 4);
    const int stages = 2 * devices;
    const int m = 1 + static_cast<int>(seed % 11);
    const stage_graph graph = any_graph(stages, seed);
    INFO("seed " << seed << " stages " << stages << " m " << m);
    const program rows = on_a_v::make_for(devices, m, graph.view());
    REQUIRE(prove(rows.view(), graph.view()).proven());
    const std::int64_t all[3] = {makespan_if_allowed<v_min>(stages, m, graph),
                                 makespan_if_allowed<v_half>(stages, m, graph),
                                 makespan_if_allowed<zb_v>(stages, m, graph)};
    const std::string_view names[3] = {v_min::name, v_half::name, zb_v::name};
    int best = 0;
    for (int which = 1; which < 3; ++which) {
      best = all[which] < all[best] ? which : best;
    }
    CHECK(makespan_of(rows, graph) == all[best]);
    CHECK(on_a_v::chosen(devices, m, graph.view()) == names[best]);
    ++taken[best];
    ++checked;
  }
  std::printf("checked %d choices: v-min %d, v-half %d, zb-v %d\n", checked, taken[0], taken[1],
              taken[2]);
  CHECK(taken[0] > 0);
  CHECK(taken[2] > 0);
}

TEST_CASE("schedules that do not take the counts are passed over") {
  int checked = 0;
  int refused = 0;
  for (int stages = 2; stages <= 5; ++stages) {
    for (int m = 1; m <= 20; ++m) {
      using both = best_of<grouped, interleaved>;
      const stage_graph graph = any_graph(stages, static_cast<std::uint64_t>(m));
      const std::int64_t first = makespan_if_allowed<grouped>(stages, m, graph);
      const std::int64_t second = makespan_if_allowed<interleaved>(stages, m, graph);
      const bool none = m % stages != 0;
      CHECK(both::allows(stages, stages, m, purpose::training).found() == none);
      CHECK(both::chosen(stages, m, graph.view()).empty() == none);
      if (!none) {
        const program rows = both::make_for(stages, m, graph.view());
        CHECK(makespan_of(rows, graph) == (first < second ? first : second));
        CHECK(prove(both::make_forward(stages, stages, m).view(), graph.view()).proven());
      }
      // A schedule that looks at costs is asked for those of the graph.
      using costed = best_of<interleaved, zero_bubble_list<>>;
      const std::int64_t third = makespan_if_allowed<zero_bubble_list<>>(stages, m, graph);
      CHECK(makespan_of(costed::make_for(stages, m, graph.view()), graph) ==
            (second < third ? second : third));
      refused += none ? 1 : 0;
      ++checked;
    }
  }
  std::printf("checked %d counts, %d of them refused\n", checked, refused);
  CHECK(refused > 0);
  CHECK(refused < checked);
}
