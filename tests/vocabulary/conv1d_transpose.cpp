// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/conv1d_transpose.hpp: shapes as Keras has them, options, refusals.
#include <ipu_dsl/vocabulary/layers/conv1d_transpose.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using tests::checks;

constexpr checks test_shapes() {
  checks done;
  done.that(apply<Conv1DTranspose<8, 3>>({{5, 2}}).gives({7, 8}));
  done.that(apply<Conv1DTranspose<8, 3, strides<2>>>({{5, 2}}).gives({11, 8}));
  done.that(apply<Conv1DTranspose<8, 3, strides<2>, same_padding>>({{5, 2}}).gives({10, 8}));
  done.that(apply<Conv1DTranspose<8, 3, strides<3>, output_padding<2>>>({{5, 2}}).gives({17, 8}));
  done.that(apply<Conv1DTranspose<8, 3>>({{5, 2}}).parameter(0).extents == shape{3, 8, 2});
  return done;
}

constexpr checks test_refusals() {
  const shape sequence{8, 4};
  checks done;
  done.that(apply<Conv1DTranspose<8, 3>>({{8}}).refused("a sequence (steps, channels)", "(8)"));
  done.that(apply<Conv1DTranspose<8, 3, strides<2>, output_padding<2>>>({sequence})
                .refused("an output_padding below the strides", "2"));
  done.that(apply<Conv1DTranspose<8, 3, strides<2>, output_padding<1, 0>>>({sequence})
                .refused("one number in output_padding<...>", "rows and columns"));
  done.that(apply<Conv1DTranspose<8, 3, causal_padding>>({sequence})
                .refused("valid_padding or same_padding", "causal_padding"));
  return done;
}

static_assert(test_shapes());
static_assert(test_refusals());
static_assert(describe(Conv1DTranspose<8, 3, strides<2>, output_padding<1>>::description).view() ==
              "Conv1DTranspose<8, 3, strides<2>, output_padding<1>>");

TEST_CASE("Conv1DTranspose has Keras's shapes") {
  CHECK(test_shapes());
}

TEST_CASE("Conv1DTranspose refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
