// SPDX-License-Identifier: MIT
// The cosine between what was predicted and what was wanted.
#pragma once

#include <cstddef>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/vocabulary/rowwise.hpp>

namespace ipu_dsl {

/// sign p w / (|p| |w|), where lengths are at least 1e-6, as Keras has it. What is descended is
/// minus the cosine.
struct cosine_similarity_rule {
  float sign = -1;

  static constexpr float least_square = 1e-12F;

  template <typename Row>
  [[gnu::always_inline]] auto judge(const Row& row) const {
    using math = typename Row::math;
    const float squares_predicted =
        row.sum([]<typename Vector>(const Vector& sum, const Vector& predicted, const Vector&)
                    __attribute__((always_inline)) {
                      return math::multiply_add(predicted, predicted, sum);
                    });
    const float squares_wanted = row.sum(
        []<typename Vector>(const Vector& sum, const Vector&, const Vector& wanted)
            __attribute__((always_inline)) { return math::multiply_add(wanted, wanted, sum); });
    const float product = row.sum(
        []<typename Vector>(const Vector& sum, const Vector& predicted, const Vector& wanted)
            __attribute__((always_inline)) { return math::multiply_add(predicted, wanted, sum); });
    const float length = math::square_root(math::maximum(least_square, squares_predicted));
    const float wanted_length = math::square_root(math::maximum(least_square, squares_wanted));
    const float inverse = math::divide(sign, length * wanted_length);
    const float cosine = product * inverse;
    // d cos / dp = w / (|p| |w|) - cos p / |p|^2; a length that is held at 1e-6 does not change.
    const float along =
        squares_predicted > least_square ? math::divide(0.0F - cosine, squares_predicted) : 0.0F;
    const auto slope = [&]<typename Vector>(const Vector& predicted,
                                            const Vector& wanted) __attribute__((always_inline)) {
      return math::multiply_add(Vector(along), predicted, Vector(inverse) * wanted);
    };
    return row.loss(cosine, slope);
  }
};

inline constexpr family cosine_similarity_family{.name = "cosine_similarity",
                                                 .shapes = rowwise_rules::shapes,
                                                 .forward = rowwise_rules::forward,
                                                 .input_gradient = rowwise_rules::input_gradient,
                                                 .reads = {storage::positions}};

template <>
struct row_rule<&cosine_similarity_family> {
  using type = cosine_similarity_rule;
};

/// `loss<cosine_similarity>` of float targets shaped like the output: minus the cosine, a mean over
/// samples, from -1 to 1. As a metric it is the cosine itself, as in Keras.
struct cosine_similarity {
  static constexpr bool is_loss = true;
  static constexpr bool is_metric = true;
  static constexpr const family* rule = &cosine_similarity_family;
  static constexpr cosine_similarity_rule options{.sign = 1};
  static constexpr list_view<const option_key*> accepted{};

  template <std::size_t Count>
  static constexpr cosine_similarity_rule read(const option_list<Count>&) {
    return {};
  }
};

}  // namespace ipu_dsl
