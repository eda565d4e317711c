// SPDX-License-Identifier: MIT
// The kernels of the first stage.
#include <ipu_dsl/ipu_dsl.hpp>

#include "resnet50_training/training.hpp"

template struct ipu_dsl::stage_code<models::training_in_two, 0>;
