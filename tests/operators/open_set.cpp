// SPDX-License-Identifier: MIT
// The set of layers is open: layers of the tests' own, with kernels, train like the library's. One
// has two inputs, one has two outputs, one keeps a state.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace own {

enum class variant : std::int32_t { forward, input_gradient, weight_gradient, contribution, fold };

struct own_call {
  variant which;
  std::int32_t batch;
  std::int32_t units;
};

constexpr own_call key_of(const emitter& emit, variant which) {
  return {.which = which, .batch = emit.batch(), .units = emit.input_shape(0)[0]};
}

/// y = a * b.
namespace product {

constexpr problem shapes(node_draft& draft) {
  if (draft.inputs() != 2 || !(draft.input(0) == draft.input(1))) {
    return refuse("2 inputs of one shape", label() << draft.inputs());
  }
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const own_call key = key_of(emit, variant::forward);
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.output_value(0), {sample, unit})
      .reads(emit.input_value(0), {sample, unit})
      .reads(emit.input_value(1), {sample, unit});
}

constexpr void input_gradient(emitter& emit) {
  for (std::int32_t i = 0; i < 2; ++i) {
    if (emit.wants_input_gradient(i)) {
      const own_call key = key_of(emit, variant::forward);
      call_draft call = emit.call(key);
      const auto [sample, unit] = call.over(key.batch, key.units);
      call.writes(emit.input_gradient(i), {sample, unit})
          .reads(emit.output_gradient(0), {sample, unit})
          .reads(emit.input_value(1 - i), {sample, unit});
    }
  }
}

}  // namespace product

inline constexpr family product_family{.name = "Product",
                                       .inputs = 2,
                                       .shapes = product::shapes,
                                       .forward = product::forward,
                                       .input_gradient = product::input_gradient};

struct Product {
  static constexpr element description{.kind = element_kind::layer, .rule = &product_family};
};

/// y = scale * x and z = x * x, with one learned scale a unit.
namespace scale_and_square {

constexpr problem shapes(node_draft& draft) {
  draft.parameter("scale", draft.input(0), {initializer_kind::ones});
  draft.output(draft.input(0));
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const own_call key = key_of(emit, variant::forward);
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.output_value(0), {sample, unit})
      .writes(emit.output_value(1), {sample, unit})
      .reads(emit.input_value(0), {sample, unit})
      .reads(emit.parameter_value(0), {unit});
}

constexpr void input_gradient(emitter& emit) {
  const own_call key = key_of(emit, variant::input_gradient);
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.input_gradient(0), {sample, unit})
      .reads(emit.output_gradient(0), {sample, unit})
      .reads(emit.output_gradient(1), {sample, unit})
      .reads(emit.input_value(0), {sample, unit})
      .reads(emit.parameter_value(0), {unit});
}

constexpr void weight_gradient(emitter& emit) {
  const own_call key = key_of(emit, variant::weight_gradient);
  call_draft call = emit.call(key);
  const axis_id unit = call.over(key.units);
  const axis_id sample = call.all(key.batch);
  call.updates(emit.accumulator(0), {unit})
      .reads(emit.output_gradient(0), {sample, unit})
      .reads(emit.input_value(0), {sample, unit});
}

}  // namespace scale_and_square

inline constexpr family scale_and_square_family{
    .name = "ScaleAndSquare",
    .shapes = scale_and_square::shapes,
    .forward = scale_and_square::forward,
    .input_gradient = scale_and_square::input_gradient,
    .weight_gradient = scale_and_square::weight_gradient};

struct ScaleAndSquare {
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &scale_and_square_family};
};

