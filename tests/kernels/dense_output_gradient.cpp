// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/dense_output_gradient.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kernels::gradient_layout;
using test::lanes;

namespace {

constexpr float alpha = 0.2F;

int checked = 0;

/// The gradient of the pre-activation, one element at a time.
template <int Batch, int Units, activation_kind Kind>
test::buffer expected(const test::buffer& gradient, const test::buffer& y) {
  test::buffer d(gradient.size(), 0.0F);
  if constexpr (Kind == activation_kind::softmax) {
    kernels::softmax_gradient(gradient.data(), y.data(), d.data(), Batch, Units);
  } else {
    for (int b = 0; b < Batch; ++b) {
      for (int n = 0; n < Units; ++n) {
        const std::int64_t i = std::int64_t{b} * layout::row_stride(Units) + n;
        d[i] = kernels::gradient_through<Kind>(gradient[i], y[i], alpha);
      }
    }
  }
  return d;
}

template <int Batch, int Units, activation_kind Kind>
void check_layouts() {
  const test::buffer gradient = test::random_rows(Batch, Units, 101);
  const test::buffer y = test::random_rows(Batch, Units, 102);
  test::buffer gradient_transposed(std::int64_t{Units} * layout::batch_stride(Batch));
  kernels::transpose(gradient.data(), gradient_transposed.data(), Batch, Units);
  const test::buffer want = expected<Batch, Units, Kind>(gradient, y);
  test::buffer want_transposed(gradient_transposed.size());
  kernels::transpose(want.data(), want_transposed.data(), Batch, Units);

  test::buffer d(gradient.size());
  test::buffer d_transposed(gradient_transposed.size());
  kernels::dense_output_gradient<Batch, Units, Kind, gradient_layout::batch_major>(
      gradient.data(), y.data(), d.data(), d_transposed.data(), alpha);
  INFO(name_of(Kind) << " " << Batch << " x " << Units);
  CHECK(test::same_bits(d.view(), want.view()));
  CHECK(test::same_bits(d_transposed.view(), want_transposed.view()));

  test::buffer again(gradient.size());
  test::buffer again_transposed(gradient_transposed.size());
  kernels::dense_output_gradient<Batch, Units, Kind, gradient_layout::transposed>(
      gradient_transposed.data(), y.data(), again.data(), again_transposed.data(), alpha);
  CHECK(test::same_bits(again.view(), want.view()));
  CHECK(test::same_bits(again_transposed.view(), want_transposed.view()));
  CHECK(d.intact());
  CHECK(d_transposed.intact());
  CHECK(again.intact());
  CHECK(again_transposed.intact());
  checked += 2 * Batch * Units;
}

template <activation_kind Kind>
void check_kind() {
  check_layouts<1, 1, Kind>();
  check_layouts<3, lanes + 1, Kind>();
  check_layouts<8, 10, Kind>();
  check_layouts<13, lanes - 1, Kind>();
  check_layouts<33, 2 * lanes, Kind>();
  check_layouts<2 * lanes + 5, lanes + 6, Kind>();
}

}  // namespace

TEST_CASE("the gradient of a pre-activation comes in both layouts, from both layouts") {
  checked = 0;
  check_kind<activation_kind::linear>();
  check_kind<activation_kind::relu>();
  check_kind<activation_kind::leaky_relu>();
  check_kind<activation_kind::tanh>();
  check_kind<activation_kind::softmax>();
  CHECK(checked > 0);
  std::printf("dense_output_gradient: checked %d elements\n", checked);
}

TEST_CASE("the transposed copy may be left out") {
  const test::buffer gradient = test::random_rows(3, 5, 103);
  test::buffer d(gradient.size());
  kernels::dense_output_gradient<3, 5, activation_kind::linear, gradient_layout::batch_major>(
      gradient.data(), nullptr, d.data(), nullptr, 0.0F);
  CHECK(test::same_bits(d.view(), gradient.view()));
}
