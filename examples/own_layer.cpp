// SPDX-License-Identifier: MIT
// A layer of one's own, with its own kernel: everything that the library's layers have, it has.
#include <cstdio>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/report/summary.hpp>

#include "example.hpp"

namespace mine {

using namespace ipu_dsl;

// [shapes]
// y = x * scale, with one learned scale a unit. First the rules, over values.

constexpr problem shapes(node_draft& draft) {
  if (draft.input(0).rank != 1) {
    return refuse("a vector", describe(draft.input(0)), "put Flatten before it");
  }
  draft.parameter("scale", draft.input(0), {initializer_kind::ones});
  draft.output(draft.input(0));
  return {};
}

// [/shapes]

// [calls]
// What a kernel is compiled for: to scale, or to sum the gradients of the scales.
struct scale_call {
  int sums;
  int batch;
  int units;
};

// The input's gradient is scaled as the output is.
constexpr void scale(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const scale_call key{0, emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(written, {sample, unit}).reads(read, {sample, unit});
  call.reads(emit.parameter_value(0), {unit});
}

constexpr void forward(emitter& emit) {
  scale(emit, emit.output_value(0), emit.input_value(0));
}

constexpr void input_gradient(emitter& emit) {
  if (emit.wants_input_gradient(0)) {
    scale(emit, emit.input_gradient(0), emit.output_gradient(0));
  }
}

constexpr void weight_gradient(emitter& emit) {
  const scale_call key{1, emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const axis_id unit = call.over(key.units);
  const axis_id sample = call.all(key.batch);
  call.updates(emit.accumulator(0), {unit})
      .reads(emit.output_gradient(0), {sample, unit})
      .reads(emit.input_value(0), {sample, unit});
}

// [/calls]

// [layer]
inline constexpr family scale_family{.name = "Scale",
                                     .shapes = shapes,
                                     .forward = forward,
                                     .input_gradient = input_gradient,
                                     .weight_gradient = weight_gradient};

// Then the layer, which is data.
struct Scale {
  static constexpr element description{.kind = element_kind::layer, .rule = &scale_family};
};

// [/layer]

}  // namespace mine

// And the kernels, with constant extents. Rows are padded to whole vectors.

// [kernel]
template <>
struct ipu_dsl::operators<&mine::scale_family> {
  using key = mine::scale_call;

  template <key Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr int stride = layout::row_stride(Call.units);
    float* written = floats(operands[0]);
    const float* left = floats(operands[1]);   // [batch, units]
    const float* right = floats(operands[2]);  // [units], or [batch, units] for the weights
    for (int unit = 0; unit < Call.units; ++unit) {
      float sum = Call.sums && context.continues ? written[unit] : 0;
      for (int sample = 0; sample < Call.batch; ++sample) {
        const int at = sample * stride + unit;
        if constexpr (Call.sums) {
          sum += left[at] * right[at];
        } else {
          written[at] = left[at] * right[unit];
        }
      }
      if constexpr (Call.sums) {
        written[unit] = sum;
      }
    }
  }
};

// [/kernel]

using namespace ipu_dsl;

struct scaled_mlp : model<input<28, 28>, pipeline<stage<Flatten, Dense<64, relu>, mine::Scale>,
                                                  stage<Dense<32, relu>, mine::Scale, Dense<10>>>> {
};

static_assert(check<scaled_mlp>());

struct training
    : compile<scaled_mlp, micro_batch<32>, gradient_accumulation<4>, interleaved,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

static int train_and_test() {
  const auto digits = synthetic_digits(20'000, 1);
  const auto unseen = synthetic_digits(5'000, 2);
  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  std::printf("%s\n", summary_text(graph_of<scaled_mlp>, "scaled_mlp").c_str());
  run.fit(digits | shuffled(10'000) | repeated(), {.epochs = 4, .steps_per_epoch = 400});
  const evaluation found = run.evaluate(unseen);
  std::printf("Test  loss %.4f  accuracy %.4f\n", found.loss, found.metrics["accuracy"]);
  return found.metrics["accuracy"] > 0.9 ? 0 : 1;
}

int main() {
  return example::run("own_layer", train_and_test);
}
