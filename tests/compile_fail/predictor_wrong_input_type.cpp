// SPDX-License-Identifier: MIT
// Floats for the words of a predictor's model.
#include <cstdint>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct letters {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor size = build.input({2});
    const symbolic_tensor words = build.input({8}, dtype::int32);
    const symbolic_tensor read = build.layer<Embedding<100, 4>>("", words);
    return build.layer<Dense<1>>(
        "", build.layer<Concatenate>("", size, build.layer<Flatten>("", read)));
  }
};

bool test(predictor<letters>& given, const std::vector<float>& size,
          [[maybe_unused]] const std::vector<std::int32_t>& words, std::vector<float>& score) {
#ifdef WITH_MISTAKE
  return given.predict(input_arrays{size, size}, output_arrays{score});
#else
  return given.predict(input_arrays{size, words}, output_arrays{score});
#endif
}
