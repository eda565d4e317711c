// SPDX-License-Identifier: MIT
// Tests of plan/in_place.hpp: which buffers are written over those that they are made from.
// tests/plan/memory.cpp looks at where they lie then.
#include <cstdint>
#include <string_view>

#include <ipu_dsl/plan/in_place.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::lowered;
using testing::with_loss;
using tests::checks;

/// What a call says of what its first operand lies over.
struct finding {
  std::string_view family;
  call_phase phase = call_phase::forward;
  std::int32_t over = 0;  ///< reads that lie where the first operand does
};

/// Of the calls that are able to, in order.
constexpr list<finding> found_in(const graph_view& model, program_kind kind) {
  const lowered_program program = lowered(model, kind);
  list<lifetime> lives = lifetimes_of(program.view(), model.stages);
  const in_place_buffers made(program.view(), model.stages, lives);
  const auto home = [&](std::int32_t buffer) {
    const std::int32_t host = made.hosts()[buffer];
    return host < 0 ? buffer : host;
  };
  list<finding> found;
  for (const emitted_call& row : program.made.calls) {
    finding each{row.code->name, row.phase};
    for (std::int32_t i = 0; i < row.reads && row.in_place != 0; ++i) {
      const std::int32_t written = program.made.operands[row.first_operand];
      const std::int32_t read = program.made.operands[row.first_operand + row.writes + i];
      each.over += written != read && home(written) == home(read) ? 1 : 0;
    }
    if (row.in_place != 0) {
      found.push_back(each);
    }
  }
  return found;
}

/// How many calls of a family and a phase lie over so many of what they read.
constexpr int count(const list<finding>& all, std::string_view family, call_phase phase,
                    std::int32_t over) {
  int number = 0;
  for (const finding& each : all) {
    number += each.family == family && each.phase == phase && each.over == over ? 1 : 0;
  }
  return number;
}

/// A sigmoid needs no more than what it makes, a gelu what it reads; both make a gradient in place
/// of that which they get.
struct activations : model<input<8>, sequential<Dense<8>, sigmoid, Dense<8>, gelu, Dense<3>>> {};

constexpr checks test_activations() {
  checks done;
  const graph model = with_loss<activations>();
  const list<finding> trained = found_in(model.view(), program_kind::train);
  done.that(count(trained, "Activation", call_phase::forward, 1) == 1);
  done.that(count(trained, "Activation", call_phase::forward, 0) == 1);
  done.that(count(trained, "Activation", call_phase::input_gradient, 1) == 2);
  const list<finding> predicted = found_in(model.view(), program_kind::predict);
  done.that(count(predicted, "Activation", call_phase::forward, 1) == 2);
  return done;
}

/// What is normalised is looked at again; what comes out of it makes room for the activation, and
/// that for the sum. Backward the gradient goes back through one piece of memory.
struct normalised
    : model<input<6, 6, 8>,
            sequential<residual<Conv2D<8, 3, same_padding>, BatchNormalization<>, sigmoid>, Flatten,
                       Dense<3>>> {};

constexpr checks test_chain() {
  checks done;
  const graph model = with_loss<normalised>();
  const list<finding> trained = found_in(model.view(), program_kind::train);
  done.that(count(trained, "BatchNormalization", call_phase::forward, 0) == 1);
  done.that(count(trained, "Activation", call_phase::forward, 1) == 1);
  done.that(count(trained, "BatchNormalization", call_phase::input_gradient, 1) == 1);
  done.that(count(trained, "Activation", call_phase::input_gradient, 1) == 1);
  const list<finding> predicted = found_in(model.view(), program_kind::predict);
  done.that(count(predicted, "BatchNormalization", call_phase::forward, 1) == 1);
  done.that(count(predicted, "Activation", call_phase::forward, 1) == 1);
  done.that(count(predicted, "Add", call_phase::forward, 1) == 1);
  return done;
}

/// What is read once more is left alone; the sum of both, the last to read it, is made in its
/// place.
constexpr checks test_read_again() {
  checks done;
  const graph model = with_loss<testing::passing>();
  const list<finding> predicted = found_in(model.view(), program_kind::predict);
  done.that(count(predicted, "Activation", call_phase::forward, 0) == 2);
  done.that(count(predicted, "Activation", call_phase::forward, 1) == 1);
  done.that(count(predicted, "Add", call_phase::forward, 1) == 1);
  return done;
}

/// Across stages nothing is written over what another action still reads.
struct handed_on
    : model<input<8>,
            pipeline<stage<Dense<8>>, stage<relu>, stage<residual<elu>>, stage<Dense<3>>>> {};

constexpr checks test_stages() {
  checks done;
  const graph model = with_loss<handed_on>();
  const list<finding> trained = found_in(model.view(), program_kind::train);
  done.that(count(trained, "Activation", call_phase::forward, 1) == 0);
  done.that(count(trained, "Activation", call_phase::forward, 0) == 2);
  return done;
}

static_assert(test_activations());
static_assert(test_chain());
static_assert(test_read_again());
static_assert(test_stages());

}  // namespace

TEST_CASE("what a call reads for the last time makes room for what it writes") {
  CHECK(test_activations());
  CHECK(test_chain());
  CHECK(test_read_again());
  CHECK(test_stages());
}
