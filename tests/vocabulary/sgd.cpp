// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/sgd.hpp.
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct stranger {};

static_assert(sgd<>::rule == &sgd_family);
static_assert(sgd<momentum>::rule == &sgd_momentum_family);
static_assert(sgd<momentum>::settings{}.momentum == 0.9F);
static_assert(sgd<momentum, nesterov>::rule == &sgd_nesterov_family);
static_assert(sgd<nesterov, momentum>::rule == &sgd_nesterov_family);
static_assert(sgd<nesterov>::rule == &sgd_nesterov_family);
static_assert(sgd<momentum>::rule != sgd<>::rule);
static_assert(!sgd<momentum, nesterov>::fault.found());
static_assert(sgd<momentum, momentum>::fault.expected.view() == "one option for momentum");
static_assert(sgd<stranger>::fault.hint.view() == "it takes momentum and nesterov");

TEST_CASE("sgd's type says what it keeps beside the parameters") {
  CHECK(sgd<>::rule == &sgd_family);
  CHECK(sgd<momentum>::rule == &sgd_momentum_family);
  CHECK(sgd<momentum, momentum>::fault.found());
}

}  // namespace
