// SPDX-License-Identifier: MIT
// The whole model's session.
#include <ipu_dsl/ipu_dsl.hpp>

#include "resnet50_training/training.hpp"

template struct ipu_dsl::session_code<models::training_whole>;
