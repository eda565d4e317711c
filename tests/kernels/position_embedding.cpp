// SPDX-License-Identifier: MIT
// Tests of kernels/position_embedding.hpp.
#include <ipu_dsl/kernels/position_embedding.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("a table is added to every sample, and its gradient is a sum over samples that goes on") {
  constexpr int samples = 4;
  constexpr int positions = 3;
  constexpr int features = 5;
  const std::int64_t stride = layout::row_stride(features);
  const test::buffer x = test::random_rows(samples * positions, features, 1);
  test::buffer table(positions * features);
  for (std::int64_t i = 0; i < table.size(); ++i) {
    table[i] = test::number(2, static_cast<std::uint64_t>(i));
  }
  test::buffer y(x.size());
  kernels::add_positions(x.data(), table.data(), y.data(), positions, features, {0, 5});
  kernels::add_positions(x.data(), table.data(), y.data(), positions, features, {5, 12});
  test::buffer whole(table.size());
  test::buffer halves(table.size());
  kernels::sum_positions(x.data(), whole.data(), samples, positions, features, false, {0, 3});
  kernels::sum_positions(x.data(), halves.data(), 2, positions, features, false, {0, 3});
  kernels::sum_positions(x.data() + 2 * positions * stride, halves.data(), 2, positions, features,
                         true, {0, 3});
  int wrong = 0;
  for (int at = 0; at < positions * features; ++at) {
    const std::int64_t place = at / features * stride + at % features;
    float sum = 0.0F;
    for (int sample = 0; sample < samples; ++sample) {
      const std::int64_t here = sample * positions * stride + place;
      wrong += y[here] == x[here] + table[at] ? 0 : 1;
      sum = sum + x[here];
    }
    wrong += whole[at] == sum && halves[at] == sum ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(test::padding_is_zero(y, samples * positions, features));
  CHECK((y.intact() && whole.intact() && halves.intact()));
}
