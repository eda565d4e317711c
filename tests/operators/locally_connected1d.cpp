// SPDX-License-Identifier: MIT
// Tests of operators/locally_connected1d.hpp and of the kernels behind it,
// kernels/locally_connected1d.hpp: every number is one chain in the order that is promised, and
// parts make the whole.
#include <cstdio>

#include <ipu_dsl/operators/locally_connected1d.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"
#include "support/made_in_parts.hpp"

namespace {

using namespace ipu_dsl;
using enum locally_connected1d_variant;

constexpr locally_connected1d_call call_on(std::int32_t batch, shape sequence, std::int32_t filters,
                                           std::int32_t taps, std::int32_t stride) {
  return {.variant = forward,
          .batch = batch,
          .steps = sequence[0],
          .channels = sequence[1],
          .filters = filters,
          .taps = taps,
          .stride = stride,
          .outputs = (sequence[0] - taps) / stride + 1,
          .activation = activation_kind::linear,
          .has_bias = 1};
}

constexpr locally_connected1d_call of_variant(locally_connected1d_call call,
                                              locally_connected1d_variant variant) {
  call.variant = variant;
  return call;
}

/// Sequences, gradients and weights of a call, and where a number of them lies.
struct operands {
  locally_connected1d_call call;
  test::buffer x;
  test::buffer d;
  test::buffer w;
  test::buffer bias;

  explicit operands(const locally_connected1d_call& of)
      : call(of),
        x(test::random_rows(of.batch, of.steps * of.channels, 1)),
        d(test::random_rows(of.batch * of.outputs, of.filters, 2)),
        w(test::random_panels(of.outputs * depth(), of.filters, 3)),
        bias(test::random_panels(of.outputs, of.filters, 4)) {}

  int depth() const { return call.taps * call.channels; }

  /// Number `k` of a window.
  std::int64_t input_at(int sample, int output, int k) const {
    return sample * layout::row_stride(call.steps * call.channels) +
           output * call.stride * call.channels + k;
  }

  std::int64_t output_at(int sample, int output, int filter) const {
    return (sample * call.outputs + output) * layout::row_stride(call.filters) + filter;
  }

  std::int64_t weight_at(int output, int k, int filter) const {
    return layout::panels(call.outputs * depth(), call.filters)
        .offset(output * depth() + k, filter);
  }

  std::int64_t bias_at(int output, int filter) const {
    return layout::panels(call.outputs, call.filters).offset(output, filter);
  }

  /// Calls `visit(sample, output, filter)` for all outputs, samples in ascending order.
  template <typename Visit>
  void for_outputs(const Visit& visit) const {
    for (int sample = 0; sample < call.batch; ++sample) {
      for (int output = 0; output < call.outputs; ++output) {
        for (int filter = 0; filter < call.filters; ++filter) {
          visit(sample, output, filter);
        }
      }
    }
  }
};

int checked = 0;

template <locally_connected1d_call Call>
void run(std::initializer_list<void*> operands, grain part = {}, bool continues = false) {
  run_context context;
  context.part = part;
  context.continues = continues;
  const float alpha = 0;
  ipu_dsl::operators<&locally_connected1d_family>::run<Call>(context, operands.begin(), &alpha);
}

template <locally_connected1d_call Call>
void check_forward() {
  operands given(Call);
  const test::buffer y =
      test::made_in_parts(test::buffer(given.d.size()), [&](float* to, grain part) {
        run<Call>({to, given.x.data(), given.w.data(), given.bias.data()}, part);
      });
  int wrong = 0;
  given.for_outputs([&](int sample, int output, int filter) {
    float chain = given.bias[given.bias_at(output, filter)];
    for (int k = 0; k < given.depth(); ++k) {
      chain = test::chain_step(given.x[given.input_at(sample, output, k)],
                               given.w[given.weight_at(output, k, filter)], chain);
    }
    wrong += test::same_bits(y[given.output_at(sample, output, filter)], chain) ? 0 : 1;
    ++checked;
  });
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, Call.batch * Call.outputs, Call.filters));
}

/// The weights of each tap with channels and filters exchanged.
test::buffer transposed(const operands& given) {
  const locally_connected1d_call& call = given.call;
  const layout::panels place(call.outputs * call.taps * call.filters, call.channels);
  test::buffer made(layout::panel_elements(place.inputs, place.outputs), 0.0F);
  for (int output = 0; output < call.outputs; ++output) {
    for (int k = 0; k < given.depth(); ++k) {
      for (int filter = 0; filter < call.filters; ++filter) {
        const int tap = output * call.taps + k / call.channels;
        made[place.offset(tap * call.filters + filter, k % call.channels)] =
            given.w[given.weight_at(output, k, filter)];
      }
    }
  }
  return made;
}

