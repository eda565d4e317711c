// SPDX-License-Identifier: MIT
// Parameters with several uses: an accumulator a use, sums in a fixed order, no fused update.
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::calls_of;
using testing::count_calls;
using testing::with_loss;
using tests::checks;

/// One Dense is used three times, another once.
struct tied {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    auto shared = build.shared<Dense<8, relu>>("shared");
    const symbolic_tensor first = shared(point);
    const symbolic_tensor second = shared(first);
    const symbolic_tensor third = shared(second);
    const symbolic_tensor sum = build.layer<Add>("sum", first, third);
    return build.layer<Dense<3>>("out", sum);
  }
};

constexpr lowered_program lowered_for(const graph_view& model, std::int32_t replicas) {
  return lowering(model, program_kind::train, 32, sgd<momentum>::rule, backward_form::whole,
                  {.replicas = replicas})
      .lower();
}

/// Parameters are there once, and owned by the node of the first call.
constexpr checks test_graph() {
  const graph model = with_loss<tied>();
  const graph_view view = model.view();
  int parameters = 0;
  for (const tensor& atom : view.tensors) {
    parameters += atom.role == tensor_role::parameter ? 1 : 0;
  }
  checks done;
  done.that(parameters == 4);
  for (std::int32_t call = 1; call < 3; ++call) {
    const node& first = view.node_at(0);
    const node& other = view.node_at(call);
    done.that(other.parameters == 2);
    done.that(view.layers[static_cast<std::size_t>(call)].shares == 0);
    for (std::int32_t i = 0; i < 2; ++i) {
      const std::int32_t used = view.parameter_of(other, i);
      done.that(used == view.parameter_of(first, i));
      done.that(view.at(used).owner == 0);
      done.that(&view.node_of_use(view.use_of(other, i)) == &other);
    }
  }
  return done;
}

/// Every use adds to an accumulator of its own.
constexpr bool test_accumulators() {
  const graph model = with_loss<tied>();
  const graph_view view = model.view();
  const lowered_program program = lowered_for(view, 1);
  int accumulators = 0;
  for (const buffer& each : program.made.buffers) {
    if (each.role == buffer_role::accumulator) {
      const auto position = static_cast<std::size_t>(each.index);
      if (view.operands[position] != each.tensor) {
        return false;
      }
      ++accumulators;
    }
  }
  return accumulators == 3 * 2 + 2;
}

/// A sum of accumulators: of which positions, in order, is told by `first` and `terms`.
constexpr bool sums_in_order(const lowered_program& program, const emitted_call& row) {
  std::int32_t before = -1;
  for (std::int32_t i = 0; i < row.writes + row.reads; ++i) {
    const auto operand = static_cast<std::size_t>(row.first_operand + i);
    const auto named = static_cast<std::size_t>(program.made.operands[operand]);
    const buffer& each = program.made.buffers[named];
    const bool later =
        row.operands_of == replica_reach::each ? each.index >= before : each.index > before;
    if (each.role != buffer_role::accumulator || !later) {
      return false;
    }
    before = each.index;
  }
  return row.key.as<accumulator_sum_call>().terms == row.writes + row.reads;
}

/// For each parameter first the replicas of each use are summed, then the uses, then it is updated.
constexpr checks test_update(std::int32_t replicas) {
  const graph model = with_loss<tied>();
  const lowered_program program = lowered_for(model.view(), replicas);
  const auto update = calls_of(program, 0, action_kind::update);
  const int of_replicas = replicas > 1 ? 3 : 0;
  const int shared_sums = 2 * (of_replicas + 1);
  const int other_sums = replicas > 1 ? 2 : 0;
  checks done;
  done.that(count_calls(update, accumulator_sum_family) == shared_sums + other_sums);
  done.that(count_calls(update, *sgd<momentum>::rule) == (replicas > 1 ? 4 : 2));
  for (int i = 0; i < shared_sums; ++i) {
    const emitted_call& row = update[static_cast<std::size_t>(i)];
    const bool of_uses = i % (of_replicas + 1) == of_replicas;
    done.that(row.code == &accumulator_sum_family);
    done.that(sums_in_order(program, row));
    done.that(row.operands_of == (of_uses ? replica_reach::first : replica_reach::each));
    done.that(row.writes + row.reads == (of_uses ? 3 : replicas));
  }
  return done;
}

/// What has several uses is updated by calls of its own; what has one, with its gradient.
constexpr bool test_fusion() {
  const graph model = with_loss<tied>();
  const lowered_program program = lowered_for(model.view(), 1);
  int fused = 0;
  int alone = 0;
  for (const emitted_call& row : calls_of(program, 0, action_kind::backward)) {
    const bool gradient = row.code == &dense_family && row.phase == call_phase::weight_gradient;
    fused += gradient && row.ending != nullptr ? 1 : 0;
    alone += gradient && row.ending == nullptr ? 1 : 0;
  }
  return fused == 1 && alone == 3;
}

static_assert(test_graph());
static_assert(test_accumulators());
static_assert(test_update(1));
static_assert(test_update(2));
static_assert(test_fusion());

}  // namespace

TEST_CASE("calls of a shared layer use one set of parameters") {
  CHECK(test_graph());
}

TEST_CASE("every use of a parameter has an accumulator") {
  CHECK(test_accumulators());
}

TEST_CASE("replicas of a use are summed first, then uses in order of nodes") {
  CHECK(test_update(1));
  CHECK(test_update(2));
}

TEST_CASE("what has several uses is not updated with its gradient") {
  CHECK(test_fusion());
}
