// SPDX-License-Identifier: MIT
// One array for a predictor of a model with two inputs.
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct house {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor rooms = build.input({5});
    const symbolic_tensor region = build.input({3});
    return build.layer<Dense<1>>("price", build.layer<Concatenate>("", rooms, region));
  }
};

bool test(predictor<house>& given, const std::vector<float>& rooms,
          [[maybe_unused]] const std::vector<float>& region, std::vector<float>& price) {
#ifdef WITH_MISTAKE
  return given.predict(rooms, price);
#else
  return given.predict(input_arrays{rooms, region}, output_arrays{price});
#endif
}
