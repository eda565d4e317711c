// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/dense_forward.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

struct operands {
  test::buffer x;
  test::buffer w;
  test::buffer bias;
};

operands random_operands(int batch, int inputs, int outputs) {
  const auto seed = static_cast<std::uint64_t>(batch * 1'000'003 + inputs * 1009 + outputs);
  return {test::random_rows(batch, inputs, seed), test::random_panels(inputs, outputs, seed + 1),
          test::random_bias(outputs, seed + 2)};
}

struct reference_output {
  float chain;
  double exact;
  double terms;
};

/// One output by its chain, in float64, and the absolute sum of its terms.
reference_output output_of(const operands& given, int inputs, int outputs, int b, int n,
                           bool with_bias) {
  const layout::panels place(inputs, outputs);
  const float start = with_bias ? given.bias[n] : 0.0F;
  reference_output result{start, wide(start), std::fabs(wide(start))};
  for (int k = 0; k < inputs; ++k) {
    const float x = given.x[std::int64_t{b} * layout::row_stride(inputs) + k];
    const float w = given.w[place.offset(k, n)];
    result.chain = test::chain_step(x, w, result.chain);
    result.exact += wide(x) * wide(w);
    result.terms += std::fabs(wide(x) * wide(w));
  }
  return result;
}

struct counts {
  int checked = 0;
  int wrong_bits = 0;
  int beyond_tolerance = 0;
};

counts compare(const operands& given, const test::buffer& y, int batch, int inputs, int outputs,
               bool with_bias) {
  counts found;
  for (int b = 0; b < batch; ++b) {
    for (int n = 0; n < outputs; ++n) {
      const reference_output want = output_of(given, inputs, outputs, b, n, with_bias);
      const float got = y[std::int64_t{b} * layout::row_stride(outputs) + n];
      const double off = std::fabs(wide(got) - want.exact);
      found.checked += 1;
      found.wrong_bits += test::same_bits(got, want.chain) ? 0 : 1;
      found.beyond_tolerance += off <= test::chain_error(inputs + 1, want.terms) ? 0 : 1;
    }
  }
  return found;
}

int checked_outputs = 0;

template <int Batch, int Inputs, int Outputs>
void check_linear() {
  const operands given = random_operands(Batch, Inputs, Outputs);
  for (const bool with_bias : {true, false}) {
    test::buffer y(std::int64_t{Batch} * layout::row_stride(Outputs));
    kernels::dense_forward<Batch, Inputs, Outputs, activation_kind::linear>(
        given.x.data(), given.w.data(), with_bias ? given.bias.data() : nullptr, y.data(), 0.0F);
    INFO("batch " << Batch << ", " << Inputs << " x " << Outputs);
    const counts found = compare(given, y, Batch, Inputs, Outputs, with_bias);
    CHECK(found.wrong_bits == 0);
    CHECK(found.beyond_tolerance == 0);
    CHECK(test::padding_is_zero(y, Batch, Outputs));
    CHECK(y.intact());
    checked_outputs += found.checked;
  }
}

/// The activation in the epilogue gives the bits of the activation after a linear layer.
template <activation_kind Kind>
void check_activation() {
  constexpr int batch = 7;
  constexpr int inputs = 25;
  constexpr int outputs = lanes + 1;
  const operands given = random_operands(batch, inputs, outputs);
  test::buffer linear(std::int64_t{batch} * layout::row_stride(outputs));
  test::buffer fused(linear.size());
  kernels::dense_forward<batch, inputs, outputs, activation_kind::linear>(
      given.x.data(), given.w.data(), given.bias.data(), linear.data(), 0.0F);
  kernels::dense_forward<batch, inputs, outputs, Kind>(given.x.data(), given.w.data(),
                                                       given.bias.data(), fused.data(), 0.3F);
  if constexpr (Kind == activation_kind::softmax) {
    kernels::softmax_forward(linear.data(), linear.data(), batch, outputs);
  } else {
    kernels::activation_forward<Kind>(linear.data(), linear.data(), batch, outputs, 0.3F);
  }
  INFO(name_of(Kind));
  CHECK(test::same_bits(linear.view(), fused.view()));
  CHECK(test::padding_is_zero(fused, batch, outputs));
  CHECK(fused.intact());
  checked_outputs += batch * outputs;
}

}  // namespace

TEST_CASE("each dense output is one chain in ascending k from its bias") {
  checked_outputs = 0;
  check_linear<1, 1, 1>();
  check_linear<1, 33, lanes + 1>();
  check_linear<1, 25, 10 * lanes>();
  check_linear<1, 31, 17 * lanes + 3>();
  check_linear<1, 10, 40 * lanes + 1>();
  check_linear<3, lanes - 1, lanes - 1>();
  check_linear<7, lanes, lanes>();
  check_linear<8, lanes + 1, 10>();
  check_linear<13, 2 * lanes + 1, 24>();
  check_linear<32, 24, 25>();
  check_linear<33, 25, 31>();
  check_linear<32, 10, 32>();
  check_linear<3, 31, 33>();
  check_linear<7, 32, 2 * lanes + 1>();
  check_linear<13, 1, 100>();
  check_linear<32, 64, 1>();
  check_linear<33, 130, 2>();
  check_linear<40, 70, 3>();
  CHECK(checked_outputs > 0);
  std::printf("dense_forward: checked %d outputs\n", checked_outputs);
}

TEST_CASE("activations are applied to the linear output") {
  checked_outputs = 0;
  check_activation<activation_kind::relu>();
  check_activation<activation_kind::leaky_relu>();
  check_activation<activation_kind::elu>();
  check_activation<activation_kind::sigmoid>();
  check_activation<activation_kind::softmax>();
  CHECK(checked_outputs > 0);
  std::printf("dense_forward: checked %d activated outputs\n", checked_outputs);
}
