// SPDX-License-Identifier: MIT
// Gradients that are not summed by ascending micro-batch: the bits of another order, the same on
// one device and on four.
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "support/catch2.hpp"
#include "training/schedules.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// All forwards, then all backwards by descending micro-batch, as torchgpipe has it.
struct descending_gpipe {
  static constexpr std::string_view name = "descending-gpipe";

  static constexpr problem allows(int, int, int, purpose) { return {}; }

  static constexpr program make(int devices, int stages, int micro_batches) {
    const list<int> placement = neighbouring_placement(devices, stages);
    program rows(devices, placement, micro_batches);
    for (int device = 0; device < devices; ++device) {
      for (int i = 0; i < micro_batches; ++i) {
        put_stages(rows, device, action_kind::forward, i);
      }
      for (int i = micro_batches - 1; i >= 0; --i) {
        put_stages(rows, device, action_kind::backward, i);
      }
      put_stages(rows, device, action_kind::update, 0);
      rows.end_row();
    }
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return grouped::make_forward(devices, stages, micro_batches);
  }

 private:
  static constexpr void put_stages(program& rows, int device, action_kind kind, int micro_batch) {
    for (int i = 0; i < rows.stages; ++i) {
      const int stage = kind == action_kind::backward ? rows.stages - 1 - i : i;
      if (rows.device_of_stage[static_cast<std::size_t>(stage)] == device) {
        rows.put(kind, stage, micro_batch);
      }
    }
  }
};

template <int Devices>
struct descending
    : compile<in_four_stages, micro_batch<scheduled_samples>,
              gradient_accumulation<scheduled_micro_batches>, descending_gpipe, devices<Devices>,
              loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

}  // namespace

TEST_CASE("descending gradients have the bits of descending ones on one device") {
  const session_parts one_device = case_of<descending<1>, false>().parts;
  check_executed(case_of<descending<4>, false>(), one_device);

  const trained_numbers down = train_updates(one_device, 1);
  const trained_numbers up =
      train_updates(case_of<scheduled<in_one_stage, sequential_schedule>>().parts, 1);
  CHECK(down.losses == up.losses);
  CHECK(down.weights != up.weights);
  // A gradient of the last bias is a sum of 64 numbers, each at most 1 / 4: two orders of adding
  // differ by at most 2 x 64 roundings of a sum of at most 16; then the update rounds twice.
  constexpr double unit = static_cast<double>(std::numeric_limits<float>::epsilon()) / 2;
  constexpr double tolerance = 2 * 64 * unit * 16 * scheduled_rates.learning_rate.at(0);
  int checked = 0;
  for (std::size_t i = down.weights.size() - 3; i < down.weights.size(); ++i) {
    const double value = static_cast<double>(up.weights[i]);
    const double apart = std::abs(static_cast<double>(down.weights[i]) - value);
    CHECK(apart <= tolerance + 4 * unit * std::abs(value));
    ++checked;
  }
  CHECK(checked == 3);
}
