// SPDX-License-Identifier: MIT
// Tests of model/one_step.hpp: a sequence that is pushed step by step has the bits of the whole.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string_view>
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
                       Dropout<0.5F>, SpatialDropout1D<0.2F>, LayerNormalization<>,
                       RMSNormalization<>, GaussianNoise<0.1F>, GRU<4>, Dense<2>, softmax>> {};

/// Causal convolutions of one channel, of several, dilated, in groups, longer than the sequence; a
/// kernel of one step carries nothing. Some apply the layer behind them.
struct dilated
    : model<input<9, 1>,
            sequential<Conv1D<5, 2, causal_padding, hyperbolic_tangent>,
                       residual<Conv1D<6, 3, causal_padding, dilation_rate<2>, relu>,
                                Conv1D<5, 1, same_padding>>,
                       Conv1D<5, 2, causal_padding, groups<5>>, relu, Conv1D<32, 1>, relu6,
                       Conv1D<32, 2, causal_padding, groups<2>>, relu,
                       Conv1D<32, 3, causal_padding, groups<8>>,
                       Conv1D<18, 4, causal_padding, dilation_rate<4>, use_bias<false>>,
                       BatchNormalization<>, GRU<4, return_sequences<true>>, Conv1D<2, 1>>> {};

/// Steps of zeros are none, whatever comes behind them.
struct masked
    : model<input<6, 3>, sequential<Masking<>, GRU<5, return_sequences<true>>, Dense<4, relu>,
                                    LSTM<5, return_sequences<true>>, SimpleRNN<4>, Dense<2>>> {};

struct strided
    : model<input<6, 3>, sequential<Dense<4>, Conv1D<4, 3, strides<2>, causal_padding>>> {};

struct same : model<input<6, 3>, sequential<Conv1D<4, 3, same_padding>>> {};

struct within : model<input<6, 3>, sequential<Conv1D<4, 3, dilation_rate<2>>>> {};

/// Slopes that all steps share, windows of one step, steps that stay as many as they are; of images
/// the steps are rows.
struct each_alone
    : model<
          input<6, 3>,
          sequential<Conv1D<5, 2, causal_padding>, PReLU<shared_axes<1>, init<constant<0.3F>>>,
                     AveragePooling1D<1>, MaxPooling1D<1, same_padding>, UpSampling1D<1>,
                     ZeroPadding1D<0>, Cropping1D<0>, TimeDistributed<PReLU<>>, GRU<4>, Dense<2>>> {
};

struct rows_alone
    : model<input<6, 4, 3>,
            sequential<PReLU<shared_axes<1, 2>, init<constant<0.3F>>>,
                       MaxPooling2D<pool_size{1, 2}, strides<1, 2>>, UpSampling2D<1, 2>,
                       TimeDistributed<Flatten>, GRU<4>, Dense<2>>> {};

struct slopes_of_steps : model<input<6, 3>, sequential<PReLU<>, GRU<4>>> {};

struct steps_twice : model<input<6, 3>, sequential<UpSampling1D<2>>> {};

struct pooled_all : model<input<6, 3>, sequential<GlobalMaxPooling1D>> {};

struct pooled : model<input<6, 3>, sequential<MaxPooling1D<2>>> {};

struct of_words
    : model<input<dtype::int32, 6>, sequential<Embedding<7, 3>, LSTM<4, return_sequences<true>>>> {
};

struct backwards : model<input<6, 3>, sequential<LSTM<4, go_backwards<true>>>> {};

struct both_ways : model<input<6, 3>, sequential<Bidirectional<GRU<4>>>> {};

struct all_at_once : model<input<6, 3>, sequential<Flatten, Dense<4>>> {};

struct of_no_sequence : model<input<6>, sequential<Dense<4>>> {};

struct of_nothing : model<input<6, 3>, sequential<GRU<0>>> {};

