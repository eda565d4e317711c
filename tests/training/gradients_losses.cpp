// SPDX-License-Identifier: MIT
// Gradients of the loss in all its forms, and through a pipeline.
#include "training/gradient_check.hpp"

namespace {

using namespace ipu_dsl;
using reference::activation;
using reference::dense;
using reference::function;
using reference::residual_of;
using tests::check_gradients;
using tests::gradient_case;

template <typename Scores, typename... Layers>
struct chain_of : compile<model<input<9>, sequential<Layers...>>, micro_batch<6>,
                          loss<sparse_categorical_crossentropy, Scores>> {};

struct two_stages
    : compile<model<input<9>, pipeline<stage<Dense<7, relu>, residual<Dense<7>>>,
                                       stage<residual<Dense<7, hyperbolic_tangent>>, Dense<4>>>>,
              micro_batch<6>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>> {};

gradient_case about(const char* name, reference::chain network, reference::score_kind scores) {
  return {.name = name,
          .network = std::move(network),
          .scores = scores,
          .inputs = 9,
          .classes = 4,
          .micro_batch = 6};
}

/// How many of the scores of a case lie outside of Keras's limits.
std::ptrdiff_t clipped_scores(gradient_case& of) {
  const reference::matrix scores = reference::forward(of.network, tests::features_of(of, 0));
  return std::count_if(scores.values.begin(), scores.values.end(), [](double score) {
    return score < reference::smallest_probability || score > reference::largest_probability;
  });
}

}  // namespace

TEST_CASE("gradients from logits, one micro-batch an update") {
  check_gradients<chain_of<from_logits, Dense<7, relu>, Dense<4>>>(
      about("loss from logits", {dense(9, 7), function(activation::relu), dense(7, 4)},
            reference::score_kind::logits));
}

TEST_CASE("gradients of a softmax with a loss from its probabilities") {
  check_gradients<chain_of<from_probabilities, Dense<7, relu>, Dense<4, softmax>>>(
      about("softmax and loss from probabilities",
            {dense(9, 7), function(activation::relu), dense(7, 4)}, reference::score_kind::logits));
}

TEST_CASE("gradients from clipped probabilities, none of which is clipped") {
  gradient_case found =
      check_gradients<chain_of<from_clipped_probabilities, Dense<7, relu>, Dense<4, sigmoid>>>(
          about(
              "loss from clipped probabilities of sigmoid",
              {dense(9, 7), function(activation::relu), dense(7, 4), function(activation::sigmoid)},
              reference::score_kind::clipped_probabilities));
  CHECK(clipped_scores(found) == 0);
}

TEST_CASE("gradients from clipped probabilities, some of which are clipped") {
  gradient_case found =
      check_gradients<chain_of<from_clipped_probabilities, Dense<7, relu>, Dense<4>>>(
          about("loss from clipped probabilities of a linear output",
                {dense(9, 7), function(activation::relu), dense(7, 4)},
                reference::score_kind::clipped_probabilities));
  CHECK(clipped_scores(found) > 4);
  CHECK(clipped_scores(found) < 20);
}

TEST_CASE("gradients through a pipeline whose stages begin and end in residuals") {
  gradient_case wanted =
      about("a pipeline of residuals",
            {dense(9, 7), function(activation::relu), residual_of({dense(7, 7)}),
             residual_of({dense(7, 7), function(activation::tanh)}), dense(7, 4)},
            reference::score_kind::logits);
  wanted.accumulated = 4;
  check_gradients<two_stages>(wanted);
}
