// SPDX-License-Identifier: MIT
// Tensors that skip stages, a stage in which nothing learns, and few devices for many stages: what
// travels is read by several actions of other devices, and of the same one.
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// Six stages, or the same layers in one. Nothing learns in the first; what the second makes is
/// read by the third, the fourth and the last.
template <bool Cut>
struct with_skips {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const auto stage = [&build](int number) { build.stage(Cut ? number : 0); };
    const symbolic_tensor points = build.input({8});
    const symbolic_tensor bent = build.layer<relu>("", points);
    stage(1);
    const symbolic_tensor first = build.layer<Dense<8, relu>>("", bent);
    stage(2);
    const symbolic_tensor second = build.layer<Dense<8, relu>>("", first);
    stage(3);
    const symbolic_tensor sum = build.layer<Add>("", second, first);
    const symbolic_tensor third = build.layer<Dense<8>>("", sum);
    stage(4);
    const symbolic_tensor fourth = build.layer<relu>("", third);
    stage(5);
    const symbolic_tensor last = build.layer<Add>("", fourth, first, second);
    return build.layer<Dense<3>>("", last);
  }
};

/// An odd number of micro-batches, which no number of slots or devices divides.
template <typename Schedule, int Devices, bool Cut = true>
struct skipping
    : compile<with_skips<Cut>, micro_batch<scheduled_samples>, gradient_accumulation<13>, Schedule,
              devices<Devices>, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

template <typename Schedule, int Devices>
void check_skips() {
  check_executed(case_of<skipping<Schedule, Devices>>(),
                 case_of<skipping<sequential_schedule, 1, false>>().parts);
}

}  // namespace

TEST_CASE("skips over stages have the bits of one stage") {
  check_skips<one_f_one_b_v, 3>();
  check_skips<zb_h2, 6>();
  check_skips<dualpipe_v, 3>();
}

TEST_CASE("skips over stages in three rounds have the bits of one stage") {
  check_skips<interleaved_zero_bubble, 2>();
  check_skips<interleaved_one_f_one_b, 2>();
}
