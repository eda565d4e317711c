// SPDX-License-Identifier: MIT
// Tests of kernels/recurrent_step.hpp: every state goes on with one chain over the states before
// it, every gradient over those behind it, and parts make the whole.
#include <cstdio>

#include <ipu_dsl/kernels/recurrent_step.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

int checked = 0;

/// All steps in order, each in `parts` parts, the last first.
template <typename Step>
void walk(int steps, int parts, const Step& step) {
  for (int t = 0; t < steps; ++t) {
    for (int index = parts - 1; index >= 0; --index) {
      step(t, grain{index, parts});
    }
  }
}

template <int Samples, int Steps, int Units>
struct sequences {
  static constexpr kernels::recurrence of = {Samples, Steps, Units};

  static std::int64_t at(int sample, int step, int unit) {
    return std::int64_t{sample * Steps + step} * layout::row_stride(Units) + unit;
  }

  /// What goes on from `start` with the values of another step, if there is such.
  static float chain(const test::buffer& values, const test::buffer& w, float start, int sample,
                     int other, int unit) {
    const layout::panels place(Units, Units);
    for (int j = 0; other >= 0 && other < Steps && j < Units; ++j) {
      start = test::chain_step(values[at(sample, other, j)], w[place.offset(j, unit)], start);
    }
    return start;
  }

  template <activation_kind Kind>
  static void check_states() {
    const test::buffer before = test::random_rows(Samples * Steps, Units, 1, 0.5F);
    const test::buffer w = test::random_panels(Units, Units, 2);
    for (const int parts : {1, 3}) {
      test::buffer states = before;
      walk(Steps, parts, [&](int step, grain part) {
        kernels::recurrent_step<of, Kind>(states.data(), w.data(),
                                          kernels::walked_step(step, Steps, false), 0.3F, part);
      });
      int wrong = 0;
      for (int i = 0; i < Samples * Steps * Units; ++i) {
        const int sample = i / (Steps * Units);
        const int step = i / Units % Steps;
        const int unit = i % Units;
        const float sum = chain(states, w, before[at(sample, step, unit)], sample, step - 1, unit);
        const float expected = kernels::activate<Kind>(sum, 0.3F);
        wrong += test::same_bits(states[at(sample, step, unit)], expected) ? 0 : 1;
        ++checked;
      }
      CHECK(wrong == 0);
      CHECK(test::padding_is_zero(states, Samples * Steps, Units));
      CHECK(states.intact());
    }
  }

  template <activation_kind Kind>
  static void check_gradients() {
    const test::buffer before = test::random_rows(Samples * Steps, Units, 3);
    const test::buffer states = test::random_rows(Samples * Steps, Units, 4, 0.9F);
    const test::buffer w = test::random_panels(Units, Units, 5);
    for (const int parts : {1, 3}) {
      test::buffer d = before;
      walk(Steps, parts, [&](int step, grain part) {
        kernels::recurrent_gradient_step<of, Kind>(
            d.data(), w.data(), states.data(), kernels::walked_step(step, Steps, true), 0.3F, part);
      });
      int wrong = 0;
      for (int i = 0; i < Samples * Steps * Units; ++i) {
        const int sample = i / (Steps * Units);
        const int step = i / Units % Steps;
        const int unit = i % Units;
        const float sum = chain(d, w, before[at(sample, step, unit)], sample, step + 1, unit);
        const float expected =
            kernels::gradient_through<Kind>(sum, states[at(sample, step, unit)], 0.3F);
        wrong += test::same_bits(d[at(sample, step, unit)], expected) ? 0 : 1;
        ++checked;
      }
      CHECK(wrong == 0);
      CHECK(test::padding_is_zero(d, Samples * Steps, Units));
      CHECK(d.intact());
    }
  }
};

}  // namespace

TEST_CASE("states and their gradients are chains along the sequence") {
  checked = 0;
  sequences<3, 4, 5>::check_states<activation_kind::linear>();
  sequences<7, 3, test::lanes + 1>::check_states<activation_kind::tanh>();
  sequences<1, 6, 2 * test::lanes>::check_states<activation_kind::relu>();
  sequences<9, 2, 4 * test::lanes + 3>::check_states<activation_kind::sigmoid>();
  sequences<3, 4, 5>::check_gradients<activation_kind::linear>();
  sequences<7, 3, test::lanes + 1>::check_gradients<activation_kind::tanh>();
  sequences<1, 6, 2 * test::lanes>::check_gradients<activation_kind::relu>();
  sequences<9, 2, 4 * test::lanes + 3>::check_gradients<activation_kind::sigmoid>();
  CHECK(checked > 0);
  std::printf("recurrent steps: checked %d numbers\n", checked);
}
