// SPDX-License-Identifier: MIT
// The derivatives of losses where they have none, or where something is held: what TensorFlow takes
// there.
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

template <typename Rule>
float slope_of(const Rule& rule, float predicted, float wanted) {
  return rule.template slope<kernels::arithmetic>(predicted, wanted);
}

constexpr binary_crossentropy_rule of_clipped{score_kind::clipped_probabilities};

}  // namespace

TEST_CASE("where predicted is what was wanted a loss of sizes has no slope") {
  CHECK(slope_of(absolute_error_rule{}, 2, 2) == 0);
  CHECK(slope_of(absolute_error_rule{}, 3, 2) == 1);
  CHECK(slope_of(absolute_error_rule{}, -3, 2) == -1);
  CHECK(slope_of(absolute_percentage_error_rule{}, 2, 2) == 0);
  CHECK(slope_of(absolute_percentage_error_rule{}, 1, -4) == 25);
  CHECK(slope_of(absolute_percentage_error_rule{}, 1, 0) == 100 / keras_epsilon);
  CHECK(slope_of(log_cosh_rule{}, 2, 2) == 0);
  CHECK(slope_of(log_cosh_rule{}, 1000, 2) == 1);
}

TEST_CASE("the slope of huber is held at delta") {
  CHECK(slope_of(huber_rule{0.5F}, 2.25F, 2) == 0.25F);
  CHECK(slope_of(huber_rule{0.5F}, 2.5F, 2) == 0.5F);
  CHECK(slope_of(huber_rule{0.5F}, 1e8F, 2) == 0.5F);
  CHECK(slope_of(huber_rule{0.5F}, -1e8F, 2) == -0.5F);
}

TEST_CASE("what is clipped has no slope") {
  CHECK(slope_of(squared_logarithmic_error_rule{}, -0.5F, 1) == 0);
  CHECK(slope_of(squared_logarithmic_error_rule{}, 0, 1) == 0);
  CHECK(slope_of(of_clipped, 0, 1) == 0);
  CHECK(slope_of(of_clipped, 1, 0) == 0);
  CHECK(slope_of(of_clipped, 0.5F, 1) < -1.99F);
  CHECK(slope_of(of_clipped, 0.5F, 0) > 1.99F);
}

TEST_CASE("logits of any size have the slope of their probability") {
  CHECK(slope_of(binary_crossentropy_rule{}, 200, 0) == 1);
  CHECK(slope_of(binary_crossentropy_rule{}, 200, 1) == 0);
  CHECK(slope_of(binary_crossentropy_rule{}, -200, 1) == -1);
  CHECK(slope_of(binary_crossentropy_rule{}, 0, 0) == 0.5F);
}

TEST_CASE("a hinge has its slope up to the margin, and 0 stands for -1") {
  CHECK(slope_of(hinge_rule{}, 1, 1) == -1);
  CHECK(slope_of(hinge_rule{}, 1.5F, 1) == 0);
  CHECK(slope_of(hinge_rule{}, 0, 0) == 1);
  CHECK(slope_of(hinge_rule{}, -2, 0) == 0);
  CHECK(slope_of(squared_hinge_rule{}, 1, 1) == 0);
  CHECK(slope_of(squared_hinge_rule{}, 0.25F, 1) == -1.5F);
  CHECK(slope_of(squared_hinge_rule{}, 0, -1) == 2);
}

TEST_CASE("a count of 0 is expected of a mean of 0") {
  CHECK(slope_of(poisson_rule{}, 0, 0) == 1);
  CHECK(slope_of(poisson_rule{}, 2, 4) == 1 - 4 / (2 + keras_epsilon));
}
