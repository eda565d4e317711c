// SPDX-License-Identifier: MIT
// Every rule of a loss or a metric has the same bits on vectors of every width as number by number.
#include <ipu_dsl/kernels/pointwise.hpp>
#include <ipu_dsl/kernels/rowwise.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using layout::architecture;
using test::lanes;

namespace {

constexpr int units_tried[] = {1, lanes - 1, lanes, lanes + 1, 16, 17, 31, 47};
constexpr int batch = 5;
constexpr int valid = 3;
constexpr float scale = 0.125F;

/// Some rows, without padding.
struct rows {
  std::vector<float> predicted;
  std::vector<float> wanted;
  int units;
};

/// Outputs in [lowest, highest), targets in [0, 1] of which some are 0 or 1, and ties.
rows random_pairs(int units, float lowest, float highest) {
  rows made{{}, {}, units};
  for (int i = 0; i < batch * units; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const float place = 0.5F * (test::number(151, index) + 1.0F);
    const float share = 0.5F * (test::number(152, index) + 1.0F);
    made.predicted.push_back(i % 7 == 6 ? 0.5F : lowest + place * (highest - lowest));
    made.wanted.push_back(i % 3 == 0 ? 0.0F : i % 5 == 0 ? 1.0F : share);
  }
  return made;
}

/// What a rule said of rows.
struct outcome {
  double sum = 0;
  std::vector<float> gradient;  // [batch, units]
};

bool same(const outcome& left, const outcome& right) {
  return left.sum == right.sum && test::same_bits(left.gradient, right.gradient);
}

/// Sixteen chains, one number after the other.
template <typename Add>
float chained(const float* predicted, const float* wanted, int units, const Add& add) {
  float chains[16] = {};
  for (int n = 0; n < units; ++n) {
    chains[n % 16] = add(chains[n % 16], predicted[n], wanted[n]);
  }
  float sum = 0;
  for (const float chain : chains) {
    sum += chain;
  }
  return sum;
}

/// A row as a rule sees it, number by number.
struct plain_row {
  using math = kernels::arithmetic;

  const float* predicted;
  const float* wanted;
  int label;
  int units;
  float* gradient;

  template <typename Add>
  float sum(const Add& add) const {
    return chained(predicted, wanted, units, add);
  }

  template <typename Value>
  float largest(const Value& value) const {
    float found = value(predicted[0], wanted[0]);
    for (int n = 1; n < units; ++n) {
      const float next = value(predicted[n], wanted[n]);
      found = next > found ? next : found;
    }
    return found;
  }

