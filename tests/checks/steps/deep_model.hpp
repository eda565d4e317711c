// SPDX-License-Identifier: MIT
// Models of many stages with one small layer each, trained under a schedule: what the compiler
// makes and proves of them with its limits lowered to three quarters.
#pragma once

#include <utility>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace deep_model {

template <typename Indices>
struct stages_of;

template <int... Indices>
struct stages_of<std::integer_sequence<int, Indices...>> {
  using type = ipu_dsl::pipeline<ipu_dsl::stage<ipu_dsl::Dense<8 + 0 * Indices, ipu_dsl::relu>>...>;
};

template <int Stages>
struct net : ipu_dsl::model<ipu_dsl::input<8>,
                            typename stages_of<std::make_integer_sequence<int, Stages>>::type> {};

template <typename Schedule, int Stages = 16, int MicroBatches = 256>
struct training : ipu_dsl::compile<net<Stages>, ipu_dsl::micro_batch<4>,
                                   ipu_dsl::gradient_accumulation<MicroBatches>, Schedule,
                                   ipu_dsl::loss<ipu_dsl::sparse_categorical_crossentropy>> {};

/// Whether a model is proven, has its facts, and the waits and the order with which it is executed.
template <typename Training>
constexpr bool stands() {
  return ipu_dsl::check<Training>() && Training::timeline.makespan > 0 &&
         Training::lockstep_timeline.makespan > 0 &&
         !ipu_dsl::frozen_plan_of<typename Training::compiled, ipu_dsl::program_kind::train>.view()
              .order.empty();
}

}  // namespace deep_model
