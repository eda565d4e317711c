// SPDX-License-Identifier: MIT
// What losses and metrics on float targets refuse, and what they take their output for.
#include <ipu_dsl/plan/options.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using testing::one_layer;

/// A loss as a layer of outputs of such a shape.
template <typename Loss, typename... Options>
constexpr one_layer loss_on(const shape& output) {
  const element judge{.kind = element_kind::layer,
                      .rule = Loss::rule,
                      .options = options_of_loss<Loss, Options...>::read()};
  return apply(judge, {output});
}

template <typename Metric>
constexpr one_layer metric_on(const shape& output) {
  const element judge{.kind = element_kind::layer,
                      .rule = Metric::rule,
                      .options = attributes::of(options_of_metric<Metric>(option_list<0>()))};
  return apply(judge, {output});
}

static_assert(loss_on<huber, delta<0.5F>>({3}).gives({2}));
static_assert(loss_on<huber>({4, 4}).gives({2}));
static_assert(loss_on<huber, delta<0>>({3}).refused("a delta above 0", "0"));
static_assert(loss_on<huber, delta<-1>>({3}).refused("a delta above 0", "-1"));

static_assert(loss_on<binary_crossentropy>({1}).gives({2}));
static_assert(loss_on<binary_crossentropy, label_smoothing<0>>({1}).gives({2}));
static_assert(loss_on<binary_crossentropy, label_smoothing<1>>({1}).refused(
    "a label_smoothing of at least 0 and below 1", "1"));
static_assert(loss_on<binary_crossentropy, label_smoothing<-0.5F>>({1}).refused(
    "a label_smoothing of at least 0 and below 1", "-0.5"));
static_assert(loss_on<categorical_crossentropy, label_smoothing<2>>({3}).found.found());
static_assert(loss_on<binary_crossentropy, from_probabilities>({1}).refused(
    "an output of sigmoid for a loss from probabilities", "one without sigmoid"));
static_assert(loss_on<categorical_crossentropy, from_probabilities>({3}).refused(
    "an output of softmax for a loss from probabilities", "one without softmax"));
static_assert(loss_on<categorical_crossentropy>({1}).refused("scores of at least 2 classes",
                                                             "(1)"));

static_assert(loss_on<kl_divergence>({3}).gives({2}));
static_assert(loss_on<kl_divergence>({3, 3}).gives({2}));
static_assert(loss_on<cosine_similarity>({3, 16}).gives({2}));
static_assert(loss_on<categorical_hinge>({2, 3, 3}).gives({2}));
static_assert(loss_on<categorical_hinge>({}).refused("a vector, or positions of vectors", "()"));

static_assert(metric_on<precision>({3}).gives({3}));
static_assert(metric_on<metric<recall, threshold<1>>>({3}).gives({3}));
static_assert(metric_on<metric<recall, threshold<1.5F>>>({3}).refused(
    "a threshold of at least 0 and at most 1", "1.5"));
static_assert(metric_on<metric<binary_accuracy, threshold<-0.5F>>>({3}).found.found());
static_assert(metric_on<top_k_categorical_accuracy<3>>({3}).gives({2}));
static_assert(metric_on<top_k_categorical_accuracy<4>>({3}).refused(
    "a k of at least 1 and at most 3, the classes", "4"));
static_assert(metric_on<sparse_top_k_categorical_accuracy<0>>({3}).found.found());
static_assert(metric_on<sparse_top_k_categorical_accuracy<2>>({3, 3}).gives({2}));
static_assert(metric_on<sparse_top_k_categorical_accuracy<4>>({3, 3}).refused(
    "a k of at least 1 and at most 3, the classes", "4"));

/// A rule of one's own that does not say that it reads positions.
inline constexpr family of_vectors_family{
    .name = "of_vectors", .shapes = rowwise_rules::shapes, .forward = rowwise_rules::forward};

