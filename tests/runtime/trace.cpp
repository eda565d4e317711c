// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/runtime/trace.hpp>

#include "runtime/pipelines.hpp"
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
      : run({.learning_rate = 0.05F, .momentum = 0.9F}, {.threads = threads, .trace = true}) {
    const history& done = run.fit(data | repeated(), two_updates);
    losses.assign(done.losses().begin(), done.losses().end());
  }
};

/// What a device did, in the order of its worker.
std::vector<traced_action> actions_of_device(const trace& recorded, int device) {
  std::vector<traced_action> done;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    for (const traced_action& record : recorded.of(worker)) {
      if (record.device == device) {
        done.push_back(record);
      }
    }
  }
  return done;
}

/// The trace of every device is its proven row, action by action, on the worker that it belongs to.
/// Returns how many actions were compared.
int check_rows(const program_plan_view& plan, const trace& recorded, int threads) {
  REQUIRE(recorded.workers() == threads);
  int compared = 0;
  for (int device = 0; device < plan.actions.devices; ++device) {
    const std::vector<traced_action> done = actions_of_device(recorded, device);
    const std::span<const action> row = plan.actions.row(device);
    REQUIRE(done.size() == row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      CHECK(done[i].what == row[i]);
      CHECK(done[i].worker == device * threads / plan.actions.devices);
      ++compared;
    }
  }
  return compared;
}

/// When the actions of a run began and ended.
class run_times {
 public:
  run_times(const program_plan_view& plan, const trace& recorded)
      : micro_batches_(plan.actions.micro_batches),
        of_(static_cast<std::size_t>(plan.actions.stages * action_kinds * micro_batches_)) {
    for (int worker = 0; worker < recorded.workers(); ++worker) {
      for (const traced_action& record : recorded.of(worker)) {
        of_[index_of({record.what.stage, record.what.kind}, record.what.micro_batch)] = record;
      }
    }
  }

  const traced_action& of(const step& which, int micro_batch) const {
    return of_[index_of(which, micro_batch)];
  }

 private:
  std::size_t index_of(const step& which, int micro_batch) const {
    const int row = which.stage * action_kinds + static_cast<int>(which.kind);
    return static_cast<std::size_t>(row * micro_batches_ + micro_batch);
  }

  int micro_batches_;
  std::vector<traced_action> of_;
};

/// The micro-batches in the order in which an edge is written.
std::vector<int> writes_of(const program_plan_view& plan, const step& writer) {
  std::vector<int> order;
  for (const action& what : plan.actions.actions) {
    if (what.stage == writer.stage && what.kind == writer.kind) {
      order.push_back(what.micro_batch);
    }
  }
  return order;
}

/// No reader of an edge starts before its writer ends, and no writer before the readers of its
/// slot's last tenant have ended. Returns how many pairs were compared.
int check_edges(const program_plan_view& plan, const run_times& times) {
  int compared = 0;
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    const edge& link = plan.edges[i];
    const std::vector<int> writes = writes_of(plan, link.writer);
    const auto depth = static_cast<std::size_t>(plan.slots[i]);
    for (std::size_t write = 0; write < writes.size(); ++write) {
      const traced_action& writer = times.of(link.writer, writes[write]);
      for (int reader = 0; reader < link.reader_count; ++reader) {
        CHECK(times.of(link.readers[reader], writes[write]).start >= writer.end);
        ++compared;
        if (write >= depth) {
          CHECK(writer.start >= times.of(link.readers[reader], writes[write - depth]).end);
          ++compared;
        }
      }
    }
  }
  return compared;
}

/// A worker does one thing at a time. Returns how many things it did.
int check_workers(const trace& recorded) {
  int compared = 0;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    std::int64_t before = 0;
    for (const traced_action& record : recorded.of(worker)) {
      CHECK(record.start >= before);
      CHECK(record.end >= record.start);
      before = record.end;
      ++compared;
    }
  }
  return compared;
}

template <typename C>
void check_traces(const point_set& data) {
  static_assert(check<C>());
  const program_plan_view plan = training_plan<C>();
  int actions = 0;
  int pairs = 0;
  for (int threads = 1; threads <= plan.actions.devices; ++threads) {
    const traced_session<C> session(data, threads);
    const trace& recorded = session.run.last_trace();
    actions += check_rows(plan, recorded, threads);
    pairs += check_edges(plan, run_times(plan, recorded));
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
    const auto after = actions_of_device(own.run.last_trace(), 0);
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
  CHECK(recorded.now() >= 0);
}
