// SPDX-License-Identifier: MIT
// Tests of core/type_name.hpp.
#include <ipu_dsl/core/type_name.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl {

struct ours {};

template <int Value>
struct numbered {};

}  // namespace ipu_dsl

namespace theirs {

struct layer {};

}  // namespace theirs

namespace {

using ipu_dsl::type_name;

static_assert(type_name<int>() == "int");
static_assert(type_name<ipu_dsl::ours>() == "ours");
static_assert(type_name<ipu_dsl::numbered<-3>>() == "numbered<-3>");
static_assert(type_name<theirs::layer>() == "theirs::layer");

TEST_CASE("type_name drops our own namespace only") {
  CHECK(type_name<ipu_dsl::numbered<10>>() == "numbered<10>");
  CHECK(type_name<theirs::layer>() == "theirs::layer");
}

}  // namespace
