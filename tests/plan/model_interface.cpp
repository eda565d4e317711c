// SPDX-License-Identifier: MIT
#include <ipu_dsl/plan/model_interface.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::testing;

namespace {

constexpr bool test_slender() {
  const model_interface predicts = interface_of(fold<slender>().view());
  const model_interface trains = interface_of(with_loss<slender>().view());
  const source_interface& target = trains.wanted(true)[1];
  return predicts.input().extents == shape{7} && predicts.outputs[0] == shape{9} &&
         predicts.output_count == 1 && predicts.wanted(true).size() == 1 &&
         trains.input().extents == shape{7} && trains.wanted(false).size() == 1 &&
         trains.wanted(true).size() == 2 && target.type == dtype::int32 &&
         target.extents == shape{} && target.classes == 9;
}

static_assert(test_slender());

}  // namespace

TEST_CASE("a model says what goes in, what comes out, and what its loss wants to be told") {
  CHECK(test_slender());
}
