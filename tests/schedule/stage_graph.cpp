// SPDX-License-Identifier: MIT
// Tests of schedule/stage_graph.hpp.
#include <ipu_dsl/schedule/stage_graph.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;
using kind = action_kind;

constexpr bool is(const step& found, int stage, kind what) {
  return found.stage == stage && found.kind == what;
}

/// Activations, gradients, stashes, in this order.
constexpr checks test_chain() {
  checks done;
  const stage_graph made = chain_stage_graph(3, stage_cost(), output_use::own_backward);
  const stage_graph_view seen = made.view();
  done.that(seen.edges.size() == 2 + 2 + 3);
  done.that(seen.costs.size() == 3);
  const edge& activation = seen.edges[1];
  done.that(is(activation.writer, 1, kind::forward));
  done.that(seen.readers_of(activation).size() == 3);
  done.that(is(seen.readers_of(activation)[0], 2, kind::forward));
  done.that(is(seen.readers_of(activation)[2], 1, kind::backward));
  const edge& gradient = seen.edges[2];
  done.that(is(gradient.writer, 1, kind::backward));
  done.that(is(seen.readers_of(gradient).front(), 0, kind::backward));
  const edge& stash = seen.edges[6];
  done.that(is(stash.writer, 2, kind::forward));
  done.that(is(seen.readers_of(stash).back(), 2, kind::backward));
  return done;
}

/// Pipelines of several copies are not connected.
constexpr checks test_copies() {
  checks done;
  const stage_graph made = chain_stage_graph(4, stage_cost(), output_use::forward_only, 2);
  done.that(made.edges.size() == 2 + 2 + 4);
  for (const edge& link : made.edges) {
    for (const step& reader : made.view().readers_of(link)) {
      done.that(reader.stage / 2 == link.writer.stage / 2);
    }
  }
  return done;
}

constexpr checks test_copy() {
  checks done;
  stage_graph made;
  made.add_edge({0, kind::forward}, 64).read_by(1, kind::forward).read_by(1, kind::backward);
  made.hop = 3;
  const stage_graph own = copy_of(made.view());
  made.readers[0].stage = 7;
  done.that(own.edges[0].bytes == 64);
  done.that(own.edges[0].reader_count == 2);
  done.that(is(own.view().readers_of(own.edges[0])[0], 1, kind::forward));
  done.that(own.hop == 3);
  return done;
}

static_assert(test_chain());
static_assert(test_copies());
static_assert(test_copy());

TEST_CASE("the edges of a chain stand in their order") {
  CHECK(test_chain());
  CHECK(test_copies());
}

TEST_CASE("a stage graph is copied whole") {
  CHECK(test_copy());
}

}  // namespace