struct of_vectors {
  static constexpr bool is_loss = true;
  static constexpr const family* rule = &of_vectors_family;
};

static_assert(loss_on<of_vectors>({3}).gives({2}));
static_assert(loss_on<of_vectors>({4, 3}).refused("a vector", "(4, 3)"));

// What is no metric, or has options that it does not take, is none.
static_assert(metric_kind<metric<precision, threshold<0.7F>>>);
static_assert(metric_kind<metric<precision>>);
static_assert(!metric_kind<metric<precision, from_logits>>);
static_assert(metric<precision, from_logits>::fault.found());
static_assert(!metric_kind<metric<relu>>);
static_assert(!metric_kind<metric<accuracy, threshold<0.5F>>>);
static_assert(!metric_kind<sparse_top_k_categorical_accuracy<1.5F>>);
static_assert(metric_kind<cosine_similarity> && loss_kind<cosine_similarity>);

// As a metric the cosine itself.
static_assert(cosine_similarity::options.sign == 1);
static_assert(metric<cosine_similarity, sample_weights>::options.sign == 1);
static_assert(options_of_loss<cosine_similarity>::read().as<cosine_similarity_rule>().sign == -1);

TEST_CASE("losses and metrics refuse what they cannot judge") {
  CHECK(loss_on<huber, delta<0>>({3}).found.found());
  CHECK(metric_on<metric<recall, threshold<1.5F>>>({3}).found.found());
  CHECK(loss_on<kl_divergence>({}).refused("a vector, or positions of vectors", "()"));
  CHECK(loss_on<of_vectors>({4, 3}).refused("a vector", "(4, 3)"));
}

template <typename Judge>
constexpr attributes options_of_judge() {
  return attributes::of(options_of_metric<Judge>(option_list<0>()));
}

/// Adds such layers behind a tensor; returns what the last of them makes.
template <typename... Layers>
constexpr std::int32_t add_layers(graph& made, std::int32_t last) {
  for (const element* each : elements_of<Layers...>) {
    for (; each != nullptr; each = each->followed_by) {
      const std::int32_t inputs[] = {last};
      add_node(made, *each->rule, each->options, inputs, 0, -1);
      last = made.view().output_of(made.nodes.back(), 0);
    }
  }
  return last;
}

/// A judge of what such layers make; what is wrong with it.
template <typename... Layers>
constexpr problem judge_behind(graph& made, const family& judge, const attributes& options) {
  const std::int32_t input = add_source(made, {4}, dtype::float32, tensor_role::input);
  const std::int32_t inputs[] = {add_layers<Layers...>(made, input)};
  return add_node(made, judge, options, inputs, 0, -1);
}

template <typename Judge, typename... Layers>
constexpr bool takes() {
  graph made;
  return !judge_behind<Layers...>(made, *Judge::rule, options_of_judge<Judge>()).found();
}

/// Whether a cross-entropy from probabilities takes what such layers make.
template <typename Loss, typename... Layers>
constexpr bool takes_for_probabilities() {
  graph made;
  const attributes options = options_of_loss<Loss, from_probabilities>::read();
  return !judge_behind<Layers...>(made, *Loss::rule, options).found();
}

