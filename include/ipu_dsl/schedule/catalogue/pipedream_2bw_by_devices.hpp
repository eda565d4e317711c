// SPDX-License-Identifier: MIT
// PipeDream-2BW for whoever does not choose the length of its batches.
#pragma once

#include <string_view>

#include <ipu_dsl/schedule/catalogue/asynchronous.hpp>

namespace ipu_dsl {

/// `pipedream_2bw` with the shortest batches that it takes: of as many micro-batches as devices. On
/// p devices the program is that of `pipedream_2bw<p>`.
struct pipedream_2bw_by_devices : one_stage_a_device<pipedream_2bw_by_devices> {
  static constexpr std::string_view name = "pipedream-2bw";

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    const problem found = rules::stages_a_device(name, devices, stages, 1);
    return found.found() ? found : rules::whole_batches(name, micro_batches, devices);
  }

  static constexpr program make(int devices, int, int micro_batches) {
    program rows = stream_rows(devices, micro_batches, devices);
    rows.weights.delay = 1;
    return rows;
  }
};

}  // namespace ipu_dsl
