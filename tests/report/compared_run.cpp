// SPDX-License-Identifier: MIT
// Tests of report/compared_run.hpp and report/comparison_text.hpp.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/report/comparison_text.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr stage_cost costs_of_stages[] = {
    {.forward = 10, .input_gradient = 12, .weight_gradient = 8},
    {.forward = 20, .input_gradient = 20, .weight_gradient = 20}};

/// 1F1B of two devices and four micro-batches, and what it is proven against.
struct proven {
  program rows = interleaved::make(2, 2, 4);
  stage_graph graph = chain_stage_graph(2, costs_of_stages);

  compared_run compare(const trace& recorded) const {
    return compare_run(rows.view(), graph.view(), {}, recorded);
  }

  list<timed_action> timeline() const { return asynchronous_timeline(rows.view(), graph.view()); }
};

/// A trace of the proven times, a unit of cost taking so many nanoseconds. Replica after replica
/// has devices of its own; each is played by as many workers.
trace recorded_run(const proven& of, std::int64_t nanoseconds, int replicas = 1, int team = 1) {
  const list<timed_action> timeline = of.timeline();
  trace recorded;
  recorded.enable(2 * replicas * team, 64);
  recorded.begin_run();
  for (int replica = 0; replica < replicas; ++replica) {
    for (int device = 0; device < 2; ++device) {
      for (int index = of.rows.row_begin[device]; index < of.rows.row_begin[device + 1]; ++index) {
        const int seen = 2 * replica + device;
        for (int member = 0; member < team; ++member) {
          // The others of a team begin later and end sooner.
          const std::int64_t off = member == 0 ? 0 : 1;
          recorded.record({team * seen + member, seen, of.rows.actions[index],
                           500 + nanoseconds * timeline[index].start + off,
                           500 + nanoseconds * timeline[index].end - off});
        }
      }
    }
  }
  return recorded;
}

/// The same run in which what is chosen takes longer; what comes behind it is not moved.
template <typename Chosen>
trace slower_run(const proven& of, std::int64_t longer, const Chosen& chosen) {
  const trace before = recorded_run(of, 10);
  trace recorded;
  recorded.enable(2, 64);
  recorded.begin_run();
  for (int worker = 0; worker < 2; ++worker) {
    for (traced_action done : before.of(worker)) {
      done.end += chosen(done.what) ? longer : 0;
      recorded.record(done);
    }
  }
  return recorded;
}

}  // namespace

TEST_CASE("a run that keeps to its costs is as long as predicted") {
  const proven of;
  const std::int64_t makespan = 10 * makespan_of(of.timeline());
  CHECK(makespan == 10 * (10 + 4 * 60 + 20));
  int runs = 0;
  for (const int replicas : {1, 3}) {
    for (const int team : {1, 2}) {
      const compared_run found = of.compare(recorded_run(of, 10, replicas, team));
      CHECK(found.nanoseconds_of_cost == 10);
      CHECK(found.predicted == makespan);
      CHECK(found.fed_back == makespan);
      CHECK(found.measured == makespan);
      REQUIRE(found.actions.size() == 6);
      for (const compared_actions& one : found.actions) {
        CHECK(one.difference() == 0);
        CHECK(one.count == replicas * (one.kind == action_kind::update ? 1 : 4));
      }
      CHECK(found.exceptional.size() == static_cast<std::size_t>(replicas) * 18);
      REQUIRE(found.waits.size() == static_cast<std::size_t>(replicas) * 18);
      // A team's action ends with the last of it, and the second device begins behind F0(0).
      CHECK(found.waits.front().difference() == 0);
      CHECK(found.waits.back().difference() == 0);
      ++runs;
    }
  }
  CHECK(runs == 4);
}

