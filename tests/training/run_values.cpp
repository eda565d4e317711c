// SPDX-License-Identifier: MIT
// Numbers that the host gives before a run: what reads them computes with them, in every program
// and in a predictor, with the bits of a model that was compiled with them, however it is cut.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/training/check_tiles.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

// A layer of one's own that reads two values: x * low above zero, x * high below.
namespace own {

using namespace ipu_dsl;

struct slopes_call {
  std::int32_t elements;  ///< of a micro-batch, padding included
};

constexpr problem shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const stored_rows lain = emit.rows_of(emit.input_value(0));
  emit.call(slopes_call{lain.count * layout::row_stride(lain.length)})
      .scalar(emit.run_value(1))
      .scalar(emit.run_value(2))
      .writes(emit.output_value(0))
      .reads(emit.input_value(0));
}

inline constexpr family slopes_family{
    .name = "Slopes", .inputs = 3, .run_values = 2, .shapes = shapes, .forward = forward};

struct Slopes {
  static constexpr element description{.kind = element_kind::layer, .rule = &slopes_family};
};

}  // namespace own

template <>
struct ipu_dsl::operators<&own::slopes_family> {
  using key = own::slopes_call;

  template <own::slopes_call Call>
  static void run(const run_context&, void* const* operands, const float* scalars) noexcept {
    for (std::int32_t i = 0; i < Call.elements; ++i) {
      const float x = floats(operands[1])[i];
      floats(operands[0])[i] = x * (x > 0 ? scalars[0] : scalars[1]);
    }
  }
};

namespace {

using namespace ipu_dsl;

/// Values that two stages read; the sharpness is read by both.
struct scaled {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor sharpness = build.value("sharpness", 1.0F);
    const symbolic_tensor gain = build.value("gain");
    const symbolic_tensor x = build.input("x", {4, 3});
    const symbolic_tensor hidden = build.layer<Dense<5, relu>>("hidden", x);
    const symbolic_tensor louder = build.layer<ScaleByValue>("louder", hidden, gain);
    const symbolic_tensor flat =
        build.layer<Flatten>("", build.layer<ScaleByValue>("first", louder, sharpness));
    build.stage(1);
    const symbolic_tensor logits = build.layer<Dense<3>>("logits", flat);
    return build.layer<ScaleByValue>("sharp", logits, sharpness);
  }
};

/// The same with the numbers 0.5 and 2 compiled in.
struct compiled_in
    : model<input<4, 3>,
            pipeline<stage<named<"hidden", Dense<5, relu>>, Rescaling<2>, Rescaling<0.5F>, Flatten>,
                     stage<named<"logits", Dense<3>>, Rescaling<0.5F>>>> {};

template <typename Model, typename Schedule = sequential_schedule, int Replicas = 1>
struct trained
    : compile<Model, Schedule, micro_batch<4>, gradient_accumulation<4>, replicas<Replicas>,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

struct two_slopes {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({3});
    const symbolic_tensor above = build.value("above", 1.0F);
    const symbolic_tensor below = build.value("below", 0.0F);
    return build.layer<own::Slopes>("", x, above, below);
  }
};

constexpr std::size_t samples = 16;

struct batch {
  std::vector<float> x;
  std::vector<std::int32_t> labels;
};

batch drawn(std::size_t count) {
  return {reference::numbers(count * 12, 5, 1.0F), reference::labels(count, 6, 3)};
}

template <typename Compiled>
std::uint64_t trained_with_given(const batch& given, int threads) {
  session<Compiled> run({.learning_rate = 0.1F},
                        {.threads = threads, .shared_from = 0, .poison_freed_slots = true});
  run.template set<"gain">(2.0F);
  run.template set<"sharpness">(0.5F);
  for (int update = 0; update < 4; ++update) {
    run.train_step(given.x, given.labels);
  }
  return run.weights().fingerprint();
}

template <typename Compiled>
std::uint64_t trained_compiled_in(const batch& given) {
  session<Compiled> run({.learning_rate = 0.1F});
  for (int update = 0; update < 4; ++update) {
    run.train_step(given.x, given.labels);
  }
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("given values have the bits of those that are compiled in, however a model is cut") {
  const batch given = drawn(samples);
  const batch more = drawn(2 * samples);
  const auto expected = trained_compiled_in<trained<compiled_in>>(given);
  const auto replicated = trained_compiled_in<trained<compiled_in, sequential_schedule, 2>>(more);
  int agreed = 0;
  for (const int threads : {1, 2, 3}) {
    CHECK(trained_with_given<trained<scaled>>(given, threads) == expected);
    CHECK(trained_with_given<trained<scaled, grouped>>(given, threads) == expected);
    CHECK(trained_with_given<trained<scaled, interleaved>>(given, threads) == expected);
    CHECK(trained_with_given<trained<scaled, interleaved, 2>>(more, threads) == replicated);
    agreed += 4;
  }
  CHECK(agreed == 12);
  std::printf("run values: %d trainings agree\n", agreed);
}

TEST_CASE("values change from run to run, in every program") {
  const batch given = drawn(samples);
  session<trained<scaled>> run({.learning_rate = 0.1F});
  run.set<"gain">(1.0F);
  CHECK(run.get<"sharpness">() == 1.0F);
  const auto predicted = [&] {
    std::vector<float> output(samples * 3);
    run.predict(given.x, output);
    return output;
  };
  const std::vector<float> plain = predicted();
  const double loss =
      run.evaluate(labelled_dataset<shape{4, 3}, 3, float>(given.x, given.labels)).loss;
  run.set<"sharpness">(0.0F);
  CHECK(predicted() == std::vector<float>(samples * 3, 0.0F));
  const labelled_dataset<shape{4, 3}, 3, float> data(given.x, given.labels);
  CHECK(run.evaluate(data).loss == Approx(std::log(3.0)));
  CHECK(loss != Approx(std::log(3.0)));
  run.set<"sharpness">(1.0F);
  CHECK(predicted() == plain);
  // Twice at the end is twice the numbers: powers of two round nothing.
  run.set<"gain">(4.0F);
  run.set<"sharpness">(0.25F);
  const std::vector<float> other = predicted();
  int changed = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    changed += other[i] != plain[i] ? 1 : 0;
  }
  CHECK(changed > 0);
}

