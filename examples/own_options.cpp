// SPDX-License-Identifier: MIT
// A layer of one's own with options, that only goes forward: it stands before nothing that learns,
// so that nobody asks it for a gradient. And the test of its declaration, tile by tile.
#include <cstdio>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/check_tiles.hpp>

#include "example.hpp"

namespace mine {

using namespace ipu_dsl;

// [rules]
// y = (x - mean) / deviation, with numbers that stand in the type. A family's options are a plain
// struct; shapes refuses what cannot be.
struct standardize_options {
  float mean;
  float deviation;
};

struct standardize_call {
  int batch;
  int elements;
};

constexpr problem shapes(node_draft& draft) {
  const auto options = draft.options<standardize_options>();
  if (!(options.deviation > 0)) {
    return refuse("a deviation above 0", label() << options.deviation);
  }
  draft.output(draft.input(0));
  return {};
}

// An image is taken for the vector of its pixels. What no code depends on is a scalar: layers with
// other numbers share one kernel.
constexpr void forward(emitter& emit) {
  const auto options = emit.options<standardize_options>();
  const standardize_call key{emit.batch(), static_cast<int>(emit.input_shape(0).elements())};
  call_draft call = emit.call(key);
  const auto [sample, element] = call.over(key.batch, key.elements);
  call.scalar(options.mean).scalar(1 / options.deviation);
  call.writes(emit.output_value(0).flat(), {sample, element});
  call.reads(emit.input_value(0).flat(), {sample, element});
}

inline constexpr family standardize_family{
    .name = "Standardize", .shapes = shapes, .forward = forward};

// [/rules]

// [layer]
template <auto Mean, auto Deviation>
struct Standardize {
  static constexpr element description{
      .kind = element_kind::layer,
      .rule = &standardize_family,
      .options = attributes::of(
          standardize_options{static_cast<float>(Mean), static_cast<float>(Deviation)})};
};

// [/layer]

}  // namespace mine

// [kernel]
template <>
struct ipu_dsl::operators<&mine::standardize_family> {
  using key = mine::standardize_call;

  template <key Call>
  static void run(const run_context&, void* const* operands, const float* scalars) noexcept {
    for (int sample = 0; sample < Call.batch; ++sample) {
      const int row = sample * layout::row_stride(Call.elements);
      for (int element = 0; element < Call.elements; ++element) {
        floats(operands[0])[row + element] =
            (floats(operands[1])[row + element] - scalars[0]) * scalars[1];
      }
    }
  }
};

// [/kernel]

using namespace ipu_dsl;

struct standardized_mlp
    : model<input<28, 28>,
            pipeline<stage<mine::Standardize<0.13F, 0.31F>, Flatten, Dense<64, relu>>,
                     stage<Dense<32, relu>, Dense<10>>>> {};

static_assert(check<standardized_mlp>());

struct training
    : compile<standardized_mlp, micro_batch<32>, gradient_accumulation<4>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<adam>> {};

static int train_and_check() {
  // [check]
  const tile_check tiles = check_tiles<training>(ipu2);
  std::printf("%lld blocks on %d tiles: %s\n", static_cast<long long>(tiles.count.blocks),
              ipu2.tiles, tiles.passed() ? "the bits of the session" : tiles.fault.c_str());
  // [/check]
  const auto digits = synthetic_digits(20'000, 1);
  const auto unseen = synthetic_digits(5'000, 2);
  session<training> run{{.learning_rate = 0.002F}};
  run.fit(digits | shuffled(10'000) | repeated(), {.epochs = 4, .steps_per_epoch = 400});
  const evaluation found = run.evaluate(unseen);
  std::printf("Test  loss %.4f  accuracy %.4f\n", found.loss, found.metrics["accuracy"]);
  return tiles.passed() && found.metrics["accuracy"] > 0.9 ? 0 : 1;
}

int main() {
  return example::run("own_options", train_and_check);
}
