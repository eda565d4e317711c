// SPDX-License-Identifier: MIT
// Tests of vocabulary/pointwise.hpp and of what has its rules.
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct net : model<input<4>, sequential<Dense<3>, Reshape<3, 1>>> {};

/// The graph of `net` judged so.
constexpr graph judged(const family& loss, std::span<const result_choice> metrics) {
  graph made = fold<net>();
  const result_choice losses[] = {{&loss}};
  made.fault = attach_results(made, losses, metrics);
  return made;
}

constexpr result_choice hits[] = {{&binary_accuracy_family}};
constexpr result_choice classes[] = {{&accuracy_family}};

/// All that judge one output are told one target, which has the output's shape.
constexpr bool test_target() {
  const graph made = judged(mean_squared_error_family, hits);
  const graph_view view = made.view();
  const tensor& target = view.at(view.find(tensor_role::target));
  const node& loss = *view.loss();
  const node& metric = view.nodes.back();
  return !made.fault.found() && view.find(tensor_role::target, 1) < 0 &&
         target.type == dtype::float32 && target.extents == shape{3, 1} &&
         metric.purpose == node_purpose::metric &&
         view.input_of(loss, 1) == view.input_of(metric, 1);
}

constexpr bool test_result() {
  const graph made = judged(mean_squared_error_family, hits);
  const graph_view view = made.view();
  const tensor& first = view.at(view.find(tensor_role::result));
  const tensor& second = view.at(view.find(tensor_role::result, 1));
  return first.extents == shape{2} && first.type == dtype::float64 && second.extents == shape{2} &&
         !per_sample(first) && view.find(tensor_role::result, 2) < 0;
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
  const problem found = attach_results(made, losses, classes);
  CHECK(found.where.view() == "accuracy behind layer 0 Dense<3> in stage 0");
  CHECK(found.expected.view() == "targets () of int32");
  CHECK(found.got.view() == "those of the loss, (3) of float32");
}

}  // namespace
