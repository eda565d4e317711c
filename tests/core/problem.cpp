// SPDX-License-Identifier: MIT
// Tests of core/problem.hpp and core/error.hpp.
#include <string>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/problem.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr problem at_layer(problem found) {
  found.where = "layer 1 Dense<256> in stage 0";
  return found;
}

constexpr problem with_hint = at_layer(refuse("a vector", "(28, 28)", "put Flatten before it"));
constexpr problem without_hint = at_layer(refuse("a vector", "(28, 28)"));

static_assert(!problem().found());
static_assert(with_hint.found());
static_assert(with_hint.message().view() ==
              "layer 1 Dense<256> in stage 0: expected a vector, got (28, 28). "
              "Hint: put Flatten before it");
static_assert(without_hint.message().view() ==
              "layer 1 Dense<256> in stage 0: expected a vector, got (28, 28)");

TEST_CASE("error says the sentence of a problem") {
  CHECK(std::string(error(with_hint).what()) == with_hint.message().view());
  CHECK(std::string(error("no such file").what()) == "no such file");
}

}  // namespace
