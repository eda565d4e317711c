// SPDX-License-Identifier: MIT
#include <ipu_dsl/training/metric_values.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("metrics are found by name") {
  metric_values found;
  CHECK(tests::sentence_of([&] { static_cast<void>(found["accuracy"]); }) ==
        "There is no metric \"accuracy\": the model was compiled without. Write metrics<...> "
        "behind it in compile.");
  found.add("accuracy", 0.75);
  found.add("mean_squared_error", 2);
  CHECK(found["accuracy"] == 0.75);
  CHECK(found["mean_squared_error"] == 2);
  CHECK(found.names().size() == 2);
  CHECK(found.values()[1] == 2);
  CHECK(tests::sentence_of([&] { static_cast<void>(found["acuracy"]); }) ==
        "There is no metric \"acuracy\"; the model has accuracy, mean_squared_error.");
}
