// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/embedding.hpp: shapes, the range of its input, refusals.
#include <ipu_dsl/vocabulary/layers/embedding.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

/// A layer on numbers of words.
template <typename Layer>
constexpr testing::one_layer apply(const shape& extents, dtype type = dtype::int32) {
  testing::one_layer result;
  const std::int32_t inputs[] = {add_source(result.made, extents, type, tensor_role::input)};
  const element& piece = Layer::description;
  result.found = add_node(result.made, *piece.rule, piece.options, inputs, 0, -1, -1,
                          node_purpose::layer, piece.starts);
  return result;
}

constexpr checks test_shapes() {
  const auto made = apply<Embedding<1000, 12>>({16});
  checks done;
  done.that(made.gives({16, 12}));
  done.that(made.output().lies == storage::positions);
  done.that(made.parameter(0).name == "embeddings");
  done.that(made.parameter(0).extents == shape{1000, 12});
  done.that(testing::same_start(made.parameter(0).start, random_uniform::start));
  done.that(made.made.tensors[0].classes == 1000);
  done.that(apply<Embedding<50, 32>>({4, 5}).gives({4, 5, 32}));
  done.that(apply<Embedding<50, 32>>({}).gives({32}));
  return done;
}

/// Of two readers the narrower says which words there are.
constexpr bool test_range() {
  auto made = apply<Embedding<50, 3>>({4});
  const std::int32_t inputs[] = {0};
  const element& narrow = Embedding<20, 3>::description;
  const element& wide = Embedding<30, 3>::description;
  const bool added = !add_node(made.made, *narrow.rule, narrow.options, inputs, 0, -1).found() &&
                     !add_node(made.made, *wide.rule, wide.options, inputs, 0, -1).found();
  return added && made.made.tensors[0].classes == 20;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<Embedding<50, 3>>({4}, dtype::float32)
                .refused("numbers of words, an input of int32", "float32"));
  done.that(apply<Embedding<1, 3>>({4}).refused("at least 2 words and 1 feature", "1 and 3"));
  done.that(apply<Embedding<5, 0>>({4}).refused("at least 2 words and 1 feature", "5 and 0"));
  done.that(apply<Embedding<5, 2>>({1, 2, 3, 4, 5, 6})
                .refused("at most 5 extents", "(1, 2, 3, 4, 5, 6)"));
  return done;
}

static_assert(test_shapes());
static_assert(test_range());
static_assert(test_refusals());
static_assert(describe(Embedding<50, 3>::description).view() == "Embedding<50, 3>");
static_assert(testing::same_start(Embedding<50, 3, init<ones>>::description.starts[0],
                                  ones::start));

TEST_CASE("Embedding gives every word its features") {
  CHECK(test_shapes());
  CHECK(test_range());
}

TEST_CASE("Embedding refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
