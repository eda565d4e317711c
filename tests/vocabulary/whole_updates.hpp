// SPDX-License-Identifier: MIT
// Compares updates that need sums over a whole parameter with a reference in float64.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/layout/stored_matrix.hpp>
#include <ipu_dsl/operators/parameter_sums.hpp>

#include "support/catch2.hpp"
#include "updates.hpp"

namespace ipu_dsl::tests {

/// A parameter as it lies, with all that its update works on. Padding is zero; what the sums are
/// written to begins as NaN.
template <typename Optimizer, parameter_extents Parameter>
class whole_parameter {
 public:
  static constexpr const family* family_of = Optimizer::rule;
  using rule = typename update_rule<family_of>::type;

  whole_parameter() : w(padded()), gradient(padded()) {
    const sum_blocks cut = sum_blocks_of(Parameter);
    for (int slot = 0; slot < rule::kept; ++slot) {
      kept.emplace_back(padded());
    }
    for (int stage = 0; stage < rule::sums.stages(); ++stage) {
      const auto count = static_cast<std::size_t>(rule::sums.of_stage[stage] * cut.parts());
      sums.emplace_back(count + 16, std::nanf(""));
    }
  }

  static std::size_t elements() { return static_cast<std::size_t>(Parameter.extents.elements()); }

  /// Where element `i`, counted row by row, lies.
  static std::size_t place(std::size_t i) {
    return static_cast<std::size_t>(matrix().index_of(static_cast<std::int64_t>(i)));
  }

  /// One update, each of its calls dealt in so many parts.
  void update(const typename Optimizer::settings& settings, std::uint64_t number, int parts) {
    float numbers[most_optimizer_numbers] = {};
    optimizer_reference::of<Optimizer>(settings).write(number, numbers);
    run_context context{.optimizer = numbers};
    std::vector<void*> operands;
    each_stage([&]<int Stage>() {
      operands = {sums[Stage].data()};
      append(operands);
      for (int before = 0; before < Stage; ++before) {
        operands.push_back(sums[static_cast<std::size_t>(before)].data());
      }
      for (context.part = {0, parts}; context.part.index < parts; ++context.part.index) {
        operators<&parameter_sum_family>::run<parameter_sum_call{Stage, Parameter}, family_of>(
            context, operands.data(), nullptr);
      }
    });
    operands.clear();
    append(operands);
    for (std::vector<float>& each : sums) {
      operands.push_back(each.data());
    }
    for (context.part = {0, parts}; context.part.index < parts; ++context.part.index) {
      operators<family_of>::template run<Parameter>(context, operands.data(), nullptr);
    }
  }

  std::vector<float> w;
  std::vector<float> gradient;
  std::vector<std::vector<float>> kept;
  std::vector<std::vector<float>> sums;

 private:
  static std::size_t padded() { return static_cast<std::size_t>(updated_elements(Parameter)); }

  static stored_matrix matrix() {
    const auto elements = static_cast<std::int32_t>(Parameter.extents.elements());
    const bool in_panels = Parameter.lies == storage::panels;
    const std::int32_t columns =
        in_panels ? layout::outputs_of_panels(Parameter.extents) : elements;
    return {Parameter.lies, elements / columns, columns};
  }

  void append(std::vector<void*>& operands) {
    operands.push_back(w.data());
    for (std::vector<float>& slot : kept) {
      operands.push_back(slot.data());
    }
    operands.push_back(gradient.data());
  }

  template <typename Visit>
  static void each_stage(const Visit& visit) {
    [&]<int... Stage>(std::integer_sequence<int, Stage...>) {
      (visit.template operator()<Stage>(), ...);
    }(std::make_integer_sequence<int, rule::sums.stages()>());
  }
};

/// Twelve updates of a parameter by the calls of a program, in one part and in several, and by the
/// reference: `void update(std::vector<exact_number>& all, const std::vector<double>& gradient,
/// double step)`, the first step being 1. Returns the numbers that were compared.
template <typename Optimizer, parameter_extents Parameter, typename Exact>
std::size_t check_whole_updates(const char* name, const typename Optimizer::settings& settings,
                                const Exact& exactly, double roundings) {
  using whole = whole_parameter<Optimizer, Parameter>;
  whole together;
  whole dealt;
  std::vector<exact_number> exact(whole::elements());
  std::vector<double> gradient(whole::elements());
  for (std::size_t i = 0; i < whole::elements(); ++i) {
    together.w[whole::place(i)] = drawn_number(1, i);
    exact[i].w = static_cast<double>(drawn_number(1, i));
  }
  dealt.w = together.w;
  std::size_t compared = 0;
  for (int step = 1; step <= 12; ++step) {
    for (std::size_t i = 0; i < whole::elements(); ++i) {
      const float drawn = drawn_number(static_cast<std::uint64_t>(1 + step), i);
      together.gradient[whole::place(i)] = drawn;
      gradient[i] = static_cast<double>(drawn);
    }
    dealt.gradient = together.gradient;
    together.update(settings, static_cast<std::uint64_t>(step), 1);
    dealt.update(settings, static_cast<std::uint64_t>(step), 1 + step % 5);
    exactly.update(exact, gradient, step);
    CHECK(dealt.w == together.w);
    CHECK(dealt.kept == together.kept);
    int far = 0;
    for (std::size_t i = 0; i < whole::elements(); ++i) {
      const double error = std::abs(static_cast<double>(together.w[whole::place(i)]) - exact[i].w);
      far += error <= step * roundings * 0x1p-24 ? 0 : 1;
      ++compared;
    }
    INFO(name << ", update " << step);
    CHECK(far == 0);
  }
  double padding = 0;
  for (const float each : together.w) {
    padding += std::abs(static_cast<double>(each));
  }
  for (std::size_t i = 0; i < whole::elements(); ++i) {
    padding -= std::abs(static_cast<double>(together.w[whole::place(i)]));
  }
  CHECK(std::abs(padding) < 1e-6);
  CHECK(compared == 12 * whole::elements());
  return compared;
}

/// A kernel of several blocks whose columns fill no vector, one of a convolution, a bias, and what
/// lies plainly in more than one block.
template <typename Optimizer, typename Exact>
void check_whole_parameters(const char* name, const typename Optimizer::settings& settings,
                            const Exact& exactly, double roundings = 16) {
  std::size_t compared = check_whole_updates<Optimizer, {storage::panels, shape{600, 37}}, Exact>(
      name, settings, exactly, roundings);
  compared += check_whole_updates<Optimizer, {storage::panels, shape{3, 2, 5, 7}}, Exact>(
      name, settings, exactly, roundings);
  compared += check_whole_updates<Optimizer, {storage::panel_bias, shape{21}}, Exact>(
      name, settings, exactly, roundings);
  compared += check_whole_updates<Optimizer, {storage::rows, shape{1000, 9}}, Exact>(
      name, settings, exactly, roundings);
  CHECK(compared == 12 * (22200 + 210 + 21 + 9000));
  std::printf("%s: compared %zu numbers\n", name, compared);
}

}  // namespace ipu_dsl::tests
