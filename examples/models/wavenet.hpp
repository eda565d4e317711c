// SPDX-License-Identifier: MIT
// A small network in the manner of WaveNet (van den Oord et al. 2016): causal convolutions, each of
// which reaches back twice as far as the one before.
#pragma once

#include <cstdint>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

/// Three samples, so far apart, make a correction of what flows past.
template <std::int32_t Apart>
using reaching_back =
    ipu_dsl::residual<ipu_dsl::Conv1D<8, 3, ipu_dsl::causal_padding, ipu_dsl::dilation_rate<Apart>,
                                      ipu_dsl::hyperbolic_tangent>>;

/// 64 samples of sound to as many of another, each of which depends on the 31 up to it: 825
/// parameters.
struct wavenet : ipu_dsl::model<ipu_dsl::input<64, 1>,
                                ipu_dsl::sequential<ipu_dsl::named<"channels", ipu_dsl::Dense<8>>,
                                                    ipu_dsl::named<"by_1", reaching_back<1>>,
                                                    ipu_dsl::named<"by_2", reaching_back<2>>,
                                                    ipu_dsl::named<"by_4", reaching_back<4>>,
                                                    ipu_dsl::named<"by_8", reaching_back<8>>,
                                                    ipu_dsl::named<"sound", ipu_dsl::Dense<1>>>> {};

}  // namespace models
