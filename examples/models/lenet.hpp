// SPDX-License-Identifier: MIT
// LeNet-5 (LeCun, Bottou, Bengio, Haffner 1998), as it is written today: relu, the largest number
// of each window.
#pragma once

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

/// 28 x 28 bytes to the scores of ten classes: 61,706 parameters.
struct lenet
    : ipu_dsl::model<
          ipu_dsl::input<ipu_dsl::dtype::uint8, 28, 28>,
          ipu_dsl::sequential<
              ipu_dsl::Rescaling<1.0F / 255, 0>, ipu_dsl::Reshape<28, 28, 1>,
              ipu_dsl::named<"c1", ipu_dsl::Conv2D<6, 5, ipu_dsl::same_padding, ipu_dsl::relu>>,
              ipu_dsl::named<"s2", ipu_dsl::MaxPooling2D<2>>,
              ipu_dsl::named<"c3", ipu_dsl::Conv2D<16, 5, ipu_dsl::relu>>,
              ipu_dsl::named<"s4", ipu_dsl::MaxPooling2D<2>>, ipu_dsl::Flatten,
              ipu_dsl::named<"c5", ipu_dsl::Dense<120, ipu_dsl::relu>>,
              ipu_dsl::named<"f6", ipu_dsl::Dense<84, ipu_dsl::relu>>,
              ipu_dsl::named<"scores", ipu_dsl::Dense<10>>>> {};

}  // namespace models