  template <typename Slope>
  float loss(float value, const Slope& slope) const {
    for (int n = 0; n < units; ++n) {
      gradient[n] = slope(predicted[n], wanted[n]) * scale;
    }
    return value;
  }
};

template <auto Rule>
outcome plainly_by_rows(const rows& from) {
  outcome made{0, std::vector<float>(from.predicted.size())};
  for (int b = 0; b < valid; ++b) {
    const int first = b * from.units;
    made.sum += static_cast<double>(
        Rule.judge(plain_row{from.predicted.data() + first, from.wanted.data() + first, 0,
                             from.units, made.gradient.data() + first}));
  }
  return made;
}

template <auto Rule>
outcome plainly_by_pairs(const rows& from) {
  outcome made{0, std::vector<float>(from.predicted.size())};
  const auto add = [](float sum, float x, float y) {
    return Rule.template add<kernels::arithmetic>(sum, x, y);
  };
  const float factor = scale / static_cast<float>(from.units);
  for (int b = 0; b < valid; ++b) {
    const int first = b * from.units;
    const float* const predicted = from.predicted.data() + first;
    const float* const wanted = from.wanted.data() + first;
    made.sum += static_cast<double>(chained(predicted, wanted, from.units, add));
    for (int n = 0; n < from.units; ++n) {
      const float slope = Rule.template slope<kernels::arithmetic>(predicted[n], wanted[n]);
      made.gradient[static_cast<std::size_t>(first + n)] = slope * factor;
    }
  }
  made.sum = made.sum / from.units;
  return made;
}

/// Rows as they lie for vectors of so many lanes, padding being zero.
template <architecture Architecture>
test::buffer laid_out(const std::vector<float>& values, int units) {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  test::buffer made(std::int64_t{batch} * stride, 0);
  for (int i = 0; i < batch * units; ++i) {
    made[i / units * stride + i % units] = values[static_cast<std::size_t>(i)];
  }
  return made;
}

/// The gradient without padding; whether that and the rows behind are zero.
template <architecture Architecture>
bool taken_out(const test::buffer& gradient, int units, outcome& into) {
  const std::int32_t stride = layout::row_stride(units, Architecture);
  bool zero = gradient.intact();
  for (int i = 0; i < batch * stride; ++i) {
    if (i % stride < units) {
      into.gradient.push_back(gradient[i]);
    }
    zero = zero && (gradient[i] == 0 || (i % stride < units && i / stride < valid));
  }
  return zero;
}

int compared = 0;

/// Where the gradient is that of the outputs themselves, they are read before they are written.
template <auto Rule, architecture Architecture, bool ByRows>
void check_width(const rows& from, const outcome& expected) {
  test::buffer predicted = laid_out<Architecture>(from.predicted, from.units);
  const test::buffer wanted = laid_out<Architecture>(from.wanted, from.units);
  outcome found;
  if constexpr (ByRows) {
    const std::int32_t stride = layout::row_stride(from.units, Architecture);
    found.sum = kernels::rowwise_sum<Rule, false, Architecture>(
        predicted.data(), wanted.data(), stride, batch, from.units, valid, scale, nullptr);
    CHECK(found.sum == expected.sum);
    found.sum = kernels::rowwise_sum<Rule, true, Architecture>(
        predicted.data(), wanted.data(), stride, batch, from.units, valid, scale, predicted.data());
  } else {
    found.sum = kernels::pointwise_sum<Rule, Architecture>(predicted.data(), wanted.data(),
                                                           from.units, valid);
    kernels::pointwise_gradient<Rule, Architecture>(predicted.data(), wanted.data(), batch,
                                                    from.units, valid, scale, predicted.data());
  }
  INFO(from.units << " units, " << Architecture.lanes << " lanes");
  CHECK(taken_out<Architecture>(predicted, from.units, found));
  CHECK(same(found, expected));
  ++compared;
}

template <auto Rule, bool ByRows>
void check_units(int units, float lowest, float highest) {
  constexpr bool fused = layout::native.fused_multiply_add;
  constexpr std::int32_t registers = layout::native.registers;
  const rows from = random_pairs(units, lowest, highest);
  outcome expected;
  if constexpr (ByRows) {
    expected = plainly_by_rows<Rule>(from);
  } else {
    expected = plainly_by_pairs<Rule>(from);
  }
  check_width<Rule, architecture{4, registers, fused}, ByRows>(from, expected);
  if constexpr (lanes >= 8) {
    check_width<Rule, architecture{8, registers, fused}, ByRows>(from, expected);
  }
  if constexpr (lanes >= 16) {
    check_width<Rule, architecture{16, registers, fused}, ByRows>(from, expected);
  }
}

template <auto... Rules>
void check_pairs(float lowest, float highest) {
  for (const int units : units_tried) {
    (check_units<Rules, false>(units, lowest, highest), ...);
  }
}

template <auto... Rules>
void check_rows(float lowest, float highest) {
  for (const int units : units_tried) {
    (check_units<Rules, true>(units, lowest, highest), ...);
  }
}

constexpr score_kind clipped = score_kind::clipped_probabilities;

/// Widths that the processor has.
constexpr int widths = lanes >= 16 ? 3 : lanes >= 8 ? 2 : 1;

}  // namespace

TEST_CASE("rules of pairs have the bits of their numbers on vectors of every width") {
  compared = 0;
  check_pairs<squared_error_rule{}, absolute_error_rule{}, absolute_percentage_error_rule{},
              squared_logarithmic_error_rule{}, huber_rule{0.25F}, log_cosh_rule{}, hinge_rule{},
              squared_hinge_rule{}, binary_crossentropy_rule{},
              binary_crossentropy_rule{clipped, 0.25F}>(-20, 20);
  check_pairs<poisson_rule{}>(0, 20);
  CHECK(compared == 11 * 8 * widths);
  std::printf("pointwise: compared %d rules and widths\n", compared);
}

TEST_CASE("rules of rows have the bits of their numbers on vectors of every width") {
  compared = 0;
  check_rows<kl_divergence_rule{}, cosine_similarity_rule{}, categorical_hinge_rule{},
             categorical_crossentropy_rule{},
             categorical_crossentropy_rule{score_kind::logits, 0.25F},
             categorical_crossentropy_rule{clipped, 0.25F}>(-20, 20);
  CHECK(compared == 6 * 8 * widths);
  std::printf("rowwise: compared %d rules and widths\n", compared);
}
