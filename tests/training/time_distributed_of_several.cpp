// SPDX-License-Identifier: MIT
// Layers and models of several inputs and outputs at every step: the bits of what does the same on
// whole sequences, and of a step alone.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/one_step.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"
#include "training/trained_digits.hpp"

using namespace ipu_dsl;
using reference::numbers;
using tests::trained_digits;

namespace {

/// Two inputs and two outputs of what works on the last axis: of one step, or of four of them.
template <bool OfSequence>
struct two_ways {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor seen = build.input(OfSequence ? shape{4, 196} : shape{196});
    const symbolic_tensor told = build.input(OfSequence ? shape{4, 12} : shape{12});
    const symbolic_tensor first = build.layer<Dense<12, relu>>("", seen);
    const symbolic_tensor both = build.layer<Add>("", first, told);
    const symbolic_tensor dropped = build.layer<Dropout<0.25F>>("", both);
    return {build.layer<Dense<5, hyperbolic_tangent>>("left", dropped),
            build.layer<Dense<3>>("right", build.layer<LayerNormalization<>>("", told))};
  }
};

template <bool AtSteps>
struct two_headed {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({28, 28});
    const symbolic_tensor x = build.layer<Reshape<4, 196>>("", image);
    const symbolic_tensor y = build.layer<Dense<12>>("told", x);
    const auto [left, right] = heads(build, x, y);
    const symbolic_tensor all = build.layer<Concatenate>("", left, right);
    return build.layer<Dense<10>>("out", build.layer<GRU<6>>("read", all));
  }

 private:
  static constexpr std::array<symbolic_tensor, 2> heads(functional_builder& build,
                                                        symbolic_tensor x, symbolic_tensor y) {
    if constexpr (AtSteps) {
      return build.layers<TimeDistributed<two_ways<false>>, 2>("heads", x, y);
    } else {
      return build.layers<two_ways<true>, 2>("heads", x, y);
    }
  }
};

template <bool AtSteps>
struct heads_training
    : tests::digit_training<two_headed<AtSteps>, sgd<momentum>, sequential_schedule, 8, 4> {};

/// Rows of an image with a word beside it, at every step: windows, states and products of two.
struct reader {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor image = build.input({7, 5});
    const symbolic_tensor beside = build.input({6});
    const auto [rows, last] = build.layers<GRU<6, return_sequences<true>, return_state<true>>, 2>(
        "rows", build.layer<Conv1D<4, 2, relu>>("seen", image));
    const symbolic_tensor weights = build.layer<Dot<2, 1>>("", rows, beside);
    return {weights, build.layer<Multiply>("", last, beside)};
  }
};

/// In two stages, cut between what a layer at every step has made and what reads it.
template <bool InStages>
struct read_at_steps {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor digit = build.input({28, 28});
    const symbolic_tensor x = build.layer<Dense<5>>("", build.layer<Reshape<4, 7, 28>>("", digit));
    const symbolic_tensor y = build.layer<Dense<6>>("", build.layer<Reshape<4, 196>>("", digit));
    const auto [weights, product] = build.layers<TimeDistributed<reader>, 2>("reader", x, y);
    if (InStages) {
      build.stage(1);
    }
    const symbolic_tensor twice = build.layer<TimeDistributed<Dot<1, 1, l2_normalize<true>>>>(
        "", product, build.layer<Dense<6>>("", weights));
    const auto [all, last] =
        build.layers<TimeDistributed<SimpleRNN<3, return_state<true>>>, 2>("steps", x);
    const symbolic_tensor joined = build.layer<TimeDistributed<ConcatenateOn<1>>>(
        "", twice, build.layer<TimeDistributed<Average>>("", all, last));
    return build.layer<Dense<10>>("", build.layer<LSTM<5>>("", joined));
  }
};

template <typename Schedule, int Samples, int MicroBatches>
struct training
    : tests::digit_training<read_at_steps<true>, sgd<momentum>, Schedule, Samples, MicroBatches> {};

struct tiled : compile<read_at_steps<true>, micro_batch<5>, gradient_accumulation<2>,
                       loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// The reader, of five steps.
struct of_reader {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input({5, 7, 5});
    const symbolic_tensor y = build.input({5, 6});
    return build.layers<TimeDistributed<reader>, 2>("reader", x, y);
  }
};

template <typename Compiled>
trained_digits train(int threads, std::int64_t steps) {
  return tests::train_on_digits<Compiled>({.learning_rate = 0.05F, .momentum = 0.9F}, threads,
                                          steps);
}