// Thresholds are probabilities.
static_assert(takes<auc, Dense<1>, sigmoid>());
static_assert(takes<auc, Dense<1, sigmoid>>());
static_assert(takes<precision, Dense<3>, softmax>());
static_assert(!takes<auc, Dense<1>>());
static_assert(!takes<f1_score, Dense<1>>());
static_assert(!takes<recall, Dense<1>>());
static_assert(!takes<binary_accuracy, Dense<1>>());
static_assert(!takes<metric<binary_accuracy>, Dense<1>>());
static_assert(takes<binary_accuracy, Dense<1>, sigmoid>());
// Of any layer that has no activation, wherever what it makes is moved or averaged.
static_assert(!takes<auc, Reshape<2, 2>, Conv1D<1, 2>>());
static_assert(!takes<auc, Reshape<2, 2, 1>, Conv2D<1, 1>, Flatten>());
static_assert(!takes<precision, Reshape<2, 2>, Conv1D<3, 1>, GlobalAveragePooling1D>());
static_assert(!takes<recall, Dense<4>, Reshape<2, 2>, Permute<2, 1>>());
static_assert(!takes<auc, Reshape<2, 2>, SimpleRNN<1, linear>>());
static_assert(takes<auc, Reshape<2, 2>, Conv1D<1, 2, sigmoid>>());
static_assert(takes<auc, Reshape<2, 2, 1>, Conv2D<1, 1, sigmoid>, Flatten>());
// Nothing is known of what has no activation to leave out.
static_assert(takes<auc>());
static_assert(takes<auc, linear>());
static_assert(takes<auc, Dense<4>, LayerNormalization<>>());
// One that is stated is meant, of logits too, even if it is that of probabilities.
static_assert(takes<metric<binary_accuracy, threshold<0.0F>>, Dense<1>>());
static_assert(takes<metric<recall, threshold<0.25F>>, Dense<1>>());
static_assert(takes<metric<precision, threshold<0.5F>>, Dense<1>>());

// A softmax is as good as a sigmoid to a loss from probabilities, and the other way round.
static_assert(takes_for_probabilities<binary_crossentropy, Dense<2, softmax>>());
static_assert(takes_for_probabilities<categorical_crossentropy, Dense<2, sigmoid>>());
static_assert(!takes_for_probabilities<binary_crossentropy, Dense<2, relu>>());

/// The score kind of a categorical cross-entropy behind such layers.
template <typename... Layers>
constexpr score_kind categorical_taken_for() {
  graph made;
  judge_behind<Layers...>(made, *categorical_crossentropy::rule,
                          options_of_judge<categorical_crossentropy>());
  return made.nodes.back().options.as<categorical_crossentropy_rule>().scores;
}

/// The same of a binary one.
template <typename... Layers>
constexpr score_kind taken_for() {
  graph made;
  judge_behind<Layers...>(made, *binary_crossentropy::rule,
                          options_of_judge<binary_crossentropy>());
  return made.nodes.back().options.as<binary_crossentropy_rule>().scores;
}

/// The same behind two layers whose outputs are concatenated, as a Bidirectional makes them.
template <typename First, typename Second>
constexpr score_kind both_taken_for() {
  graph made;
  const std::int32_t input = add_source(made, {4}, dtype::float32, tensor_role::input);
  const std::int32_t joined[] = {add_layers<First>(made, input), add_layers<Second>(made, input)};
  add_node(made, concatenate_family, attributes::of(concatenate_options{}), joined, 0, -1);
  const std::int32_t inputs[] = {made.view().output_of(made.nodes.back(), 0)};
  add_node(made, *binary_crossentropy::rule, options_of_judge<binary_crossentropy>(), inputs, 0,
           -1);
  return made.nodes.back().options.as<binary_crossentropy_rule>().scores;
}

constexpr score_kind clipped = score_kind::clipped_probabilities;

