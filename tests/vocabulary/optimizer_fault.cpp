// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/optimizer_fault.hpp.
#include <ipu_dsl/vocabulary/library.hpp>
#include <ipu_dsl/vocabulary/optimizers/adapted_optimizer.hpp>
#include <ipu_dsl/vocabulary/optimizers/optimizer_fault.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using optimizer_faults::check_names;
using optimizer_faults::check_sums;
using optimizer_faults::rule_facts;

constexpr problem of_names(const kept_slots& names, int kept) {
  return check_names({.name = "own", .kept = names}, {"own_rule", kept, {}});
}

static_assert(!of_names(kept_slots{}, 0).found() && !of_names({{"m", "v"}}, 2).found());
static_assert(of_names({{"m"}}, 2).expected.view() ==
              "as many names in .kept of the family of own as its rule keeps numbers, 2");
static_assert(of_names({{"m"}}, 2).got.view() == "1" && of_names({{"m", "v"}}, 1).found());
static_assert(of_names(kept_slots{}, 1).got.view() == "0" &&
              of_names({{"", "m"}}, 1).got.view() == "0");
static_assert(of_names({{"m", "v", "m"}}, 3).got.view() == "m twice");

constexpr problem of_sums(const whole_sums& family_has, const whole_sums& rule_has,
                          bool elementwise) {
  return check_sums({.name = "own", .elementwise = elementwise, .sums = family_has},
                    {"own_rule", 0, rule_has});
}

static_assert(!of_sums({}, {}, true).found() && !of_sums({}, {}, false).found());
static_assert(!of_sums({{2, 1}}, {{2, 1}}, false).found());
static_assert(of_sums({}, {{1}}, false).found() && of_sums({{1}}, {}, false).found());
static_assert(of_sums({{2}}, {{1}}, false).expected.view() ==
              ".sums in the family of own as its rule has them");
static_assert(of_sums({{1}}, {{1}}, true).got.view() == ".elementwise = true");
static_assert(of_sums({{3}}, {{3}}, false).got.view() == "3 in stage 0");
static_assert(of_sums({{0, 1}}, {{0, 1}}, false).got.view() == "1 in stage 1");

template <typename... Optimizers>
constexpr int count_right() {
  return (int{!fault_of_optimizer<Optimizers>().found()} + ...);
}

static_assert(count_right<adadelta, adagrad, adam, adamax, amsgrad, ftrl, lamb, lion, nadam>() ==
              9);
static_assert(count_right<sgd<>, sgd<momentum>, rmsprop<>, rmsprop<momentum>, adamw>() == 5);

/// As the settings of an optimizer have it, or nearly.
struct asked_otherwise {
  float kept_at_first() const { return 1; }
};

static_assert(optimizer_faults::check_kept_at_first<asked_otherwise>().found());
static_assert(!optimizer_faults::check_kept_at_first<adagrad_settings>().found());
static_assert(!optimizer_faults::check_kept_at_first<adam_settings>().found());

TEST_CASE("what a rule and its family say of an optimizer is compared") {
  CHECK(of_names({{"m"}}, 2).hint.view().starts_with("name what lies beside each number"));
  CHECK(of_sums({}, {{1}}, false).hint.view().starts_with("write .sums = own_rule::sums"));
}

}  // namespace
