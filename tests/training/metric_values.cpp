// SPDX-License-Identifier: MIT
#include <cmath>
#include <utility>
#include <vector>

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

TEST_CASE("a metric of several numbers is read as such, and a copy has its own") {
  std::vector<double> several = {1, 2, 3, 4, 5};
  metric_values found;
  found.add("accuracy", 0.75);
  found.add_several("recall_per_class", 0, 3);
  found.add_several("pair", 3, 2);
  found.see(several);
  CHECK(found["accuracy"] == 0.75);
  CHECK(found.numbers("accuracy").size() == 1);
  CHECK(found.numbers("accuracy")[0] == 0.75);
  CHECK(found.numbers("pair")[1] == 5);
  CHECK(std::isnan(found.values()[1]));
  CHECK(tests::sentence_of([&] { static_cast<void>(found["recall_per_class"]); }) ==
        "The metric \"recall_per_class\" has 3 numbers: write "
        "metrics.numbers(\"recall_per_class\").");
  const metric_values copied = found;
  metric_values assigned;
  assigned = found;
  const metric_values moved = std::move(assigned);
  several[2] = 7;
  CHECK(found.numbers("recall_per_class")[2] == 7);
  CHECK(copied.numbers("recall_per_class")[2] == 3);
  CHECK(moved.numbers("recall_per_class")[2] == 3);
  CHECK(moved["accuracy"] == 0.75);
}
