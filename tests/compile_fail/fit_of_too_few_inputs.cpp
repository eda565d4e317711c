// SPDX-License-Identifier: MIT
// Data of one input for a model of two.
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

void test(session<training>& run, const std::vector<float>& values,
          const std::vector<std::int32_t>& labels) {
#ifdef WITH_MISTAKE
  const auto data = zipped(feature_column<shape{5}>(values), label_column<4>(labels),
                           target_column<shape{1}>(values));
  run.fit(data);
#else
  const auto data = zipped(feature_column<shape{5}>(values), feature_column<shape{3}>(values),
                           label_column<4>(labels), target_column<shape{1}>(values));
  run.fit(data);
#endif
}
