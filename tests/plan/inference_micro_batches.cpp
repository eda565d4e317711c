// SPDX-License-Identifier: MIT
// The option of how many micro-batches a run of a forward program has.
#include <cstdint>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

namespace {

using namespace ipu_dsl;

struct net : model<input<8>, pipeline<stage<Dense<6, relu>>, stage<Dense<3>>>> {};

template <typename... Options>
using training = compile<net, micro_batch<4>, gradient_accumulation<4>, grouped,
                         loss<sparse_categorical_crossentropy>, Options...>;

template <typename... Options>
constexpr problem fault_with = compile_fault_of<training<Options...>>::value;

static_assert(micro_batches_of<training<>, program_kind::predict> == 4);
static_assert(micro_batches_of<training<inference_micro_batches<10>>, program_kind::predict> == 10);
static_assert(micro_batches_of<training<inference_micro_batches<10>>, program_kind::evaluate> ==
              10);
static_assert(micro_batches_of<training<inference_micro_batches<10>>, program_kind::train> == 4);
static_assert(!fault_with<inference_micro_batches<10>>.found());
static_assert(fault_with<inference_micro_batches<0>>.got.view() == "0");

TEST_CASE("what is evaluated and predicted does not depend on the length of a run") {
  const tests::point_set data = tests::labelled_points(100, 1);
  session<training<>> expected;
  session<training<inference_micro_batches<10>>> run;
  std::vector<float> outputs(300);
  std::vector<float> wanted(300);
  expected.predict(data.features(), wanted);
  run.predict(data.features(), outputs);
  CHECK(outputs == wanted);
  CHECK(run.evaluate(data).loss == expected.evaluate(data).loss);
}

TEST_CASE("a run of no micro-batch is refused") {
  CHECK(fault_with<inference_micro_batches<0>>.found());
}

}  // namespace
