// SPDX-License-Identifier: MIT
#include <limits>
#include <vector>

#include <ipu_dsl/data/paired_dataset.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using pairs = paired_dataset<shape{2}, shape{3}>;

static_assert(dataset<pairs>);
static_assert(tells_targets<pairs> && !tells_labels<pairs>);

TEST_CASE("samples and their targets are gathered by index") {
  const pairs data({1, 2, 3, 4}, {10, 11, 12, 20, 21, 22});
  CHECK(data.size() == 2);
  float row[3] = {};
  data.gather(1, row);
  CHECK(row[0] == 3);
  CHECK(row[1] == 4);
  data.gather_target(1, row);
  CHECK(row[0] == 20);
  CHECK(row[2] == 22);
  CHECK(data.features().size() == 4);
  CHECK(data.targets().size() == 6);
  CHECK(pairs().size() == 0);
}

TEST_CASE("samples and targets that do not belong together are refused") {
  CHECK(tests::sentence_of([] { pairs({1, 2, 3}, {1, 2, 3}); }) ==
        "A data set of samples (2) and targets (3) got 3 and 3 values; expected 2 and 3 for each "
        "sample.");
  CHECK(tests::sentence_of([] { pairs({1, 2, 3, 4}, {1, 2, 3}); }) ==
        "A data set of samples (2) and targets (3) got 4 and 3 values; expected 2 and 3 for each "
        "sample.");
}

TEST_CASE("infinities and NaN are refused among targets as among samples, unless kept") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(
      tests::sentence_of([&] { pairs({1, 2}, {1, infinity, 3}); }) ==
      "Value 1 of sample 0 of the targets is inf; expected finite numbers. Hint: non_finite::kept "
      "behind the targets keeps it.");
  CHECK(tests::sentence_of([&] { pairs({infinity, 2}, {1, 2, 3}); }) ==
        "Value 0 of sample 0 is inf; expected finite numbers. Hint: non_finite::kept behind the "
        "targets keeps it.");
  CHECK(pairs({1, 2}, {1, infinity, 3}, non_finite::kept).size() == 1);
}

}  // namespace
