// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <vector>

#include "runtime/pipelines.hpp"
#include "runtime/trace_checks.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// A session after two traced updates.
template <typename C>
struct traced_session {
  session<C> run;
  std::vector<float> losses;

  traced_session(const point_set& data, int threads)
      : run({.learning_rate = 0.05F, .momentum = 0.9F},
            {.threads = threads, .shared_from = 0, .trace = true}) {
    const history& done = run.fit(data | repeated(), two_updates);
    losses.assign(done.losses().begin(), done.losses().end());
  }
};

template <typename C>
void check_traces(const point_set& data) {
  static_assert(check<C>());
  const program_plan_view plan = training_plan<C>();
  int actions = 0;
  int pairs = 0;
  for (int threads = 1; threads <= plan.actions.devices; ++threads) {
    const traced_session<C> session(data, threads);
    const trace& recorded = session.run.last_trace();
    REQUIRE(recorded.workers() == threads);
    actions += check_rows(plan.actions, recorded);
    pairs += check_edges(plan, run_times(plan.actions, recorded));
    CHECK(check_workers(recorded) == static_cast<int>(plan.actions.actions.size()));
  }
  CHECK(actions == plan.actions.devices * static_cast<int>(plan.actions.actions.size()));
  CHECK(pairs > actions);
  std::printf("%.*s, %d stages: checked %d actions and %d dependences\n",
              static_cast<int>(C::schedule_type::name.size()), C::schedule_type::name.data(),
              plan.actions.stages, actions, pairs);
}

/// Whether two plans order the actions of a device in the same way.
constexpr bool same_rows(const program_plan_view& left, const program_plan_view& right) {
  return std::equal(left.actions.actions.begin(), left.actions.actions.end(),
                    right.actions.actions.begin(), right.actions.actions.end());
}

static_assert(!same_rows(training_plan<trained<two_stages, grouped>>(),
                         training_plan<trained<two_stages, interleaved>>()));
static_assert(!same_rows(training_plan<trained<two_stages, grouped>>(),
                         training_plan<trained<two_stages, gpipe>>()));

}  // namespace

TEST_CASE("a traced run of two stages is the proven program") {
  const point_set data = labelled_points(96, 1);
  check_traces<trained<two_stages, grouped>>(data);
  check_traces<trained<two_stages, interleaved>>(data);
  check_traces<trained<two_stages, sequential_schedule>>(data);
}

TEST_CASE("a traced run of three stages is the proven program with 1, 2 and 3 workers") {
  const point_set data = labelled_points(96, 1);
  check_traces<trained<three_stages, grouped>>(data);
  check_traces<trained<three_stages, interleaved>>(data);
}

TEST_CASE("a schedule of one's own gives another trace and the same bits") {
  const point_set data = labelled_points(96, 1);
  check_traces<trained<two_stages, gpipe>>(data);
  const traced_session<trained<two_stages, grouped>> library(data, 1);
  int compared = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    const traced_session<trained<two_stages, gpipe>> own(data, threads);
    CHECK(own.run.weights().fingerprint() == library.run.weights().fingerprint());
    CHECK(own.losses == library.losses);
    const auto before = library.run.last_trace().of(0);
    const auto after = records_of_device(own.run.last_trace(), 0);
    CHECK(before[2].what != after[2].what);
    compared += static_cast<int>(own.losses.size());
  }
  CHECK(compared == 48);
  std::printf("own schedule: checked %d losses\n", compared);
}

TEST_CASE("a trace is of the last run alone and is off unless asked for") {
  trace recorded;
  CHECK_FALSE(recorded.enabled());
  recorded.enable(2, 3);
  CHECK(recorded.enabled());
  CHECK(recorded.workers() == 2);
  recorded.begin_run();
  recorded.record({1, 0, {action_kind::backward, 0, 1}, 5, 7});
  REQUIRE(recorded.of(1).size() == 1);
  CHECK(recorded.of(1)[0].end == 7);
  CHECK(recorded.of(0).empty());
  const traced_action* const memory = recorded.of(1).data();
  recorded.begin_run();
  CHECK(recorded.of(1).empty());
  recorded.record({1, 0, {action_kind::backward, 0, 2}, 1, 2});
  CHECK(recorded.of(1).data() == memory);
}
