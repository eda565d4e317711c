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

TEST_CASE("a reduction is one of Keras's names that has a gradient") {
  static_assert(loss<mean_squared_error, reduction<"sum">>::choices[0].sums);
  static_assert(!loss<mean_squared_error, reduction<"sum_over_batch_size">>::choices[0].sums);
  static_assert(!one::choices[0].sums && one::choices[0].weighs == weighed::nothing);
  CHECK(said<loss<mean_squared_error, reduction<"mean">>>().view() ==
        ": expected \"sum_over_batch_size\" or \"sum\" in reduction<...>, got \"mean\"");
  CHECK(said<loss<mean_squared_error, reduction<"none">>>().view() ==
        ": expected \"sum_over_batch_size\" or \"sum\" in reduction<...>, got \"none\", of which "
        "there is no gradient. Hint: what single samples lose: evaluate(data | skip(i) | take(1)), "
        "or predict and compute it");
}

TEST_CASE("every loss and every metric takes weights, and no two kinds of them") {
  static_assert(loss<mean_squared_error, sample_weights>::choices[0].weighs == weighed::samples);
  static_assert(metrics<metric<accuracy, position_weights>>::choices[0].weighs ==
                weighed::positions);
  CHECK(
      said<loss<mean_squared_error, sample_weights, position_weights>>().view() ==
      ": expected one option for sample_weights or position_weights, got sample_weights as option "
      "1 and position_weights as option 2. Hint: keep one of them");
  CHECK(said<metrics<metric<accuracy, relu>>>().view() ==
        ": expected an option that it takes, got relu as option 1. Hint: it takes sample_weights "
        "or position_weights and metric_name");
}

TEST_CASE("one output has one metric of a name, another may have it too") {
  using twice = metrics<for_output<"a", mean_squared_error>, for_output<"a", mean_squared_error>>;
  using apart = metrics<for_output<"a", mean_squared_error>, for_output<"b", mean_squared_error>>;
  CHECK(said<twice>().view() ==
        ": expected metrics of different names, got mean_squared_error twice. Hint: keep one of "
        "them, or call it otherwise: metric<..., metric_name<\"another\">>");
  using named_apart = metrics<precision, metric<precision, threshold<0.7F>, metric_name<"strict">>>;
  CHECK(said<named_apart>().empty());
  CHECK(name_of(named_apart::choices[1]) == "strict");
  CHECK(said<metrics<metric<precision, metric_name<"recall">>, recall>>().view().find(
            "recall twice") != std::string_view::npos);
  CHECK(!said<metrics<metric<precision, metric_name<"">>>>().empty());
  CHECK(said<metrics<metric<auc, curve<"pr">>>>().view() ==
        ": expected \"ROC\" or \"PR\" in curve<...>, got \"pr\"");
  CHECK(said<apart>().empty());
}
