// SPDX-License-Identifier: MIT
// Parts of a call, computed one by one in any order, make the bits of the whole.
#include <cstdio>

#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

int checked = 0;

/// Runs `kernel` whole and in 1 to 7 grains, the last grain first, each time into poison.
template <typename Kernel>
void check_grains(std::int64_t elements, const Kernel& kernel) {
  test::buffer whole(elements);
  kernel(whole.data(), grain{});
  for (std::int32_t count = 1; count <= 7; ++count) {
    test::buffer parts(elements);
    for (std::int32_t index = count - 1; index >= 0; --index) {
      kernel(parts.data(), grain{index, count});
    }
    CHECK(test::same_bits(whole.view(), parts.view()));
    CHECK(parts.intact());
    ++checked;
  }
}

template <int Batch, int Inputs, int Outputs, activation_kind Kind>
void check_layer() {
  const test::buffer x = test::random_rows(Batch, Inputs, 1);
  const test::buffer w = test::random_panels(Inputs, Outputs, 2);
  const test::buffer bias = test::random_bias(Outputs, 3);
  const test::buffer d = test::random_rows(Batch, Outputs, 4);
  const test::buffer y = test::random_rows(Batch, Outputs, 5);
  const test::buffer d_transposed = test::random_rows(Outputs, Batch, 6);
  check_grains(std::int64_t{Batch} * layout::row_stride(Outputs), [&](float* to, grain part) {
    kernels::dense_forward<Batch, Inputs, Outputs, Kind>(x.data(), w.data(), bias.data(), to, 0.3F,
                                                         part);
  });
  check_grains(std::int64_t{Inputs} * layout::batch_stride(Batch), [&](float* to, grain part) {
    kernels::dense_input_gradient<Batch, Inputs, Outputs>(w.data(), d_transposed.data(), to, part);
  });
  check_grains(w.size() + bias.size(), [&](float* to, grain part) {
    kernels::dense_weight_gradient<Batch, Inputs, Outputs>(x.data(), d.data(), {.sum = to},
                                                           {.sum = to + w.size()}, {}, part);
  });
  constexpr auto transposed = kernels::gradient_layout::transposed;
  check_grains(d.size() + d_transposed.size(), [&](float* to, grain part) {
    kernels::dense_output_gradient<Batch, Outputs, Kind, transposed>(d_transposed.data(), y.data(),
                                                                     to, to + d.size(), 0.3F, part);
  });
}

template <int Inputs, int Outputs>
void check_single_sample() {
  const test::buffer w = test::random_panels(Inputs, Outputs, 2);
  const test::buffer d_transposed = test::random_rows(Outputs, 1, 6);
  check_grains(std::int64_t{Inputs} * layout::batch_stride(1), [&](float* to, grain part) {
    kernels::dense_input_gradient<1, Inputs, Outputs>(w.data(), d_transposed.data(), to, part);
  });
}

}  // namespace

TEST_CASE("the grains of a dense layer's calls make the bits of the whole") {
  checked = 0;
  check_layer<32, 64, 72, activation_kind::relu>();
  check_layer<7, 300, 33, activation_kind::tanh>();
  check_layer<150, 21, 40, activation_kind::relu>();
  check_layer<5, 13, 3, activation_kind::linear>();
  check_layer<33, 9, 100, activation_kind::leaky_relu>();
  check_layer<140, 300, 1, activation_kind::sigmoid>();
  check_layer<70, 150, 2, activation_kind::relu>();
  CHECK(checked == 7 * 4 * 7);
  std::printf("grains: checked %d ways to share a call\n", checked);
}

TEST_CASE("the grains of a single sample's input gradient make the bits of the whole") {
  checked = 0;
  check_single_sample<1, 1>();
  check_single_sample<7, 17>();
  check_single_sample<64, 100>();
  check_single_sample<300, 33>();
  check_single_sample<130, 5000>();
  CHECK(checked == 5 * 7);
  std::printf("grains: checked %d ways to share a single sample\n", checked);
}
