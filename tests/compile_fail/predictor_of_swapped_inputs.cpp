// SPDX-License-Identifier: MIT
// Arrays for the inputs of a predictor in another order, where their types tell how long they are.
#include <array>

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

float test(predictor<house>& given, const std::array<float, 5>& rooms,
           const std::array<float, 3>& region) {
#ifdef WITH_MISTAKE
  return given.push(region, rooms)[0];
#else
  return given.push(rooms, region)[0];
#endif
}
