// SPDX-License-Identifier: MIT
// Two metrics of an output in one for_output.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

/// Two outputs, called after the layers that make them.
struct house {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor rooms = build.input({5});
    return {build.layer<Dense<4>>("kind", rooms), build.layer<Dense<1>>("price", rooms)};
  }
};

using top = sparse_top_k_categorical_accuracy<2>;

#ifdef WITH_MISTAKE
using wanted = metrics<for_output<"kind", accuracy, top>>;
#else
using wanted = metrics<for_output<"kind", accuracy>, for_output<"kind", top>>;
#endif

struct training
    : compile<house, loss<for_output<"kind", sparse_categorical_crossentropy>>, wanted> {};

static_assert(check<training>());
