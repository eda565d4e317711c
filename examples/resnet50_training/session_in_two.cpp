// SPDX-License-Identifier: MIT
// The session of the model that is cut, without its kernels.
#include <ipu_dsl/ipu_dsl.hpp>

#include "resnet50_training/training.hpp"

template struct ipu_dsl::session_code<models::training_in_two>;