TEST_CASE("what takes longer than its cost is found, and is fed back") {
  const proven of;
  const compared_run found = of.compare(slower_run(of, 90, [](const action& what) {
    return what.kind == action_kind::forward && what.stage == 1;
  }));
  // 360 more of 3,600: a unit of cost takes 11 nanoseconds on average.
  CHECK(found.nanoseconds_of_cost == 11);
  CHECK(found.predicted == 11 * 270);
  const compared_actions& first = found.actions[0];
  CHECK(first.kind == action_kind::forward);
  CHECK(first.stage == 1);
  CHECK(first.predicted == 220);
  CHECK(first.mean() == 290);
  CHECK(first.shortest == 290);
  CHECK(first.longest == 290);
  CHECK(first.difference() == 4 * 70);
  // The second stage is on the way of everything: four times 90 more.
  CHECK(found.fed_back == 2'700 + 4 * 90);
  CHECK(found.measured == 2'700);
}

TEST_CASE("a single action that took long is named, and lies outside what is fed back") {
  const proven of;
  const action late(action_kind::update, 0, 0);
  const compared_run found =
      of.compare(slower_run(of, 4'000, [&](const action& what) { return what == late; }));
  CHECK(found.measured == 2'700 + 4'000);
  CHECK(found.fed_back == 2'700 + 4'000);
  const action slow(action_kind::forward, 0, 2);
  const compared_run other =
      of.compare(slower_run(of, 800, [&](const action& what) { return what == slow; }));
  REQUIRE(!other.exceptional.empty());
  CHECK(other.exceptional[0].what == slow);
  CHECK(other.actions[0].longest == 900);
  CHECK(other.actions[0].mean() == 300);
  const std::string page = comparison_text(other, 2);
  INFO(page);
  CHECK(
      page.starts_with("2 devices, 2 stages, 4 micro-batches, 2 workers; times in microseconds\n"
                       "predicted         3.3  by modelled costs, a unit taking 12.22 nano"));
  CHECK(page.find("\nforward of stage 0           4        0.1        0.3        0.1        0.9"
                  "     +0.7\n") != std::string::npos);
  CHECK(page.find("\nlongest beside its like: F0(2), 0.9\nwaited longer than fed back: ") !=
        std::string::npos);
  int lines = 0;
  for (const char letter : page) {
    lines += letter == '\n' ? 1 : 0;
  }
  CHECK(lines == 4 + 2 + 2 + 2);
}

TEST_CASE("what waited longer than it had to is named") {
  const proven of;
  const trace before = recorded_run(of, 10);
  trace recorded;
  recorded.enable(2, 64);
  recorded.begin_run();
  const action late(action_kind::backward, 1, 1);
  for (int worker = 0; worker < 2; ++worker) {
    bool behind = false;
    for (traced_action done : before.of(worker)) {
      behind = behind || done.what == late;
      done.start += behind ? 5'000 : 0;
      done.end += behind ? 5'000 : 0;
      recorded.record(done);
    }
  }
  const compared_run found = of.compare(recorded);
  CHECK(found.predicted == 2'700);
  CHECK(found.fed_back == 2'700);
  CHECK(found.waits[0].what == late);
  CHECK(found.waits[0].device == 1);
  CHECK(found.waits[0].fed_back == 0);
  CHECK(found.waits[0].measured == 5'000);
  CHECK(found.waits[1].difference() == 0);
  CHECK(comparison_text(found).find("\nwaited longer than fed back: B1(1) +5.0, ") !=
        std::string::npos);
}

TEST_CASE("traces that cannot be held against a proof are refused") {
  const proven of;
  CHECK(sentence_of([&] {
          of.compare(trace());
        }).starts_with("No run was traced. Hint: a session with {.trace = true}"));
  trace one_worker;
  one_worker.enable(1, 4);
  one_worker.begin_run();
  one_worker.record({0, 1, {action_kind::forward, 1, 0}, 0, 1});
  CHECK(sentence_of([&] { of.compare(one_worker); }) ==
        "A run of 2 devices on 1 worker cannot be held against its proof, in which devices work "
        "side by side. Hint: .threads = 2.");
  trace other;
  other.enable(2, 4);
  other.begin_run();
  other.record({0, 0, {action_kind::forward, 0, 0}, 0, 1});
  CHECK(sentence_of([&] { of.compare(other); }) ==
        "The trace is of another program: it has 1 times forward of stage 0, the proven one 4 "
        "times.");
  other.record({1, 1, {action_kind::forward, 2, 0}, 0, 1});
  CHECK(sentence_of([&] { of.compare(other); }) ==
        "The trace is of another program: it has a stage 2 of 2.");
}
