// SPDX-License-Identifier: MIT
// Tests of graph/repacking.hpp and of what graph/builder.hpp chooses: where samples lie, and which
// nodes stand between neighbours that differ.
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr problem same_shape(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

/// Reads whatever there is and writes positions: what a convolution does.
constexpr family writes_positions{.name = "writes positions",
                                  .shapes = same_shape,
                                  .reads = {storage::positions, storage::rows},
                                  .writes = {storage::positions}};

constexpr family reads_positions{.name = "reads positions",
                                 .shapes = same_shape,
                                 .reads = {storage::positions},
                                 .writes = {storage::rows}};

/// A graph of one chain of families without options, on an input of this shape.
constexpr graph chain(const shape& extents, std::initializer_list<const family*> families) {
  graph made;
  std::int32_t current = add_source(made, extents, dtype::float32, tensor_role::input);
  for (const family* rule : families) {
    const std::int32_t inputs[] = {current};
    if (add_node(made, *rule, {}, inputs, 0, -1).found()) {
      return {};
    }
    current = newest_output(made);
  }
  return made;
}

constexpr checks is_chain(const graph& made, std::initializer_list<const family*> families) {
  std::size_t i = 0;
  checks done;
  done.that(made.nodes.size() == families.size());
  for (const family* rule : families) {
    done.that(made.nodes[i].rule == rule);
    ++i;
  }
  return done;
}

constexpr storage lies_last(const graph& made) {
  return made.tensors[static_cast<std::size_t>(newest_output(made))].lies;
}

/// What was in positions is flattened from rows; the features of an image are rows already.
constexpr checks test_flatten() {
  checks done;
  done.that(is_chain(chain({5, 5, 6}, {&flatten_family}), {&flatten_family}));
  done.that(is_chain(chain({5, 5, 6}, {&writes_positions, &flatten_family}),
                     {&writes_positions, &to_rows_family, &flatten_family}));
  done.that(lies_last(chain({5, 5, 6}, {&writes_positions, &flatten_family})) == storage::rows);
  return done;
}

/// Where whole vectors on every processor need no padding, there is nothing to lay out.
constexpr checks test_whole_vectors() {
  checks done;
  for (const std::int32_t channels : {16, 32, 48}) {
    const graph made = chain({5, 5, channels}, {&writes_positions, &flatten_family});
    done.that(is_chain(made, {&writes_positions, &flatten_family}));
    done.that(made.tensors[1].lies == storage::rows);
  }
  done.that(is_chain(chain({1, 1, 7}, {&writes_positions, &flatten_family}),
                     {&writes_positions, &flatten_family}));
  done.that(is_chain(chain({7}, {&writes_positions, &reads_positions}),
                     {&writes_positions, &reads_positions}));
  return done;
}

constexpr checks test_readers() {
  checks done;
  done.that(is_chain(chain({5, 6}, {&reads_positions}), {&to_positions_family, &reads_positions}));
  done.that(is_chain(chain({5, 6}, {&writes_positions, &reads_positions}),
                     {&writes_positions, &reads_positions}));
  done.that(is_chain(chain({5, 6}, {&writes_positions, &writes_positions}),
                     {&writes_positions, &writes_positions}));
  return done;
}

/// What works on elements leaves them as they lie.
constexpr checks test_elementwise() {
  const graph rows = chain({5, 6}, {&activation_family});
  const graph positions = chain({5, 6}, {&writes_positions, &activation_family, &reads_positions});
  checks done;
  done.that(lies_last(rows) == storage::rows);
  done.that(is_chain(positions, {&writes_positions, &activation_family, &reads_positions}));
  done.that(positions.tensors[2].lies == storage::positions);
  return done;
}

/// All inputs of a sum lie as the first.
constexpr checks test_join() {
  graph made = chain({5, 6}, {&writes_positions});
  const std::int32_t inputs[] = {newest_output(made), 0};
  const bool joined = !add_node(made, add_family, {}, inputs, 0, -1).found();
  checks done;
  done.that(joined);
  done.that(is_chain(made, {&writes_positions, &to_positions_family, &add_family}));
  done.that(lies_last(made) == storage::positions);
  return done;
}

constexpr problem panels_of_a_vector(node_draft& draft) {
  draft.parameter("kernel", {5}, {}, storage::panels);
  draft.output(draft.input(0));
  return {};
}

constexpr problem bias_of_a_matrix(node_draft& draft) {
  draft.parameter("bias", {5, 6}, {}, storage::panel_bias);
  draft.output(draft.input(0));
  return {};
}

constexpr bool is_refused(problem (*shapes)(node_draft&), std::string_view expected,
                          std::string_view got) {
  const family rule{.name = "odd", .shapes = shapes};
  graph made;
  const std::int32_t inputs[] = {add_source(made, {3}, dtype::float32, tensor_role::input)};
  const problem found = add_node(made, rule, {}, inputs, 0, -1);
  return found.expected.view() == expected && found.got.view() == got;
}

static_assert(test_flatten());
static_assert(test_whole_vectors());
static_assert(test_readers());
static_assert(test_elementwise());
static_assert(test_join());
static_assert(is_refused(panels_of_a_vector, "at least 2 extents of a parameter in panels",
                         "(5) for its kernel"));
static_assert(is_refused(bias_of_a_matrix, "1 extent of a bias of panels", "(5, 6) for its bias"));

TEST_CASE("what lies in positions is laid out anew where rows are read, and only there") {
  CHECK(test_flatten());
  CHECK(test_whole_vectors());
  CHECK(test_readers());
  CHECK(test_elementwise());
  CHECK(test_join());
}

constexpr checks test_storages_of_parameters() {
  checks done;
  done.that(is_refused(panels_of_a_vector, "at least 2 extents of a parameter in panels",
                       "(5) for its kernel"));
  done.that(is_refused(bias_of_a_matrix, "1 extent of a bias of panels", "(5, 6) for its bias"));
  return done;
}

static_assert(test_storages_of_parameters());

TEST_CASE("storages of parameters have as many extents as they need") {
  CHECK(test_storages_of_parameters());
}

}  // namespace
