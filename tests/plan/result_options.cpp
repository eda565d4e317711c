// SPDX-License-Identifier: MIT
#include <ipu_dsl/plan/result_options.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using one = loss<mean_squared_error>;
using two = loss<for_output<"kind", sparse_categorical_crossentropy, from_probabilities>,
                 for_output<"price", mean_squared_error, loss_weight<0.5>>>;
using judged = metrics<accuracy, for_output<"price", mean_squared_error>>;

static_assert(one::count == 1 && one::choices[0].rule == &mean_squared_error_family);
static_assert(one::choices[0].output.empty() && one::choices[0].weight == 1);
static_assert(two::count == 2 && !two::fault.found());
static_assert(two::choices[0].output == "kind" && two::choices[0].weight == 1);
static_assert(two::choices[0].options.as<crossentropy_options>().scores ==
              score_kind::probabilities);
static_assert(two::choices[1].output == "price" && two::choices[1].weight == 0.5F);
static_assert(judged::count == 2 && judged::choices[0].output.empty() &&
              judged::choices[1].output == "price");

template <typename Option>
constexpr sentence said() {
  return Option::fault.found() ? Option::fault.message() : sentence();
}

}  // namespace

TEST_CASE("losses and metrics say which output they judge") {
  CHECK(said<one>().empty());
  CHECK(said<two>().empty());
  CHECK(said<judged>().empty());
}

TEST_CASE("what is no loss or no metric is refused with what there is") {
  CHECK(said<loss<relu>>().view().find("expected a loss in loss<...>, got relu") == 2);
  CHECK(said<loss<for_output<"kind", relu>>>().view() == said<loss<relu>>().view());
  CHECK(said<metrics<for_output<"kind", relu>>>().view() == said<metrics<relu>>().view());
  CHECK(loss<relu>::count == 0);
}

TEST_CASE("a weight is a number above 0") {
  using weighed = loss<for_output<"kind", mean_squared_error, loss_weight<-1>>>;
  CHECK(
      said<weighed>().view() ==
      ": expected a number above 0 in loss_weight<...>, got -1. Hint: an output that is not to be "
      "trained needs no loss");
}

TEST_CASE("one output has one metric of a name, another may have it too") {
  using twice = metrics<for_output<"a", mean_squared_error>, for_output<"a", mean_squared_error>>;
  using apart = metrics<for_output<"a", mean_squared_error>, for_output<"b", mean_squared_error>>;
  CHECK(!said<twice>().empty());
  CHECK(said<apart>().empty());
}
