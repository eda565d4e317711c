// SPDX-License-Identifier: MIT
// A study in pieces says what the study in one says, of what is right and of what is wrong.
#include <algorithm>
#include <cstdio>
#include <utility>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/large_study.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

template <typename Whole, typename InPieces>
constexpr bool agree() {
  const program_view& one = Whole::rows;
  const program_view& other = InPieces::rows;
  const facts& told = Whole::facts;
  const facts& found = InPieces::facts;
  return !Whole::fault.found() && !InPieces::fault.found() && one.devices == other.devices &&
         one.stages == other.stages && one.micro_batches == other.micro_batches &&
         one.weights == other.weights && !one.actions.empty() &&
         std::ranges::equal(one.actions, other.actions) &&
         std::ranges::equal(one.row_begin, other.row_begin) &&
         std::ranges::equal(one.device_of_stage, other.device_of_stage) &&
         std::ranges::equal(Whole::slots, InPieces::slots) &&
         std::ranges::equal(Whole::timeline, InPieces::timeline) && told.devices == found.devices &&
         told.slots == found.slots && told.ascending == found.ascending &&
         told.makespan == found.makespan && told.work == found.work &&
         told.busiest == found.busiest && told.busiest_device == found.busiest_device &&
         told.span_bubble == found.span_bubble;
}

template <typename Schedule, int Devices, int Stages, int MicroBatches>
constexpr bool same = agree<whole_study<Schedule, Devices, Stages, MicroBatches>,
                            large_study<Schedule, Devices, Stages, MicroBatches>>();

// One piece of everything.
static_assert(same<one_f_one_b, 1, 1, 1>);
static_assert(same<one_f_one_b, 4, 4, 8>);
static_assert(same<interleaved_one_f_one_b, 4, 8, 10>);
static_assert(same<zb_h1, 4, 4, 9>);
static_assert(same<fill<4, 2, 0>, 3, 3, 7>);
// Made whole: this schedule has no row of its own, and it has slots of lockstep.
static_assert(row_schedule<zb_h1> && !row_schedule<grouped>);
static_assert(same<grouped, 4, 4, 16>);
static_assert(same<chimera, 4, 8, 8> && same<dualpipe, 4, 8, 8> && same<dualpipe_v, 4, 8, 8>);
// Rows that depend on each other, filled or tried in pieces.
static_assert(pieced_schedule<v_half> && pieced_schedule<zero_bubble_list<>>);
static_assert(!pieced_schedule<zb_v> && row_schedule<zb_v> && row_schedule<one_f_one_b_v>);
static_assert(same<v_half, 4, 8, 9> && same<v_min, 3, 6, 7> && same<zb_v, 4, 8, 9>);
static_assert(same<one_f_one_b_v, 4, 8, 9>);
static_assert(same<zero_bubble_list<>, 4, 4, 8> && same<zero_bubble_list<2>, 2, 4, 6>);

// Several pieces. The study in one is asked when the program runs.
using middle = large_study<interleaved_one_f_one_b, 8, 32, 200>;
static_assert(middle::rows.actions.size() == 32 * (2 * 200 + 1));
static_assert(middle::facts.makespan == (4 * 200 + 8 - 1) * 3);

/// Two actions of the row of one device change places.
template <int Device, int First, int Second>
struct swapped : one_f_one_b {
  static constexpr std::string_view name = "swapped";

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows = one_f_one_b::make(devices, stages, micro_batches);
    const int begin = rows.row_begin[Device];
    std::swap(rows.actions.data()[begin + First], rows.actions.data()[begin + Second]);
    return rows;
  }

  static constexpr list<action> make_row(int devices, int stages, int micro_batches, int device) {
    list<action> row = one_f_one_b::make_row(devices, stages, micro_batches, device);
    if (device == Device) {
      std::swap(row[First], row[Second]);
    }
    return row;
  }
};

template <typename Schedule, int Devices, int MicroBatches>
bool found_alike() {
  using in_pieces = large_study<Schedule, Devices, Devices, MicroBatches>;
  static_assert(in_pieces::fault.found());
  static_assert(in_pieces::slots.empty() || in_pieces::slots[0] == 0);
  static_assert(in_pieces::timeline.empty());
  const program rows = Schedule::make(Devices, Devices, MicroBatches);
  const verdict told = prove(rows.view(), chain_stage_graph(Devices).view(), {}, Schedule::name);
  INFO(in_pieces::fault.message().view());
  INFO(told.fault.message().view());
  return !told.proven() && in_pieces::fault.message() == told.fault.message();
}

}  // namespace

TEST_CASE("a study in pieces is the study in one, several pieces long") {
  const program rows = interleaved_one_f_one_b::make(8, 32, 200);
  const stage_graph graph = chain_stage_graph(32);
  const analysis told = analyse(rows.view(), graph.view(), "mine");
  REQUIRE(told.found.proven());
  CHECK(std::ranges::equal(rows.actions, middle::rows.actions));
  CHECK(std::ranges::equal(told.slots, middle::slots));
  CHECK(std::ranges::equal(told.timeline, middle::timeline));
  std::printf("checked %zu actions and %zu edges\n", middle::timeline.size(), middle::slots.size());
}

TEST_CASE("a mistake is found in pieces as in one") {
  // The backward of micro-batch 0 where its forward stands.
  CHECK(found_alike<swapped<1, 0, 3>, 4, 8>());
  // The update before the last backward.
  CHECK(found_alike<swapped<2, 15, 16>, 4, 8>());
  // The last device wants a micro-batch that the first holds back until it has gone backward.
  CHECK(found_alike<swapped<3, 1, 10>, 4, 8>());
  // The same, found after several pieces.
  CHECK(found_alike<swapped<15, 781, 790>, 16, 400>());
}

TEST_CASE("counts that a schedule refuses are refused in pieces") {
  using refused = large_study<interleaved_one_f_one_b, 3, 7, 4>;
  static_assert(refused::fault.found() && refused::rows.actions.empty());
  static_assert(refused::timeline.empty() && refused::facts.makespan == 0);
  CHECK(refused::fault.message() == whole_study<interleaved_one_f_one_b, 3, 7, 4>::fault.message());
}
