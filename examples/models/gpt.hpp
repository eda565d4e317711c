// SPDX-License-Identifier: MIT
// A GPT (Radford et al. 2018, 2019): it tells of every character of a text which one comes next.
#pragma once

#include <cstdint>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

// [block]
/// What a GPT is made of: each position gathers from those before it, then thinks by itself. Both
/// add to what flows past.
template <std::int32_t Width, std::int32_t Heads>
using gpt_block = ipu_dsl::sequential<
    ipu_dsl::residual<
        ipu_dsl::LayerNormalization<>,
        ipu_dsl::MultiHeadAttention<Heads, Width / Heads, ipu_dsl::use_causal_mask<true>>>,
    ipu_dsl::residual<ipu_dsl::LayerNormalization<>, ipu_dsl::Dense<4 * Width, ipu_dsl::gelu>,
                      ipu_dsl::Dense<Width>>>;
// [/block]

// [model]
/// What becomes of characters, by number, before the first block: (steps) to (steps, width).
template <std::int32_t Characters, std::int32_t Width>
using gpt_beginning =
    ipu_dsl::sequential<ipu_dsl::named<"characters", ipu_dsl::Embedding<Characters, Width>>,
                        ipu_dsl::named<"places", ipu_dsl::PositionEmbedding<>>>;

/// And behind the last: at every step a score for each character that may come next.
template <std::int32_t Characters>
using gpt_end = ipu_dsl::sequential<ipu_dsl::LayerNormalization<>,
                                    ipu_dsl::named<"scores", ipu_dsl::Dense<Characters>>>;

/// Four blocks in four stages, of texts of `Steps` characters.
template <std::int32_t Steps, std::int32_t Characters, std::int32_t Width, std::int32_t Heads>
struct gpt
    : ipu_dsl::model<
          ipu_dsl::input<ipu_dsl::dtype::int32, Steps>,
          ipu_dsl::pipeline<
              ipu_dsl::stage<gpt_beginning<Characters, Width>, gpt_block<Width, Heads>>,
              ipu_dsl::stage<gpt_block<Width, Heads>>, ipu_dsl::stage<gpt_block<Width, Heads>>,
              ipu_dsl::stage<gpt_block<Width, Heads>, gpt_end<Characters>>>> {};

// [/model]

/// The same on one device.
template <std::int32_t Steps, std::int32_t Characters, std::int32_t Width, std::int32_t Heads>
struct gpt_on_one_device
    : ipu_dsl::model<ipu_dsl::input<ipu_dsl::dtype::int32, Steps>,
                     ipu_dsl::sequential<gpt_beginning<Characters, Width>, gpt_block<Width, Heads>,
                                         gpt_block<Width, Heads>, gpt_block<Width, Heads>,
                                         gpt_block<Width, Heads>, gpt_end<Characters>>> {};

}  // namespace models