template <locally_connected1d_call Call>
void check_input_gradient() {
  operands given(Call);
  test::buffer weights = transposed(given);
  const std::int64_t row = layout::row_stride(Call.channels);
  const test::buffer dx =
      test::made_in_parts(test::buffer(Call.batch * Call.steps * row), [&](float* to, grain part) {
        run<of_variant(Call, input_gradient)>({to, given.d.data(), weights.data()}, part);
      });
  test::buffer expected(dx.size(), 0.0F);
  for (int k = 0; k < given.depth(); ++k) {
    given.for_outputs([&](int sample, int output, int filter) {
      const int step = output * Call.stride + k / Call.channels;
      float& chain = expected[(sample * Call.steps + step) * row + k % Call.channels];
      chain = test::chain_step(given.d[given.output_at(sample, output, filter)],
                               given.w[given.weight_at(output, k, filter)], chain);
      ++checked;
    });
  }
  CHECK(test::same_bits(dx.view(), expected.view()));
}

template <locally_connected1d_call Call>
void check_weight_gradient(bool continues) {
  operands given(Call);
  const std::int64_t weights = given.w.size();
  const test::buffer before = test::sums_before(given.w, given.bias, continues);
  const test::buffer sums = test::made_in_parts(before, [&](float* to, grain part) {
    run<of_variant(Call, weight_gradient)>({to, to + weights, given.x.data(), given.d.data()}, part,
                                           continues);
  });
  test::buffer expected = before;
  given.for_outputs([&](int sample, int output, int filter) {
    const float d = given.d[given.output_at(sample, output, filter)];
    expected[weights + given.bias_at(output, filter)] += d;
    for (int k = 0; k < given.depth(); ++k) {
      float& chain = expected[given.weight_at(output, k, filter)];
      chain = test::chain_step(given.x[given.input_at(sample, output, k)], d, chain);
      ++checked;
    }
  });
  CHECK(test::same_bits(sums.view(), expected.view()));
}

template <locally_connected1d_call Call>
void check_all() {
  INFO(Call.batch << " of " << Call.steps << " x " << Call.channels << ", " << Call.filters
                  << " filters of " << Call.taps << ", stride " << Call.stride);
  check_forward<Call>();
  check_input_gradient<Call>();
  check_weight_gradient<Call>(false);
  check_weight_gradient<Call>(true);
}

constexpr int vector = test::lanes;

}  // namespace

TEST_CASE("numbers of local windows are chains over taps and channels") {
  checked = 0;
  check_all<call_on(2, {7, 3}, vector + 1, 3, 1)>();
  check_all<call_on(1, {9, vector}, 4 * vector + 3, 4, 2)>();
  // Steps that no window sees: between windows, and behind the last.
  check_all<call_on(3, {12, vector + 3}, 5, 2, 3)>();
  check_all<call_on(13, {6, 1}, 2 * vector, 6, 1)>();
  // A window that is read in stretches.
  check_all<call_on(2, {300, 7}, 3 * vector, 299, 1)>();
  // A batch whose gradients lie beside each other in stretches.
  check_all<call_on(kernels::most_samples_in_place + 90, {4, 2}, 3, 1, 1)>();
  CHECK(checked > 0);
  std::printf("local windows: checked %d numbers and steps of chains\n", checked);
}

namespace {

template <activation_kind Kind>
test::buffer forward_with() {
  constexpr locally_connected1d_call call = [] {
    locally_connected1d_call made = call_on(2, {5, 3}, vector + 1, 2, 1);
    made.activation = Kind;
    return made;
  }();
  operands given(call);
  test::buffer y(given.d.size());
  run<call>({y.data(), given.x.data(), given.w.data(), given.bias.data()});
  CHECK(test::padding_is_zero(y, 2 * 4, vector + 1));
  CHECK(y.intact());
  return y;
}

template <activation_kind Kind>
void check_activation() {
  const test::buffer linear = forward_with<activation_kind::linear>();
  test::buffer expected(linear.size());
  kernels::activation_forward<Kind>(linear.data(), expected.data(), 2 * 4, vector + 1, 0.0F);
  CHECK(test::same_bits(forward_with<Kind>().view(), expected.view()));
}

}  // namespace

TEST_CASE("activations of local windows are applied to every step, and not to padding") {
  check_activation<activation_kind::relu>();
  check_activation<activation_kind::sigmoid>();
}
