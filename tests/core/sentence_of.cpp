// SPDX-License-Identifier: MIT
#include <cstdint>
#include <limits>
#include <string>

#include <ipu_dsl/core/sentence_of.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("text of every kind and numbers are joined in their order") {
  const std::string word = "two";
  const label words = "three";
  CHECK(sentence_of({"one", ", ", word, ", ", words, ", ", std::string("four")}) ==
        "one, two, three, four");
  CHECK(sentence_of({"axis ", 2, " of ", std::size_t{7}, " has ", std::int64_t{-5}, "."}) ==
        "axis 2 of 7 has -5.");
  CHECK(sentence_of({std::numeric_limits<std::int64_t>::min()}) == "-9223372036854775808");
  CHECK(sentence_of({std::numeric_limits<std::uint64_t>::max()}) == "18446744073709551615");
  CHECK(sentence_of({}).empty());
  CHECK(sentence_of({"", label(), 0}) == "0");
}
