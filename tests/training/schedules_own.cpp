// SPDX-License-Identifier: MIT
// Schedules of one's own, run: as functions, as a table of time slots, as a text.
#include <string_view>

#include <ipu_dsl/study/text/written_schedule.hpp>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Every second micro-batch in whole backwards, the others in halves, with the weight gradient as
/// late as the next backward of the stage.
struct mixed_halves {
  static constexpr std::string_view name = "mixed-halves";

  static constexpr problem allows(int devices, int stages, int, purpose) {
    return devices == stages ? problem{} : refuse("a device for each stage", label() << devices);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int stage = 0; stage < stages; ++stage) {
      const int ahead = stages - stage;
      for (int i = 0; i < micro_batches + ahead; ++i) {
        if (i < micro_batches) {
          rows.put(action_kind::forward, stage, i);
        }
        if (i >= ahead) {
          put_backward(rows, stage, i - ahead);
        }
      }
      if (micro_batches % 2 != 0) {
        rows.put(action_kind::weight_gradient, stage, micro_batches - 1);
      }
      rows.put(action_kind::update, stage, 0);
      rows.end_row();
    }
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return grouped::make_forward(devices, stages, micro_batches);
  }

 private:
  static constexpr void put_backward(program& rows, int stage, int micro_batch) {
    if (micro_batch % 2 == 0) {
      rows.put(action_kind::input_gradient, stage, micro_batch);
    } else {
      rows.put(action_kind::weight_gradient, stage, micro_batch - 1);
      rows.put(action_kind::backward, stage, micro_batch);
    }
  }
};

using namespace ipu_dsl::cells;

/// Two devices, four stages on a V, three micro-batches, a forward and a backward as one step.
struct in_slots : written_schedule<in_slots> {
  static constexpr std::string_view name = "in-slots";
  static constexpr cell table[2][19] = {
      {F(0, 0), F(0, 1), F(0, 2), F(3, 0), I(3, 0), F(3, 1), I(3, 1), W(3, 0), F(3, 2), I(3, 2),
       I(0, 0), W(3, 1), I(0, 1), W(3, 2), I(0, 2), W(0, 0), W(0, 1), W(0, 2), idle},
      {idle, F(1, 0), F(2, 0), F(1, 1), F(2, 1), joined(F(1, 2), I(2, 0)), F(2, 2), idle, I(1, 0),
       I(2, 1), I(1, 1), I(2, 2), I(1, 2), W(2, 0), W(1, 0), W(2, 1), W(1, 1), W(2, 2), W(1, 2)}};
};

/// Two devices, four stages in two rounds, four micro-batches, backwards whole and in halves.
struct in_text : written_schedule<in_text> {
  static constexpr std::string_view name = "in-text";
  static constexpr std::string_view csv =
      "0F0,0F1,0F2,0F3,2F0,2F1,2F2,2F3,2I0,2W0,2B1,2B2,2I3,0B0,2W3,0B1,0B2,0B3\n"
      "1F0,1F1,1F2,1F3,3F0,3B0,3F1,3B1,3F2,3B2,3F3,3B3,1B0,1B1,1B2,1B3\n";
};

template <typename Model, typename Schedule, int MicroBatches>
struct own : compile<Model, micro_batch<scheduled_samples>, gradient_accumulation<MicroBatches>,
                     Schedule, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// Against the same number of micro-batches, one at a time and without a pipeline.
template <typename Schedule, int MicroBatches>
void check_own() {
  check_executed(case_of<own<in_four_stages, Schedule, MicroBatches>>(),
                 case_of<own<in_one_stage, sequential_schedule, MicroBatches>>().parts);
}

}  // namespace

static_assert(own<in_four_stages, in_slots, 3>::settings.devices == 2);
static_assert(own<in_four_stages, in_text, 4>::settings.devices == 2);

TEST_CASE("a schedule of one's own as a function has the bits of one stage") {
  check_own<mixed_halves, 5>();
}

TEST_CASE("a schedule of one's own as a table or a text has the bits of one stage") {
  check_own<in_slots, 3>();
  check_own<in_text, 4>();
}
