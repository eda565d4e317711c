// SPDX-License-Identifier: MIT
// Tests of operators/conv3d.hpp: every number is one chain over kernel planes, rows, columns and
// depth, and parts make the whole.
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <vector>

#include <ipu_dsl/operators/conv3d.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"
#include "support/made_in_parts.hpp"

namespace {

using namespace ipu_dsl;

constexpr conv3d_call call_on(three_numbers input, std::int32_t channels, std::int32_t filters,
                              three_numbers kernel, three_numbers strides, three_numbers dilation,
                              padding_kind padding, bool in_one_row) {
  return {.variant = conv3d_variant::forward,
          .batch = 2,
          .input = input,
          .channels = channels,
          .filters = filters,
          .kernel = kernel,
          .strides = strides,
          .dilation = dilation,
          .padding = padding,
          .activation = activation_kind::linear,
          .has_bias = 1,
          .input_in_one_row = in_one_row ? 1 : 0};
}

constexpr conv3d_call of_variant(conv3d_call call, conv3d_variant variant) {
  call.variant = variant;
  return call;
}

template <conv3d_call Call>
void run(std::initializer_list<void*> operands, grain part = {}) {
  run_context context;
  context.part = part;
  const float alpha = 0;
  ipu_dsl::operators<&conv3d_family>::run<Call>(context, operands.begin(), &alpha);
}

/// A tap of the kernel and what it meets at a place: numbers of positions, in order of the volume.
struct met_tap {
  int tap;
  int input;
  int output;
};

/// All of one sample in ascending order of outputs, of each in ascending order of taps.
std::vector<met_tap> meetings(const conv3d_call& call) {
  const three_numbers outputs = call.output();
  std::vector<met_tap> found;
  for (int output = 0; output < outputs.product(); ++output) {
    for (int tap = 0; tap < call.kernel.product(); ++tap) {
      const auto place = [](int number, const three_numbers& extents) {
        return three_numbers{number / (extents.rows * extents.columns),
                             number / extents.columns % extents.rows, number % extents.columns};
      };
      const three_numbers at = place(output, outputs);
      const three_numbers of = place(tap, call.kernel);
      const int plane = at.planes * call.strides.planes + of.planes * call.dilation.planes -
                        call.planes().padding;
      const int row =
          at.rows * call.strides.rows + of.rows * call.dilation.rows - call.rows().padding;
      const int column = at.columns * call.strides.columns + of.columns * call.dilation.columns -
                         call.columns().padding;
      if (plane >= 0 && plane < call.input.planes && row >= 0 && row < call.input.rows &&
          column >= 0 && column < call.input.columns) {
        const int input = (plane * call.input.rows + row) * call.input.columns + column;
        found.push_back({tap, input, output});
      }
    }
  }
  return found;
}

int checked = 0;

template <conv3d_call Call>
void check_all() {
  constexpr int taps = Call.kernel.product();
  constexpr int inputs = Call.input.product();
  constexpr int outputs = Call.output().product();
  constexpr int channels = Call.channels;
  constexpr int filters = Call.filters;
  test::buffer x = Call.input_in_one_row != 0 ? test::random_rows(Call.batch, inputs * channels, 1)
                                              : test::random_rows(Call.batch * inputs, channels, 1);
  test::buffer d = test::random_rows(Call.batch * outputs, filters, 2);
  test::buffer w = test::random_panels(taps * channels, filters, 3);
  test::buffer bias = test::random_bias(filters, 4);
  const layout::panels weights(taps * channels, filters);
  const auto x_at = [&](int sample, int input, int channel) {
    return Call.input_in_one_row != 0
               ? std::int64_t{sample} * layout::row_stride(inputs * channels) + input * channels +
                     channel
               : std::int64_t{sample * inputs + input} * layout::row_stride(channels) + channel;
  };
  const auto y_at = [&](int sample, int output, int filter) {
    return std::int64_t{sample * outputs + output} * layout::row_stride(filters) + filter;
  };
  const std::vector<met_tap> met = meetings(Call);

  const test::buffer y = test::made_in_parts(test::buffer(d.size()), [&](float* to, grain part) {
    run<Call>({to, x.data(), w.data(), bias.data()}, part);
  });
  test::buffer sums(w.size() + bias.size(), 0.0F);
  test::buffer dw = test::made_in_parts(test::buffer(sums.size()), [&](float* to, grain part) {
    run<of_variant(Call, conv3d_variant::weight_gradient)>({to, to + w.size(), x.data(), d.data()},
                                                           part);
  });
  test::buffer expected(d.size(), 0.0F);
  for (int sample = 0; sample < Call.batch; ++sample) {
    for (int output = 0; output < outputs; ++output) {
      for (int filter = 0; filter < filters; ++filter) {
        expected[y_at(sample, output, filter)] = bias[filter];
        sums[w.size() + filter] += d[y_at(sample, output, filter)];
      }
    }
    for (const met_tap& each : met) {
      for (int i = 0; i < channels * filters; ++i) {
        const int channel = i / filters;
        const int filter = i % filters;
        const std::int64_t at = weights.offset(each.tap * channels + channel, filter);
        const float input = x[x_at(sample, each.input, channel)];
        float& chain = expected[y_at(sample, each.output, filter)];
        chain = test::chain_step(input, w[at], chain);
        sums[at] = test::chain_step(input, d[y_at(sample, each.output, filter)], sums[at]);
        checked += 2;
      }
    }
  }
  CHECK(test::same_bits(y.view(), expected.view()));
  CHECK(test::same_bits(dw.view(), sums.view()));

  test::buffer transposed(layout::panel_elements(taps * filters, channels));
  run<of_variant(Call, conv3d_variant::transposed_kernel)>({transposed.data(), w.data()});
  const std::int64_t pixels = std::int64_t{Call.batch} * inputs;
  const test::buffer dx = test::made_in_parts(
      test::buffer(pixels * layout::row_stride(channels)), [&](float* to, grain part) {
        run<of_variant(Call, conv3d_variant::input_gradient)>({to, d.data(), transposed.data()},
                                                              part);
      });
  test::buffer expected_dx(dx.size(), 0.0F);
  for (int tap = 0; tap < taps; ++tap) {
    for (int sample = 0; sample < Call.batch; ++sample) {
      for (const met_tap& each : met) {
        for (int i = 0; each.tap == tap && i < channels * filters; ++i) {
          const int channel = i / filters;
          const int filter = i % filters;
          float& chain = expected_dx[(std::int64_t{sample} * inputs + each.input) *
                                         layout::row_stride(channels) +
                                     channel];
          chain = test::chain_step(d[y_at(sample, each.output, filter)],
                                   w[weights.offset(tap * channels + channel, filter)], chain);
          ++checked;
        }
      }
    }
  }
  CHECK(test::same_bits(dx.view(), expected_dx.view()));
}

constexpr int vector = test::lanes;

}  // namespace

