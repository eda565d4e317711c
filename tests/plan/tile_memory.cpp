// SPDX-License-Identifier: MIT
// Tests of plan/tile_memory.hpp, and of what compile says of it: bytes counted by hand and anew.
#include <cstdio>

#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/plan/compile.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr machine_target one_tile{.name = "one_tile", .tiles = 1, .bytes_per_tile = 10'000'000};
constexpr machine_target four_tiles{.name = "four_tiles", .tiles = 4, .bytes_per_tile = 1'000'000};
constexpr machine_target many_tiles{.name = "many", .tiles = 1472, .bytes_per_tile = 100'000};
constexpr machine_target tiny{.name = "tiny", .tiles = 4, .bytes_per_tile = 100};

struct small : model<input<4>, Dense<3>> {};

template <const machine_target& Target, typename Optimizer = sgd<>>
struct small_training : compile<small, micro_batch<2>, on<Target>,
                                loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

/// Dense 4 -> 3 in batches of 2 on one tile: 12 weights and 3 biases; kept from F to B are the
/// features (8), the labels (2), the scores (6) and the result, a sum and a count in float64.
constexpr std::int64_t result = 2 * 8;
constexpr const tile_use& on_one = small_training<one_tile>::memory.devices[0];
static_assert(on_one.parameters == 4 * 15);
static_assert(on_one.accumulators == 4 * 15);
static_assert(on_one.optimizer_slots == 0);
static_assert(on_one.kept == 4 * (8 + 2 + 6) + result);
static_assert(small_training<one_tile, sgd<momentum>>::memory.devices[0].optimizer_slots == 4 * 15);

/// On four tiles a kernel [4, 3] in rows, a bias in single numbers, [2, 4] features and [2, 3]
/// scores in columns, a label each.
constexpr const tile_use& on_four = small_training<four_tiles>::memory.devices[0];
static_assert(on_four.parameters == 4 * (3 + 1));
static_assert(on_four.kept == 4 * (2 + 1 + 2) + result / 2);

/// A column of the forward product: both rows of 4 features, a column of 4 weights, its bias.
static_assert(on_four.temporary >= 4 * (2 * 4 + 4 + 1));

/// Two devices of one tile, one micro-batch of 2 at a time. Device 0 keeps features (8) and the
/// gradient that comes back (6), and sends labels (2) and its output (6) from one copy each. Device
/// 1 keeps labels (2), what came (6) and its scores (4), and sends the gradient (6).
struct two_layers : model<input<4>, pipeline<stage<Dense<3>>, stage<Dense<2>>>> {};

struct on_two_devices
    : compile<two_layers, micro_batch<2>, gradient_accumulation<2>, sequential_schedule,
              on<one_tile>, devices<2>, loss<sparse_categorical_crossentropy>> {};

static_assert(on_two_devices::memory.devices[0].kept == 4 * (8 + 6 + 2 + 6));
static_assert(on_two_devices::memory.devices[1].kept == 4 * (2 + 6 + 4 + 6) + 2 * result);

/// Scratch of one layer lies where that of another did.
template <typename... Layers>
struct deep : model<input<16>, sequential<Layers...>> {};

template <typename... Layers>
struct deep_training : compile<deep<Layers...>, micro_batch<8>, on<one_tile>,
                               loss<sparse_categorical_crossentropy>> {};

using layer = Dense<16, relu>;
static_assert(deep_training<layer, layer, layer>::memory.devices[0].temporary ==
              deep_training<layer, layer, layer, layer, layer>::memory.devices[0].temporary);

// With a target that does not hold it, and without one.
static_assert(!small_training<tiny>::memory.fits());
static_assert(!is_valid<small_training<tiny>>());
static_assert(is_valid<small_training<four_tiles>>());

struct unnamed : compile<small, micro_batch<2>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<unnamed>());

constexpr machine_target without_tiles{.name = "none", .tiles = 0, .bytes_per_tile = 1};
static_assert(!is_valid<small_training<without_tiles>>());

/// A model that only predicts keeps nothing for a backward pass.
struct predicting : compile<small, micro_batch<2>, on<one_tile>> {};