/// y = x - mean, as it stood when the update began. The update folds the means of its micro-batches
/// into it.
namespace centre {

constexpr problem shapes(node_draft& draft) {
  draft.state("mean", draft.input(0), {initializer_kind::zeros});
  draft.output(draft.input(0));
  return {};
}

/// The mean of the micro-batch.
constexpr void contribute(emitter& emit) {
  const own_call key = key_of(emit, variant::contribution);
  call_draft call = emit.call(key);
  const axis_id unit = call.over(key.units);
  const axis_id sample = call.all(key.batch);
  call.writes(emit.state_contribution(0), {unit}).reads(emit.input_value(0), {sample, unit});
}

constexpr void forward(emitter& emit) {
  const own_call key = key_of(emit, variant::forward);
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.output_value(0), {sample, unit})
      .reads(emit.parameter_value(0), {unit})
      .reads(emit.input_value(0), {sample, unit});
  if (emit.program() == program_kind::train) {
    contribute(emit);
  }
}

/// The mean moves half of the way to that of each micro-batch, one after the other.
constexpr void fold(emitter& emit) {
  const own_call key = key_of(emit, variant::fold);
  call_draft call = emit.call(key);
  const axis_id unit = call.over(key.units);
  call.updates(emit.parameter_value(0), {unit}).reads(emit.state_contribution(0), {unit});
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    const own_call key = key_of(emit, variant::input_gradient);
    call_draft call = emit.call(key);
    const auto [sample, unit] = call.over(key.batch, key.units);
    call.writes(emit.input_gradient(0), {sample, unit})
        .reads(emit.output_gradient(0), {sample, unit});
  }
}

}  // namespace centre

inline constexpr family centre_family{.name = "Centre",
                                      .shapes = centre::shapes,
                                      .forward = centre::forward,
                                      .input_gradient = centre::input_gradient,
                                      .fold = centre::fold};

struct Centre {
  static constexpr element description{.kind = element_kind::layer, .rule = &centre_family};
};

/// Rows of a micro-batch, which are padded to whole vectors.
struct rows {
  int batch;
  int units;

  template <typename Visit>
  void for_each(Visit visit) const {
    for (int sample = 0; sample < batch; ++sample) {
      for (int unit = 0; unit < units; ++unit) {
        visit(sample * layout::row_stride(units) + unit, unit);
      }
    }
  }
};

constexpr rows rows_of(const own_call& call) {
  return {call.batch, call.units};
}

}  // namespace own

template <>
struct ipu_dsl::operators<&own::product_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    own::rows_of(Call).for_each([&](int at, int) {
      floats(operands[0])[at] = floats(operands[1])[at] * floats(operands[2])[at];
    });
  }
};

template <>
struct ipu_dsl::operators<&own::scale_and_square_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr own::variant which = Call.which;
    constexpr own::rows here = own::rows_of(Call);
    float* const written = floats(operands[0]);
    if constexpr (which == own::variant::forward) {
      const float* const x = floats(operands[2]);
      const float* const scale = floats(operands[3]);
      here.for_each([&](int at, int unit) {
        written[at] = scale[unit] * x[at];
        floats(operands[1])[at] = x[at] * x[at];
      });
    } else if constexpr (which == own::variant::input_gradient) {
      const float* const x = floats(operands[3]);
      const float* const scale = floats(operands[4]);
      here.for_each([&](int at, int unit) {
        written[at] = scale[unit] * floats(operands[1])[at] + 2 * x[at] * floats(operands[2])[at];
      });
    } else {
      if (!context.continues) {
        std::fill_n(written, here.units, 0.0F);
      }
      here.for_each([&](int at, int unit) {
        written[unit] += floats(operands[1])[at] * floats(operands[2])[at];
      });
    }
  }
};

template <>
struct ipu_dsl::operators<&own::centre_family> {
  using key = own::own_call;

  template <own::own_call Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    constexpr own::rows here = own::rows_of(Call);
    float* const written = floats(operands[0]);
    const float* const read = floats(operands[1]);
    if constexpr (Call.which == own::variant::forward) {
      const float* const x = floats(operands[2]);
      here.for_each([&](int at, int unit) { written[at] = x[at] - read[unit]; });
    } else if constexpr (Call.which == own::variant::input_gradient) {
      here.for_each([&](int at, int) { written[at] = read[at]; });
    } else if constexpr (Call.which == own::variant::contribution) {
      std::fill_n(written, here.units, 0.0F);
      here.for_each([&](int at, int unit) { written[unit] += read[at] / here.batch; });
    } else {
      for (int unit = 0; unit < here.units; ++unit) {
        written[unit] += 0.5F * (read[unit] - written[unit]);
      }
    }
  }
};

