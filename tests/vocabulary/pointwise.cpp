// SPDX-License-Identifier: MIT
// Tests of vocabulary/pointwise.hpp and of what has its rules.
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

struct net : model<input<4>, sequential<Dense<3, sigmoid>, Reshape<3, 1>>> {};

/// The graph of `net` judged so.
constexpr graph judged(const family& loss, std::span<const result_choice> metrics) {
  graph made = fold<net>();
  const result_choice losses[] = {{&loss}};
  made.fault = attach_results(made, losses, metrics, 1);
  return made;
}

constexpr result_choice hits[] = {{&binary_accuracy_family}};
constexpr result_choice classes[] = {{&accuracy_family}};

/// All that judge one output are told one target, which has the output's shape.
constexpr checks test_target() {
  const graph made = judged(mean_squared_error_family, hits);
  const graph_view view = made.view();
  const tensor& target = view.at(view.find(tensor_role::target));
  const node& loss = *view.loss();
  const node& metric = view.nodes.back();
  checks done;
  done.that(!made.fault.found());
  done.that(view.find(tensor_role::target, 1) < 0);
  done.that(target.type == dtype::float32);
  done.that(target.extents == shape{3, 1});
  done.that(metric.purpose == node_purpose::metric);
  done.that(view.input_of(loss, 1) == view.input_of(metric, 1));
  return done;
}

constexpr checks test_result() {
  const graph made = judged(mean_squared_error_family, hits);
  const graph_view view = made.view();
  const tensor& first = view.at(view.find(tensor_role::result));
  const tensor& second = view.at(view.find(tensor_role::result, 1));
  checks done;
  done.that(first.extents == shape{2});
  done.that(first.type == dtype::float64);
  done.that(second.extents == shape{2});
  done.that(!per_sample(first));
  done.that(view.find(tensor_role::result, 2) < 0);
  return done;
}

static_assert(test_target());
static_assert(test_result());
static_assert(judged(mean_squared_error_family, classes).fault.found());
static_assert(judges_pointwise<&mean_squared_error_family>);
static_assert(!judges_pointwise<&accuracy_family>);

TEST_CASE("a loss and a metric that judge one output are told one target") {
  CHECK(test_target());
  CHECK(test_result());
}

struct flat : model<input<4>, sequential<Dense<3>>> {};

TEST_CASE("a metric that wants other targets than the loss is refused") {
  graph made = fold<flat>();
  const result_choice losses[] = {{&mean_squared_error_family}};
  const problem found = attach_results(made, losses, classes, 1);
  CHECK(found.where.view() == "accuracy behind layer 0 Dense<3> in stage 0");
  CHECK(found.expected.view() == "targets of int32, one a sample");
  CHECK(found.got.view() == "those of the loss, (3) of float32");
}

}  // namespace
