// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

int checked_elements = 0;

struct difference {
  int wrong_bits = 0;
  int beyond_tolerance = 0;
};

/// One element against its chain over samples, from `start`.
template <typename Left, typename Right>
void compare(difference& found, float got, float start, int batch, const Left& left,
             const Right& right) {
  float chain = start;
  double exact = wide(start);
  double terms = std::fabs(exact);
  for (int b = 0; b < batch; ++b) {
    chain = test::chain_step(left(b), right(b), chain);
    exact += wide(left(b)) * wide(right(b));
    terms += std::fabs(wide(left(b)) * wide(right(b)));
  }
  found.wrong_bits += test::same_bits(got, chain) ? 0 : 1;
  const double off = std::fabs(wide(got) - exact);
  found.beyond_tolerance += off <= test::chain_error(batch + 1, terms) ? 0 : 1;
  checked_elements += 1;
}

template <int Batch, int Inputs, int Outputs>
void check_gradients(bool continues) {
  const test::buffer x = test::random_rows(Batch, Inputs, 21);
  const test::buffer d = test::random_rows(Batch, Outputs, 22);
  const test::buffer dw_before = test::random_panels(Inputs, Outputs, 23);
  const test::buffer db_before = test::random_bias(Outputs, 24);
  test::buffer dw = dw_before;
  test::buffer db = db_before;
  kernels::dense_weight_gradient<Batch, Inputs, Outputs>(
      x.data(), d.data(), {.sum = dw.data()}, {.sum = db.data()}, {.continues = continues});
  const layout::panels place(Inputs, Outputs);
  const auto slope = [&](int n) {
    return [&d, n](int b) { return d[std::int64_t{b} * layout::row_stride(Outputs) + n]; };
  };
  difference found;
  for (int n = 0; n < Outputs; ++n) {
    for (int k = 0; k < Inputs; ++k) {
      const std::int64_t i = place.offset(k, n);
      const auto input = [&](int b) { return x[std::int64_t{b} * layout::row_stride(Inputs) + k]; };
      compare(found, dw[i], continues ? dw_before[i] : 0.0F, Batch, input, slope(n));
    }
    const auto one = [](int) { return 1.0F; };
    compare(found, db[n], continues ? db_before[n] : 0.0F, Batch, one, slope(n));
  }
  INFO("batch " << Batch << ", " << Inputs << " x " << Outputs << ", continues " << continues);
  CHECK(found.wrong_bits == 0);
  CHECK(found.beyond_tolerance == 0);
  double padding = 0.0;
  std::vector<float> rows(static_cast<std::size_t>(Inputs) * Outputs);
  layout::unpack_panels(place, dw.view(), rows);
  test::buffer only_units(dw.size());
  layout::pack_panels(place, rows, only_units.view());
  for (std::int64_t i = 0; i < dw.size(); ++i) {
    padding += only_units[i] == dw[i] ? 0.0 : 1.0;
  }
  CHECK(padding == 0.0);
  CHECK(dw.intact());
  CHECK(db.intact());
}

template <int Batch, int Inputs, int Outputs>
void check_shape() {
  check_gradients<Batch, Inputs, Outputs>(false);
  check_gradients<Batch, Inputs, Outputs>(true);
}

}  // namespace

TEST_CASE("each weight gradient is one chain over ascending samples") {
  checked_elements = 0;
  check_shape<1, 1, 1>();
  check_shape<1, 33, lanes + 1>();
  check_shape<3, lanes - 1, lanes - 1>();
  check_shape<7, lanes, lanes>();
  check_shape<8, lanes + 1, 10>();
  check_shape<13, 2 * lanes + 1, 24>();
  check_shape<32, 24, 25>();
  check_shape<33, 25, 31>();
  check_shape<32, 10, 32>();
  check_shape<3, 31, 33>();
  check_shape<7, 32, 2 * lanes + 1>();
  check_shape<13, 1, 100>();
  check_shape<130, 17, 33>();
  check_shape<32, 64, 1>();
  check_shape<60, 67, 2>();
  check_shape<130, 100, 3>();
  CHECK(checked_elements > 0);
  std::printf("dense_weight_gradient: checked %d elements\n", checked_elements);
}

