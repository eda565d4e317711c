// SPDX-License-Identifier: MIT
// write_headers WEIGHTS PORTABLE EXPECTED: the weights of the board's model for the vector unit of
// this program and for portable vectors, and what a predictor of this program finds with them.
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>

#include <ipu_dsl/training/weights_header.hpp>

#include "inference/programs/board_model.hpp"

using namespace board;

namespace {

template <std::size_t Count>
std::string array_of(const char* name, const std::array<float, Count>& values) {
  std::string words =
      "inline constexpr float " + std::string(name) + "[" + std::to_string(Count) + "] = {";
  for (const float value : values) {
    char number[32];
    std::snprintf(number, sizeof(number), "%aF, ", static_cast<double>(value));
    words += number;
  }
  return words + "};\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    return 2;
  }
  weights_of<net> weights;
  weights.initialize(7);
  write_weights_header(weights, arguments[1], "board_weights");
  write_weights_header(weights, arguments[2], "board_weights", vector_units::portable);

  std::array<float, 16> sample{};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = static_cast<float>(i % 5) / 3.0F - 0.5F;
  }
  std::array<float, 5> result{};
  predictor<net>(weights).predict(sample, result);
  const std::string words = "#pragma once\n\n" + array_of("board_sample", sample) +
                            array_of("board_result", result) +
                            "inline constexpr bool board_result_is_fused = " +
                            (layout::native.fused_multiply_add ? "true;\n" : "false;\n");
  write_file_atomically(arguments[3],
                        {reinterpret_cast<const std::uint8_t*>(words.data()), words.size()});
  return 0;
}
