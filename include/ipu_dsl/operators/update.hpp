// SPDX-License-Identifier: MIT
// Updates by the rule of any optimizer, and the sums over replicas and uses before them.
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/graph/parameter_sums.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/graph/update_rule.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
#include <ipu_dsl/kernels/outer_product_tile.hpp>
#include <ipu_dsl/kernels/parameter_sums.hpp>
#include <ipu_dsl/kernels/update.hpp>
#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/operators/operators.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// The elements of a parameter with padding, which an update leaves at zero.
constexpr std::int64_t updated_elements(const parameter_extents& parameter) {
  return layout::padded_elements(parameter.lies, parameter.extents, 1);
}

/// The vectors of a parameter that a grain of such a call holds, as elements.
template <parameter_extents Parameter>
index_range updated_range(const grain& part) {
  constexpr std::int32_t lanes = layout::native.lanes;
  constexpr auto elements = static_cast<std::int32_t>(updated_elements(Parameter));
  static_assert(elements % lanes == 0);
  const index_range vectors = range_of(elements / lanes, part);
  return {vectors.begin * lanes, vectors.end * lanes};
}

/// What the host made of the optimizer's settings for this update.
template <typename Rule>
typename Rule::numbers numbers_of(const run_context& context) noexcept {
  typename Rule::numbers numbers;
  std::memcpy(static_cast<void*>(&numbers), context.optimizer, sizeof(numbers));
  return numbers;
}

/// Takes what the first `Stages` stages of an update have summed up into its numbers; `sums` are
/// their operands.
template <typename Rule, int Stages>
void take_sums(typename Rule::numbers& numbers, const sum_blocks& cut, void* const* sums) noexcept {
  const auto take = [&]<int Stage>(std::integral_constant<int, Stage>) {
    double totals[std::size_t{whole_sums::most_sums}] = {};
    for (std::int32_t sum = 0; sum < Rule::sums.of_stage[Stage]; ++sum) {
      totals[sum] = kernels::fold_sums(floats(sums[Stage]) + sum * cut.parts(), cut.parts());
    }
    Rule::template take<Stage>(numbers, totals);
  };
  [&]<int... Stage>(std::integer_sequence<int, Stage...>) {
    (take(std::integral_constant<int, Stage>()), ...);
  }(std::make_integer_sequence<int, Stages>());
}

/// From the operands of an update: the parameter, then what is kept beside it.
template <typename Rule>
kernels::updated_parameter<Rule::kept> updated_parameter_of(void* const* operands) noexcept {
  kernels::updated_parameter<Rule::kept> made;
  made.parameter = floats(operands[0]);
  for (int i = 0; i < Rule::kept; ++i) {
    made.kept[i] = floats(operands[1 + i]);
  }
  return made;
}

/// The operands of a weight gradient: the sums of all parameters, then for each, if the call ends
/// with an update, the parameter and what the optimizer keeps of it, then what is read.
template <typename Rule>
struct gradient_operands {
  static constexpr int updated = std::is_same_v<Rule, no_update> ? 0 : 1 + Rule::kept;

  kernels::gradient_step<Rule> step;
  void* const* operands;
  void* const* read;
  int parameters;

  gradient_operands(const run_context& context, void* const* given, int count) noexcept
      : operands(given), read(given + count * (1 + updated)), parameters(count) {
    step.continues = context.continues;
    if constexpr (!std::is_same_v<Rule, no_update>) {
      step.updates = context.completes;
      step.numbers = numbers_of<Rule>(context);
    }
  }

  /// Where the gradient of a parameter goes; without a sum if the layer does not have it.
  kernels::gradient_target<Rule> target(int parameter) const noexcept {
    kernels::gradient_target<Rule> to;
    if (parameter < parameters) {
      to.sum = floats(operands[parameter]);
      if constexpr (!std::is_same_v<Rule, no_update>) {
        to.updated = updated_parameter_of<Rule>(operands + parameters + parameter * updated);
      }
    }
    return to;
  }
};

