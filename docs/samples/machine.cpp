// SPDX-License-Identifier: MIT
// What docs/machine.md shows: whether a model fits a simulated IPU, and what its cuts could gain.
#include <cstdio>
#include <string>

#include <ipu_dsl/plan/cut_bounds.hpp>
#include <ipu_dsl/training/check_tiles.hpp>

#include "mnist_mlp.hpp"

using namespace ipu_dsl;

// [on]
struct small : compile<samples::mnist_mlp, micro_batch<32>, gradient_accumulation<4>, grouped,
                       on<ipu2>, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {
};

static_assert(check<small>());
static_assert(small::memory.fits());

// [/on]

struct wide_mlp
    : model<input<1024>, pipeline<stage<Dense<2048, relu>>, stage<Dense<32768, relu>, Dense<10>>>> {
};

struct too_large : compile<wide_mlp, micro_batch<32>, gradient_accumulation<4>, grouped, on<ipu2>,
                           loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

// check<too_large>() would not compile; these ask.
static_assert(!too_large::memory.fits());

/// An IPU of one's own: a constant of the program.
// [own]
constexpr machine_target quarter = [] {
  machine_target made = ipu2;
  made.name = "a quarter of an IPU";
  made.tiles /= 4;
  return made;
}();

// [/own]

struct on_a_quarter
    : compile<samples::mnist_mlp, micro_batch<32>, gradient_accumulation<4>, grouped, on<quarter>,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

static_assert(on_a_quarter::memory.fits());

/// Subtracts the mean of a sample's units, and declares as if each unit stood alone.
namespace centre {

struct centre_call {
  std::int32_t batch;
  std::int32_t units;
};

constexpr problem shapes(node_draft& draft) {
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  const centre_call key{emit.batch(), emit.input_shape(0)[0]};
  call_draft call = emit.call(key);
  const auto [sample, unit] = call.over(key.batch, key.units);
  call.writes(emit.output_value(0), {sample, unit}).reads(emit.input_value(0), {sample, unit});
}

constexpr family rules{.name = "Centre", .shapes = shapes, .forward = forward};

struct Centre {
  static constexpr element description{.kind = element_kind::layer, .rule = &rules};
};

}  // namespace centre

template <>
struct ipu_dsl::operators<&centre::rules> {
  using key = centre::centre_call;

  template <key Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    for (int sample = 0; sample < Call.batch; ++sample) {
      const int begin = sample * layout::row_stride(Call.units);
      float sum = 0;
      for (int unit = 0; unit < Call.units; ++unit) {
        sum += floats(operands[1])[begin + unit];
      }
      for (int unit = 0; unit < Call.units; ++unit) {
        floats(operands[0])[begin + unit] =
            floats(operands[1])[begin + unit] - sum / static_cast<float>(Call.units);
      }
    }
  }
};

struct centred : model<input<64>, sequential<centre::Centre, Dense<10>>> {};

struct training_centred : compile<centred, micro_batch<32>, loss<sparse_categorical_crossentropy>> {
};

void print_checks() {
  std::printf("[checked]\n");
  // [check]
  const tile_check found = check_tiles<small>(ipu2);
  // [/check]
  std::printf("%lld calls in %lld blocks, %lld elements: %s\n",
              static_cast<long long>(found.count.calls), static_cast<long long>(found.count.blocks),
              static_cast<long long>(found.count.elements),
              found.passed() ? "the bits of the session" : found.fault.c_str());
  std::printf("[/checked]\n[undeclared]\n");
  std::printf("%s\n", check_tiles<training_centred>(ipu2).fault.c_str());
  std::printf("[/undeclared]\n");
}

int main() {
  print_checks();
  std::printf("[use]\n");
  for (const tile_use& device : small::memory.devices) {
    std::printf("parameters %6lld  optimizer %6lld  gradients %6lld  kept %6lld  temporary %6lld\n",
                static_cast<long long>(device.parameters),
                static_cast<long long>(device.optimizer_slots),
                static_cast<long long>(device.accumulators), static_cast<long long>(device.kept),
                static_cast<long long>(device.temporary));
  }
  std::printf("[/use]\n[sentence]\n");
  std::printf("%s\n", std::string(too_large::memory.fault().message().view()).c_str());
  std::printf("[/sentence]\n");
  std::printf("[cuts]\n");
  // [cuts]
  for (const cut_bound& cut : cut_bounds_of<small>) {
    std::printf("cut before layer %d: at most %.2fx\n", cut.first_layer, cut.speedup);
  }
  // [/cuts]
  std::printf("[/cuts]\n");
  return 0;
}
