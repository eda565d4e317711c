// SPDX-License-Identifier: MIT
#include <ipu_dsl/core/hash.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// The values that the authors of FNV publish for 64-bit FNV-1a.
constexpr bool agrees() {
  return fnv_1a{}.value == 0xcbf29ce484222325U && fnv_1a{}.take("a").value == 0xaf63dc4c8601ec8cU &&
         fnv_1a{}.take("foobar").value == 0x85944171f73967e8U &&
         fnv_1a{}.take("foo").take("bar").value == 0x85944171f73967e8U;
}

/// A word is its bytes, the lowest first.
constexpr bool takes_words() {
  return fnv_1a{}.take(0x64636261U).value == fnv_1a{}.take("abcd").value;
}

static_assert(agrees());
static_assert(takes_words());

}  // namespace

TEST_CASE("hashes are those of FNV-1a") {
  CHECK(agrees());
  CHECK(takes_words());
}
