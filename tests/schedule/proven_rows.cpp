// SPDX-License-Identifier: MIT
// Tests of schedule/proven_rows.hpp: what is timed when a program runs.
#include <string>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/timeline.hpp>
#include <ipu_dsl/study/channels/channels.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using tests::sentence_of;

namespace {

/// Two devices, each a stage, and a micro-batch: the backward stands before the forward.
program backward_first() {
  program made(2, neighbouring_placement(2, 2), 1);
  made.put(action_kind::backward, 0, 0);
  made.put(action_kind::forward, 0, 0);
  made.end_training_row(0);
  made.put(action_kind::forward, 1, 0);
  made.put(action_kind::backward, 1, 0);
  made.end_training_row(1);
  return made;
}

/// A stage that there is not.
program of_stage_7() {
  program made(2, neighbouring_placement(2, 2), 1);
  for (int device = 0; device < 2; ++device) {
    made.put(action_kind::forward, device + 7, 0);
    made.end_training_row(device);
  }
  return made;
}

struct in_columns : written_schedule<in_columns> {
  static constexpr std::string_view name = "in columns";
  static constexpr std::string_view csv = "0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n";
};

}  // namespace

TEST_CASE("rows that are not proven are refused where they are timed") {
  const stage_graph two = chain_stage_graph(2);
  const program wrong = backward_first();
  const std::string order =
      "schedule of these rows, device 0 at position 0: expected the forward of a micro-batch "
      "before the rest of it, got B0(0) first";
  CHECK(sentence_of([&] { asynchronous_timeline(wrong.view(), two.view()); }) == order);
  CHECK(sentence_of([&] { lockstep_timeline(wrong.view(), two.view()); }) == order);
  CHECK(sentence_of([&] { slots_without_stall(wrong.view(), two.view()); }) == order);
}

TEST_CASE("rows and graphs that do not fit each other are refused before they are read") {
  const program right = interleaved_one_f_one_b::make(2, 4, 4);
  const stage_graph of_devices = chain_stage_graph(2);
  const std::string counts =
      "schedule of these rows: expected costs of 4 stages, as the rows have them, got those of 2";
  CHECK(sentence_of([&] { asynchronous_timeline(right.view(), of_devices.view()); }) == counts);
  CHECK(sentence_of([&] { slots_without_stall(right.view(), of_devices.view()); }) == counts);
  CHECK(sentence_of([&] { least_channel_capacity(right.view(), of_devices.view()); }) == counts);
  CHECK(sentence_of([&] { capacity_without_stall(right.view(), of_devices.view()); }) == counts);
  const program far = of_stage_7();
  CHECK(sentence_of([&] { lockstep_timeline(far.view(), of_devices.view()); }) ==
        "schedule of these rows, device 0 at position 0: expected stages below 2 and micro-batches "
        "below 1, got F7(0)");
}

TEST_CASE("columns that do not agree with their data are an order") {
  const program written = in_columns::make(2, 2, 2);
  const program made = one_f_one_b::make(2, 2, 2);
  const stage_graph graph = chain_stage_graph(2);
  CHECK(makespan_of(lockstep_timeline(written.view(), graph.view())) ==
        makespan_of(lockstep_timeline(made.view(), graph.view())));
}
