// SPDX-License-Identifier: MIT
#include "training/session_elsewhere.hpp"

#include <ipu_dsl/training/session.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// The same model under a name of its own, compiled here.
struct compiled_here
    : compile<tests::compiled_elsewhere_model, micro_batch<8>, gradient_accumulation<2>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

}  // namespace

TEST_CASE("a session whose code is compiled elsewhere trains as one that is compiled here") {
  CHECK(tests::weights_trained_elsewhere() == tests::trained_weights<compiled_here>());
}
