// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <ipu_dsl/kernels/activation.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;
using kind = activation_kind;

static_assert(name_of(kind::leaky_relu) == "leaky_relu");
static_assert(name_of(kind::softmax) == "softmax");
static_assert(gradient_from_output(kind::relu) && gradient_from_output(kind::softplus));
static_assert(!gradient_from_output(kind::gelu) && !gradient_from_output(kind::swish) &&
              !gradient_from_output(kind::mish));
static_assert(!gradient_from_output(kind::softmax));

namespace {

constexpr float alpha = 0.3F;

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

/// The definitions of Keras 2.4 in float64.
double exact_value(kind which, double x) {
  switch (which) {
    case kind::relu:
      return x > 0.0 ? x : 0.0;
    case kind::relu6:
      return std::fmin(6.0, std::fmax(0.0, x));
    case kind::leaky_relu:
      return x > 0.0 ? x : wide(alpha) * x;
    case kind::elu:
      return x > 0.0 ? x : wide(alpha) * std::expm1(x);
    case kind::gelu:
      return 0.5 * x * (1.0 + std::erf(x / std::sqrt(2.0)));
    case kind::swish:
      return x * sigmoid(x);
    case kind::sigmoid:
      return sigmoid(x);
    case kind::tanh:
      return std::tanh(x);
    case kind::softplus:
      return std::log1p(std::exp(x));
    case kind::selu:
      return 1.0507009873554805 * (x > 0.0 ? x : 1.6732632423543772 * std::expm1(x));
    case kind::hard_sigmoid:
      return std::fmin(1.0, std::fmax(0.0, 0.2 * x + 0.5));
    case kind::softsign:
      return x / (1.0 + std::fabs(x));
    case kind::exponential:
      return std::exp(x);
    case kind::mish:
      return x * std::tanh(std::log1p(std::exp(x)));
    default:
      return x;
  }
}

/// The derivative by central differences in float64: the truncation is h^2 / 6 times the third
/// derivative (below 1 for all of these), the rounding 2^-52 * 8 / h; both below 1e-9 for h = 3e-5.
double exact_derivative(kind which, double x) {
  constexpr double h = 3e-5;
  return (exact_value(which, x + h) - exact_value(which, x - h)) / (2.0 * h);
}

/// A handful of roundings of values up to 8 (x * erf, y * (1 - y), ...): 8 of them, each relative
/// to the larger of the value and one, twice as many without fused multiply-add.
double tolerance(double value) {
  const double roundings = layout::native.fused_multiply_add ? 8.0 : 16.0;
  return roundings * test::unit_roundoff * std::fmax(1.0, std::fabs(value)) + 1e-9;
}

/// What roundings are relative to: the argument, of e^x its value.
double size_of(kind which, double x) {
  return which == kind::exponential ? exact_value(which, x) : x;
}

int checked = 0;

struct extents {
  int rows;
  int units;
};

/// Values of x stay 1e-3 away from zero and 6, where relu and its kin have no derivative, and from
/// 2.5 and -2.5, where hard_sigmoid has none.
test::buffer inputs_of(extents size) {
  test::buffer x = test::random_rows(size.rows, size.units, 71, 8.0F);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    x[i] = x[i] != 0.0F && std::fabs(x[i]) < 1e-3F ? 1e-3F : x[i];
    x[i] = std::fabs(std::fabs(x[i]) - 2.5F) < 1e-3F ? 2.0F : x[i];
    x[i] = std::fabs(x[i] - 6.0F) < 1e-3F ? 7.0F : x[i];
  }
  return x;
}