static_assert(taken_for<Dense<3>>() == score_kind::logits);
static_assert(taken_for<Dense<3>, sigmoid>() == score_kind::logits);
static_assert(taken_for<Dense<3, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, Conv1D<1, 2, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, Conv1D<1, 2, relu>>() == score_kind::logits);
static_assert(taken_for<Reshape<2, 2, 1>, DepthwiseConv2D<2, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2, 1>, Conv2DTranspose<1, 2, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2, 1>, SeparableConv2D<1, 2, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2, 1, 1>, Conv3D<1, 1, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, LocallyConnected1D<1, 2, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, SimpleRNN<1, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, SimpleRNN<1>>() == score_kind::logits);
static_assert(taken_for<Reshape<2, 2>, Conv1DTranspose<1, 2, sigmoid>>() == clipped);
static_assert(taken_for<Activation<sigmoid>>() == score_kind::logits);
// Behind a gate they lie between 0 and 1 all the same.
static_assert(taken_for<Reshape<2, 2>, LSTM<1, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, GRU<1, sigmoid>>() == clipped);
static_assert(taken_for<Reshape<2, 2>, GRU<1>>() == score_kind::logits);
static_assert(taken_for<Dense<3>, softmax>() == clipped);
// In whatever shape they come.
static_assert(taken_for<Dense<4, sigmoid>, Reshape<2, 2>>() == clipped);
static_assert(taken_for<Dense<4>, sigmoid, Reshape<2, 2>>() == clipped);
static_assert(taken_for<Reshape<2, 2, 1>, Conv2D<3, 1, sigmoid>, Flatten>() == clipped);
static_assert(taken_for<Dense<4>, Reshape<2, 2>>() == score_kind::logits);
// Whatever moves, picks or averages them.
static_assert(taken_for<Dense<4, sigmoid>, Reshape<2, 2>, Permute<2, 1>>() == clipped);
static_assert(both_taken_for<Dense<1, sigmoid>, Dense<2, sigmoid>>() == clipped);
static_assert(both_taken_for<Dense<1, sigmoid>, Dense<2>>() == score_kind::logits);
static_assert(taken_for<Reshape<2, 2>, Conv1D<3, 1, sigmoid>, GlobalAveragePooling1D>() == clipped);
static_assert(taken_for<Reshape<2, 2>, Conv1D<3, 1, sigmoid>, Cropping1D<1, 0>>() == clipped);
static_assert(taken_for<Dense<3, hard_sigmoid>>() == clipped);
// Whatever leaves them as they are, in training but for noise.
static_assert(taken_for<Dense<3>, sigmoid, linear>() == clipped);
static_assert(taken_for<Dense<3, sigmoid>, Dropout<0.5F>>() == clipped);
static_assert(taken_for<Dense<3, sigmoid>, GaussianNoise<0.1F>>() == clipped);
static_assert(taken_for<Dense<3, sigmoid>, ActivityRegularization<l1_l2<0.1F, 0.1F>>>() == clipped);
static_assert(taken_for<Dense<3>, Dropout<0.5F>>() == score_kind::logits);
static_assert(taken_for<Dense<3, sigmoid>, relu>() == score_kind::logits);
static_assert(taken_for<Dense<3, relu6>>() == score_kind::logits);

static_assert(categorical_taken_for<Dense<3>>() == score_kind::logits);
static_assert(categorical_taken_for<Dense<3>, softmax>() == score_kind::logits);
static_assert(categorical_taken_for<Dense<3>, softmax, Reshape<3>>() == clipped);
static_assert(categorical_taken_for<Dense<3>, softmax, linear>() == clipped);
static_assert(categorical_taken_for<Dense<3, softmax>, Dropout<0.5F>>() == clipped);
static_assert(categorical_taken_for<Dense<3, sigmoid>>() == clipped);
static_assert(categorical_taken_for<Dense<3>, sigmoid>() == clipped);
static_assert(categorical_taken_for<Dense<3, relu>>() == score_kind::logits);
static_assert(taken_for<Dense<3, softmax>>() == clipped);

TEST_CASE("what ends in a sigmoid of its own is taken for probabilities") {
  CHECK(taken_for<Dense<3, sigmoid>>() == clipped);
  CHECK(taken_for<Dense<3>, sigmoid>() == score_kind::logits);
  CHECK(!takes<precision, Dense<3>>());
}

TEST_CASE("metrics of probabilities take logits only with a threshold that is stated") {
  CHECK(!takes<binary_accuracy, Dense<3>>());
  CHECK(takes<metric<binary_accuracy, threshold<0.0F>>, Dense<3>>());
}

}  // namespace
