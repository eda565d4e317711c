// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <ipu_dsl/report/compared_model.hpp>
#include <ipu_dsl/report/drawn_model.hpp>
#include <ipu_dsl/report/drawn_trace.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "report/programs.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<16, relu>>, stage<Dense<3>>>> {};

struct training : compile<net, micro_batch<4>, gradient_accumulation<4>, interleaved,
                          loss<sparse_categorical_crossentropy>> {};

/// The value of a fact, or nothing.
std::string value_of(const drawn_timeline& drawn, const std::string& name) {
  for (const fact_text& fact : drawn.fact_lines) {
    if (fact.name == name) {
      return fact.value;
    }
  }
  return {};
}

/// Lanes hold their bars in order, add up to what they say, and end within the makespan.
int check_lanes(const drawn_timeline& drawn) {
  int checked = 0;
  for (std::size_t lane = 0; lane < drawn.lanes.size(); ++lane) {
    std::int64_t busy = 0;
    std::int64_t free_at = 0;
    for (const drawn_bar& bar : drawn.bars) {
      if (bar.lane == static_cast<int>(lane)) {
        CHECK(bar.start >= free_at);
        CHECK(bar.end >= bar.start);
        free_at = bar.end;
        busy += bar.end - bar.start;
        ++checked;
      }
    }
    CHECK(free_at <= drawn.makespan);
    CHECK(busy == drawn.lanes[lane].busy);
  }
  CHECK(checked == static_cast<int>(drawn.bars.size()));
  return checked;
}

/// A trace of the interleaved order of two devices and two micro-batches, with times in nanoseconds
/// of a whole number of microseconds but for one; `workers` play the devices.
trace recorded_run(int workers) {
  trace recorded;
  recorded.enable(workers, 16);
  recorded.begin_run();
  using enum action_kind;
  const traced_action done[] = {
      {0, 0, {forward, 0, 0}, 0, 1'000},        {0, 0, {forward, 0, 1}, 1'000, 2'000},
      {1, 1, {forward, 1, 0}, 2'000, 3'000},    {1, 1, {backward, 1, 0}, 3'000, 5'000},
      {0, 0, {backward, 0, 0}, 6'000, 8'500},   {1, 1, {forward, 1, 1}, 9'000, 10'000},
      {1, 1, {backward, 1, 1}, 10'000, 12'000}, {1, 1, {update, 1, 0}, 12'000, 12'000},
      {0, 0, {backward, 0, 1}, 13'000, 15'000}, {0, 0, {update, 0, 0}, 15'000, 15'250},
  };
  for (traced_action one : done) {
    one.worker = workers == 1 ? 0 : one.device;
    recorded.record(one);
  }
  return recorded;
}

}  // namespace

TEST_CASE("a drawn program has a lane a device and a bar an action") {
  const program rows = split_program(true);
  const drawn_timeline drawn = draw_back_to_back(rows, "split");
  CHECK(drawn.title == "split");
  CHECK(drawn.subtitle == "2 devices, 4 stages, 3 micro-batches");
  CHECK(drawn.clock.source == time_source::modelled);
  CHECK(drawn.lanes.size() == 2);
  CHECK(drawn.lanes[1].name == "device 1");
  CHECK(drawn.lanes[0].stash == 4);
  CHECK(check_lanes(drawn) == static_cast<int>(rows.actions.size()));
  for (std::size_t i = 0; i < drawn.bars.size(); ++i) {
    CHECK(drawn.bars[i].what == rows.actions[i]);
  }
  CHECK(drawn.shades.size() == 4);
  CHECK(drawn.shades[0].place == 0);
  CHECK(drawn.shades[3].place == 1);
  CHECK(drawn.shades[3].of == 2);
}

TEST_CASE("counts are said as people say them") {
  program rows(1, neighbouring_placement(1, 1), 1);
  rows.put(action_kind::forward, 0, 0);
  rows.end_row();
  CHECK(draw_back_to_back(rows, "one").subtitle == "1 device, 1 stage, 1 micro-batch");
  rows.weights.copies = 2;
  CHECK(draw_back_to_back(rows, "one").subtitle ==
        "1 device, 1 stage, 1 micro-batch of each copy of the weights");
  CHECK(value_of(draw_back_to_back(rows, "one"), "stash per stage").empty());
}

