// SPDX-License-Identifier: MIT
// Tests of kernels/dense_input_gradient.hpp; a single sample has tests of its own.
#include <ipu_dsl/kernels/dense_input_gradient.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

int checked_elements = 0;

template <int Batch, int Inputs, int Outputs>
void check_gradient() {
  const test::buffer w = test::random_panels(Inputs, Outputs, 11);
  const test::buffer d = test::random_rows(Outputs, Batch, 12);
  const std::int64_t stride = layout::batch_stride(Batch);
  test::buffer dx(Inputs * stride);
  kernels::dense_input_gradient<Batch, Inputs, Outputs>(w.data(), d.data(), dx.data());
  const layout::panels place(Inputs, Outputs);
  int wrong_bits = 0;
  int beyond_tolerance = 0;
  for (int k = 0; k < Inputs; ++k) {
    for (int b = 0; b < Batch; ++b) {
      float chain = 0.0F;
      double exact = 0.0;
      double terms = 0.0;
      for (int n = 0; n < Outputs; ++n) {
        const float weight = w[place.offset(k, n)];
        const float slope = d[n * stride + b];
        chain = test::chain_step(weight, slope, chain);
        exact += wide(weight) * wide(slope);
        terms += std::fabs(wide(weight) * wide(slope));
      }
      const float got = dx[k * stride + b];
      const double off = std::fabs(wide(got) - exact);
      wrong_bits += test::same_bits(got, chain) ? 0 : 1;
      beyond_tolerance += off <= test::chain_error(Outputs, terms) ? 0 : 1;
      checked_elements += 1;
    }
  }
  INFO("batch " << Batch << ", " << Inputs << " x " << Outputs);
  CHECK(wrong_bits == 0);
  CHECK(beyond_tolerance == 0);
  CHECK(test::padding_is_zero(dx, Inputs, Batch));
  CHECK(dx.intact());
}

}  // namespace

TEST_CASE("each input gradient is one chain in ascending n through all panels") {
  checked_elements = 0;
  check_gradient<2, 1, 1>();
  check_gradient<2, 33, lanes + 1>();
  check_gradient<3, lanes - 1, lanes - 1>();
  check_gradient<7, lanes, lanes>();
  check_gradient<8, lanes + 1, 10>();
  check_gradient<13, 2 * lanes + 1, 24>();
  check_gradient<32, 24, 25>();
  check_gradient<33, 25, 31>();
  check_gradient<32, 10, 32>();
  check_gradient<3, 31, 33>();
  check_gradient<7, 32, 2 * lanes + 1>();
  check_gradient<13, 1, 100>();
  check_gradient<130, 17, 33>();
  check_gradient<3 * lanes, 7, 200>();
  CHECK(checked_elements > 0);
  std::printf("dense_input_gradient: checked %d elements\n", checked_elements);
}
