// SPDX-License-Identifier: MIT
// Tests of vocabulary/optimizers/settings_check.hpp.
#include <limits>

#include <ipu_dsl/vocabulary/optimizers/settings_check.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <typename Look>
constexpr problem found_by(const Look& look) {
  settings_check check;
  look(check);
  return check.fault;
}

constexpr problem of_rate(float value) {
  return found_by([=](settings_check& check) { check.not_negative("rate", value); });
}

constexpr problem of_decay(float value) {
  return found_by([=](settings_check& check) { check.decay("beta_1", value); });
}

static_assert(!of_rate(0).found() && !of_rate(1e30F).found());
static_assert(of_rate(infinity).expected.view() == "a finite rate");
static_assert(of_rate(infinity).got.view() == "infinity");
static_assert(of_rate(-infinity).expected.view() == "a finite rate");
static_assert(of_rate(not_a_number).expected.view() == "a finite rate");
static_assert(of_rate(not_a_number).got.view() == "not a number");
static_assert(!of_decay(0).found() && of_decay(1).found() && of_decay(not_a_number).found());

/// "an epsilon", "a rho", "an l1", "a beta": how the name is said counts.
constexpr problem named(std::string_view name) {
  return found_by([=](settings_check& check) { check.positive(name, 0); });
}

static_assert(named("epsilon").expected.view() == "an epsilon above 0");
static_assert(named("rho").expected.view() == "a rho above 0");
static_assert(named("l1_strength").expected.view() == "an l1_strength above 0");
static_assert(named("m_mul").expected.view() == "an m_mul above 0");
static_assert(named("t_mul").expected.view() == "a t_mul above 0");

}  // namespace

TEST_CASE("settings are checked in order, and the first fault is kept") {
  settings_check check;
  check.epsilon(1e-7F);
  check.fraction("momentum", 1);
  check.steps("decay_steps", 1);
  CHECK_FALSE(check.fault.found());
  check.fraction("momentum", 1.5F);
  check.steps("decay_steps", 0);
  check.take(refuse("something else", "another thing"));
  CHECK(check.fault.expected.view() == "a momentum of 0 to 1");
  CHECK(check.fault.got.view() == "1.5");
}
