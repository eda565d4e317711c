// SPDX-License-Identifier: MIT
// Tests of core/type_name.hpp.
#include <string_view>

#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl {

struct ours {};

template <int Value>
struct numbered {};

template <fixed_string Name, typename... Parts>
struct lettered {};

template <name_argument... Names>
struct several_names {};

}  // namespace ipu_dsl

namespace ipu_dsl {

template <shape... Extents>
struct shaped {};

template <auto... Numbers>
struct rated {};

}  // namespace ipu_dsl

namespace theirs {

struct layer {};

template <typename T>
struct fixed_string {};

struct tile_shape {
  int rows;
  int columns;
};

template <tile_shape Extents>
struct box {};

}  // namespace theirs

namespace {

using ipu_dsl::type_name;

static_assert(type_name<int>() == "int");
static_assert(type_name<ipu_dsl::ours>() == "ours");
static_assert(type_name<ipu_dsl::numbered<-3>>() == "numbered<-3>");
static_assert(type_name<theirs::layer>() == "theirs::layer");
static_assert(type_name<ipu_dsl::lettered<"sum">>() == "lettered<\"sum\">");
static_assert(type_name<ipu_dsl::lettered<"a}b">>() == "lettered<\"a}b\">");
static_assert(type_name<ipu_dsl::several_names<"first", "second">>() ==
              "several_names<\"first\", \"second\">");
static_assert(type_name<ipu_dsl::shaped<ipu_dsl::shape{4}>>() == "shaped<shape{4}>");
static_assert(type_name<ipu_dsl::shaped<ipu_dsl::shape{28, 28, 1}, ipu_dsl::shape{7}>>() ==
              "shaped<shape{28, 28, 1}, shape{7}>");
static_assert(type_name<ipu_dsl::shaped<ipu_dsl::shape{1, 2, 3, 4, 5, 6}>>() ==
              "shaped<shape{1, 2, 3, 4, 5, 6}>");
static_assert(type_name<ipu_dsl::shaped<ipu_dsl::shape{}>>() == "shaped<shape{}>");
static_assert(type_name<ipu_dsl::rated<0.5F, 0.01F, 1.0F>>() == "rated<0.5, 0.01, 1>");
static_assert(type_name<ipu_dsl::rated<-0.1F, 250.25F>>() == "rated<-0.1, 250.25>");
static_assert(type_name<ipu_dsl::rated<0.25>>() == "rated<0.25>");
static_assert(type_name<ipu_dsl::rated<0.000001F>>() == "rated<0.000001>");
// What has more decimals than six stays what it is.
static_assert(type_name<ipu_dsl::rated<1e-7F>>().find("e-") != std::string_view::npos);
static_assert(type_name<ipu_dsl::rated<0.0000015F>>().find("e-") != std::string_view::npos);
static_assert(type_name<ipu_dsl::rated<1e30F>>().find("e+") != std::string_view::npos);
static_assert(type_name<ipu_dsl::lettered<"1.0e-1", ipu_dsl::rated<0.1F>>>().starts_with(
    "lettered<\"1.0e-1\", "));
static_assert(type_name<theirs::fixed_string<int>>() == "theirs::fixed_string<int>");
static_assert(type_name<theirs::box<theirs::tile_shape{2, 3}>>().ends_with("tile_shape{2, 3}>"));

TEST_CASE("type_name spells texts as they are written") {
  using inner = ipu_dsl::lettered<"price", int>;
  constexpr std::string_view name = type_name<ipu_dsl::lettered<"a", inner>>();
  CHECK(name.starts_with("lettered<\"a\", "));
  CHECK(name.find("lettered<\"price\", int>") != std::string_view::npos);
}

TEST_CASE("type_name drops our own namespace only") {
  CHECK(type_name<ipu_dsl::numbered<10>>() == "numbered<10>");
  CHECK(type_name<theirs::layer>() == "theirs::layer");
}

}  // namespace