TEST_CASE("a value may change between the epochs of fit") {
  const batch given = drawn(samples);
  const labelled_dataset<shape{4, 3}, 3, float> data(given.x, given.labels);
  session<trained<scaled>> annealed({.learning_rate = 0.1F}, {.seed = 3});
  session<trained<scaled>> step_by_step({.learning_rate = 0.1F}, {.seed = 3});
  annealed.set<"gain">(1.0F);
  annealed.fit(data | repeated(), {.epochs = 3, .steps_per_epoch = 4},
               [&](const epoch_record&) { annealed.set<"gain">(annealed.get<"gain">() * 2); });
  CHECK(annealed.get<"gain">() == 8.0F);
  for (const float gain : {1.0F, 2.0F, 4.0F}) {
    step_by_step.set<"gain">(gain);
    step_by_step.fit(data | repeated(), {.steps_per_epoch = 4});
  }
  CHECK(annealed.weights().fingerprint() == step_by_step.weights().fingerprint());
}

TEST_CASE("saved training keeps the values of its runs, and nothing where none was given") {
  const tests::temporary_directory directory;
  const std::string path = directory / "values.npz";
  session<trained<scaled>> run;
  run.save_training(path);
  run.set<"gain">(0.5F);
  run.set<"sharpness">(3.0F);
  run.load_training(path);
  CHECK(run.get<"gain">() == 0.5F);
  CHECK(run.get<"sharpness">() == 1.0F);
  run.set<"sharpness">(0.25F);
  run.save_training(path);
  session<trained<scaled>> other;
  other.load_training(path);
  CHECK(other.get<"gain">() == 0.5F);
  CHECK(other.get<"sharpness">() == 0.25F);
}

TEST_CASE("what has no default is given before the first run, and a number") {
  const batch given = drawn(samples);
  session<trained<scaled>> run({.learning_rate = 0.1F});
  const auto before = run.weights().fingerprint();
  CHECK_THROWS_WITH(run.train_step(given.x, given.labels),
                    "The model reads the value gain, which has no default: give it before the "
                    "first run, as set<\"gain\">(1.0F).");
  CHECK(run.weights().fingerprint() == before);
  CHECK_THROWS_WITH(run.set<"gain">(std::numeric_limits<float>::infinity()),
                    "The value gain of a run is a finite number, got an infinity or NaN.");
  CHECK(std::isnan(run.get<"gain">()));
  run.set<"gain">(1.0F);
  CHECK(run.train_step(given.x, given.labels) > 0);
}

TEST_CASE("a predictor is given values as a session is") {
  const batch given = drawn(samples);
  session<trained<scaled>> run({.learning_rate = 0.1F});
  weights_of<scaled> weights;
  weights.copy_from(run.weights());
  predictor<scaled, micro_batch<16>> all(weights);
  predictor<scaled> stream(weights);
  int compared = 0;
  for (const float gain : {1.0F, 0.3F, -2.0F}) {
    run.set<"gain">(gain);
    run.set<"sharpness">(gain + 1);
    all.set<"gain">(gain);
    all.set<"sharpness">(gain + 1);
    stream.set<"gain">(gain);
    stream.set<"sharpness">(gain + 1);
    std::vector<float> expected(samples * 3);
    run.predict(given.x, expected);
    std::vector<float> found(samples * 3);
    CHECK(all.predict(given.x, found));
    CHECK(found == expected);
    const auto one = stream.push(std::span(given.x).first<12>());
    CHECK(std::equal(one.begin(), one.end(), expected.begin()));
    ++compared;
  }
  CHECK(compared == 3);
}

TEST_CASE("a layer of one's own reads values of the run") {
  session<compile<two_slopes, micro_batch<1>>> run;
  const std::array<float, 3> x{2, -3, 4};
  std::array<float, 3> y{};
  run.predict(x, y);
  CHECK(y == std::array<float, 3>{2, 0, 4});
  run.set<"below">(-1.0F);
  run.set<"above">(0.5F);
  run.predict(x, y);
  CHECK(y == std::array<float, 3>{1, 3, 2});
}

TEST_CASE("what reads values of the run, block by block") {
  machine_target machine = ipu2;
  machine.tiles = 16;
  const tile_check found =
      check_tiles<trained<scaled, grouped>>(machine, {.updates = 2, .most_blocks = 8});
  INFO(found.fault);
  CHECK(found.passed());
  CHECK(found.count.blocks > 0);
}
