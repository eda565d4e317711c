// SPDX-License-Identifier: MIT
// How ResNet-50 learns, whole and cut in two. What takes long to compile is compiled in the sources
// beside this header: for each session one, for each stage of the cut one.
#pragma once

#include <ipu_dsl/interface.hpp>

#include "models/resnet50.hpp"

namespace models {

// [training]
struct resnet50_in_two : ipu_dsl::split_at<resnet50, "conv4_block2_add"> {};

struct training_whole
    : ipu_dsl::compile<resnet50, ipu_dsl::micro_batch<1>, ipu_dsl::gradient_accumulation<4>,
                       ipu_dsl::loss<ipu_dsl::sparse_categorical_crossentropy>,
                       ipu_dsl::optimizer<ipu_dsl::sgd<ipu_dsl::momentum>>> {};

struct training_in_two
    : ipu_dsl::compile<resnet50_in_two, ipu_dsl::micro_batch<1>, ipu_dsl::gradient_accumulation<4>,
                       ipu_dsl::grouped, ipu_dsl::loss<ipu_dsl::sparse_categorical_crossentropy>,
                       ipu_dsl::optimizer<ipu_dsl::sgd<ipu_dsl::momentum>>> {};

// [/training]

}  // namespace models

// [elsewhere]
extern template struct ipu_dsl::session_code<models::training_in_two>;
extern template struct ipu_dsl::stage_code<models::training_in_two, 0>;
extern template struct ipu_dsl::stage_code<models::training_in_two, 1>;
// [/elsewhere]
extern template struct ipu_dsl::session_code<models::training_whole>;
