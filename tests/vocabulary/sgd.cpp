// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/sgd.hpp.
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct stranger {};

static_assert(sgd<>::kind == update_kind::descent);
static_assert(sgd<momentum>::kind == update_kind::momentum);
static_assert(sgd<momentum>::settings{}.momentum == 0.9F);
static_assert(sgd<momentum, nesterov>::kind == update_kind::nesterov);
static_assert(sgd<nesterov, momentum>::kind == update_kind::nesterov);
static_assert(sgd<nesterov>::kind == update_kind::nesterov);
static_assert(sgd<momentum>::rule != sgd<>::rule);
static_assert(!sgd<momentum, nesterov>::fault.found());
static_assert(sgd<momentum, momentum>::fault.expected.view() == "one option for momentum");
static_assert(sgd<stranger>::fault.hint.view() == "it takes momentum and nesterov");

TEST_CASE("sgd's type says what it keeps beside the parameters") {
  CHECK(sgd<>::kind == update_kind::descent);
  CHECK(sgd<momentum>::kind == update_kind::momentum);
  CHECK(sgd<momentum, momentum>::fault.found());
}

}  // namespace
