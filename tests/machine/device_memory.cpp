// SPDX-License-Identifier: MIT
// Tests of machine/device_memory.hpp: when a plan fits, and the sentence when it does not.
#include <ipu_dsl/machine/device_memory.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr machine_target small{.name = "small", .tiles = 4, .bytes_per_tile = 100};

constexpr tile_use half{.parameters = 10, .temporary = 40};
constexpr tile_use exactly{.parameters = 10, .optimizer_slots = 20, .kept = 30, .temporary = 40};
constexpr tile_use slots_over{.parameters = 30, .optimizer_slots = 31, .kept = 10, .temporary = 30};

constexpr bool test_totals() {
  return half.always_live() == 10 && half.total() == 50 && exactly.always_live() == 60 &&
         exactly.total() == 100;
}

constexpr bool test_fits() {
  const tile_use room[] = {half, exactly};
  const tile_use over[] = {half, slots_over};
  return device_memory{&small, room}.fits() && !device_memory{&small, over}.fits() &&
         unknown_memory.fits();
}

constexpr std::string_view per_parameter = "parameters and what is kept for each";

/// Whatever takes most is named; what grows with the parameters counts together.
constexpr bool test_largest() {
  return largest_of({.parameters = 1, .optimizer_slots = 1, .accumulators = 1, .temporary = 2}, 8)
                 .what == per_parameter &&
         largest_of({.parameters = 1, .kept = 2}, 8).what == "activations kept" &&
         largest_of({.kept = 1, .temporary = 2}, 8).what == "temporaries";
}

/// A micro-batch of one sample cannot be made smaller.
constexpr bool test_hints() {
  const tile_use temporaries{.temporary = 1};
  const tile_use kept{.kept = 1};
  return largest_of(temporaries, 8).hint.find("micro_batch") != std::string_view::npos &&
         largest_of(temporaries, 1).hint.find("micro_batch") == std::string_view::npos &&
         largest_of(kept, 8).hint.find("micro_batch") != std::string_view::npos &&
         largest_of(kept, 1).hint.find("fewer samples") == std::string_view::npos;
}

static_assert(test_totals());
static_assert(test_fits());
static_assert(test_largest());
static_assert(test_hints());

TEST_CASE("a plan fits if no device needs more than a tile has") {
  CHECK(test_totals());
  CHECK(test_fits());
  CHECK(test_largest());
  CHECK(test_hints());
}

TEST_CASE("the sentence names the device, both numbers, what takes most, and what to do") {
  const tile_use over[] = {half, slots_over};
  CHECK(device_memory{&small, over}.fault().message().view() ==
        "device 1 on<small>: expected at most 100 bytes on its busiest tile, got 101 by the model, "
        "the most for parameters and what is kept for each (61). Hint: cut the model into more "
        "stages, or its layers smaller");
}

}  // namespace
