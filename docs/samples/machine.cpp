// SPDX-License-Identifier: MIT
// What docs/machine.md shows: whether a model fits a simulated IPU, and what its cuts could gain.
#include <cstdio>
#include <string>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/plan/cut_bounds.hpp>

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

int main() {
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
