// SPDX-License-Identifier: MIT
// The model of the programs that are built as for audio and for boards.
#pragma once

#include <ipu_dsl/inference.hpp>

namespace board {

using namespace ipu_dsl;

/// Widths that panels of 4, 8 and 16 floats pad differently.
struct net : model<input<16>,
                   sequential<Dense<37, hyperbolic_tangent>, Dense<24, relu>, Dense<5, softmax>>> {
};

}  // namespace board