TEST_CASE("a compiled model is drawn by both models of time, as its facts say") {
  const drawn_timeline free = draw_model<training>();
  CHECK(free.title.starts_with("interleaved: training of "));
  CHECK(free.title.ends_with("::net"));
  CHECK(free.subtitle == "2 devices, 2 stages, 4 micro-batches, no barriers");
  CHECK(free.clock.unit == "multiply-adds");
  CHECK(free.makespan == training::timeline.makespan);
  CHECK(value_of(free, "idle share") ==
        drawing::percent(training::timeline.idle_share()) + " of all devices' time");
  const drawn_timeline lockstep = draw_model<training>(time_model::lockstep);
  CHECK(lockstep.makespan == training::lockstep_timeline.makespan);
  CHECK(lockstep.makespan > free.makespan);
  CHECK(lockstep.subtitle.ends_with(", a barrier after every time slot"));
  const drawn_timeline predicting = draw_model<training, program_kind::predict>();
  CHECK(predicting.title.starts_with("interleaved: prediction of "));
  CHECK(check_lanes(free) == 18);
  CHECK(check_lanes(lockstep) == 18);
  CHECK(check_lanes(predicting) == 8);
}

TEST_CASE("a measured run is drawn by devices or by workers") {
  const drawn_timeline devices = draw_trace(recorded_run(2), "a run");
  CHECK(devices.subtitle == "2 devices, 2 stages, 2 micro-batches, played by 2 workers");
  CHECK(devices.clock.source == time_source::measured);
  CHECK(devices.clock.unit == "microseconds");
  CHECK(devices.makespan == 15'250);
  CHECK(devices.lanes[0].busy == 6'750);
  CHECK(devices.lanes[1].busy == 6'000);
  CHECK(check_lanes(devices) == 10);
  CHECK(value_of(devices, "makespan") == "15.2 microseconds");
  CHECK(value_of(devices, "flush bubble") == "8.5 = 55.7 % of makespan");
  CHECK(value_of(devices, "work over makespan") == "0.84, bound 1.89");
  CHECK(value_of(devices, "speed-up").empty());

  const drawn_timeline one = draw_trace(recorded_run(1), "a run", trace_lanes::workers);
  CHECK(one.subtitle == "1 worker, 2 stages, 2 micro-batches");
  CHECK(one.lanes.size() == 1);
  CHECK(one.lanes[0].name == "worker 0");
  CHECK(one.lanes[0].busy == 12'750);
  CHECK(one.shades[1].of == 2);
  CHECK(check_lanes(one) == 10);

  const drawn_timeline played = draw_trace(recorded_run(1), "a run");
  CHECK(played.subtitle == "2 devices, 2 stages, 2 micro-batches, played by 1 worker");
  CHECK(played.lanes.size() == 2);
  CHECK(played.lanes[0].busy == devices.lanes[0].busy);
  CHECK(check_lanes(played) == 10);
}

TEST_CASE("a run of a compiled model is held against its own proof") {
  constexpr program_plan_view plan = frozen_plan_of<training::compiled, program_kind::train>.view();
  const list<timed_action> timeline =
      asynchronous_timeline(plan.actions, plan.stages(), plan.slots);
  trace recorded;
  recorded.enable(2, 18);
  recorded.begin_run();
  for (int device = 0; device < 2; ++device) {
    for (int index = plan.actions.row_begin[device]; index < plan.actions.row_begin[device + 1];
         ++index) {
      recorded.record({device, device, plan.actions.actions[index], 2 * timeline[index].start,
                       2 * timeline[index].end});
    }
  }
  const compared_run found = compare_run<training>(recorded);
  CHECK(found.nanoseconds_of_cost == 2);
  CHECK(found.predicted == 2 * training::timeline.makespan);
  CHECK(found.fed_back == found.predicted);
  CHECK(found.measured == found.predicted);
  CHECK(found.actions.size() == 6);
}

TEST_CASE("a trace of nothing is no picture") {
  const std::string wanted =
      "No run was traced. Hint: a session with {.trace = true} records every update, and "
      "last_trace() is the last one.";
  trace recorded;
  CHECK(tests::sentence_of([&] { draw_trace(recorded, "nothing"); }) == wanted);
  recorded.enable(2, 8);
  CHECK(tests::sentence_of([&] { draw_trace(recorded, "nothing", trace_lanes::workers); }) ==
        wanted);
}

TEST_CASE("times are told in units") {
  CHECK(drawing::decimal(12, 1) == "12");
  CHECK(drawing::decimal(1'500, 1'000) == "1.5");
  CHECK(drawing::decimal(1'005, 1'000) == "1.005");
  CHECK(drawing::decimal(7, 1'000) == "0.007");
  CHECK(drawing::time_text(1'250, 1'000) == "1.2");
  CHECK(drawing::time_text(1'250, 1) == "1250");
  CHECK(drawing::counted(1, "cost units") == "1 cost unit");
  CHECK(drawing::counted(2, "cost units") == "2 cost units");
  CHECK(drawing::counted(1, "multiply-adds") == "1 multiply-adds");
}
