// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/pooling.hpp: shapes as Keras has them, names, refusals.
#include <ipu_dsl/vocabulary/layers/pooling.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using tests::checks;

constexpr checks test_shapes_of_images() {
  const shape image{28, 27, 6};
  checks done;
  done.that(apply<MaxPooling2D<>>({image}).gives({14, 13, 6}));
  done.that(apply<MaxPooling2D<2, same_padding>>({image}).gives({14, 14, 6}));
  done.that(apply<MaxPooling2D<3, strides<1>>>({image}).gives({26, 25, 6}));
  done.that(apply<AveragePooling2D<pool_size{4, 3}>>({image}).gives({7, 9, 6}));
  done.that(apply<AveragePooling2D<2, strides<3, 1>>>({image}).gives({9, 26, 6}));
  done.that(apply<GlobalMaxPooling2D>({image}).gives({6}));
  done.that(apply<GlobalAveragePooling2D>({image}).gives({6}));
  return done;
}

constexpr checks test_shapes_of_sequences() {
  const shape sequence{11, 5};
  checks done;
  done.that(apply<MaxPooling1D<>>({sequence}).gives({5, 5}));
  done.that(apply<MaxPooling1D<3, strides<2>, same_padding>>({sequence}).gives({6, 5}));
  done.that(apply<AveragePooling1D<4>>({sequence}).gives({2, 5}));
  done.that(apply<GlobalMaxPooling1D>({sequence}).gives({5}));
  done.that(apply<GlobalAveragePooling1D>({sequence}).gives({5}));
  return done;
}

constexpr bool named(const element& layer, std::string_view expected) {
  return layer.rule->describe(*layer.rule, layer.options).view() == expected;
}

constexpr checks test_names() {
  checks done;
  done.that(named(MaxPooling2D<>::description, "MaxPooling2D<2>"));
  done.that(
      named(AveragePooling2D<pool_size{2, 3}>::description, "AveragePooling2D<pool_size{2, 3}>"));
  done.that(named(MaxPooling2D<3, strides<2>, same_padding>::description,
                  "MaxPooling2D<3, strides<2>, same_padding>"));
  done.that(named(MaxPooling2D<3, strides<2, 1>>::description, "MaxPooling2D<3, strides<2, 1>>"));
  done.that(named(MaxPooling1D<3, strides<1>>::description, "MaxPooling1D<3, strides<1>>"));
  done.that(named(GlobalAveragePooling1D::description, "GlobalAveragePooling1D"));
  return done;
}

constexpr checks test_refusals() {
  const shape image{28, 28, 1};
  const shape sequence{9, 4};
  checks done;
  done.that(
      apply<MaxPooling2D<>>({{28, 28}}).refused("an image (rows, columns, channels)", "(28, 28)"));
  done.that(apply<MaxPooling1D<>>({image}).refused("a sequence (steps, channels)", "(28, 28, 1)"));
  done.that(apply<GlobalMaxPooling2D>({{5}}).refused("an image (rows, columns, channels)", "(5)"));
  done.that(
      apply<MaxPooling2D<0>>({image}).refused("a window of at least 1 row and 1 column", "0 x 0"));
  done.that(
      apply<MaxPooling2D<2, strides<0>>>({image}).refused("strides of at least 1", "0 and 0"));
  done.that(apply<AveragePooling2D<29>>({image}).refused("a window within the input",
                                                         "29 x 29 on 28 x 28"));
  done.that(apply<AveragePooling1D<10>>({sequence})
                .refused("a window within the input", "10 steps on 9 steps"));
  done.that(apply<MaxPooling1D<0>>({sequence}).refused("a window of at least 1 step", "0 steps"));
  done.that(apply<MaxPooling1D<2, strides<0>>>({sequence}).refused("strides of at least 1", "0"));
  done.that(apply<MaxPooling1D<2, strides<2, 3>>>({sequence}).found.found());
  done.that(apply<MaxPooling1D<2, strides<2, 2>>>({sequence}).found.found());
  done.that(apply<MaxPooling1D<pool_size{1, 2}>>({sequence}).found.found());
  done.that(apply<MaxPooling2D<2.5>>({image}).found.found());
  done.that(apply<MaxPooling2D<2, same_padding, valid_padding>>({image}).found.found());
  return done;
}

static_assert(test_shapes_of_images());
static_assert(test_shapes_of_sequences());
static_assert(test_names());
static_assert(test_refusals());

TEST_CASE("pooling has the shapes and the names of Keras") {
  CHECK(test_shapes_of_images());
  CHECK(test_shapes_of_sequences());
  CHECK(test_names());
}

TEST_CASE("windows that are none are refused") {
  CHECK(test_refusals());
}

}  // namespace
