// SPDX-License-Identifier: MIT
// Tests of kernels/group_normalization.hpp: each number is the chain that is written down here.
#include <ipu_dsl/kernels/group_normalization.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

constexpr float epsilon = 1e-3F;

/// The sum over the positions of each channel, then over the channels of a group.
template <typename Term>
float sum_of_group(int positions, int first, int width, const Term& term) {
  float sum = 0.0F;
  for (int c = first; c < first + width; ++c) {
    float channel = 0.0F;
    for (int position = 0; position < positions; ++position) {
      channel = term(channel, position, c);
    }
    sum = sum + channel;
  }
  return sum;
}

/// One sample; returns how many numbers were compared.
template <std::int32_t Channels>
int check(int positions, int groups) {
  const kernels::grouped_channels of{positions, Channels, groups};
  const std::int64_t stride = layout::row_stride(Channels);
  const test::buffer x = test::random_rows(positions, Channels, 3, 2.0F);
  const test::buffer d = test::random_rows(positions, Channels, 4);
  const test::buffer gamma = test::random_rows(1, Channels, 5);
  const test::buffer beta = test::random_rows(1, Channels, 6);
  test::buffer y(x.size());
  test::buffer dx(x.size());
  test::buffer mean(stride);
  test::buffer inverse(stride);
  test::buffer sums(stride);
  test::buffer products(stride);
  kernels::normalize_groups(x.data(), gamma.data(), beta.data(), epsilon, of, y.data(), mean.data(),
                            inverse.data());
  kernels::group_gradient_sums(d.data(), x.data(), of, mean.data(), inverse.data(), sums.data(),
                               products.data());
  kernels::normalized_groups_gradient<Channels>(d.data(), x.data(), of, gamma.data(), mean.data(),
                                                inverse.data(), sums.data(), products.data(),
                                                dx.data());
  const int width = Channels / groups;
  const auto members = static_cast<float>(positions * width);
  const auto x_at = [&](int position, int c) { return x[position * stride + c]; };
  const auto d_at = [&](int position, int c) { return d[position * stride + c]; };
  int wrong = 0;
  int compared = 0;
  for (int first = 0; first < Channels; first += width) {
    const float middle = sum_of_group(positions, first, width,
                                      [&](float sum, int p, int c) { return sum + x_at(p, c); }) /
                         members;
    const float squares = sum_of_group(positions, first, width, [&](float sum, int p, int c) {
      const float centred = x_at(p, c) - middle;
      return test::chain_step(centred, centred, sum);
    });
    const float factor = 1.0F / std::sqrt(squares / members + epsilon);
    const auto normal = [&](int p, int c) { return (x_at(p, c) - middle) * factor; };
    float slopes = 0.0F;
    float along = 0.0F;
    for (int c = first; c < first + width; ++c) {
      float sum = 0.0F;
      float product = 0.0F;
      for (int p = 0; p < positions; ++p) {
        sum = sum + d_at(p, c);
        product = test::chain_step(d_at(p, c), normal(p, c), product);
      }
      wrong += sums[c] == sum && products[c] == product ? 0 : 1;
      // Apart from the product, so that no compiler makes one rounding of both.
      slopes = test::chain_step(sum * gamma[c], 1.0F, slopes);
      along = test::chain_step(product * gamma[c], 1.0F, along);
    }
    slopes = slopes / members;
    along = -(along / members);
    for (int c = first; c < first + width; ++c) {
      wrong += mean[c] == middle && inverse[c] == factor ? 0 : 1;
      for (int p = 0; p < positions; ++p) {
        wrong += y[p * stride + c] == test::chain_step(normal(p, c), gamma[c], beta[c]) ? 0 : 1;
        const float slope = test::chain_step(d_at(p, c), gamma[c], -slopes);
        const float back = test::chain_step(normal(p, c), along, slope) * factor;
        wrong += dx[p * stride + c] == back ? 0 : 1;
        compared += 2;
      }
    }
  }
  INFO(positions << " x " << Channels << " in " << groups);
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, positions, Channels));
  CHECK(test::padding_is_zero(dx, positions, Channels));
  CHECK((y.intact() && dx.intact() && mean.intact() && inverse.intact()));
  return compared;
}

}  // namespace

TEST_CASE("groups of channels are normalised by chains, and so are the gradients") {
  int compared = 0;
  for (const int positions : {1, 6}) {
    compared += check<1>(positions, 1);
    compared += check<6>(positions, 3);
    compared += check<33>(positions, 11);
    compared += check<64>(positions, 4);
    compared += check<16>(positions, 16);
  }
  CHECK(compared > 0);
  std::printf("group normalization: compared %d elements\n", compared);
}

TEST_CASE("rows are added in order, and the sum goes on") {
  const test::buffer rows = test::random_rows(4, 7, 3);
  const std::int32_t stride = layout::row_stride(7);
  test::buffer whole(stride);
  test::buffer halves(stride);
  kernels::add_rows(rows.data(), 4, stride, false, whole.data());
  kernels::add_rows(rows.data(), 2, stride, false, halves.data());
  kernels::add_rows(rows.data() + 2 * stride, 2, stride, true, halves.data());
  CHECK(test::same_bits(whole.view(), halves.view()));
}
