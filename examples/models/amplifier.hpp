// SPDX-License-Identifier: MIT
// A small recurrent network for audio: a sample in, a sample out, and a state between them, which
// can follow circuits with a memory.
#pragma once

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

/// 64 samples of sound to as many of another: 553 parameters.
struct amplifier
    : ipu_dsl::model<
          ipu_dsl::input<64, 1>,
          ipu_dsl::sequential<
              ipu_dsl::named<"memory", ipu_dsl::GRU<12, ipu_dsl::return_sequences<true>>>,
              ipu_dsl::named<"sound", ipu_dsl::Dense<1>>>> {};

}  // namespace models
