// SPDX-License-Identifier: MIT
#include <ipu_dsl/plan/model_interface.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;
using namespace ipu_dsl::testing;

namespace {

constexpr checks test_slender() {
  const model_interface predicts = interface_of(fold<slender>().view());
  const model_interface trains = interface_of(with_loss<slender>().view());
  const source_interface& target = trains.wanted(true)[1];
  checks done;
  done.that(predicts.input().extents == shape{7});
  done.that(predicts.outputs[0] == shape{9});
  done.that(predicts.output_count == 1);
  done.that(predicts.wanted(true).size() == 1);
  done.that(trains.input().extents == shape{7});
  done.that(trains.wanted(false).size() == 1);
  done.that(trains.wanted(true).size() == 2);
  done.that(target.type == dtype::int32);
  done.that(target.extents == shape{});
  done.that(target.classes == 9);
  return done;
}

static_assert(test_slender());

}  // namespace

TEST_CASE("a model says what goes in, what comes out, and what its loss wants to be told") {
  CHECK(test_slender());
}
