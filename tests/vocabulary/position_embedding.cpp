// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/position_embedding.hpp.
#include <ipu_dsl/vocabulary/layers/position_embedding.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<PositionEmbedding<>>({{7, 5}}).gives({7, 5}));
static_assert(apply<PositionEmbedding<>>({{7, 5}}).parameter(0).extents == shape{7, 5});
static_assert(apply<PositionEmbedding<>>({{7, 5}}).parameter(0).name == "embeddings");
static_assert(testing::same_start(apply<PositionEmbedding<>>({{7, 5}}).parameter(0).start,
                                  glorot_uniform::start));
static_assert(testing::same_start(
    apply<PositionEmbedding<init<zeros>>>({{7, 5}}).parameter(0).start, zeros::start));
static_assert(apply<PositionEmbedding<>>({{5}}).refused("a sequence (steps, features)", "(5)"));
static_assert(PositionEmbedding<use_bias<false>>::description.fault->found());

TEST_CASE("PositionEmbedding has a row for each step") {
  CHECK(apply<PositionEmbedding<>>({{7, 5}}).parameter(0).extents == shape{7, 5});
}

}  // namespace
