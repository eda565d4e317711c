// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/batch_normalization.hpp.
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>
#include <ipu_dsl/vocabulary/optimizers/momentum.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

static_assert(apply<BatchNormalization<>>({{8}}).gives({8}));
static_assert(apply<BatchNormalization<>>({{5, 4, 3}}).gives({5, 4, 3}));
static_assert(apply<BatchNormalization<momentum>>({{8}}).refused("an option that it takes",
                                                                 "momentum as option 1"));
static_assert(apply<BatchNormalization<running_momentum<1.0F>>>({{8}}).refused(
    "a running_momentum of at least 0 and below 1", "1"));
static_assert(apply<BatchNormalization<epsilon<0.0F>>>({{8}}).refused("an epsilon above 0", "0"));

static_assert(describe(BatchNormalization<>::description).view() == "BatchNormalization<>");
static_assert(describe(BatchNormalization<use_center<false>, epsilon<0.5F>>::description).view() ==
              "BatchNormalization<epsilon<0.5>, use_center<false>>");
static_assert(BatchNormalization<epsilon<0.5F>, epsilon<0.5F>>::description.fault->found());
static_assert(
    apply<BatchNormalization<gamma_init<zeros>, beta_init<ones>>>({{8}}).parameter(0).start.kind ==
    initializer_kind::zeros);
static_assert(apply<BatchNormalization<>>({{8}}).parameter(0).start.kind == initializer_kind::ones);
static_assert(BatchNormalization<use_scale<false>, gamma_init<zeros>>::description.fault->found());
static_assert(BatchNormalization<int>::description.fault->found());
static_assert(!BatchNormalization<>::description.fault->found());

/// Parameters and states in Keras's order, of the last extent.
constexpr int count_owned(const graph& model, std::string_view names, shape extents) {
  int found = 0;
  std::size_t at = 0;
  for (const tensor& atom : model.tensors) {
    if (!per_sample(atom)) {
      const std::size_t place = names.find(atom.name, at);
      const bool state = atom.name.starts_with("moving");
      const bool right = place != std::string_view::npos && atom.extents == extents &&
                         atom.trainable != state && (atom.role == tensor_role::state) == state;
      at = right ? place : at;
      found += right ? 1 : -100;
    }
  }
  return found;
}

constexpr int owned_by(const attributes& options) {
  graph model;
  const std::int32_t input = add_source(model, {5, 3}, dtype::float32, tensor_role::input);
  const std::int32_t inputs[] = {input};
  const problem refused = add_node(model, batch_normalization_family, options, inputs, 0, -1);
  return refused.found() ? -1 : count_owned(model, "gamma beta moving_mean moving_variance", {3});
}

static_assert(owned_by(BatchNormalization<>::description.options) == 4);
static_assert(owned_by(BatchNormalization<use_scale<false>>::description.options) == 3);
static_assert(
    owned_by(BatchNormalization<use_scale<false>, use_center<false>>::description.options) == 2);

TEST_CASE("BatchNormalization keeps what Keras keeps, of the last extent") {
  CHECK(owned_by(BatchNormalization<>::description.options) == 4);
  CHECK(owned_by(BatchNormalization<use_scale<false>>::description.options) == 3);
}

}  // namespace
