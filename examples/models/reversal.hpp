// SPDX-License-Identifier: MIT
// An encoder and a decoder (Sutskever, Vinyals, Le 2014): one LSTM reads a word, the other begins
// with what the first has kept and spells it from its end.
#pragma once

#include <cstdint>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

// [model]
/// Words of `Steps` letters, by number, and what the decoder has spelled before each letter: at
/// every step a score for each letter that may come next.
template <std::int32_t Steps, std::int32_t Letters, std::int32_t Units>
struct reversal {
  static constexpr ipu_dsl::symbolic_tensor build(ipu_dsl::functional_builder& build) {
    using namespace ipu_dsl;
    const symbolic_tensor word = build.input("word", {Steps}, dtype::int32);
    const symbolic_tensor spelled = build.input("spelled", {Steps}, dtype::int32);

    const symbolic_tensor read = build.layer<Embedding<Letters, 16>>("letters", word);
    const auto [last, state, cell] =
        build.layers<LSTM<Units, return_state<true>>, 3>("encoder", read);

    build.stage(1);
    // One number more than there are letters: nothing is spelled yet.
    const symbolic_tensor told = build.layer<Embedding<Letters + 1, 16>>("told", spelled);
    const symbolic_tensor states =
        build.layer<LSTM<Units, return_sequences<true>>>("decoder", told, state, cell);
    return build.layer<Dense<Letters>>("scores", states);
  }
};

// [/model]

}  // namespace models
