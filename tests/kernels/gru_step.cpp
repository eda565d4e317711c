// SPDX-License-Identifier: MIT
// Tests of kernels/gru_step.hpp and kernels/gru_reset_first.hpp: what states give to the gates are
// chains over the states before, gates and states follow as for one number, and parts make the
// whole.
#include <cstdio>

#include <ipu_dsl/kernels/gru_reset_first.hpp>
#include <ipu_dsl/kernels/gru_step.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

int checked = 0;

template <int Samples, int Steps, int Units>
struct sequences {
  static constexpr kernels::gru_sequence of = {
      Samples, Steps, Units, activation_kind::tanh, activation_kind::sigmoid, Steps};
  static constexpr layout::panels place{Units, 3 * Units};

  const test::buffer given = test::random_rows(Samples * Steps, 3 * Units, 1, 0.5F);
  const test::buffer w = test::random_panels(Units, 3 * Units, 2);
  const test::buffer bias = test::random_rows(1, 3 * Units, 3);
  test::buffer gates = given;
  test::buffer states = test::buffer(std::int64_t{Samples} * Steps * layout::row_stride(Units));

  static std::int64_t at(int sample, int step, int column, int columns) {
    return std::int64_t{sample * Steps + step} * layout::row_stride(columns) + column;
  }

  float state_at(int sample, int step, int unit) const {
    return step < 0 || step >= Steps ? 0.0F : states[at(sample, step, unit, Units)];
  }

  float gate_at(int sample, int step, int column) const {
    return gates[at(sample, step, column, 3 * Units)];
  }

  /// A chain that goes on over the states of a step, each times its reset gate at `reset`, if any.
  float chain(float start, int sample, int step, int reset, int column) const {
    for (int j = 0; step >= 0 && step < Steps && j < Units; ++j) {
      const float state = state_at(sample, step, j);
      const float kept = reset < 0 ? state : gate_at(sample, reset, Units + j) * state;
      start = test::chain_step(kept, w[place.offset(j, column)], start);
    }
    return start;
  }

  void compare(int sample, int step, int unit, float update, float reset, float candidate,
               int before, int& wrong) const {
    const float state =
        test::chain_step(update, state_at(sample, before, unit) - candidate, candidate);
    wrong += test::same_bits(gate_at(sample, step, unit), update) ? 0 : 1;
    wrong += test::same_bits(gate_at(sample, step, Units + unit), reset) ? 0 : 1;
    wrong += test::same_bits(gate_at(sample, step, 2 * Units + unit), candidate) ? 0 : 1;
    wrong += test::same_bits(state_at(sample, step, unit), state) ? 0 : 1;
    ++checked;
  }

  float input_at(int sample, int step, int column) const {
    return given[at(sample, step, column, 3 * Units)];
  }

  void reset_after(bool from_last, int parts) {
    test::buffer recurrent(std::int64_t{Samples} * Steps * layout::row_stride(3 * Units));
    for (int number = 0; number < Steps; ++number) {
      for (int index = parts - 1; index >= 0; --index) {
        kernels::gru_step<of>(gates.data(), recurrent.data(), states.data(), w.data(), bias.data(),
                              kernels::walked_step(number, Steps, from_last), {0, 0},
                              {index, parts});
      }
    }
    int wrong = 0;
    for (int i = 0; i < Samples * Steps * Units; ++i) {
      const int sample = i / (Steps * Units);
      const int step = i / Units % Steps;
      const int unit = i % Units;
      const int before = from_last ? step + 1 : step - 1;
      float by_state[3];
      for (int gate = 0; gate < 3; ++gate) {
        const int column = gate * Units + unit;
        by_state[gate] = chain(bias[column], sample, before, -1, column);
      }
      const float reset = kernels::logistic(input_at(sample, step, Units + unit) + by_state[1]);
      compare(sample, step, unit, kernels::logistic(input_at(sample, step, unit) + by_state[0]),
              reset,
              kernels::hyperbolic_tangent(
                  test::chain_step(reset, by_state[2], input_at(sample, step, 2 * Units + unit))),
              before, wrong);
    }
    CHECK(wrong == 0);
    CHECK(test::padding_is_zero(recurrent, Samples * Steps, 3 * Units));
    check_memory();
  }

  void reset_first(bool from_last, int parts) {
    test::buffer factors(std::int64_t{2} * Samples * Steps * layout::row_stride(Units));
    for (int number = 0; number < Steps; ++number) {
      for (int index = parts - 1; index >= 0; --index) {
        kernels::gru_reset_first_step<of>(gates.data(), factors.data(), states.data(), w.data(),
                                          kernels::walked_step(number, Steps, from_last), {0, 0},
                                          {index, parts});
      }
    }
    int wrong = 0;
    for (int i = 0; i < Samples * Steps * Units; ++i) {
      const int sample = i / (Steps * Units);
      const int step = i / Units % Steps;
      const int unit = i % Units;
      const int before = from_last ? step + 1 : step - 1;
      float sums[3];
      for (int gate = 0; gate < 3; ++gate) {
        const int column = gate * Units + unit;
        sums[gate] =
            chain(input_at(sample, step, column), sample, before, gate == 2 ? step : -1, column);
      }
      compare(sample, step, unit, kernels::logistic(sums[0]), kernels::logistic(sums[1]),
              kernels::hyperbolic_tangent(sums[2]), before, wrong);
    }
    CHECK(wrong == 0);
    CHECK(test::padding_is_zero(factors, 2 * Samples * Steps, Units));
    check_memory();
  }

  void check_memory() const {
    CHECK(test::padding_is_zero(gates, Samples * Steps, 3 * Units));
    CHECK(test::padding_is_zero(states, Samples * Steps, Units));
    CHECK(gates.intact());
    CHECK(states.intact());
  }
};

}  // namespace

TEST_CASE("gates and states of a GRU are chains along the sequence") {
  checked = 0;
  sequences<3, 4, 5>().reset_after(true, 2);
  sequences<1, 3, test::lanes>().reset_after(false, 3);
  sequences<11, 2, 2 * test::lanes + 1>().reset_after(false, 3);
  sequences<3, 4, 5>().reset_first(true, 2);
  sequences<1, 3, test::lanes>().reset_first(false, 1);
  sequences<11, 2, 2 * test::lanes + 1>().reset_first(false, 3);
  CHECK(checked > 0);
  std::printf("steps of a GRU: checked %d states\n", checked);
}
