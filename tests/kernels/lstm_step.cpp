// SPDX-License-Identifier: MIT
// Tests of kernels/lstm_step.hpp: the sums of all gates go on with one chain over the states
// before, gates and cells follow as for one number, and parts make the whole.
#include <cstdio>

#include <ipu_dsl/kernels/lstm_step.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

int checked = 0;

template <int Samples, int Steps, int Units>
struct sequences {
  static constexpr kernels::lstm_sequence of = {
      Samples, Steps, Units, activation_kind::tanh, activation_kind::sigmoid, Steps};
  static constexpr kernels::gate_alphas alphas = {0, 0};

  static std::int64_t at(int sample, int step, int column, int columns) {
    return std::int64_t{sample * Steps + step} * layout::row_stride(columns) + column;
  }

  static float state_at(const test::buffer& values, int sample, int step, int unit) {
    return step < 0 || step >= Steps ? 0.0F : values[at(sample, step, unit, Units)];
  }

  /// The sum of a gate, from what the inputs gave.
  static float sum_of(const test::buffer& given, const test::buffer& states, const test::buffer& w,
                      int sample, int step, int before, int column) {
    const layout::panels place(Units, 4 * Units);
    float sum = given[at(sample, step, column, 4 * Units)];
    for (int j = 0; before >= 0 && before < Steps && j < Units; ++j) {
      sum = test::chain_step(state_at(states, sample, before, j), w[place.offset(j, column)], sum);
    }
    return sum;
  }

  static void check(bool from_last, int parts) {
    const test::buffer given = test::random_rows(Samples * Steps, 4 * Units, 1, 0.5F);
    const test::buffer w = test::random_panels(Units, 4 * Units, 2);
    test::buffer gates = given;
    test::buffer cells(std::int64_t{Samples} * Steps * layout::row_stride(Units));
    test::buffer states = cells;
    for (int number = 0; number < Steps; ++number) {
      for (int index = parts - 1; index >= 0; --index) {
        kernels::lstm_step<of>(gates.data(), cells.data(), states.data(), w.data(),
                               kernels::walked_step(number, Steps, from_last), alphas,
                               {index, parts});
      }
    }
    int wrong = 0;
    for (int i = 0; i < Samples * Steps * Units; ++i) {
      const int sample = i / (Steps * Units);
      const int step = i / Units % Steps;
      const int unit = i % Units;
      const int before = from_last ? step + 1 : step - 1;
      float sums[4];
      for (int gate = 0; gate < 4; ++gate) {
        sums[gate] = sum_of(given, states, w, sample, step, before, gate * Units + unit);
      }
      const float in = kernels::logistic(sums[0]);
      const float forget = kernels::logistic(sums[1]);
      const float candidate = kernels::hyperbolic_tangent(sums[2]);
      const float out = kernels::logistic(sums[3]);
      const float cell =
          test::chain_step(forget, state_at(cells, sample, before, unit), in * candidate);
      wrong += test::same_bits(gates[at(sample, step, unit, 4 * Units)], in) ? 0 : 1;
      wrong += test::same_bits(gates[at(sample, step, Units + unit, 4 * Units)], forget) ? 0 : 1;
      wrong += test::same_bits(state_at(cells, sample, step, unit), cell) ? 0 : 1;
      wrong += test::same_bits(state_at(states, sample, step, unit),
                               out * kernels::hyperbolic_tangent(cell))
                   ? 0
                   : 1;
      ++checked;
    }
    CHECK(wrong == 0);
    CHECK(test::padding_is_zero(gates, Samples * Steps, 4 * Units));
    CHECK(test::padding_is_zero(cells, Samples * Steps, Units));
    CHECK(test::padding_is_zero(states, Samples * Steps, Units));
    CHECK(gates.intact());
    CHECK(cells.intact());
    CHECK(states.intact());
  }
};

/// The gradients of the gates of one row, one number at a time; of the cell something may be given.
template <int Units>
void check_row_gradient(bool is_given) {
  const test::buffer gates = test::random_rows(1, 4 * Units, 3, 0.9F);
  const test::buffer before = test::random_rows(1, Units, 4);
  const test::buffer cell = test::random_rows(1, Units, 5);
  const test::buffer gradient = test::random_rows(1, Units, 6);
  const test::buffer carried = test::random_rows(1, Units, 7);
  const test::buffer given = test::random_rows(1, Units, 8);
  test::buffer made(layout::row_stride(4 * Units));
  test::buffer carries(layout::row_stride(Units));
  kernels::lstm_state_gradient<activation_kind::tanh, activation_kind::sigmoid, layout::native>(
      gates.data(), before.data(), cell.data(), gradient.data(), carried.data(),
      is_given ? given.data() : nullptr, made.data(), carries.data(), Units, {0, 0});
  constexpr auto of_gate = kernels::gradient_through<activation_kind::sigmoid, float>;
  constexpr auto of_state = kernels::gradient_through<activation_kind::tanh, float>;
  int wrong = 0;
  for (int n = 0; n < Units; ++n) {
    const float in = gates[n];
    const float forget = gates[Units + n];
    const float candidate = gates[2 * Units + n];
    const float out = gates[3 * Units + n];
    const float shown = kernels::hyperbolic_tangent(cell[n]);
    const float slope = kernels::derivative_from_output<activation_kind::tanh>(shown, 0.0F);
    const float later = is_given ? carried[n] + given[n] : carried[n];
    const float of_cell = test::chain_step(gradient[n] * out, slope, later);
    wrong += test::same_bits(made[n], of_gate(of_cell * candidate, in, 0)) ? 0 : 1;
    wrong += test::same_bits(made[Units + n], of_gate(of_cell * before[n], forget, 0)) ? 0 : 1;
    wrong += test::same_bits(made[2 * Units + n], of_state(of_cell * in, candidate, 0)) ? 0 : 1;
    wrong += test::same_bits(made[3 * Units + n], of_gate(gradient[n] * shown, out, 0)) ? 0 : 1;
    wrong += test::same_bits(carries[n], of_cell * forget) ? 0 : 1;
    ++checked;
  }
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(made, 1, 4 * Units));
  CHECK(test::padding_is_zero(carries, 1, Units));
}

}  // namespace

TEST_CASE("gates, cells and states of an LSTM are chains along the sequence") {
  checked = 0;
  sequences<3, 4, 5>::check(false, 1);
  sequences<3, 4, 5>::check(true, 2);
  sequences<1, 3, test::lanes>::check(false, 3);
  sequences<11, 2, 2 * test::lanes + 1>::check(false, 3);
  check_row_gradient<2 * test::lanes + 3>(false);
  check_row_gradient<2 * test::lanes + 3>(true);
  check_row_gradient<test::lanes>(true);
  CHECK(checked > 0);
  std::printf("steps of an LSTM: checked %d states\n", checked);
}
