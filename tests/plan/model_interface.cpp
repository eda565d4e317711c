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
  return predicts.sample == shape{7} && predicts.result == shape{9} && predicts.classes == 0 &&
         trains.sample == shape{7} && trains.result == shape{9} && trains.classes == 9;
}

static_assert(test_slender());

}  // namespace

TEST_CASE("a model says what goes in, what comes out, and how many classes its loss tells apart") {
  CHECK(test_slender());
}