namespace {

constexpr std::size_t features = 8;
constexpr std::size_t units = 4;
constexpr std::size_t classes = 3;
constexpr std::size_t samples_of_micro_batch = 8;
constexpr std::size_t samples_of_update = 4 * samples_of_micro_batch;

/// Both outputs of a layer go to another stage, and meet in a layer of two inputs.
struct joined {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({features});
    const symbolic_tensor hidden = build.layer<Dense<units>>("in", point);
    const auto [scaled, squared] = build.layers<own::ScaleAndSquare, 2>("split", hidden);
    build.stage(1);
    const symbolic_tensor product = build.layer<own::Product>("product", scaled, squared);
    return build.layer<Dense<classes>>("out", product);
  }
};

/// Nobody reads the first output: its gradient is zero.
struct half_read {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({features});
    const symbolic_tensor hidden = build.layer<Dense<units>>("in", point);
    const auto outputs = build.layers<own::ScaleAndSquare, 2>("split", hidden);
    build.stage(1);
    return build.layer<Dense<classes>>("out", outputs[1]);
  }
};

template <typename Model, typename Schedule>
struct trained : compile<Model, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>,
                         Schedule, loss<sparse_categorical_crossentropy>> {};

/// The parameters in order: in/kernel, in/bias, split/scale, out/kernel, out/bias.
using weight_list = std::vector<std::vector<double>>;

/// x * kernel + bias, in float64.
std::vector<double> dense(const std::vector<double>& x, const std::vector<double>& kernel,
                          const std::vector<double>& bias) {
  std::vector<double> y = bias;
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t n = 0; n < y.size(); ++n) {
      y[n] += x[k] * kernel[k * y.size() + n];
    }
  }
  return y;
}

/// Cross-entropy of one sample from logits.
double cross_entropy(const std::vector<double>& logits, std::int32_t label) {
  double sum = 0;
  for (const double logit : logits) {
    sum += std::exp(logit);
  }
  return std::log(sum) - logits[static_cast<std::size_t>(label)];
}

/// What an update descends: the sum of the micro-batches' mean losses.
double reference_loss(const weight_list& weights, const point_set& data, bool joins) {
  double sum = 0;
  for (std::size_t sample = 0; sample < samples_of_update; ++sample) {
    const auto row = data.features().subspan(sample * features, features);
    const std::vector<double> point(row.begin(), row.end());
    std::vector<double> hidden = dense(point, weights[0], weights[1]);
    for (std::size_t unit = 0; unit < units; ++unit) {
      const double scaled = weights[2][unit] * hidden[unit];
      hidden[unit] *= joins ? scaled * hidden[unit] : hidden[unit];
    }
    sum += cross_entropy(dense(hidden, weights[3], weights[4]), data.labels()[sample]);
  }
  return sum / samples_of_micro_batch;
}

/// The weights of a session, widened.
weight_list weights_of(const parameters& kept) {
  weight_list weights;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(kept.at(i).extents.elements()));
    kept.get(i, values);
    weights.emplace_back(values.begin(), values.end());
  }
  return weights;
}

/// With so large a rate, (before - after) / rate is the gradient to its last bits.
constexpr float gradient_rate = 0x1p20F;

/// The gradient that a session computes for every parameter agrees with central differences of the
/// reference. Returns how many there were.
template <typename Model>
int check_gradients(bool joins) {
  const point_set data = labelled_points(samples_of_update, 3);
  session<trained<Model, grouped>> run({.learning_rate = gradient_rate});
  const std::vector<float> scales = {0.75F, -1.25F, 0.5F, 1.5F};
  run.weights().set("split/scale", scales);
  weight_list weights = weights_of(run.weights());
  run.train_step(data.features(), data.labels());
  const weight_list after = weights_of(run.weights());
  int compared = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t k = 0; k < weights[i].size(); ++k) {
      const double before = weights[i][k];
      constexpr double step = 1e-5;
      weights[i][k] = before + step;
      const double above = reference_loss(weights, data, joins);
      weights[i][k] = before - step;
      const double below = reference_loss(weights, data, joins);
      weights[i][k] = before;
      const double gradient = (before - after[i][k]) / static_cast<double>(gradient_rate);
      CHECK(gradient == Approx((above - below) / (2 * step)).margin(2e-6).epsilon(1e-5));
      ++compared;
    }
  }
  return compared;
}

