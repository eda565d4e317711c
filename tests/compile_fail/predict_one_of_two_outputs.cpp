// SPDX-License-Identifier: MIT
// Room for one output of a model that has two.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

/// Two outputs, called after the layers that make them.
struct house {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input({5});
    const symbolic_tensor region = build.input({3});
    const symbolic_tensor both = build.layer<Concatenate>("", rooms, region);
    return {build.layer<Dense<4>>("kind", both), build.layer<Dense<1>>("price", both)};
  }
};

struct training : compile<house, loss<for_output<"kind", sparse_categorical_crossentropy>,
                                      for_output<"price", mean_squared_error>>> {};

void test(session<training>& run, const std::vector<float>& values, std::vector<float>& scores,
          [[maybe_unused]] std::vector<float>& prices) {
#ifdef WITH_MISTAKE
  run.predict(input_arrays{values, values}, output_arrays{scores});
#else
  run.predict(input_arrays{values, values}, output_arrays{scores, prices});
#endif
}
