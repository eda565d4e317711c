// SPDX-License-Identifier: MIT
// Tests of vocabulary/losses/sparse_categorical_crossentropy.hpp and metrics/accuracy.hpp.
#include <ipu_dsl/vocabulary/losses/sparse_categorical_crossentropy.hpp>
#include <ipu_dsl/vocabulary/metrics/accuracy.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

/// A loss as a layer of scores.
template <const family& Rule>
struct node_of {
  static constexpr element description{.kind = element_kind::layer, .rule = &Rule};
};

using crossentropy = node_of<sparse_categorical_crossentropy_family>;

static_assert(apply<crossentropy>({{10}}).gives({2}));
static_assert(apply<crossentropy>({{8, 8}}).gives({2}));
static_assert(apply<crossentropy>({{8, 1}}).refused("scores of at least 2 classes", "(8, 1)"));
static_assert(apply<crossentropy>({{}}).found.found());
static_assert(apply<node_of<accuracy_family>>({{10}}).gives({2}));
static_assert(from_logits::as_option.key == from_clipped_probabilities::as_option.key);
static_assert(sparse_categorical_crossentropy::rule == &sparse_categorical_crossentropy_family);

TEST_CASE("the loss counts two numbers, a sum and samples, from a vector of scores") {
  CHECK(apply<crossentropy>({{10}}).gives({2}));
  CHECK(apply<crossentropy>({{8, 1}}).found.found());
}

}  // namespace