TEST_CASE("numbers of Conv3D are chains over kernel planes, rows, columns and channels") {
  using enum padding_kind;
  check_all<call_on({5, 4, 6}, 3, vector + 1, {3, 3, 3}, {}, {}, same, true)>();
  check_all<call_on({5, 6, 7}, vector, 5, {2, 3, 2}, {2, 1, 3}, {}, same, false)>();
  check_all<call_on({6, 5, 7}, 2, 3, {2, 2, 3}, {}, {3, 1, 2}, valid, false)>();
  // Many channels at rims, and several blocks of lines.
  check_all<call_on({3, 4, 5}, 40, vector + 2, {2, 3, 3}, {}, {}, same, false)>();
  check_all<call_on({6, 8, 30}, 8, 6 * vector, {2, 2, 3}, {}, {}, same, false)>();
  check_all<call_on({2, 3, 2}, 1, 4, {1, 5, 3}, {1, 2, 1}, {}, same, true)>();
  // So few filters that a vector has them twice, and strides beyond the image.
  check_all<call_on({4, 5, 6}, 1, vector / 2, {2, 3, 3}, {}, {}, same, true)>();
  check_all<call_on({3, 4, 5}, 1, vector / 2, {2, 2, 3}, {4, 5, 6}, {}, same, true)>();
  CHECK(checked > 0);
  std::printf("Conv3D: checked %d steps of chains\n", checked);
}
