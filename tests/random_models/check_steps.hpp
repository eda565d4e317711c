// SPDX-License-Identifier: MIT
// What holds of every model of sequences that can be given them a step at a time, whoever drew it:
// steps that are pushed have the bits of the whole sequence, one stream alone and several at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "random_models/findings.hpp"

namespace ipu_dsl::tests {

/// A model of sequences that was drawn.
template <typename Drawn>
concept drawn_stream = requires {
  typename Drawn::whole;
  Drawn::samples;  // sequences
  Drawn::steps;    // of a sequence
  Drawn::outputs;  // numbers of a step
  Drawn::inputs;   // numbers of a step of each input, a std::array
};

/// Sequences, and what is made of them: [samples, steps, numbers].
template <drawn_stream Drawn>
struct drawn_sequences {
  std::array<std::vector<float>, Drawn::inputs.size()> inputs;
  std::vector<float> outputs;
};

/// Numbers in [-1, 1); a fifth of the steps are zeros, to be masked.
template <drawn_stream Drawn>
drawn_sequences<Drawn> draw_sequences(std::uint64_t seed) {
  drawn_sequences<Drawn> drawn;
  for (std::size_t number = 0; number < Drawn::inputs.size(); ++number) {
    const auto features = static_cast<std::size_t>(Drawn::inputs[number]);
    std::vector<float>& numbers = drawn.inputs[number];
    numbers.resize(std::size_t{Drawn::samples} * Drawn::steps * features);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const bool is_masked = random_word(seed, 0, i / features) % 5 == 0;
      numbers[i] = is_masked ? 0.0F : 2 * uniform_unit(random_word(seed, 1 + number, i)) - 1;
    }
  }
  drawn.outputs.resize(std::size_t{Drawn::samples} * Drawn::steps * Drawn::outputs);
  return drawn;
}

/// Calls `predict(inputs, outputs)` with the arrays as a predictor takes them.
template <typename Predictor, std::size_t Inputs>
bool predict(Predictor& given, const std::array<std::vector<float>, Inputs>& inputs,
             std::vector<float>& outputs) {
  if constexpr (Inputs == 1) {
    return given.predict(inputs[0], outputs);
  } else {
    return given.predict(input_arrays{inputs[0], inputs[1]}, outputs);
  }
}

/// The numbers of one step of one sequence.
template <std::size_t Features>
std::span<const float, Features> step_of(const std::vector<float>& numbers, std::size_t sequence,
                                         std::size_t steps, std::size_t step) {
  return std::span(numbers)
      .subspan((sequence * steps + step) * Features)
      .template first<Features>();
}

/// What one stream makes of sequences, step after step.
template <drawn_stream Drawn>
std::vector<float> pushed(predictor<one_step<typename Drawn::whole>>& stream,
                          const drawn_sequences<Drawn>& drawn) {
  std::vector<float> made;
  for (std::size_t sequence = 0; sequence < Drawn::samples; ++sequence) {
    stream.reset();
    for (std::size_t step = 0; step < Drawn::steps; ++step) {
      const auto first =
          step_of<Drawn::inputs.front()>(drawn.inputs.front(), sequence, Drawn::steps, step);
      if constexpr (Drawn::inputs.size() == 1) {
        std::ranges::copy(stream.push(first), std::back_inserter(made));
      } else {
        const auto second =
            step_of<Drawn::inputs.back()>(drawn.inputs.back(), sequence, Drawn::steps, step);
        std::ranges::copy(stream.push(first, second), std::back_inserter(made));
      }
    }
  }
  return made;
}

/// What as many streams as there are sequences make of them at once.
template <drawn_stream Drawn>
std::vector<float> stepped_together(
    predictor<one_step<typename Drawn::whole>, micro_batch<Drawn::samples>>& streams,
    const drawn_sequences<Drawn>& drawn) {
  std::vector<float> made(drawn.outputs.size());
  streams.reset();
  for (std::size_t step = 0; step < Drawn::steps; ++step) {
    std::array<std::vector<float>, Drawn::inputs.size()> inputs;
    for (std::size_t number = 0; number < inputs.size(); ++number) {
      const auto features = static_cast<std::size_t>(Drawn::inputs[number]);
      for (std::size_t sequence = 0; sequence < Drawn::samples; ++sequence) {
        const auto place = (sequence * Drawn::steps + step) * features;
        const std::span numbers = std::span(drawn.inputs[number]).subspan(place, features);
        inputs[number].insert(inputs[number].end(), numbers.begin(), numbers.end());
      }
    }
    std::vector<float> outputs(std::size_t{Drawn::samples} * Drawn::outputs);
    static_cast<void>(predict(streams, inputs, outputs));
    for (std::size_t sequence = 0; sequence < Drawn::samples; ++sequence) {
      std::copy_n(outputs.data() + sequence * Drawn::outputs, Drawn::outputs,
                  made.data() + (sequence * Drawn::steps + step) * Drawn::outputs);
    }
  }
  return made;
}

/// Weights that are nowhere the zeros or ones with which some begin.
template <typename Model>
void draw_weights(weights_of<Model>& weights) {
  weights.initialize(1);
  for (std::size_t place = 0; place < weights.size(); ++place) {
    std::vector<float> numbers(static_cast<std::size_t>(weights.at(place).extents.elements()));
    weights.get(place, numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] += 0.2F * uniform_unit(random_word(place, 2, i));
    }
    weights.set(place, numbers);
  }
}

/// The exit status: 0 if all holds. Prints what was compared.
template <drawn_stream Drawn>
int check_steps() {
  using model = typename Drawn::whole;
  static_assert(check<model>());
  weights_of<model> weights;
  draw_weights(weights);
  weights_of<one_step<model>> stepped;
  stepped.copy_from(weights);
  predictor<model, micro_batch<Drawn::samples>> whole(weights);
  predictor<one_step<model>> stream(stepped);
  predictor<one_step<model>, micro_batch<Drawn::samples>> streams(stepped);
  findings found;
  unsigned long long bits = 0;
  for (std::uint64_t seed = 0; seed < 2; ++seed) {
    drawn_sequences<Drawn> drawn = draw_sequences<Drawn>(seed);
    found.expect(predict(whole, drawn.inputs, drawn.outputs), "a predictor takes whole sequences");
    found.expect(pushed<Drawn>(stream, drawn) == drawn.outputs,
                 "steps that are pushed have the bits of the whole sequence");
    found.expect(stepped_together<Drawn>(streams, drawn) == drawn.outputs,
                 "steps of several streams at once have the bits of the whole sequences");
    bits ^= bits_of(drawn.outputs);
  }
  std::printf("compared %d, %d wrong; bits %016llx\n", found.compared, found.wrong, bits);
  return found.wrong == 0 ? 0 : 1;
}

}  // namespace ipu_dsl::tests