/// A training that begins with the same numbers, whatever layers are called.
template <typename Compiled>
trained_digits train_from_numbers(int threads) {
  session<Compiled> run({.learning_rate = 0.05F, .momentum = 0.9F},
                        {.threads = threads, .shared_from = 0});
  parameters& weights = run.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto count = static_cast<std::size_t>(weights.at(i).extents.elements());
    weights.set(i, numbers(count, static_cast<std::uint32_t>(i) + 1, 0.2F));
  }
  auto feed = make_feed(tests::digits() | shuffled(500) | repeated(), 3);
  const auto losses = run.fit(feed, {.steps_per_epoch = 16}).losses();
  return {0, {losses.begin(), losses.end()}, run.evaluate(tests::digits()).loss};
}

constexpr std::size_t steps = 5;
constexpr std::size_t pixels = 7 * 5;
constexpr std::size_t words = 6;

/// Both outputs of all steps, one behind the other.
struct both_outputs {
  std::vector<float> weights;
  std::vector<float> product;

  friend bool operator==(const both_outputs&, const both_outputs&) = default;
};

struct given {
  std::vector<float> images = numbers(steps * pixels, 3, 1.0F);
  std::vector<float> beside = numbers(steps * words, 5, 1.0F);
};

both_outputs predict_together(const weights_of<of_reader>& weights, const given& of) {
  predictor<of_reader> whole(weights);
  both_outputs made{std::vector<float>(steps * 6), std::vector<float>(steps * 6)};
  CHECK(
      whole.predict(input_arrays{of.images, of.beside}, output_arrays{made.weights, made.product}));
  return made;
}

/// Through a predictor that is given a step at a time.
template <typename Stream>
both_outputs push_steps(Stream& stream, const given& of) {
  both_outputs made;
  for (std::size_t i = 0; i < steps; ++i) {
    const auto [weights, product] =
        stream.push(std::span(of.images).subspan(i * pixels).template first<pixels>(),
                    std::span(of.beside).subspan(i * words).template first<words>());
    made.weights.insert(made.weights.end(), weights.begin(), weights.end());
    made.product.insert(made.product.end(), product.begin(), product.end());
  }
  return made;
}

}  // namespace

TEST_CASE("a model of two inputs and outputs at every step trains as on whole sequences") {
  const trained_digits expected = train_from_numbers<heads_training<false>>(1);
  REQUIRE(expected.losses.size() == 16);
  CHECK(expected.losses.front() != expected.losses.back());
  const trained_digits stepped = train_from_numbers<heads_training<true>>(2);
  CHECK(stepped.losses == expected.losses);
  CHECK(stepped.test_loss == expected.test_loss);
}

TEST_CASE("a model of two inputs and outputs at every step has the bits of each step alone") {
  weights_of<of_reader> whole;
  whole.initialize(3);
  const given of;
  const both_outputs expected = predict_together(whole, of);
  CHECK(expected.weights.front() != expected.weights.back());
  SECTION("of a predictor of the model at the step") {
    weights_of<reader> alone;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::vector<float> values(static_cast<std::size_t>(whole.at(i).extents.elements()));
      whole.get(i, values);
      alone.set(i, values);
    }
    predictor<reader> each(alone);
    CHECK(push_steps(each, of) == expected);
  }
  SECTION("of steps that are pushed") {
    weights_of<one_step<of_reader>> weights;
    weights.copy_from(whole);
    predictor<one_step<of_reader>> stream(weights);
    CHECK(push_steps(stream, of) == expected);
  }
}

TEST_CASE("layers of several inputs at every step have the same bits under schedules") {
  const trained_digits expected = train<training<sequential_schedule, 8, 4>>(1, 16);
  REQUIRE(expected.losses.size() == 16);
  CHECK(expected.losses.front() != expected.losses.back());
  CHECK(train<training<grouped, 8, 4>>(2, 16) == expected);
  CHECK(train<training<grouped, 2, 16>>(2, 64).weights == expected.weights);
}

TEST_CASE("blocks of layers of several inputs at every step have the bits of the session") {
  std::int64_t blocks = 0;
  for (const std::int32_t tiles : {1, 16}) {
    INFO(tiles << " tiles");
    machine_target target = ipu2;
    target.tiles = tiles;
    const tile_check found =
        check_tiles<tiled>(target, {.updates = 1, .most_blocks = 5}, {.learning_rate = 0.05F});
    CHECK(found.fault == "");
    CHECK(found.count.calls > 0);
    blocks += found.count.blocks;
  }
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of several inputs at every step\n",
              static_cast<long long>(blocks));
}