struct outcome {
  std::uint64_t weights = 0;
  std::vector<float> losses;

  friend bool operator==(const outcome&, const outcome&) = default;
};

template <typename Model, typename Schedule>
outcome train(const point_set& data, int threads, bool poison) {
  session<trained<Model, Schedule>> run(
      {.learning_rate = 0.05F},
      {.threads = threads, .shared_from = 0, .poison_freed_slots = poison});
  const auto losses = run.fit(data | repeated(), {.steps_per_epoch = 400}).losses();
  return {run.weights().fingerprint(), {losses.begin(), losses.end()}};
}

/// One result for every schedule and number of threads, with poison and without. Returns how many
/// runs agreed.
template <typename Model>
int check_bits(const outcome& expected, const point_set& data) {
  int agreed = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    for (const bool poison : {false, true}) {
      CHECK(train<Model, grouped>(data, threads, poison) == expected);
      CHECK(train<Model, interleaved>(data, threads, poison) == expected);
      CHECK(train<Model, sequential_schedule>(data, threads, poison) == expected);
      agreed += 3;
    }
  }
  return agreed;
}

}  // namespace

TEST_CASE("layers with two inputs and two outputs have the right gradients") {
  CHECK(check_gradients<joined>(true) == 55);
  CHECK(check_gradients<half_read>(false) == 55);
  std::printf("open set: checked 110 gradients\n");
}

TEST_CASE("layers with two inputs and two outputs learn, with the same bits everywhere") {
  const point_set data = labelled_points(320, 1);
  const outcome expected = train<joined, grouped>(data, 1, false);
  double first = 0;
  double last = 0;
  for (std::size_t i = 0; i < 40; ++i) {
    first += static_cast<double>(expected.losses[i]);
    last += static_cast<double>(expected.losses[expected.losses.size() - 1 - i]);
  }
  CHECK(last < 0.8 * first);
  const int agreed = check_bits<joined>(expected, data);
  CHECK(agreed == 12);
  std::printf("open set: %d runs agree\n", agreed);
}

TEST_CASE("a layer that is asked for another number of outputs is refused") {
  struct three_outputs {
    static constexpr symbolic_tensor build(functional_builder& build) {
      const symbolic_tensor point = build.input({8});
      return build.layers<own::ScaleAndSquare, 3>("split", point)[0];
    }
  };

  STATIC_REQUIRE(!is_valid<three_outputs>());
  CHECK(fold<three_outputs>().fault.message().view() ==
        "layer 0 ScaleAndSquare named split in stage 0: expected 3 outputs, got 2. Hint: write "
        "build.layers<Layer, 2>(...)");
}