template <kind Kind>
void check_forward(extents size) {
  const test::buffer x = inputs_of(size);
  test::buffer y(x.size());
  kernels::activation_forward<Kind>(x.data(), y.data(), size.rows, size.units, alpha);
  const std::int64_t stride = layout::row_stride(size.units);
  int wrong = 0;
  for (int row = 0; row < size.rows; ++row) {
    for (int n = 0; n < size.units; ++n) {
      const std::int64_t i = row * stride + n;
      const double want = exact_value(Kind, wide(x[i]));
      wrong += std::fabs(wide(y[i]) - want) <= tolerance(size_of(Kind, wide(x[i]))) ? 0 : 1;
      wrong += test::same_bits(y[i], kernels::activate<Kind>(x[i], alpha)) ? 0 : 1;
      ++checked;
    }
  }
  INFO(name_of(Kind) << " " << size.rows << " x " << size.units);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, size.rows, size.units));
  CHECK(y.intact());
  test::buffer in_place = x;
  kernels::activation_forward<Kind>(in_place.data(), in_place.data(), size.rows, size.units, alpha);
  CHECK(test::same_bits(in_place.view(), y.view()));
}

/// Against central differences. From the output the derivative sees the rounding of y too.
template <kind Kind>
void check_gradients(extents size) {
  const test::buffer x = inputs_of(size);
  const test::buffer gradient = test::random_rows(size.rows, size.units, 72);
  test::buffer y(x.size());
  kernels::activation_forward<Kind>(x.data(), y.data(), size.rows, size.units, alpha);
  test::buffer from_input(x.size());
  test::buffer from_output(x.size(), 0.0F);
  kernels::activation_gradient_from_input<Kind>(gradient.data(), x.data(), from_input.data(),
                                                size.rows, size.units, alpha);
  if constexpr (gradient_from_output(Kind)) {
    kernels::activation_gradient_from_output<Kind>(gradient.data(), y.data(), from_output.data(),
                                                   size.rows, size.units, alpha);
  }
  const std::int64_t stride = layout::row_stride(size.units);
  int wrong = 0;
  for (int row = 0; row < size.rows; ++row) {
    for (int n = 0; n < size.units; ++n) {
      const std::int64_t i = row * stride + n;
      const double want = wide(gradient[i]) * exact_derivative(Kind, wide(x[i]));
      wrong +=
          std::fabs(wide(from_input[i]) - want) <= tolerance(size_of(Kind, wide(x[i]))) ? 0 : 1;
      if (gradient_from_output(Kind)) {
        wrong +=
            std::fabs(wide(from_output[i]) - want) <= tolerance(size_of(Kind, wide(x[i]))) ? 0 : 1;
      }
      ++checked;
    }
  }
  INFO("gradient of " << name_of(Kind) << " " << size.rows << " x " << size.units);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(from_input, size.rows, size.units));
  CHECK(test::padding_is_zero(from_output, size.rows, size.units));
  CHECK(from_input.intact());
  CHECK(from_output.intact());
}

template <kind Kind>
void check_kind() {
  for (const extents size : {extents{1, 1}, extents{3, lanes - 1}, extents{7, lanes},
                             extents{8, lanes + 1}, extents{13, 2 * lanes + 1}, extents{32, 10}}) {
    check_forward<Kind>(size);
    check_gradients<Kind>(size);
  }
}

/// A row of four vectors in turn, twice, then of single ones and of padding; returns how many
/// numbers were compared.
template <kind Kind, layout::architecture Architecture>
int check_in_turn() {
  constexpr std::int32_t rows = 3;
  constexpr std::int32_t units = 9 * Architecture.lanes + 3;
  constexpr std::int32_t stride = layout::row_stride(units, Architecture);
  static_assert(kernels::computes_in_turn(Kind));
  std::vector<float> x = reference::numbers(std::size_t{rows * stride}, 17, 6.0F);
  const std::vector<float> d = reference::numbers(x.size(), 19, 1.0F);
  x[1] = std::numeric_limits<float>::infinity();
  x[2] = -std::numeric_limits<float>::infinity();
  x[3] = -0.0F;
  std::vector<float> y(x.size());
  std::vector<float> dx(x.size());
  kernels::activation_forward<Kind, Architecture>(x.data(), y.data(), rows, units, 0.0F);
  kernels::activation_gradient_from_input<Kind, Architecture>(d.data(), x.data(), dx.data(), rows,
                                                              units, 0.0F);
  int compared = 0;
  for (std::int32_t i = 0; i < rows * stride; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool padding = i % stride >= units;
    const float alone = padding ? 0.0F : kernels::activate<Kind>(x[at], 0.0F);
    const float gradient =
        padding ? 0.0F : d[at] * kernels::derivative_from_input<Kind>(x[at], 0.0F);
    CHECK(std::bit_cast<std::uint32_t>(y[at]) == std::bit_cast<std::uint32_t>(alone));
    CHECK((std::isnan(gradient)
               ? std::isnan(dx[at])
               : std::bit_cast<std::uint32_t>(dx[at]) == std::bit_cast<std::uint32_t>(gradient)));
    ++compared;
  }
  return compared;
}

}  // namespace

