// SPDX-License-Identifier: MIT
// Tests of model/one_step.hpp: a sequence that is pushed step by step has the bits of the whole.
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/one_step.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "inference/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr std::size_t steps = 6;
constexpr std::size_t streams = 3;

/// Everything that is carried, and layers that work on each step alone.
struct tagger
    : model<input<6, 3>,
            sequential<SimpleRNN<5, return_sequences<true>>,
                       residual<LSTM<5, return_sequences<true>>, Dense<5, relu>>,
                       concat<GRU<17, return_sequences<true>, reset_after<false>>, Dense<2>>,
                       Dropout<0.5F>, LayerNormalization<>, RMSNormalization<>, GaussianNoise<0.1F>,
                       GRU<4>, Dense<2>, softmax>> {};

struct of_words
    : model<input<dtype::int32, 6>, sequential<Embedding<7, 3>, LSTM<4, return_sequences<true>>>> {
};

struct backwards : model<input<6, 3>, sequential<LSTM<4, go_backwards<true>>>> {};

struct both_ways : model<input<6, 3>, sequential<Bidirectional<GRU<4>>>> {};

struct all_at_once : model<input<6, 3>, sequential<Flatten, Dense<4>>> {};

struct of_no_sequence : model<input<6>, sequential<Dense<4>>> {};

struct of_nothing : model<input<6, 3>, sequential<GRU<0>>> {};

struct functional {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<GRU<4>>("", build.input({6, 3}));
  }
};

static_assert(check<one_step<tagger>>() && check<one_step<of_words>>());
static_assert(graph_of<one_step<tagger>>.at(0).extents == shape{1, 3});

constexpr tests::checks test_refusals() {
  tests::checks done;
  done.that(fault_of<one_step<backwards>>::value.expected.view() ==
            "a recurrent layer that reads forwards");
  done.that(fault_of<one_step<backwards>>::value.where.view().starts_with("layer 0 LSTM<4"));
  done.that(fault_of<one_step<both_ways>>::value.expected.view() ==
            "a recurrent layer that reads forwards");
  done.that(fault_of<one_step<all_at_once>>::value.got.view() == "one that takes all of them");
  done.that(fault_of<one_step<of_no_sequence>>::value.expected.view() ==
            "weights that do not depend on the number of steps");
  done.that(fault_of<one_step<of_nothing>>::value.expected.view() == "at least 1 unit");
  done.that(fault_of<one_step<functional>>::value.expected.view() ==
            "a model that is a list of layers in one_step<...>");
  return done;
}

static_assert(test_refusals());

/// The last result that a stream gives for each sequence, pushed in turn.
struct pushed {
  std::array<std::array<float, 2>, streams> results{};
};

}  // namespace

TEST_CASE("steps that are pushed have the bits of the whole sequence") {
  weights_of<tagger> whole;
  whole.initialize(3);
  weights_of<one_step<tagger>> weights;
  weights.copy_from(whole);
  const std::vector<float> given = samples_of(streams * steps * 3);
  std::vector<float> expected(streams * 2);
  predictor<tagger, micro_batch<streams>> at_once(whole);
  REQUIRE(at_once.predict(given, expected));

  // Streams of their own on one set of weights, a step of each in turn; then the same again.
  predictor<one_step<tagger>> first(weights);
  predictor<one_step<tagger>> second(weights);
  predictor<one_step<tagger>> third(weights);
  predictor<one_step<tagger>>* const all[] = {&first, &second, &third};
  // And all of them in one micro-batch.
  predictor<one_step<tagger>, micro_batch<streams>> together(weights);
  int compared = 0;
  for (int round = 0; round < 2; ++round) {
    pushed made;
    std::vector<float> step_of_all(streams * 3);
    std::vector<float> result(streams * 2);
    for (std::size_t step = 0; step < steps; ++step) {
      for (std::size_t stream = 0; stream < streams; ++stream) {
        const auto from = std::span(given).subspan((stream * steps + step) * 3).first<3>();
        const auto found = all[stream]->push(from);
        made.results[stream] = {found[0], found[1]};
        std::copy(from.begin(), from.end(), step_of_all.begin() + static_cast<int>(3 * stream));
      }
      REQUIRE(together.predict(step_of_all, result));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(made.results[i / 2][i % 2] == expected[i]);
      CHECK(result[i] == expected[i]);
      ++compared;
    }
    for (auto* const stream : all) {
      stream->reset();
    }
    together.reset();
  }
  CHECK(compared > 0);
  std::printf("steps one by one: compared %d results\n", compared);
}

TEST_CASE("one_step refuses what has no answer at every step") {
  CHECK(test_refusals());
}
