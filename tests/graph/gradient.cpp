// SPDX-License-Identifier: MIT
// Tests of graph/gradient.hpp: which gradients exist.
#include <cstdint>

#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/graph/gradient.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr family learning{.name = "learning", .shapes = [](node_draft& draft) {
                            draft.parameter("weight", {4}, {});
                            draft.output(draft.input(0));
                            return problem{};
                          }};

constexpr family counting{.name = "counting", .shapes = [](node_draft& draft) {
                            draft.state("count", {}, {});
                            draft.output(draft.input(0));
                            return problem{};
                          }};

constexpr family plain{.name = "plain", .shapes = [](node_draft& draft) {
                         draft.output(draft.input(0));
                         return problem{};
                       }};

/// A chain of these families; the answer is whether each node's output needs a gradient.
template <std::size_t Count>
constexpr checks needs(const family* const (&rules)[Count], std::initializer_list<bool> expected,
                       std::int32_t frozen = -1) {
  graph model;
  list<std::int32_t> outputs;
  std::int32_t current = add_source(model, {4}, dtype::float32, tensor_role::input);
  for (const family* rule : rules) {
    const std::int32_t inputs[] = {current};
    add_node(model, *rule, {}, inputs, 0, -1);
    current = newest_output(model);
    outputs.push_back(current);
  }
  for (tensor& atom : model.tensors) {
    atom.trainable = atom.trainable && atom.owner != frozen;
  }
  mark_gradients(model);
  checks done;
  done.that(!model.tensors[0].needs_gradient);
  std::size_t index = 0;
  for (const bool wanted : expected) {
    const auto output = static_cast<std::size_t>(outputs[index]);
    done.that(model.tensors[output].needs_gradient == wanted);
    ++index;
  }
  done.that(index == Count);
  return done;
}

constexpr const family* first_learns[] = {&learning, &plain, &learning};
constexpr const family* second_learns[] = {&plain, &counting, &learning, &plain};
static_assert(needs(first_learns, {true, true, true}));
static_assert(needs(second_learns, {false, false, true, true}), "a state does not learn");
static_assert(needs(first_learns, {false, false, true}, 0), "nothing below frozen layers");

constexpr checks test_first_parameter() {
  checks done;
  done.that(needs(first_learns, {true, true, true}));
  done.that(needs(second_learns, {false, false, true, true}));
  done.that(needs(first_learns, {false, false, true}, 0));
  return done;
}

static_assert(test_first_parameter());

TEST_CASE("gradients reach down to the first parameter that learns") {
  CHECK(test_first_parameter());
}

}  // namespace
