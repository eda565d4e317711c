// SPDX-License-Identifier: MIT
// Numbers that a rule reaches by their places, and none beside them.
#include <cstdint>
#include <string>

#include <ipu_dsl/core/checked_numbers.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using tests::sentence_of;

namespace {

constexpr double sum_of_two() {
  double all[2] = {};
  const counted_numbers counted(all, 2);
  counted[0] += 1;
  counted[1] += 2;
  double sum = 0;
  for (const double number : counted_sums(all, 2)) {
    sum += number;
  }
  return sum;
}

static_assert(sum_of_two() == 3);

std::string refusal(std::int32_t place) {
  return "A rule of a metric was given 2 numbers and asked for number " + std::to_string(place) +
         ", counted from 0. Hint: counting_rules::shapes(draft, 2) says how many are counted, "
         "`reported` how many are reported.";
}

}  // namespace

TEST_CASE("a rule reaches its numbers, and none beside them") {
  double all[4] = {1, 2, 3, 4};
  const counted_numbers counted(all + 1, 2);
  CHECK(sum_of_two() == 3);
  CHECK(counted.size() == 2);
  CHECK(sentence_of([&] { counted[2] = 0; }) == refusal(2));
  CHECK(sentence_of([&] { counted[-1] = 0; }) == refusal(-1));
  CHECK(all[0] == 1);
  CHECK(all[3] == 4);
}