namespace {

/// A state in each stage, one of them in the first layer.
struct centred : model<input<8>, pipeline<stage<named<"first", own::Centre>, Dense<4>>,
                                          stage<named<"second", own::Centre>, Dense<3>>>> {};

std::vector<float> mean_of(const parameters& kept, std::string_view layer) {
  const std::size_t index = kept.find(layer, "mean");
  std::vector<float> values(static_cast<std::size_t>(kept.at(index).extents.elements()));
  kept.get(index, values);
  return values;
}

/// The mean that the first layer keeps after so many micro-batches of the data, in order.
std::vector<double> mean_after(const point_set& data, std::size_t micro_batches) {
  std::vector<double> mean(features, 0);
  for (std::size_t i = 0; i < micro_batches; ++i) {
    for (std::size_t unit = 0; unit < features; ++unit) {
      double sum = 0;
      for (std::size_t sample = 0; sample < samples_of_micro_batch; ++sample) {
        const std::size_t at = i * samples_of_micro_batch + sample;
        sum += static_cast<double>(data.features()[at * features + unit]);
      }
      mean[unit] += 0.5 * (sum / samples_of_micro_batch - mean[unit]);
    }
  }
  return mean;
}

/// The state after every update is what the micro-batches so far make of it. Returns the second
/// layer's state at the end, which has no simple reference.
template <typename Compiled>
std::vector<float> check_state_of(const point_set& data, int threads, int& compared) {
  session<Compiled> run({.learning_rate = 0.05F}, {.threads = threads, .shared_from = 0});
  constexpr auto micro_batches = static_cast<std::size_t>(Compiled::settings.gradient_accumulation *
                                                          Compiled::settings.replicas);
  constexpr std::size_t samples = micro_batches * samples_of_micro_batch;
  for (std::size_t update = 0; update < 3; ++update) {
    const std::size_t first = update * samples;
    run.train_step(data.features().subspan(first * features, samples * features),
                   data.labels().subspan(first, samples));
    const std::vector<double> expected = mean_after(data, micro_batches * (update + 1));
    const std::vector<float> found = mean_of(run.weights(), "first");
    for (std::size_t unit = 0; unit < features; ++unit) {
      CHECK(static_cast<double>(found[unit]) == Approx(expected[unit]).margin(1e-6));
      ++compared;
    }
  }
  // What only looks leaves the state as it is.
  const std::uint64_t before = run.weights().fingerprint();
  run.evaluate(data);
  CHECK(run.weights().fingerprint() == before);
  return mean_of(run.weights(), "second");
}

template <typename Schedule>
std::vector<float> check_state(const point_set& data, int threads, int& compared) {
  return check_state_of<trained<centred, Schedule>>(data, threads, compared);
}

/// Each replica takes every second micro-batch.
template <typename Schedule>
struct replicated : compile<centred, micro_batch<samples_of_micro_batch>, gradient_accumulation<4>,
                            replicas<2>, Schedule, loss<sparse_categorical_crossentropy>> {};

}  // namespace

TEST_CASE("a running state is that of the micro-batches so far, whatever the schedule") {
  const point_set data = labelled_points(3 * samples_of_update, 1);
  int compared = 0;
  const std::vector<float> expected = check_state<sequential_schedule>(data, 1, compared);
  CHECK(std::any_of(expected.begin(), expected.end(), [](float mean) { return mean != 0; }));
  for (int threads = 1; threads <= 2; ++threads) {
    CHECK(check_state<grouped>(data, threads, compared) == expected);
    CHECK(check_state<interleaved>(data, threads, compared) == expected);
    CHECK(check_state<sequential_schedule>(data, threads, compared) == expected);
  }
  CHECK(compared == 7 * 3 * 8);
  std::printf("open set: checked %d values of states\n", compared);
}

TEST_CASE("replicas fold what their micro-batches contribute in the order of the micro-batches") {
  const point_set data = labelled_points(2 * 3 * samples_of_update, 1);
  int compared = 0;
  const std::vector<float> expected =
      check_state_of<replicated<sequential_schedule>>(data, 1, compared);
  CHECK(std::any_of(expected.begin(), expected.end(), [](float mean) { return mean != 0; }));
  for (const int threads : {1, 2, 4}) {
    CHECK(check_state_of<replicated<grouped>>(data, threads, compared) == expected);
    CHECK(check_state_of<replicated<sequential_schedule>>(data, threads, compared) == expected);
  }
  CHECK(compared == 7 * 3 * 8);
  std::printf("open set: checked %d values of states of replicas\n", compared);
}

TEST_CASE("a running state does not learn") {
  constexpr graph_view model = graph_of<centred>;
  int states = 0;
  for (const tensor& atom : model.tensors) {
    if (atom.role == tensor_role::state) {
      CHECK_FALSE(atom.trainable);
      ++states;
    }
  }
  CHECK(states == 2);
}
