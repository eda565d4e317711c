// SPDX-License-Identifier: MIT
// The set of layers is open: families from another namespace, with two inputs, with two outputs and
// with running state, through graph, lowering and memory.
#include <ipu_dsl/plan/memory.hpp>
#include <ipu_dsl/schedule/program.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace theirs {

using ipu_dsl::emitter;
using ipu_dsl::family;
using ipu_dsl::node_draft;

struct own_call {
  std::int32_t is_gradient;
};

/// Two inputs: their product, element by element. The gradient of each needs the other.
constexpr family product_family{
    .name = "Product",
    .inputs = 2,
    .shapes =
        [](node_draft& draft) {
          if (draft.inputs() != 2 || !(draft.input(0) == draft.input(1))) {
            return ipu_dsl::refuse("2 inputs of one shape", ipu_dsl::label() << draft.inputs());
          }
          draft.output(draft.input(0));
          return ipu_dsl::problem{};
        },
    .forward =
        [](emitter& emit) {
          emit.call(own_call{0})
              .writes(emit.output_value(0))
              .reads(emit.input_value(0))
              .reads(emit.input_value(1));
        },
    .input_gradient =
        [](emitter& emit) {
          for (std::int32_t i = 0; i < 2; ++i) {
            if (emit.wants_input_gradient(i)) {
              emit.call(own_call{1})
                  .writes(emit.input_gradient(i))
                  .reads(emit.output_gradient(0))
                  .reads(emit.input_value(1 - i));
            }
          }
        }};

template <typename Left, typename Right>
struct product {
  static constexpr ipu_dsl::element description =
      ipu_dsl::composed<Left, Right>(ipu_dsl::element_kind::branches, "product", &product_family);
};

/// Two outputs: the halves of a vector.
constexpr family halves_family{.name = "Halves",
                               .shapes =
                                   [](node_draft& draft) {
                                     draft.output({draft.input(0)[0] / 2});
                                     draft.output({draft.input(0)[0] / 2});
                                     return ipu_dsl::problem{};
                                   },
                               .forward =
                                   [](emitter& emit) {
                                     emit.call(own_call{0})
                                         .writes(emit.output_value(0))
                                         .writes(emit.output_value(1))
                                         .reads(emit.input_value(0));
                                   },
                               .input_gradient =
                                   [](emitter& emit) {
                                     if (emit.wants_input_gradient(0)) {
                                       emit.call(own_call{1})
                                           .writes(emit.input_gradient(0))
                                           .reads(emit.output_gradient(0))
                                           .reads(emit.output_gradient(1));
                                     }
                                   }};

/// Running state: subtracts a mean, as it stood when the update began, that every micro-batch
/// moves.
constexpr family centering_family{
    .name = "Centering",
    .shapes =
        [](node_draft& draft) {
          draft.state("mean", draft.input(0), {});
          draft.output(draft.input(0));
          return ipu_dsl::problem{};
        },
    .forward =
        [](emitter& emit) {
          emit.call(own_call{0})
              .writes(emit.output_value(0))
              .reads(emit.input_value(0))
              .reads(emit.parameter_value(0));
          if (emit.program() == ipu_dsl::program_kind::train) {
            emit.call(own_call{1}).writes(emit.state_contribution(0)).reads(emit.input_value(0));
          }
        },
    .input_gradient =
        [](emitter& emit) {
          if (emit.wants_input_gradient(0)) {
            emit.call(own_call{1}).writes(emit.input_gradient(0)).reads(emit.output_gradient(0));
          }
        },
    .fold =
        [](emitter& emit) {
          emit.call(own_call{2}).updates(emit.parameter_value(0)).reads(emit.state_contribution(0));
        }};

struct Centering {
  static constexpr ipu_dsl::element description{.kind = ipu_dsl::element_kind::layer,
                                                .rule = &centering_family};
};

}  // namespace theirs

