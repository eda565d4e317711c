// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/rescaling.hpp.
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/rescaling.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;

template <typename Layer>
constexpr rescaling_options read = Layer::description.options.template as<rescaling_options>();

constexpr bool keeps_shapes() {
  return apply<Rescaling<0.5F>>({{7}}).gives({7}) &&
         apply<Rescaling<2, -1>>({{2, 3}}).gives({2, 3}) &&
         apply<Rescaling<2>>({{2, 3}}).only().parameters == 0;
}

static_assert(keeps_shapes());
static_assert(read<Rescaling<0.5F>>.scale == 0.5F && read<Rescaling<0.5F>>.offset == 0);
static_assert(read<Rescaling<2, -1>>.scale == 2 && read<Rescaling<2, -1>>.offset == -1);
static_assert(describe(Rescaling<2>::description).view() == "Rescaling<2>");
static_assert(describe(Rescaling<0.5F, -1>::description).view() == "Rescaling<0.5, -1>");

struct bytes_out : model<input<dtype::uint8, 4>, sequential<Flatten>> {};

static_assert(fault_of<bytes_out>::value.message().view() ==
              "output: expected an output of float32, got uint8");

struct of_words : model<input<dtype::int32, 4>, sequential<Rescaling<2>>> {};

static_assert(fault_of<of_words>::value.message().view() ==
              "layer 0 Rescaling<2> in stage 0: expected numbers of float32 or uint8, got int32. "
              "Hint: integers of 32 bits are numbers of words: put Embedding before it");

TEST_CASE("Rescaling keeps the shape") {
  CHECK(keeps_shapes());
  CHECK(!is_valid<bytes_out>());
  CHECK(!is_valid<of_words>());
}

}  // namespace
