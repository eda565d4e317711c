// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/layer_normalization.hpp: shapes, parameters as Keras has them,
// refusals.
#include <ipu_dsl/vocabulary/layers/layer_normalization.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using testing::same_start;
using tests::checks;

constexpr checks test_shapes() {
  checks done;
  done.that(apply<LayerNormalization<>>({{8}}).gives({8}));
  done.that(apply<LayerNormalization<>>({{5, 4, 3}}).gives({5, 4, 3}));
  done.that(apply<RMSNormalization<>>({{5, 3}}).gives({5, 3}));
  return done;
}

constexpr checks test_parameters() {
  const auto made = apply<LayerNormalization<>>({{5, 3}});
  checks done;
  done.that(made.only().parameters == 2);
  done.that(made.parameter(0).name == "gamma");
  done.that(made.parameter(0).extents == shape{3});
  done.that(same_start(made.parameter(0).start, ones::start));
  done.that(made.parameter(1).name == "beta");
  done.that(same_start(made.parameter(1).start, zeros::start));
  done.that(apply<LayerNormalization<use_scale<false>>>({{5, 3}}).parameter(0).name == "beta");
  done.that(
      apply<LayerNormalization<use_scale<false>, use_center<false>>>({{3}}).only().parameters == 0);
  done.that(same_start(
      apply<LayerNormalization<gamma_init<zeros>, beta_init<ones>>>({{3}}).parameter(1).start,
      ones::start));
  const auto plain = apply<RMSNormalization<>>({{5, 3}});
  done.that(plain.only().parameters == 1);
  done.that(plain.parameter(0).name == "gamma");
  return done;
}

constexpr checks test_words() {
  checks done;
  done.that(describe(LayerNormalization<>::description).view() == "LayerNormalization<>");
  done.that(describe(LayerNormalization<use_center<false>, epsilon<0.5F>>::description).view() ==
            "LayerNormalization<epsilon<0.5>, use_center<false>>");
  done.that(describe(RMSNormalization<>::description).view() == "RMSNormalization<>");
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<LayerNormalization<epsilon<0.0F>>>({{8}}).refused("an epsilon above 0", "0"));
  done.that(apply<LayerNormalization<>>({shape{}}).found.found());
  done.that(LayerNormalization<use_scale<false>, gamma_init<zeros>>::description.fault->found());
  done.that(LayerNormalization<use_center<false>, beta_init<zeros>>::description.fault->found());
  done.that(
      LayerNormalization<use_scale<false>, gamma_constraint<non_neg>>::description.fault->found());
  done.that(
      LayerNormalization<use_center<false>, beta_regularizer<l2<>>>::description.fault->found());
  done.that(RMSNormalization<beta_regularizer<l2<>>>::description.fault->found());
  done.that(!RMSNormalization<gamma_regularizer<l2<>>>::description.fault->found());
  done.that(LayerNormalization<>::description.weights == nullptr);
  done.that(RMSNormalization<use_center<false>>::description.fault->found());
  done.that(!RMSNormalization<gamma_init<zeros>>::description.fault->found());
  return done;
}

static_assert(test_shapes());
static_assert(test_parameters());
static_assert(test_words());
static_assert(test_refusals());

TEST_CASE("LayerNormalization and RMSNormalization have Keras's defaults") {
  CHECK(test_shapes());
  CHECK(test_parameters());
  CHECK(test_words());
  CHECK(test_refusals());
}

}  // namespace
