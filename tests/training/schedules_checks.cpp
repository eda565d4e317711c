// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/training/session_core.hpp>

#include "runtime/trace_checks.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr int updates = 3;

/// Everything that a session computes.
struct outcome {
  std::vector<float> losses;   ///< of each micro-batch
  std::vector<float> weights;  ///< after the last update
  std::vector<float> outputs;  ///< of predict
  double evaluated = 0;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

const point_set& points() {
  static const point_set made = labelled_points(256, 1);
  return made;
}

std::vector<float> all_weights(const parameters& trained) {
  std::vector<float> all;
  for (std::size_t i = 0; i < trained.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(trained.at(i).extents.elements()));
    trained.get(i, values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

fit_options three_updates(const session_parts& parts) {
  return {.steps_per_epoch = std::int64_t{updates} * parts.settings.gradient_accumulation};
}

outcome train(const session_parts& parts, const session_options& options) {
  session_core run(parts, options);
  auto feed = make_feed(points() | shuffled(100) | repeated(), 3);
  const auto losses =
      run.fit({feed, three_updates(parts), optimizer_reference(scheduled_rates)}).losses();
  outcome made;
  made.losses.assign(losses.begin(), losses.end());
  made.weights = all_weights(run.weights());
  batch_feed features({points().features(), 8});
  made.outputs.resize(3 * 256);
  const std::span<float> room = made.outputs;
  run.predict(features, {&room, 1}, {});
  auto all = make_feed(points(), 3);
  made.evaluated = run.evaluate(all, {}).loss;
  return made;
}

/// Returns how many numbers were compared.
int check_bits(const session_parts& parts, const session_parts& reference) {
  const outcome expected = train(reference, {});
  int compared = 0;
  for (const int threads : {1, 2, 4}) {
    for (const bool poison : {false, true}) {
      const outcome found =
          train(parts, {.threads = threads, .shared_from = 0, .poison_freed_slots = poison});
      INFO(threads << " threads, poison " << poison);
      CHECK(same_bits(found.losses, expected.losses));
      CHECK(same_bits(found.weights, expected.weights));
      CHECK(same_bits(found.outputs, expected.outputs));
      CHECK(found.evaluated == expected.evaluated);
      compared += static_cast<int>(found.losses.size() + found.weights.size()) + 1;
      compared += static_cast<int>(found.outputs.size());
    }
  }
  return compared;
}

/// What the traces of one schedule were compared for.
struct traced {
  int actions = 0;
  int dependences = 0;
  int joined = 0;
};

traced check_traces(const session_parts& parts) {
  const program_plan_view& plan = parts.train.plan;
  traced checked;
  for (const int threads : {1, 2, 4}) {
    session_core run(parts, {.threads = threads, .shared_from = 0, .trace = true});
    auto feed = make_feed(points() | repeated(), 3);
    run.fit({feed, three_updates(parts), optimizer_reference(scheduled_rates)});
    const trace& recorded = run.last_trace();
    const int devices = plan.actions.devices;
    REQUIRE(recorded.workers() == (threads < devices ? threads : threads / devices * devices));
    const run_times times(plan.actions, recorded);
    checked.actions += check_rows(plan.actions, recorded);
    checked.dependences += check_edges(plan, times) + check_chain(plan, times);
    checked.joined += check_joined(plan.actions, recorded);
    CHECK(check_workers(recorded) == static_cast<int>(plan.actions.actions.size()));
  }
  CHECK(checked.actions == 3 * static_cast<int>(plan.actions.actions.size()));
  CHECK(checked.dependences > checked.actions);
  return checked;
}

/// Edges on which a slot is written more than once a run.
int edges_that_reuse(const program_plan_view& plan) {
  return static_cast<int>(std::count_if(plan.slots.begin(), plan.slots.end(), [&](int slots) {
    return slots < plan.actions.micro_batches;
  }));
}

const session_parts& one_stage() {
  static const session_parts parts = case_of<scheduled<in_one_stage, sequential_schedule>>().parts;
  return parts;
}

}  // namespace

void ipu_dsl::tests::check_executed(const schedule_case& scheduled,
                                    const session_parts& reference) {
  const program_plan_view& plan = scheduled.parts.train.plan;
  INFO(scheduled.name);
  const int numbers = check_bits(scheduled.parts, reference);
  const traced checked = check_traces(scheduled.parts);
  CHECK(edges_that_reuse(plan) > 0);
  std::printf(
      "%.*s, %d stages on %d devices%s: checked %d numbers, %d actions, %d joined, %d dependences, "
      "%d of %d edges reuse slots\n",
      static_cast<int>(scheduled.name.size()), scheduled.name.data(), plan.actions.stages,
      plan.actions.devices, scheduled.ascending ? ", ascending" : "", numbers, checked.actions,
      checked.joined, checked.dependences, edges_that_reuse(plan),
      static_cast<int>(plan.edges.size()));
}

void ipu_dsl::tests::check_executed(const schedule_case& scheduled) {
  check_executed(scheduled, one_stage());
}

trained_numbers ipu_dsl::tests::train_updates(const session_parts& parts, int count) {
  session_core run(parts, {});
  auto feed = make_feed(points() | repeated(), 3);
  const std::int64_t steps = std::int64_t{count} * parts.settings.gradient_accumulation;
  const auto losses =
      run.fit({feed, {.steps_per_epoch = steps}, optimizer_reference(scheduled_rates)}).losses();
  return {{losses.begin(), losses.end()}, all_weights(run.weights())};
}

TEST_CASE("the network in one stage learns, and every number is finite") {
  const outcome found = train(one_stage(), {});
  REQUIRE(found.losses.size() == updates * std::size_t{scheduled_micro_batches});
  CHECK(std::all_of(found.losses.begin(), found.losses.end(),
                    [](float loss) { return std::isfinite(loss) && loss > 0; }));
  CHECK(found.evaluated < static_cast<double>(found.losses.front()));
  const std::vector<float> before = all_weights(session_core(one_stage(), {}).weights());
  int changed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    changed += before[i] == found.weights[i] ? 0 : 1;
  }
  CHECK(changed > static_cast<int>(before.size()) / 2);
  std::printf("schedules: %d of %zu weights learn\n", changed, before.size());
}

TEST_CASE("one micro-batch at a time, in 4 and in 8 stages") {
  check_executed(case_of<scheduled<in_four_stages, sequential_schedule>>());
  check_executed(case_of<scheduled<in_eight_stages, sequential_schedule>>());
}
