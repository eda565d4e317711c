// SPDX-License-Identifier: MIT
// Models that people know, each from a source of its own, with samples and initial parameters.
#pragma once

#include <memory>

#include "peers/model.hpp"

namespace ours {

/// Of 32 digits of 28 x 28 bytes.
peers::model_question lenet_question();

/// Of 32 pictures of 32 x 32 pixels of three colours.
peers::model_question resnet8_question();

/// Of 32 sequences of 32 steps of 128 numbers.
peers::model_question lstm_question();

/// Of 8 texts of 64 characters, of which there are 65: 128 wide, 4 heads, 4 blocks.
peers::model_question gpt_question();

/// Of 16 micro-batches of 2 such texts.
peers::model_question gpt_in_stages_question();

/// ResNet-8 and the GPT on one device, whose calls so many workers share.
std::unique_ptr<peers::model_contestant> resnet8_on_one_device(
    const peers::model_question& question, int threads);
std::unique_ptr<peers::model_contestant> gpt_on_one_device(const peers::model_question& question,
                                                           int threads);

/// The same GPT in four stages, scheduled by ZB-H1.
std::unique_ptr<peers::model_contestant> gpt_in_stages(const peers::model_question& question,
                                                       int threads);

}  // namespace ours