/// Ways that part and meet again in merges of every kind, carrying states and steps of their own; a
/// layer that is called twice carries twice. Two inputs, two outputs.
struct merged {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    const symbolic_tensor y = build.input({6, 2});
    const symbolic_tensor heard = build.layer<GRU<5, return_sequences<true>>>("", x);
    const symbolic_tensor seen =
        build.layer<Conv1D<5, 3, causal_padding, dilation_rate<2>, relu>>("", y);
    const symbolic_tensor sum = build.layer<Add>("", heard, seen);
    auto shared = build.shared<SimpleRNN<5, return_sequences<true>>>("both");
    const symbolic_tensor difference = build.layer<Subtract>("", shared(sum), shared(heard));
    const symbolic_tensor product = build.layer<Multiply>("", difference, seen);
    const symbolic_tensor mean = build.layer<Average>("", product, sum, heard);
    const symbolic_tensor largest = build.layer<Maximum>("", mean, seen);
    const symbolic_tensor joined = build.layer<Concatenate>("", largest, x, y);
    const symbolic_tensor blocks =
        build.layer<residual<LSTM<10, return_sequences<true>>>>("", joined);
    const symbolic_tensor last = build.layer<LSTM<4>>("", blocks);
    const symbolic_tensor other = build.layer<GRU<4>>("", joined);
    const symbolic_tensor state = build.layer<Minimum>("", last, other);
    return {build.layer<Dense<2>>("now", state), build.layer<Dense<3>>("sum", last)};
  }
};

/// A model of all that is carried, as a layer of another, called twice and within a third.
struct block
    : model<input<6, 3>, sequential<Conv1D<5, 2, causal_padding, dilation_rate<2>, relu>,
                                    GRU<4, return_sequences<true>>, Dense<3, hyperbolic_tangent>>> {
};

struct two_blocks : model<input<6, 3>, sequential<residual<block>, named<"inner", block>>> {};

/// A head that is given no steps, but a last state.
struct head : model<input<4>, sequential<Dense<5, relu>, Dense<2>>> {};

struct merge_of_two {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    const symbolic_tensor y = build.input({6, 3});
    const symbolic_tensor heard = build.layer<LSTM<3, return_sequences<true>>>("", x);
    return {build.layer<Multiply>("", heard, y), build.layer<Subtract>("", heard, y)};
  }
};

struct of_models {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    const symbolic_tensor y = build.input({6, 2});
    auto shared = build.shared<block>("shared");
    const symbolic_tensor twice = shared(shared(x));
    const auto [product, rest] = build.layers<merge_of_two, 2>("merged", twice, shared(x));
    const symbolic_tensor deep = build.layer<two_blocks>("deep", product);
    const symbolic_tensor all = build.layer<Concatenate>("", deep, rest, y);
    const symbolic_tensor last = build.layer<GRU<4>>("", all);
    return {build.layer<head>("head", last), build.layer<Dense<3>>("sum", last)};
  }
};

/// A model within that cannot be given steps.
struct of_strides : model<input<6, 3>, sequential<Dense<3>, strided>> {};

struct of_a_head_of_steps {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    return build.layer<all_at_once>("", build.layer<block>("", x));
  }
};

struct goes_on {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    const auto [all, state] =
        build.layers<GRU<3, return_sequences<true>, return_state<true>>, 2>("", x);
    return build.layer<GRU<3>>("", all, state);
  }
};

struct behind_each_other {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({6, 3});
    return build.layer<GRU<4>>("", build.layer<ConcatenateOn<1>>("", x, x));
  }
};

struct beside_numbers {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor last = build.layer<GRU<4>>("", build.input({6, 3}));
    return build.layer<Add>("", last, build.input({4}));
  }
};

struct of_both_ways {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<Bidirectional<GRU<4>>>("", build.input({6, 3}));
  }
};

static_assert(check<one_step<tagger>>() && check<one_step<of_words>>());
static_assert(check<one_step<merged>>());
static_assert(check<one_step<two_blocks>>() && check<one_step<of_models>>());
static_assert(check<one_step<dilated>>() && check<one_step<masked>>());
static_assert(graph_of<one_step<tagger>>.at(0).extents == shape{1, 3});