static_assert(predicting::memory.devices[0].parameters == 4 * 15);
static_assert(predicting::memory.devices[0].accumulators == 0);
static_assert(predicting::memory.fits());

template <typename M, const machine_target& Target, int MicroBatches, typename Schedule,
          int Devices = 2>
struct trained
    : compile<M, micro_batch<3>, gradient_accumulation<MicroBatches>, Schedule, devices<Devices>,
              on<Target>, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// Numbers that all parameters of a model have.
template <typename M>
constexpr std::int64_t parameter_elements() {
  const graph made = fold<M>();
  std::int64_t sum = 0;
  for (const tensor& atom : made.tensors) {
    sum += per_sample(atom) ? 0 : atom.extents.elements();
  }
  return sum;
}

constexpr tile_use sum_of(const device_memory& memory) {
  tile_use sum;
  for (const tile_use& use : memory.devices) {
    sum.parameters += use.parameters;
    sum.optimizer_slots += use.optimizer_slots;
    sum.accumulators += use.accumulators;
    sum.kept += use.kept;
    sum.temporary += use.temporary;
  }
  return sum;
}

/// On devices of one tile, everything is counted in full; on many tiles it is spread.
template <typename M, typename Schedule, int Devices>
int check_spread() {
  const device_memory& whole = trained<M, one_tile, 12, Schedule, Devices>::memory;
  const device_memory& few = trained<M, four_tiles, 12, Schedule, Devices>::memory;
  const device_memory& dealt = trained<M, many_tiles, 12, Schedule, Devices>::memory;
  const tile_use sum = sum_of(whole);
  CHECK(sum.parameters == 4 * parameter_elements<M>());
  CHECK(sum.optimizer_slots == sum.parameters);
  CHECK(sum.accumulators == sum.parameters);
  int checked = 0;
  for (std::size_t device = 0; device < whole.devices.size(); ++device) {
    const tile_use& most = whole.devices[device];
    const tile_use& less = few.devices[device];
    const tile_use& least = dealt.devices[device];
    for (const auto part : {&tile_use::parameters, &tile_use::optimizer_slots,
                            &tile_use::accumulators, &tile_use::kept, &tile_use::temporary}) {
      CHECK(least.*part <= less.*part);
      CHECK(less.*part <= most.*part);
      // No tile holds less than its share; a product's copies come on top.
      CHECK(4 * (less.*part) >= most.*part);
      CHECK(1472 * (least.*part) >= most.*part);
      ++checked;
    }
    CHECK(most.kept > 0);
  }
  // A stage of a residual alone hands its gradients on, and needs none.
  CHECK(sum.temporary > 0);
  return checked;
}

TEST_CASE("more tiles take less each, and all of it together no less") {
  int checked = check_spread<testing::mlp, grouped, 2>();
  checked += check_spread<testing::mlp, interleaved, 2>();
  checked += check_spread<testing::branching, grouped, 3>();
  checked += check_spread<testing::slender, sequential_schedule, 4>();
  CHECK(checked > 0);
  std::printf("checked %d parts of devices' memory\n", checked);
}

TEST_CASE("micro-batches in flight are kept, each of them") {
  const device_memory& two = trained<testing::mlp, one_tile, 2, gpipe>::memory;
  const device_memory& eight = trained<testing::mlp, one_tile, 8, gpipe>::memory;
  const device_memory& in_turn = trained<testing::mlp, one_tile, 8, sequential_schedule>::memory;
  CHECK(eight.devices[0].kept > two.devices[0].kept);
  CHECK(in_turn.devices[0].kept < eight.devices[0].kept);
  CHECK(eight.devices[0].parameters == two.devices[0].parameters);
}

TEST_CASE("the tutorial's model fits on an IPU, and the sentence says why another does not") {
  CHECK(trained<testing::mlp, ipu2, 4, grouped>::memory.fits());
  CHECK(compile_fault_of<small_training<tiny>::compiled>::value.message().view() ==
        small_training<tiny>::memory.fault().message().view());
  CHECK(small_training<tiny>::memory.fault().where.view() == "device 0 on<tiny>");
}

}  // namespace
