// SPDX-License-Identifier: MIT
// Tests of machine/device_memory.hpp: when a plan fits, and the sentence when it does not.
#include <ipu_dsl/machine/device_memory.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr machine_target small{.name = "small", .tiles = 4, .bytes_per_tile = 100};

constexpr tile_use half{.parameters = 10, .temporary = 40};
constexpr tile_use exactly{.parameters = 10, .optimizer_slots = 20, .kept = 30, .temporary = 40};
constexpr tile_use slots_over{.parameters = 30, .optimizer_slots = 31, .kept = 10, .temporary = 30};

constexpr checks test_totals() {
  checks done;
  done.that(half.always_live() == 10);
  done.that(half.total() == 50);
  done.that(exactly.always_live() == 60);
  done.that(exactly.total() == 100);
  return done;
}

constexpr checks test_fits() {
  const tile_use room[] = {half, exactly};
  const tile_use over[] = {half, slots_over};
  checks done;
  done.that(device_memory{&small, room}.fits());
  done.that(!device_memory{&small, over}.fits());
  done.that(unknown_memory.fits());
  return done;
}

constexpr std::string_view per_parameter = "parameters and what is kept for each";

/// Whatever takes most is named; what grows with the parameters counts together.
constexpr checks test_largest() {
  checks done;
  done.that(
      largest_of({.parameters = 1, .optimizer_slots = 1, .accumulators = 1, .temporary = 2}, 8)
          .what == per_parameter);
  done.that(largest_of({.parameters = 1, .kept = 2}, 8).what == "activations kept");
  done.that(largest_of({.kept = 1, .temporary = 2}, 8).what == "temporaries");
  return done;
}

/// A micro-batch of one sample cannot be made smaller.
constexpr checks test_hints() {
  const tile_use temporaries{.temporary = 1};
  const tile_use kept{.kept = 1};
  checks done;
  done.that(largest_of(temporaries, 8).hint.find("micro_batch") != std::string_view::npos);
  done.that(largest_of(temporaries, 1).hint.find("micro_batch") == std::string_view::npos);
  done.that(largest_of(kept, 8).hint.find("micro_batch") != std::string_view::npos);
  done.that(largest_of(kept, 1).hint.find("fewer samples") == std::string_view::npos);
  return done;
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

constexpr checks test_sentence() {
  checks done;
  const tile_use over[] = {half, slots_over};
  done.that(
      device_memory{&small, over}.fault().message().view() ==
      "device 1 on<small>: expected at most 100 bytes on its busiest tile, got 101 by the model, "
      "the most for parameters and what is kept for each (61). Hint: cut the model into more "
      "stages, or its layers smaller");
  return done;
}

static_assert(test_sentence());

TEST_CASE("the sentence names the device, both numbers, what takes most, and what to do") {
  CHECK(test_sentence());
}

}  // namespace