constexpr tests::checks test_refusals() {
  tests::checks done;
  done.that(fault_of<one_step<backwards>>::value.expected.view() ==
            "a recurrent layer that reads forwards");
  done.that(fault_of<one_step<backwards>>::value.where.view().starts_with("layer 0 LSTM<4"));
  done.that(fault_of<one_step<both_ways>>::value.expected.view() ==
            "a recurrent layer that reads forwards");
  done.that(fault_of<one_step<all_at_once>>::value.got.view() ==
            "one that takes all steps together");
  done.that(fault_of<one_step<of_a_head_of_steps>>::value.got.view() ==
            "one that takes all steps together");
  done.that(fault_of<one_step<of_strides>>::value.got.view() == "strides of 2");
  done.that(fault_of<one_step<of_strides>>::value.where.view().find("of model_1") !=
            std::string_view::npos);
  done.that(fault_of<one_step<strided>>::value.got.view() == "strides of 2");
  done.that(fault_of<one_step<strided>>::value.where.view().starts_with(
      "layer 1 Conv1D<4, 3, strides<2>, causal_padding>"));
  done.that(fault_of<one_step<same>>::value.expected.view() ==
            "a Conv1D with causal_padding, or a kernel of 1 step");
  done.that(fault_of<one_step<same>>::value.got.view() == "same_padding and a kernel of 3");
  done.that(fault_of<one_step<within>>::value.got.view() == "valid_padding and a kernel of 3");
  done.that(fault_of<one_step<within>>::value.where.view().starts_with(
      "layer 0 Conv1D<4, 3, dilation_rate<2>>"));
  done.that(fault_of<one_step<pooled>>::value.got.view() == "one of 2 steps, every 2");
  done.that(fault_of<one_step<pooled_all>>::value.got.view() == "one of all of them");
  done.that(fault_of<one_step<steps_twice>>::value.got.view() == "another number of them");
  done.that(fault_of<one_step<slopes_of_steps>>::value.expected.view() ==
            "weights that do not depend on the number of steps");
  done.that(fault_of<one_step<of_no_sequence>>::value.expected.view() ==
            "weights that do not depend on the number of steps");
  done.that(fault_of<one_step<of_nothing>>::value.expected.view() == "at least 1 unit");
  done.that(fault_of<one_step<int>>::value.expected.view() == "a model of layers in one_step<...>");
  done.that(fault_of<one_step<goes_on>>::value.got.view() == "one with an initial state");
  done.that(fault_of<one_step<behind_each_other>>::value.got.view() == "one along axis 1");
  done.that(fault_of<one_step<beside_numbers>>::value.expected.view() ==
            "inputs of as many steps, 6");
  done.that(fault_of<one_step<of_both_ways>>::value.expected.view() ==
            "a recurrent layer that reads forwards");
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

namespace {

/// How many results of steps that are pushed have the bits of the whole sequences.
template <typename Model, std::size_t StepElements>
int count_equal_last_results() {
  weights_of<Model> whole;
  whole.initialize(7);
  weights_of<one_step<Model>> weights;
  weights.copy_from(whole);
  const std::vector<float> given = samples_of(streams * steps * StepElements);
  std::vector<float> expected(streams * 2);
  predictor<Model, micro_batch<streams>> at_once(whole);
  REQUIRE(at_once.predict(given, expected));
  predictor<one_step<Model>> stream(weights);
  int equal = 0;
  for (std::size_t sequence = 0; sequence < streams; ++sequence) {
    stream.reset();
    std::array<float, 2> last{};
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t from = (sequence * steps + step) * StepElements;
      const auto found = stream.push(std::span(given).subspan(from).template first<StepElements>());
      last = {found[0], found[1]};
    }
    equal += (last[0] == expected[2 * sequence] ? 1 : 0) +
             (last[1] == expected[2 * sequence + 1] ? 1 : 0);
  }
  return equal;
}

}  // namespace

TEST_CASE("steps pushed through layers that leave each what it is have the bits of the whole") {
  CHECK(count_equal_last_results<each_alone, 3>() == 2 * static_cast<int>(streams));
  CHECK(count_equal_last_results<rows_alone, 12>() == 2 * static_cast<int>(streams));
}

TEST_CASE("masked steps that are pushed leave what is carried as it was") {
  weights_of<masked> whole;
  whole.initialize(4);
  weights_of<one_step<masked>> weights;
  weights.copy_from(whole);
  std::vector<float> given = samples_of(streams * steps * 3);
  // The last ones of the first stream, others in between; of the third all but one.
  for (const std::size_t none : {4U, 5U, 6U, 8U, 9U, 12U, 13U, 14U, 16U, 17U}) {
    std::fill_n(given.begin() + static_cast<int>(3 * none), 3, 0.0F);
  }
  std::vector<float> expected(streams * 2);
  predictor<masked, micro_batch<streams>> at_once(whole);
  REQUIRE(at_once.predict(given, expected));
  predictor<one_step<masked>> stream(weights);
  int unmoved = 0;
  for (std::size_t sequence = 0; sequence < streams; ++sequence) {
    stream.reset();
    std::array<float, 2> last{};
    for (std::size_t step = 0; step < steps; ++step) {
      const auto sample = std::span(given).subspan((sequence * steps + step) * 3).first<3>();
      const auto found = stream.push(sample);
      const bool none = sample[0] == 0 && sample[1] == 0 && sample[2] == 0;
      unmoved += none && step > 0 && found[0] == last[0] && found[1] == last[1] ? 1 : 0;
      last = {found[0], found[1]};
    }
    CHECK(last[0] == expected[2 * sequence]);
    CHECK(last[1] == expected[2 * sequence + 1]);
  }
  CHECK(unmoved == 8);
}

