// SPDX-License-Identifier: MIT
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/training/data_check.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// An input of one shape and an output of another, with nothing in between.
constexpr graph model_between(const shape& input, const shape& output) {
  graph made;
  made.input = add_source(made, input, dtype::float32, tensor_role::input);
  made.output = add_source(made, output, dtype::float32, tensor_role::activation);
  return made;
}

constexpr sentence said_of_data(const shape& input, const shape& sample, std::int32_t classes) {
  const graph made = model_between(input, {10});
  const problem found = check_data(made.view(), sample, classes);
  return found.found() ? found.message() : sentence();
}

constexpr sentence said_of_rank(const shape& input, std::int32_t rank) {
  const graph made = model_between(input, {10});
  const problem found = check_rank(made.view(), rank);
  return found.found() ? found.message() : sentence();
}

constexpr bool test_unit_extents() {
  return without_unit_extents({28, 28, 1}) == shape{28, 28} &&
         without_unit_extents({1, 28, 1, 28}) == shape{28, 28} &&
         without_unit_extents({28, 28}) == shape{28, 28} && without_unit_extents({1}) == shape{} &&
         without_unit_extents({}) == shape{};
}

constexpr bool test_data_that_fit() {
  return said_of_data({28, 28}, {28, 28}, 10).empty() &&
         said_of_data({28, 28}, {28, 28, 1}, 10).empty() &&
         said_of_data({28, 28, 1}, {28, 28}, 10).empty() && said_of_data({8}, {8}, 1).empty();
}

constexpr bool test_rank_that_fits() {
  return said_of_rank({28, 28}, 3).empty() && said_of_rank({784}, 2).empty();
}

static_assert(test_unit_extents());
static_assert(test_data_that_fit());
static_assert(test_rank_that_fits());

}  // namespace

TEST_CASE("a channel more or less makes no other image") {
  CHECK(test_unit_extents());
  CHECK(test_data_that_fit());
}

TEST_CASE("samples of another shape are refused, even of as many values") {
  CHECK(said_of_data({28, 28}, {14, 56}, 10).view() ==
        "the data: expected samples of shape (28, 28), got (14, 56). Hint: give the model's input "
        "the shape of the data");
  CHECK(said_of_data({28, 28}, {784}, 10).view() ==
        "the data: expected samples of shape (28, 28), got (784). Hint: give the model's input "
        "the shape of the data");
}

TEST_CASE("more classes than the model scores are refused") {
  CHECK(said_of_data({8}, {8}, 11).view() ==
        "the data: expected labels of at most 10 classes, as many as the model scores, got 11 "
        "classes. Hint: end the model in as many units as classes");
}

TEST_CASE("a batch has one axis more than a sample") {
  CHECK(test_rank_that_fits());
  CHECK(said_of_rank({28, 28}, 2).view() ==
        "the batch: expected a tensor of rank 3: samples x (28, 28), got rank 2. Hint: the first "
        "axis counts the samples");
}
