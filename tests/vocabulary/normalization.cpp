// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/normalization.hpp.
#include <ipu_dsl/vocabulary/layers/normalization.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

constexpr bool test_shapes() {
  return apply<Normalization<>>({{8}}).gives({8}) &&
         apply<Normalization<>>({{5, 4, 3}}).gives({5, 4, 3});
}

/// Mean and variance are states of the last axis: an optimizer leaves them alone.
constexpr bool owns_statistics(const shape& input, const shape& features) {
  graph model;
  const std::int32_t source = add_source(model, input, dtype::float32, tensor_role::input);
  const std::int32_t inputs[] = {source};
  const problem refused =
      add_node(model, normalization_family, Normalization<>::description.options, inputs, 0, -1);
  int right = 0;
  for (const tensor& atom : model.tensors) {
    const bool known = atom.name == "mean" || atom.name == "variance";
    right += known && atom.role == tensor_role::state && !atom.trainable && atom.extents == features
                 ? 1
                 : 0;
  }
  return !refused.found() && right == 2;
}

static_assert(test_shapes());
static_assert(owns_statistics({5, 3}, {3}));
static_assert(describe(Normalization<>::description).view() == "Normalization<>");
static_assert(Normalization<epsilon<0.5F>>::description.fault->found());
static_assert(!Normalization<>::description.fault->found());

}  // namespace

TEST_CASE("Normalization keeps mean and variance of the last axis as states") {
  CHECK(test_shapes());
  CHECK(owns_statistics({5, 3}, {3}));
  CHECK(owns_statistics({7}, {7}));
}