/// Every optimizer that has a rule has this code.
template <const family* Optimizer>
  requires updates_by_rule<Optimizer>
struct operators<Optimizer> {
  using key = parameter_extents;
  using rule = typename update_rule<Optimizer>::type;

  template <parameter_extents Call>
  static constexpr bool in_grains = true;

  template <parameter_extents Call>
  static constexpr bool reads_all_parts = sums_of<rule>().stages() > 0;

  /// What its rule cannot be called for.
  template <parameter_extents Call>
  static constexpr problem fault() {
    using lanes = kernels::vector<layout::native>;
    if constexpr (!requires(lanes& w, lanes* kept, const lanes& gradient,
                            const typename rule::numbers& numbers) {
                    rule::template apply<kernels::arithmetic>(w, kept, gradient, numbers);
                  }) {
      return refuse(label("an apply in ") << type_name<rule>(), "none that can be called",
                    "write template <typename Math, typename Vector> static void apply(Vector& w, "
                    "Vector* kept, const Vector& gradient, const numbers& of_update)");
    } else if constexpr (requires(const lanes& w, lanes* kept, const lanes& gradient,
                                  const typename rule::numbers& numbers) {
                           rule::template apply<kernels::arithmetic>(w, kept, gradient, numbers);
                         }) {
      return refuse(label("an apply in ") << type_name<rule>() << " that moves w",
                    "one that takes a copy of it, or may not change it", "write Vector& w");
    } else {
      return fault_of_sums(std::make_integer_sequence<int, sums_of<rule>().stages()>());
    }
  }

  template <parameter_extents Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    if constexpr (kernels::masks_are_numbers) {
      static_cast<void>(&in_any_vectors);
    }
    const index_range mine = updated_range<Call>(context.part);
    typename rule::numbers numbers = numbers_of<rule>(context);
    if constexpr (constexpr int stages = sums_of<rule>().stages(); stages > 0) {
      take_sums<rule, stages>(numbers, sum_blocks_of(Call), operands + 2 + rule::kept);
    }
    kernels::update_elements<rule>(updated_parameter_of<rule>(operands).at(mine.begin),
                                   floats(operands[1 + rule::kept]) + mine.begin,
                                   mine.end - mine.begin, numbers);
  }

 private:
  /// Compiled and never called: see `masks_are_numbers`.
  static void in_any_vectors(kernels::portable_floats& w, kernels::portable_floats* kept,
                             const typename rule::numbers& numbers) {
    rule::template apply<kernels::arithmetic>(w, kept, w, numbers);
  }

  template <int Stage>
  static constexpr bool sums_stage =
      requires(kernels::vector<layout::native>* sums, const kernels::vector<layout::native>& w,
               typename rule::numbers& numbers, const double* totals) {
        rule::template add<Stage, kernels::arithmetic>(sums, w, sums, w, numbers);
        rule::template take<Stage>(numbers, totals);
      };

  template <int... Stage>
  static constexpr problem fault_of_sums(std::integer_sequence<int, Stage...>) {
    if constexpr ((sums_stage<Stage> && ...)) {
      return {};
    } else {
      return refuse(label("add and take in ") << type_name<rule>() << ", which has sums",
                    "none that can be called",
                    "write static ones, as lamb_rule in "
                    "vocabulary/optimizers/lamb.hpp has them");
    }
  }
};

/// Dealt over grains as the update behind it is, so that the two need not wait for each other.
template <>
struct operators<&accumulator_sum_family> {
  using key = accumulator_sum_call;

  template <accumulator_sum_call Call>
  static constexpr bool in_grains = true;

  template <accumulator_sum_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    constexpr std::int32_t count = Call.terms;
    const index_range mine = updated_range<Call.parameter>(context.part);
    const float* terms[std::size_t{count}] = {};
    for (std::int32_t i = 0; i < count; ++i) {
      terms[i] = floats(operands[i]) + mine.begin;
    }
    kernels::sum_tensors(terms, count, floats(operands[0]) + mine.begin, mine.end - mine.begin);
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
