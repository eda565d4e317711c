// SPDX-License-Identifier: MIT
#include "ours/empty_layers.hpp"

#include <cstdint>
#include <vector>

#include <ipu_dsl/plan/lowering.hpp>

#include "ours/network.hpp"

namespace empty {

using namespace ipu_dsl;

enum class variant : std::int32_t { forward, input_gradient, weight_gradient };

struct empty_call {
  variant which;
};

constexpr problem shapes(node_draft& draft) {
  draft.parameter("weight", shape{16}, {});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  emit.call(empty_call{variant::forward})
      .writes(emit.output_value(0))
      .reads(emit.input_value(0))
      .reads(emit.parameter_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    emit.call(empty_call{variant::input_gradient})
        .writes(emit.input_gradient(0))
        .reads(emit.output_gradient(0));
  }
}

constexpr void weight_gradient(emitter& emit) {
  emit.call(empty_call{variant::weight_gradient})
      .updates(emit.accumulator(0))
      .reads(emit.output_gradient(0))
      .reads(emit.input_value(0));
}

inline constexpr family layer_family{.name = "Empty",
                                     .shapes = shapes,
                                     .forward = forward,
                                     .input_gradient = input_gradient,
                                     .weight_gradient = weight_gradient};

struct Empty {
  static constexpr element description{.kind = element_kind::layer, .rule = &layer_family};
};

}  // namespace empty

template <>
struct ipu_dsl::operators<&empty::layer_family> {
  using key = empty::empty_call;

  template <empty::empty_call>
  static void run(const run_context&, void* const*, const float*) noexcept {}
};

namespace ours {
namespace {

using namespace ipu_dsl;

constexpr int inputs = 16;

template <std::size_t>
using layer_at = empty::Empty;

template <typename>
struct in_one_stage;

template <std::size_t... Layers>
struct in_one_stage<std::index_sequence<Layers...>> {
  using type = model<input<inputs>, sequential<layer_at<Layers>...>>;
};

template <typename>
struct in_stages;

template <std::size_t... Layers>
struct in_stages<std::index_sequence<Layers...>> {
  using type = model<input<inputs>, pipeline<stage<layer_at<Layers>>...>>;
};

template <std::size_t Layers>
struct layers : in_one_stage<std::make_index_sequence<Layers>>::type {};

template <std::size_t Layers>
struct stages : in_stages<std::make_index_sequence<Layers>>::type {};

template <typename Model>
struct training : compile<Model, micro_batch<1>, gradient_accumulation<4>, sequential_schedule,
                          loss<sparse_categorical_crossentropy>> {};

template <typename Compiled>
class empty_step final : public measure::contestant {
 public:
  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      run_.train_step(features_, labels_);
    }
  }

 private:
  std::vector<float> features_ = std::vector<float>(4 * inputs, 0.5F);
  std::vector<std::int32_t> labels_ = std::vector<std::int32_t>(4, 1);
  session<Compiled> run_;
};

/// Every call of a stage's action, for every action.
int calls_of(const program_plan_view& plan) {
  int calls = 0;
  for (const action& each : plan.actions.actions) {
    calls += plan.first_call[last_call_entry(each.stage, each.kind)] -
             plan.first_call[action_entry(each.stage, each.kind)];
  }
  return calls;
}

template <typename Compiled>
empty_model make() {
  const program_plan_view& plan = parts_of<typename Compiled::compiled>().train.plan;
  return {std::make_unique<empty_step<Compiled>>(), calls_of(plan),
          static_cast<int>(plan.actions.actions.size())};
}

struct network_training : compile<mlp, micro_batch<32>, loss<sparse_categorical_crossentropy>,
                                  optimizer<sgd<momentum>>> {};

}  // namespace

empty_model few_empty_layers() {
  return make<training<layers<8>>>();
}

empty_model many_empty_layers() {
  return make<training<layers<40>>>();
}

empty_model many_empty_stages() {
  return make<training<stages<40>>>();
}

int calls_of_network_step() {
  constexpr program_plan_view plan =
      frozen_plan_of<network_training::compiled, program_kind::train>.view();
  return calls_of(plan);
}

}  // namespace ours
