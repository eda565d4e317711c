// SPDX-License-Identifier: MIT
// Tests of vocabulary/judge_fault.hpp.
#include <type_traits>

#include <ipu_dsl/vocabulary/judge_fault.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

template <typename Judge>
using rule_of = typename rule_with_options<Judge::rule>::type;

static_assert(std::is_same_v<rule_of<huber>, huber_rule>);
static_assert(std::is_same_v<rule_of<precision>, precision_rule>);
static_assert(std::is_void_v<rule_of<per_class<precision>>>);

static_assert(judges_by_rule<huber::rule> && judges_by_rule<precision::rule>);
static_assert(judges_by_rule<kl_divergence::rule> && judges_by_rule<per_class<recall>::rule>);
static_assert(!judges_by_rule<adam::rule>);

static_assert(!check_read_options<huber, huber_rule>("").found());
static_assert(!check_read_options<mean_squared_error, void>("").found());
static_assert(check_read_options<huber, void>("").got.view() == "none");
static_assert(check_read_options<huber, float>("").got.view() == "float");

TEST_CASE("a rule with members is read from the options") {
  const problem found = check_read_options<huber, void>("write them");
  CHECK(found.expected.view() == "the members of huber_rule among the options of huber");
  CHECK(found.hint.view() == "write them");
}

}  // namespace
