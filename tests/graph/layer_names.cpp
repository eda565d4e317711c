// SPDX-License-Identifier: MIT
// Tests of graph/layer_names.hpp: how names are found again. What is said of those that are taken
// is tested in tests/model.
#include <cstdint>
#include <string_view>

#include <ipu_dsl/graph/layer_names.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr checks test_names() {
  checks done;
  // The letters of "a", "cd" and "kl" lead to one list.
  constexpr std::string_view names[] = {"a", "cd", "kl", "", "b", "cd", "a", "kl", "b", ""};
  constexpr std::int32_t first[] = {-1, -1, -1, -1, -1, 1, 0, 2, 4, 3};
  layers_by_name met{list_view<std::string_view>(names)};
  for (std::int32_t i = 0; i < 10; ++i) {
    done.that(met.add(i) == first[i]);
  }
  return done;
}

static_assert(test_names());

TEST_CASE("a layer's name is found among those before it") {
  CHECK(test_names());
}

}  // namespace
