// SPDX-License-Identifier: MIT
// Neither the width of vectors nor the number of registers, and so of register tiles, changes a bit
// of a dense layer's training: every kernel runs on every architecture that these compiler flags
// can make up, in one program.
#include <algorithm>

#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using layout::architecture;

namespace {

constexpr float rate = 0.1F;
constexpr float momentum = 0.9F;

/// The widths of vectors that there are: 4, 8 and 16 floats.
constexpr int widths = layout::native.lanes == 16 ? 3 : layout::native.lanes == 8 ? 2 : 1;

/// Numbers [rows][columns] without padding, and how an architecture wants them to lie.
using numbers = std::vector<float>;

numbers random_numbers(int count, std::uint64_t seed) {
  numbers values;
  for (int i = 0; i < count; ++i) {
    values.push_back(test::number(seed, static_cast<std::uint64_t>(i)));
  }
  return values;
}

test::buffer padded(const numbers& values, int rows, int columns, architecture target) {
  const std::int64_t stride = layout::whole_vectors(columns, target);
  test::buffer lying(rows * stride, 0.0F);
  std::size_t next = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      lying[row * stride + column] = values[next];
      ++next;
    }
  }
  return lying;
}

void append_rows(numbers& to, const test::buffer& from, int rows, int columns,
                 architecture target) {
  const std::int64_t stride = layout::whole_vectors(columns, target);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      to.push_back(from[row * stride + column]);
    }
  }
}

void append_panels(numbers& to, const test::buffer& from, int inputs, int outputs,
                   architecture target) {
  numbers rows(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs));
  layout::unpack_panels(layout::panels(inputs, outputs, target), from.view(), rows);
  to.insert(to.end(), rows.begin(), rows.end());
}

/// One update of a layer by two micro-batches, and all that its kernels computed.
template <int Batch, int Inputs, int Outputs, activation_kind Kind, architecture Architecture>
numbers train_layer() {
  const test::buffer x = padded(random_numbers(Batch * Inputs, 151), Batch, Inputs, Architecture);
  const std::int64_t elements = layout::panel_elements(Inputs, Outputs, Architecture);
  const std::int64_t bias_elements = layout::bias_elements(Outputs, Architecture);
  test::buffer w(elements);
  layout::pack_panels(layout::panels(Inputs, Outputs, Architecture),
                      random_numbers(Inputs * Outputs, 152), w.view());
  test::buffer bias(bias_elements, 0.0F);
  std::ranges::copy(random_numbers(Outputs, 153), bias.data());

  test::buffer y(std::int64_t{Batch} * layout::row_stride(Outputs, Architecture));
  kernels::dense_forward<Batch, Inputs, Outputs, Kind, Architecture>(x.data(), w.data(),
                                                                     bias.data(), y.data(), 0.3F);
  const test::buffer gradient =
      padded(random_numbers(Batch * Outputs, 154), Batch, Outputs, Architecture);
  test::buffer d(y.size());
  test::buffer d_transposed(std::int64_t{Outputs} * layout::batch_stride(Batch, Architecture));
  kernels::dense_output_gradient<Batch, Outputs, Kind, kernels::gradient_layout::batch_major,
                                 Architecture>(gradient.data(), y.data(), d.data(),
                                               d_transposed.data(), 0.3F);
  test::buffer dx_transposed(std::int64_t{Inputs} * layout::batch_stride(Batch, Architecture));
  kernels::dense_input_gradient<Batch, Inputs, Outputs, Architecture>(w.data(), d_transposed.data(),
                                                                      dx_transposed.data());

  test::buffer dw(elements, 0.0F);
  test::buffer db(bias_elements, 0.0F);
  test::buffer velocity(elements, 0.0F);
  test::buffer bias_velocity(bias_elements, 0.0F);
  using update = sgd_momentum_rule;
  const kernels::gradient_target<update> kernel{dw.data(), {w.data(), {velocity.data()}}};
  const kernels::gradient_target<update> biases{db.data(), {bias.data(), {bias_velocity.data()}}};
  kernels::dense_weight_gradient<Batch, Inputs, Outputs, update, Architecture>(x.data(), d.data(),
                                                                               kernel, biases, {});
  numbers seen;
  append_panels(seen, dw, Inputs, Outputs, Architecture);
  kernels::dense_weight_gradient<Batch, Inputs, Outputs, update, Architecture>(
      x.data(), d.data(), kernel, biases,
      {.continues = true, .updates = true, .numbers = {.rate = rate, .momentum = momentum}});

  append_rows(seen, y, Batch, Outputs, Architecture);
  append_rows(seen, d, Batch, Outputs, Architecture);
  append_rows(seen, dx_transposed, Inputs, Batch, Architecture);
  append_panels(seen, w, Inputs, Outputs, Architecture);
  append_panels(seen, velocity, Inputs, Outputs, Architecture);
  append_rows(seen, bias, 1, Outputs, Architecture);
  return seen;
}

struct comparisons {
  int architectures = 0;
  int different = 0;
};

template <int Batch, int Inputs, int Outputs, activation_kind Kind, int Lanes, int Registers>
void compare(const numbers& expected, comparisons& made) {
  if constexpr (Lanes <= layout::native.lanes) {
    constexpr architecture target{Lanes, Registers, layout::native.fused_multiply_add};
    const numbers found = train_layer<Batch, Inputs, Outputs, Kind, target>();
    INFO(Lanes << " lanes, " << Registers << " registers");
    const bool same = test::same_bits(found, expected);
    CHECK(same);
    made.different += same ? 0 : 1;
    made.architectures += 1;
  }
}

/// With so few registers that tiles are a vector wide, with those of AVX2 and of AVX-512.
template <int Batch, int Inputs, int Outputs, activation_kind Kind, int... Registers>
void check_layer() {
  const numbers expected = train_layer<Batch, Inputs, Outputs, Kind, layout::native>();
  comparisons made;
  (compare<Batch, Inputs, Outputs, Kind, 4, Registers>(expected, made), ...);
  (compare<Batch, Inputs, Outputs, Kind, 8, Registers>(expected, made), ...);
  (compare<Batch, Inputs, Outputs, Kind, 16, Registers>(expected, made), ...);
  CHECK(made.architectures == widths * static_cast<int>(sizeof...(Registers)));
  std::printf("register_tiles: compared %d architectures, %zu numbers of each, %d different\n",
              made.architectures, expected.size(), made.different);
}

}  // namespace

TEST_CASE("vector width and register tiles do not change a bit of a layer with tails") {
  check_layer<13, 49, 37, activation_kind::relu, 8, 16, 32>();
}

TEST_CASE("vector width and register tiles do not change a bit of a layer of one sample") {
  check_layer<1, 21, 70, activation_kind::tanh, 8, 32>();
}

TEST_CASE("vector width and register tiles do not change a bit of a layer of few units") {
  check_layer<37, 70, 2, activation_kind::relu, 8, 16, 32>();
}

TEST_CASE("another architecture's layout is another layout") {
  // What the comparisons above would not notice: that all of them are the same instance.
  constexpr bool fused = layout::native.fused_multiply_add;
  static_assert(layout::panel_width(37, {4, 16, fused}) != layout::panel_width(37, {8, 16, fused}));
  static_assert(layout::max_tile_rows(2, {4, 8, fused}) !=
                layout::max_tile_rows(2, {4, 32, fused}));
  CHECK(layout::panels(49, 37, {4, 16, fused}).width !=
        layout::panels(49, 37, {8, 32, fused}).width);
}