namespace {

using namespace ipu_dsl;
using testing::calls_of;
using testing::count_calls;
using testing::lowered;
using testing::with_loss;
using tests::checks;

struct gated
    : model<input<9>, pipeline<stage<Dense<6>, theirs::product<Dense<8>, Dense<8, sigmoid>>>,
                               stage<theirs::Centering, Dense<3>>>> {};

static_assert(check<gated>());

struct centered_first : model<input<9>, sequential<theirs::Centering, Dense<3>>> {};

struct wrong_product : model<input<9>, sequential<theirs::product<Dense<8>, Dense<7>>>> {};

static_assert(fault_of<wrong_product>::value.where.view() == "layer 0 product in stage 0");

constexpr checks test_two_inputs() {
  const graph model = with_loss<gated>();
  const graph_view view = model.view();
  const layer_record& joined = view.layers[3];
  const node& product = view.node_at(joined.first_node);
  checks done;
  done.that(where_is(joined).view() == "layer 1 product in stage 0");
  done.that(product.inputs == 2);
  done.that(view.input_of(product, 0) == view.layers[1].output);
  done.that(view.input_of(product, 1) == view.layers[2].output);
  const lowered_program program = lowered(view, program_kind::train);
  const auto backward = calls_of(program, 0, action_kind::backward);
  done.that(count_calls(backward, theirs::product_family, 1) == 2);
  // Both branches read the first layer, so that its gradient is a sum.
  done.that(count_calls(backward, gradient_sum_family) == 1);
  return done;
}

/// A chain of Dense, Halves and a Dense on one half or on both.
constexpr graph split(bool both) {
  graph model;
  const std::int32_t source[] = {add_source(model, {8}, dtype::float32, tensor_role::input)};
  const element& dense = Dense<6>::description;
  add_node(model, dense_family, dense.options, source, 0, -1);
  const std::int32_t whole[] = {newest_output(model)};
  add_node(model, theirs::halves_family, {}, whole, 0, -1);
  const graph_view view = model.view();
  const std::int32_t halves[] = {view.output_of(view.nodes.back(), 0),
                                 view.output_of(view.nodes.back(), 1)};
  if (both) {
    add_node(model, theirs::product_family, {}, halves, 0, -1);
  } else {
    add_node(model, activation_family, relu::description.options, {halves + 1, 1}, 0, -1);
  }
  model.outputs.push_back({newest_output(model), 0});
  layer_record record;
  record.source = &dense;
  model.layers.push_back(record);
  mark_gradients(model);
  const result_choice loss[] = {{&sparse_categorical_crossentropy_family}};
  attach_results(model, loss, {}, 1);
  return model;
}

constexpr checks test_two_outputs() {
  const graph model = split(true);
  const lowered_program program = lowered(model.view(), program_kind::train);
  const auto backward = calls_of(program, 0, action_kind::backward);
  const node& halves = model.nodes[1];
  checks done;
  done.that(halves.outputs == 2);
  done.that(count_calls(backward, theirs::halves_family, 1) == 1);
  done.that(count_calls(backward, gradient_sum_family) == 0);
  return done;
}

/// Nobody reads the first half: its gradient is the sum of nothing, which is zero, and is written
/// before it is read.
constexpr checks test_unused_output() {
  const graph model = split(false);
  const lowered_program program = lowered(model.view(), program_kind::train);
  const auto backward = calls_of(program, 0, action_kind::backward);
  checks done;
  done.that(count_calls(backward, gradient_sum_family) == 1);
  for (std::size_t i = 0; i < backward.size(); ++i) {
    if (backward[i].code == &gradient_sum_family) {
      const emitted_call& sum = backward[i];
      const emitted_call& next = backward[i + 1];
      const auto written = static_cast<std::size_t>(sum.first_operand);
      const auto read = static_cast<std::size_t>(next.first_operand + next.writes);
      done.that(sum.reads == 0);
      done.that(sum.key.as<gradient_sum_call>().readers == 0);
      done.that(next.code == &theirs::halves_family);
      done.that(program.made.operands[written] == program.made.operands[read]);
    }
  }
  return done;
}

constexpr std::int32_t state_of(const graph_view& view) {
  std::int32_t state = -1;
  for (std::size_t i = 0; i < view.tensors.size(); ++i) {
    state = view.tensors[i].role == tensor_role::state ? static_cast<std::int32_t>(i) : state;
  }
  return state;
}

/// A state is neither learned nor updated by the optimizer, and lies where it lies in all programs.
constexpr checks test_state() {
  const graph model = with_loss<gated>();
  const graph_view view = model.view();
  const std::int32_t state = state_of(view);
  checks done;
  done.that(state >= 0);
  done.that(!view.at(state).trainable);
  done.that(view.at(state).extents == shape{8});
  const list<int> device_of_stage = neighbouring_placement(2, 2);
  const lowered_program trained = lowered(view, program_kind::train);
  const parameter_layout lasting =
      lay_out_parameters(view, device_of_stage, 2, trained.view().buffers);
  const auto entry = static_cast<std::size_t>(state);
  done.that(lasting.value[entry] >= 0);
  done.that(lasting.slot[entry * buffer_index::slots_per_parameter] == -1);
  for (std::size_t i = 0; i < view.operands.size(); ++i) {
    done.that((view.operands[i] != state || lasting.accumulator[i] == -1));
  }
  for (const program_kind kind : {program_kind::train, program_kind::predict}) {
    const lowered_program program = lowered(view, kind);
    const memory_layout memory =
        memory_planner(view, program.view(), 32, 4, device_of_stage, view_of(lasting)).plan();
    int seen = 0;
    for (std::size_t i = 0; i < program.made.buffers.size(); ++i) {
      const buffer& seen_here = program.made.buffers[i];
      if (seen_here.tensor == state && seen_here.life == buffer_life::persistent) {
        done.that(memory.of_buffer[i].offset == lasting.value[entry]);
        done.that(memory.of_buffer[i].region == 1);
        ++seen;
      }
    }
    done.that(seen == 1);
  }
  return done;
}

/// What micro-batches contribute to a state lies on its device, a copy for each, behind what lasts;
/// the forward pass of training writes it and never the state, the update reads it and writes the
/// state.
constexpr checks test_contribution() {
  const graph model = with_loss<gated>();
  const graph_view view = model.view();
  const list<int> device_of_stage = neighbouring_placement(2, 2);
  const lowered_program program = lowered(view, program_kind::train);
  const parameter_layout lasting =
      lay_out_parameters(view, device_of_stage, 2, program.view().buffers);
  const memory_layout memory =
      memory_planner(view, program.view(), 32, 4, device_of_stage, view_of(lasting)).plan();
  std::int32_t contribution = -1;
  std::int32_t state = -1;
  for (std::size_t i = 0; i < program.made.buffers.size(); ++i) {
    const buffer& each = program.made.buffers[i];
    const bool ours = each.tensor == state_of(view);
    const auto number = static_cast<std::int32_t>(i);
    state = ours && each.life == buffer_life::persistent ? number : state;
    contribution = ours && each.life == buffer_life::each_micro_batch ? number : contribution;
  }
  checks done;
  done.that(state >= 0);
  done.that(contribution >= 0);
  if (!done) {
    return done;
  }
  const placement& where = memory.of_buffer[static_cast<std::size_t>(contribution)];
  done.that(where.region == 1);
  done.that(where.edge < 0);
  done.that(where.copy_bytes == 64);
  done.that(where.offset == lasting.bytes_of_device[1]);
  done.that(memory.bytes_of_device[1] >= where.offset + 4 * 64);
  int written = 0;
  for (const emitted_call& row : program.made.calls) {
    for (std::int32_t i = 0; i < row.writes; ++i) {
      const auto operand = static_cast<std::size_t>(row.first_operand + i);
      const std::int32_t named = program.made.operands[operand];
      done.that(named != state || row.phase == call_phase::update);
      done.that(named != contribution || row.phase == call_phase::forward);
      written += named == state || named == contribution ? 1 : 0;
    }
  }
  const lowered_program forward = lowered(view, program_kind::evaluate);
  for (const buffer& each : forward.made.buffers) {
    const bool result = each.role == buffer_role::value;
    done.that((result || each.life != buffer_life::each_micro_batch));
  }
  done.that(written == 2);
  return done;
}

/// What has only state before it does not learn.
constexpr checks test_state_alone_has_no_backward() {
  const graph model = with_loss<centered_first>();
  const lowered_program program = lowered(model.view(), program_kind::train);
  checks done;
  done.that(count_calls(calls_of(program, 0, action_kind::backward), theirs::centering_family) ==
            0);
  done.that(count_calls(calls_of(program, 0, action_kind::forward), theirs::centering_family) == 2);
  done.that(count_calls(calls_of(program, 0, action_kind::update), theirs::centering_family) == 1);
  return done;
}

static_assert(test_two_inputs());
static_assert(test_two_outputs());
static_assert(test_unused_output());
static_assert(test_state());
static_assert(test_contribution());
static_assert(test_state_alone_has_no_backward());

TEST_CASE("a layer of two inputs") {
  CHECK(test_two_inputs());
}

TEST_CASE("a layer of two outputs, one of them unused") {
  CHECK(test_two_outputs());
  CHECK(test_unused_output());
}

TEST_CASE("a layer with running state") {
  CHECK(test_state());
  CHECK(test_contribution());
  CHECK(test_state_alone_has_no_backward());
}

}  // namespace