TEST_CASE("activations and their derivatives agree with float64, padding stays zero") {
  checked = 0;
  check_kind<kind::linear>();
  check_kind<kind::relu>();
  check_kind<kind::relu6>();
  check_kind<kind::leaky_relu>();
  check_kind<kind::elu>();
  check_kind<kind::gelu>();
  check_kind<kind::swish>();
  check_kind<kind::sigmoid>();
  check_kind<kind::tanh>();
  check_kind<kind::softplus>();
  check_kind<kind::selu>();
  check_kind<kind::hard_sigmoid>();
  check_kind<kind::softsign>();
  check_kind<kind::exponential>();
  check_kind<kind::mish>();
  CHECK(checked > 0);
  std::printf("activation: checked %d values and derivatives\n", checked);
}

TEST_CASE("relu lets not-a-number through and a closed relu stops an infinite gradient") {
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(kernels::activate<kind::relu>(not_a_number, 0.0F)));
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(kernels::gradient_through<kind::relu>(infinity, 0.0F, 0.0F) == 0.0F);
  CHECK(kernels::gradient_through<kind::relu>(infinity, 1.0F, 0.0F) == infinity);
  CHECK(kernels::gradient_through<kind::relu6>(infinity, 0.0F, 0.0F) == 0.0F);
  CHECK(kernels::gradient_through<kind::relu6>(infinity, 6.0F, 0.0F) == 0.0F);
  CHECK(kernels::gradient_through<kind::relu6>(infinity, 5.0F, 0.0F) == infinity);
}

TEST_CASE("activations that saturate have finite values and derivatives far out") {
  CHECK(kernels::activate<kind::mish>(1e30F, 0.0F) == 1e30F);
  CHECK(kernels::activate<kind::mish>(-1e30F, 0.0F) == 0.0F);
  CHECK(kernels::derivative_from_input<kind::mish>(1e30F, 0.0F) == 1.0F);
  CHECK(kernels::derivative_from_input<kind::mish>(-200.0F, 0.0F) == 0.0F);
  CHECK(kernels::activate<kind::relu6>(1e30F, 0.0F) == 6.0F);
  CHECK(kernels::gradient_through<kind::relu6>(1.0F, 6.0F, 0.0F) == 0.0F);
  CHECK(kernels::activate<kind::softsign>(1e30F, 0.0F) == 1.0F);
  CHECK(kernels::activate<kind::hard_sigmoid>(-1e30F, 0.0F) == 0.0F);
  CHECK(kernels::gradient_through<kind::hard_sigmoid>(1.0F, 1.0F, 0.0F) == 0.0F);
  CHECK(kernels::activate<kind::selu>(-1e30F, 0.0F) == -kernels::selu_floor);
}

TEST_CASE("four vectors in turn have the bits of each number alone") {
  constexpr layout::architecture narrow{4, layout::native.registers,
                                        layout::native.fused_multiply_add};
  int compared = 0;
  compared += check_in_turn<kind::gelu, layout::native>();
  compared += check_in_turn<kind::swish, layout::native>();
  compared += check_in_turn<kind::sigmoid, layout::native>();
  compared += check_in_turn<kind::tanh, layout::native>();
  compared += check_in_turn<kind::gelu, narrow>();
  CHECK(compared > 0);
}