TEST_CASE("samples pushed through causal convolutions have the bits of the whole sequence") {
  constexpr std::size_t samples = 9;
  weights_of<dilated> whole;
  whole.initialize(5);
  weights_of<one_step<dilated>> weights;
  weights.copy_from(whole);
  const std::vector<float> given = samples_of(2 * samples);
  std::vector<float> expected(2 * samples * 2);
  predictor<dilated, micro_batch<2>> at_once(whole);
  REQUIRE(at_once.predict(given, expected));

  predictor<one_step<dilated>> stream(weights);
  predictor<one_step<dilated>, micro_batch<2>> together(weights);
  int compared = 0;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t sequence = 0; sequence < 2; ++sequence) {
      stream.reset();
      for (std::size_t i = sequence * samples; i < (sequence + 1) * samples; ++i) {
        const auto found = stream.push(std::span(given).subspan(i).first<1>());
        CHECK(found[0] == expected[2 * i]);
        CHECK(found[1] == expected[2 * i + 1]);
        ++compared;
      }
    }
    for (std::size_t i = 0; i < samples; ++i) {
      const std::vector<float> of_both = {given[i], given[samples + i]};
      std::vector<float> found(4);
      REQUIRE(together.predict(of_both, found));
      CHECK(found[1] == expected[2 * i + 1]);
      CHECK(found[2] == expected[2 * (samples + i)]);
    }
    together.reset();
  }
  CHECK(compared == 36);
}

TEST_CASE("one_step refuses what has no answer at every step") {
  CHECK(test_refusals());
}

namespace {

/// Compares what is pushed with what is made of whole sequences, of a model of two inputs, (6, 3)
/// and (6, 2), and two outputs, (2) and (3).
template <typename M>
void compare_pushed() {
  weights_of<M> whole;
  whole.initialize(7);
  weights_of<one_step<M>> weights;
  weights.copy_from(whole);
  const std::vector<float> x = samples_of(streams * steps * 3);
  const std::vector<float> y = samples_of(streams * steps * 2);
  std::vector<float> now(streams * 2);
  std::vector<float> sum(streams * 3);
  predictor<M, micro_batch<streams>> at_once(whole);
  REQUIRE(at_once.predict(input_arrays{x, y}, output_arrays{now, sum}));
  predictor<one_step<M>> stream(weights);
  int compared = 0;
  for (std::size_t sequence = 0; sequence < streams; ++sequence) {
    stream.reset();
    std::array<float, 2> last_now{};
    std::array<float, 3> last_sum{};
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t place = sequence * steps + step;
      const std::vector<float> heard(x.begin() + static_cast<int>(3 * place),
                                     x.begin() + static_cast<int>(3 * place + 3));
      const std::vector<float> seen(y.begin() + static_cast<int>(2 * place),
                                    y.begin() + static_cast<int>(2 * place + 2));
      const auto [made_now, made_sum] = stream.push(heard, seen);
      REQUIRE(made_now.size() == 2);
      REQUIRE(made_sum.size() == 3);
      std::copy(made_now.begin(), made_now.end(), last_now.begin());
      std::copy(made_sum.begin(), made_sum.end(), last_sum.begin());
    }
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(last_now[i] == now[2 * sequence + i]);
      ++compared;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(last_sum[i] == sum[3 * sequence + i]);
      ++compared;
    }
  }
  CHECK(compared == 15);
  CHECK(now[0] != now[2]);
}

}  // namespace

TEST_CASE("steps that are pushed through merges have the bits of the whole sequences") {
  compare_pushed<merged>();
}

TEST_CASE(
    "steps that are pushed through models within a model have the bits of the whole sequences") {
  compare_pushed<of_models>();
}
