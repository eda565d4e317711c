// SPDX-License-Identifier: MIT
// Tests of graph/call_key.hpp: keys are equal if their structs are of one type and equal.
#include <cstdint>

#include <ipu_dsl/graph/call_key.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

enum class variant : std::int32_t { forward, gradient };

struct one_call {
  variant which;
  std::int32_t batch;
  float slope;

  friend constexpr bool operator==(const one_call&, const one_call&) = default;
};

struct other_call {
  std::int32_t which;
  std::int32_t batch;
  std::int32_t units;
};

constexpr checks test_keys() {
  const one_call given{variant::gradient, 32, 0.25F};
  const call_key key = call_key::of(given);
  checks done;
  done.that(key.is<one_call>());
  done.that(!key.is<other_call>());
  done.that(key.as<one_call>() == given);
  done.that(key.size() == 3);
  done.that(key[0] == 1);
  done.that(key[1] == 32);
  return done;
}

constexpr checks test_equality() {
  const call_key key = call_key::of(one_call{variant::forward, 0, 0.0F});
  checks done;
  done.that(key == call_key::of(one_call{variant::forward, 0, 0.0F}));
  done.that(!(key == call_key::of(one_call{variant::forward, 1, 0.0F})));
  done.that(!(key == call_key::of(other_call{0, 0, 0})));
  done.that(!(key == call_key()));
  return done;
}

static_assert(test_keys());
static_assert(test_equality());
static_assert(call_key::of(no_key{}).size() == 0 && call_key::of(no_key{}).is<no_key>());

TEST_CASE("a call's key gives back what it was made of, and tells calls apart") {
  CHECK(test_keys());
  CHECK(test_equality());
}

}  // namespace
