// SPDX-License-Identifier: MIT
// Tests of plan/loss.hpp: what a loss is attached to, and of plan/reported_names.hpp.
#include <ipu_dsl/plan/loss.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::with_loss;
using tests::checks;

struct linear_end : model<input<4>, sequential<Dense<3>>> {};

struct softmax_end : model<input<4>, sequential<Dense<3, softmax>>> {};

struct softmax_layer_end : model<input<4>, sequential<Dense<3>, softmax>> {};

struct image_end : model<input<4>, sequential<Dense<4>, Reshape<2, 2>>> {};

struct positions_end : model<input<3, 5>, sequential<Dense<4, softmax>>> {};

constexpr score_kind scores_of(const graph& model) {
  return model.view().loss()->options.as<crossentropy_options>().scores;
}

/// The loss reads the logits before the softmax, whatever was asked.
template <typename M>
constexpr bool trains_on_logits(score_kind requested) {
  const graph model = with_loss<M>(requested);
  const graph_view view = model.view();
  const std::int32_t made_by = view.at(view.input_of(*view.loss(), 0)).producer;
  return !model.fault.found() && made_by >= 0 && view.node_at(made_by).rule == &dense_family &&
         scores_of(model) == score_kind::logits;
}

constexpr checks test_target() {
  const graph model = with_loss<linear_end>();
  const tensor& target = model.view().at(model.view().find(tensor_role::target));
  checks done;
  done.that(target.role == tensor_role::target);
  done.that(target.type == dtype::int32);
  done.that(target.extents == shape{});
  done.that(model.nodes.size() == 3);
  done.that(model.view().nodes.back().rule == &accuracy_family);
  return done;
}

static_assert(test_target());
static_assert(trains_on_logits<linear_end>(score_kind::logits));
static_assert(trains_on_logits<softmax_end>(score_kind::logits));
static_assert(trains_on_logits<softmax_end>(score_kind::probabilities));
static_assert(trains_on_logits<softmax_end>(score_kind::clipped_probabilities));
static_assert(trains_on_logits<softmax_layer_end>(score_kind::probabilities));
static_assert(scores_of(with_loss<linear_end>(score_kind::clipped_probabilities)) ==
              score_kind::clipped_probabilities);
static_assert(with_loss<linear_end>(score_kind::probabilities).fault.found());
static_assert(trains_on_logits<positions_end>(score_kind::probabilities));

/// Of classes at each position: a label for each.
template <typename M>
constexpr shape labels_for() {
  const graph model = with_loss<M>();
  return model.view().at(model.view().find(tensor_role::target)).extents;
}

static_assert(labels_for<image_end>() == shape{2});
static_assert(labels_for<positions_end>() == shape{3});

/// The loss or metric of an output that is called as `name` says, or as its family.
constexpr result_choice judge(std::string_view output, std::string_view name = {}) {
  return {.rule = &accuracy_family, .output = output, .name = name};
}

/// Whether what a model of two outputs with losses reports beside them has names of its own.
constexpr bool told_apart(std::string_view first, std::string_view second,
                          const result_choice& metric) {
  const result_choice losses[] = {judge(first), judge(second)};
  return !check_reported_names(2, losses, {&metric, 1}).found();
}

/// The same of a model of one output.
constexpr bool told_apart(std::string_view metric) {
  const result_choice one = judge({}, metric);
  const result_choice loss = judge({});
  return !check_reported_names(1, {&loss, 1}, {&one, 1}).found();
}

constexpr checks test_reported_names() {
  checks done;
  done.that(told_apart("accuracy"));
  done.that(told_apart("val"));
  done.that(told_apart("value_loss"));
  done.that(!told_apart("loss"));
  done.that(!told_apart("val_loss"));
  // What logs have of an epoch besides.
  done.that(!told_apart("epoch"));
  done.that(!told_apart("samples"));
  done.that(!told_apart("seconds"));
  done.that(told_apart("epochs"));
  done.that(told_apart("kind", "price", judge("kind")));
  done.that(told_apart("kind", "price", judge("kind", "loss_of_price")));
  done.that(told_apart("value", "other", judge("value")));
  done.that(!told_apart("val", "other", judge("other")));
  done.that(!told_apart("kind", "price", judge("kind", "loss")));
  done.that(!told_apart("kind", "kind_of", judge("kind", "of_loss")));
  done.that(!told_apart("kind", "val_kind", judge("kind")));
  return done;
}

static_assert(test_reported_names());

TEST_CASE("no two numbers of an epoch and its validation have one name") {
  CHECK(test_reported_names());
  const result_choice losses[] = {judge("val"), judge("other")};
  CHECK(check_reported_names(2, losses, {}).got.view() == "val_loss twice");
}

TEST_CASE("a loss trains on the logits before a softmax") {
  CHECK(trains_on_logits<softmax_end>(score_kind::probabilities));
  CHECK(test_target());
}

TEST_CASE("a loss from probabilities without softmax names both remedies") {
  const problem found = with_loss<linear_end>(score_kind::probabilities).fault;
  CHECK(found.hint.view().find("drop from_probabilities") != std::string_view::npos);
  CHECK(found.hint.view().find("from_clipped_probabilities") != std::string_view::npos);
}

}  // namespace