TEST_CASE("micro-batches continue the chain: their size does not change the bits") {
  constexpr int inputs = 25;
  constexpr int outputs = 33;
  const test::buffer x = test::random_rows(24, inputs, 31);
  const test::buffer d = test::random_rows(24, outputs, 32);
  test::buffer whole(layout::panel_elements(inputs, outputs), 0.0F);
  test::buffer parts(whole.size(), 0.0F);
  kernels::dense_weight_gradient<24, inputs, outputs>(x.data(), d.data(), {.sum = whole.data()}, {},
                                                      {});
  for (int part = 0; part < 3; ++part) {
    kernels::dense_weight_gradient<8, inputs, outputs>(
        x.data() + 8 * part * layout::row_stride(inputs),
        d.data() + 8 * part * layout::row_stride(outputs), {.sum = parts.data()}, {},
        {.continues = part > 0});
  }
  CHECK(test::same_bits(whole.view(), parts.view()));
  CHECK(whole[0] != 0.0F);
}

namespace {

/// Weights, bias and their velocities after two micro-batches and an update.
struct trained {
  test::buffer w;
  test::buffer velocity;
  test::buffer b;
  test::buffer bias_velocity;
};

constexpr int fused_batch = 6;
constexpr int fused_inputs = 29;
constexpr int fused_outputs = 37;

trained untrained() {
  return {test::random_panels(fused_inputs, fused_outputs, 61),
          test::random_panels(fused_inputs, fused_outputs, 62),
          test::random_bias(fused_outputs, 63), test::random_bias(fused_outputs, 64)};
}

/// Whether the update that ends the last weight gradient has the bits of one that comes after it,
/// and leaves the sums as they were.
template <typename Rule>
tests::checks fused_update_agrees() {
  const test::buffer x = test::random_rows(2 * fused_batch, fused_inputs, 65);
  const test::buffer d = test::random_rows(2 * fused_batch, fused_outputs, 66);
  const float* const x_last = x.data() + fused_batch * layout::row_stride(fused_inputs);
  const float* const d_last = d.data() + fused_batch * layout::row_stride(fused_outputs);
  typename Rule::numbers numbers = {0.05F};
  if constexpr (Rule::kept > 0) {
    numbers.momentum = 0.9F;
  }
  trained apart = untrained();
  trained fused = untrained();
  test::buffer dw(apart.w.size(), 0.0F);
  test::buffer db(apart.b.size(), 0.0F);
  const auto gradient = [&]<typename Update>(trained& of, bool last) {
    kernels::gradient_target<Update> kernel{.sum = dw.data()};
    kernels::gradient_target<Update> bias{.sum = db.data()};
    kernels::gradient_step<Update> step{.continues = last, .updates = last};
    if constexpr (!std::is_same_v<Update, no_update>) {
      kernel.updated = {of.w.data(), {of.velocity.data()}};
      bias.updated = {of.b.data(), {of.bias_velocity.data()}};
      step.numbers = numbers;
    }
    kernels::dense_weight_gradient<fused_batch, fused_inputs, fused_outputs, Update>(
        last ? x_last : x.data(), last ? d_last : d.data(), kernel, bias, step);
  };
  gradient.template operator()<no_update>(apart, false);
  const test::buffer first_sum = dw;
  gradient.template operator()<Rule>(fused, true);
  tests::checks done;
  done.that(test::same_bits(first_sum.view(), dw.view()));
  gradient.template operator()<no_update>(apart, true);
  kernels::update_elements<Rule>({apart.w.data(), {apart.velocity.data()}}, dw.data(),
                                 apart.w.size(), numbers);
  kernels::update_elements<Rule>({apart.b.data(), {apart.bias_velocity.data()}}, db.data(),
                                 apart.b.size(), numbers);
  done.that(test::same_bits(apart.w.view(), fused.w.view()));
  done.that(test::same_bits(apart.velocity.view(), fused.velocity.view()));
  done.that(test::same_bits(apart.b.view(), fused.b.view()));
  done.that(test::same_bits(apart.bias_velocity.view(), fused.bias_velocity.view()));
  done.that(!test::same_bits(untrained().w.view(), fused.w.view()));
  return done;
}

}  // namespace

TEST_CASE("an update fused into the last weight gradient has the bits of a separate one") {
  CHECK(fused_update_agrees<sgd_rule>());
  CHECK(fused_update_agrees<sgd_momentum_rule>());
  CHECK(fused_update_agrees<sgd_nesterov_rule>());
}

TEST_CASE("a null bias gradient is not touched") {
  const test::buffer x = test::random_rows(3, 5, 41);
  test::buffer dw(layout::panel_elements(5, 2), 0.0F);
  const test::buffer d = test::random_rows(3, 2, 42);
  kernels::dense_weight_gradient<3, 5, 2>(x.data(), d.data(), {.sum = dw.data()}, {}, {});
  CHECK(dw.intact());
  CHECK(dw[0] != 0.0F);
}
