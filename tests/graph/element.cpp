// SPDX-License-Identifier: MIT
// Tests of graph/element.hpp and graph/family.hpp.
#include <string_view>

#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr family nothing_family{.name = "Nothing"};

struct Nothing {
  static constexpr element description{.kind = element_kind::layer, .rule = &nothing_family};
};

struct stranger {};

static_assert(model_element<Nothing> && !model_element<stranger> && !model_element<int>);
static_assert(element_of<Nothing>.rule == &nothing_family);
static_assert(element_of<stranger>.kind == element_kind::foreign);
static_assert(element_of<stranger>.name.ends_with("stranger"));
static_assert(describe(element_of<Nothing>).view() == "Nothing");

constexpr element pair = composed<Nothing, stranger>(element_kind::sequence, "sequential");
static_assert(pair.parts.size() == 2 && pair.parts[0] == &element_of<Nothing>);
static_assert(composed<>(element_kind::stage, "stage").parts.empty());
static_assert(describe(pair).view() == "sequential");
static_assert(describe(composed<>(element_kind::branches, "concat")).view() == "concat");

/// The rules that a family does not give are there and do nothing.
constexpr bool test_default_rules() {
  graph model;
  node_draft draft(model, {}, {});
  return !nothing_family.shapes(draft).found() && model.tensors.empty();
}

static_assert(test_default_rules());

TEST_CASE("a family without rules does nothing") {
  CHECK(test_default_rules());
}

constexpr checks test_any_type() {
  checks done;
  done.that(std::string_view(element_of<stranger>.name).ends_with("stranger"));
  done.that(pair.parts[1] == &element_of<stranger>);
  return done;
}

static_assert(test_any_type());

TEST_CASE("elements of any type are read") {
  CHECK(test_any_type());
}

}  // namespace
