// SPDX-License-Identifier: MIT
// Tests of core/update_rule.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <ipu_dsl/core/update_rule.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct halving {
  struct floats {
    float rate;
    float decay;
  };

  floats numbers(std::uint64_t update) const { return {first / static_cast<float>(update), 0.5F}; }

  float first = 8.0F;
};

TEST_CASE("settings of an optimizer make the numbers of each update, without their type") {
  halving settings;
  const optimizer_reference seen(settings);
  float told[most_optimizer_numbers];
  std::fill(std::begin(told), std::end(told), -1.0F);
  seen.write(1, told);
  CHECK(told[0] == 8.0F);
  CHECK(told[1] == 0.5F);
  CHECK(told[2] == -1.0F);
  seen.write(4, told);
  CHECK(told[0] == 2.0F);
  settings.first = 16.0F;
  seen.write(4, told);
  CHECK(told[0] == 4.0F);
}

static_assert(no_update::kept == 0);

}  // namespace
