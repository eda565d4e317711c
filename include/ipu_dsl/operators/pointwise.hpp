// SPDX-License-Identifier: MIT
// Losses and metrics that judge one number at a time, by the rule of any of them.
#pragma once

#include <concepts>
#include <span>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/kernels/pointwise.hpp>
#include <ipu_dsl/kernels/sample_weights.hpp>
#include <ipu_dsl/operators/operators.hpp>
#include <ipu_dsl/operators/sample_weights.hpp>
#include <ipu_dsl/vocabulary/pointwise.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Every loss and every metric that has such a rule has this code.
template <const family* Judge>
  requires judges_pointwise<Judge>
struct operators<Judge> {
  using key = pointwise_call;
  using rule = typename pointwise_rule<Judge>::type;

  static double final_value(std::span<const double> sums) {
    if constexpr (requires { rule::finish(1.0); }) {
      return rule::finish(mean_of(sums));
    } else {
      return mean_of(sums);
    }
  }

  /// What its rule cannot be called for.
  template <pointwise_call Call>
  static constexpr problem fault() {
    using lanes = kernels::vector<layout::native>;
    constexpr bool adds = requires(const rule& by, const lanes& x) {
      { by.template add<kernels::arithmetic>(x, x, x) } -> std::same_as<lanes>;
    };
    constexpr bool slopes = requires(const rule& by, const lanes& x) {
      { by.template slope<kernels::arithmetic>(x, x) } -> std::same_as<lanes>;
    };
    if constexpr (!adds) {
      return refuse(label("an add in ") << type_name<rule>(), "none that returns a Vector",
                    "write template <typename Math, typename Vector> Vector add(const Vector& sum, "
                    "const Vector& predicted, const Vector& wanted) const");
    } else if constexpr (Call.variant == pointwise_variant::gradient && !slopes) {
      return refuse(label("a slope in ") << type_name<rule>() << ", the rule of a loss",
                    "none that returns a Vector",
                    "write template <typename Math, typename Vector> Vector slope(const Vector& "
                    "predicted, const Vector& wanted) const, the derivative of what add adds");
    } else if constexpr (requires { &rule::finish; } && !requires { rule::finish(1.0); }) {
      return refuse(label("a finish in ") << type_name<rule>() << " that can be called",
                    "one that cannot", "write static double finish(double mean)");
    } else {
      return {};
    }
  }

  template <pointwise_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    if constexpr (kernels::masks_are_numbers) {
      static_cast<void>(&in_any_vectors<Call>);
    }
    if constexpr (Call.variant == pointwise_variant::gradient) {
      count<Call>(context, doubles(operands[1]), operands + 2);
      kernels::pointwise_gradient<rule_of<rule>(Call.rule)>(
          floats(operands[2]), floats(operands[2 + told]), Call.batch, Call.units,
          context.valid_samples(), context.loss_scale, floats(operands[0]));
      if constexpr (Call.weights.weighs()) {
        kernels::weigh_gradient(floats(operands[0]), floats(operands[3 + told]),
                                Call.weights.positions, Call.units / Call.weights.positions,
                                context.valid_samples());
      }
    } else {
      count<Call>(context, doubles(operands[0]), operands + 1);
    }
  }

 private:
  /// Compiled and never called: see `masks_are_numbers`.
  template <pointwise_call Call>
  static void in_any_vectors(const rule& by, const kernels::portable_floats& x) {
    static_cast<void>(by.template add<kernels::arithmetic>(x, x, x));
    if constexpr (Call.variant == pointwise_variant::gradient) {
      static_cast<void>(by.template slope<kernels::arithmetic>(x, x));
    }
  }

  /// How far behind the output that lies which is wanted of it: nowhere else if nothing is.
  static constexpr std::int32_t told = requires { rule::is_told_nothing; } ? 0 : 1;

  /// `read` are the output, what is wanted of it, and weights if there are any.
  template <pointwise_call Call>
  static void count(const run_context& context, double* result, void* const* read) noexcept {
    constexpr rule by = rule_of<rule>(Call.rule);
    const std::int32_t valid = context.valid_samples();
    if constexpr (Call.weights.weighs()) {
      constexpr std::int32_t positions = Call.weights.positions;
      const float* const weights = floats(read[1 + told]);
      result[0] = kernels::weighted_pointwise_sum<by>(floats(read[0]), floats(read[told]), weights,
                                                      positions, Call.units / positions, valid);
      result[1] = counted_samples(Call.weights, weights, valid);
    } else {
      result[0] =
          kernels::pointwise_sum<by>(floats(read[0]), floats(read[told]), Call.units, valid);
      result[1] = valid;
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
