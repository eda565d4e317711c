// SPDX-License-Identifier: MIT
// The bits of every kernel as constants: the same for g++ and clang, eight and sixteen lanes, -O2
// and -O3. A change here is a change of every number that the library computes.
#include <ipu_dsl/kernels/cross_entropy.hpp>
#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_output_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>
#include <ipu_dsl/kernels/pointwise.hpp>
#include <ipu_dsl/kernels/rowwise.hpp>
#include <ipu_dsl/kernels/update.hpp>
#include <ipu_dsl/vocabulary/library.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using kind = activation_kind;

namespace {

int checked_hashes = 0;

/// A hash of the units without padding, whose width depends on the lanes.
std::uint64_t hash_rows(const test::buffer& values, int rows, int columns) {
  const std::int64_t stride = layout::whole_vectors(columns, layout::native);
  std::vector<float> units;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      units.push_back(values[row * stride + column]);
    }
  }
  return test::hash(units);
}

std::uint64_t hash_panels(const test::buffer& values, int inputs, int outputs) {
  std::vector<float> rows(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(outputs));
  layout::unpack_panels(layout::panels(inputs, outputs), values.view(), rows);
  return test::hash(rows);
}

/// An architecture without fused multiply-add rounds twice a step; its bits are its own.
void check_hash(const char* what, std::uint64_t got, std::uint64_t want) {
  if (!layout::native.fused_multiply_add) {
    return;
  }
  INFO(what << ": 0x" << std::hex << got);
  CHECK(got == want);
  ++checked_hashes;
}

template <kind Kind>
void check_activation(std::uint64_t value, std::uint64_t derivative) {
  constexpr int units = 1000;
  const test::buffer x = test::random_rows(3, units, 141, 20.0F);
  test::buffer y(x.size());
  kernels::activation_forward<Kind>(x.data(), y.data(), 3, units, 0.3F);
  check_hash("activation", hash_rows(y, 3, units), value);
  test::buffer dx(x.size());
  kernels::activation_gradient_from_input<Kind>(x.data(), x.data(), dx.data(), 3, units, 0.3F);
  check_hash("derivative", hash_rows(dx, 3, units), derivative);
}

}  // namespace

TEST_CASE("the bits of activations") {
  checked_hashes = 0;
  check_activation<kind::relu>(0x48F39BEEB3E2DCFDU, 0x71BAF43FC500FDFDU);
  check_activation<kind::leaky_relu>(0x4426F65456A52598U, 0x4426F65456A52598U);
  check_activation<kind::elu>(0x011CC69205659265U, 0x1EE9B3934E80C29CU);
  check_activation<kind::gelu>(0xE152F8F9C7F51ADCU, 0xCC380C6B9C88E456U);
  check_activation<kind::swish>(0xAF23D46B45F2B6E9U, 0xB8A7D1950A977BE9U);
  check_activation<kind::sigmoid>(0x7018C1297DB36D45U, 0x5E6C2AA6DEEF70C0U);
  check_activation<kind::tanh>(0x0F7203AA8D32573FU, 0x0163A967AA067F35U);
  check_activation<kind::softplus>(0x95D5BA899C38B164U, 0xAF23D46B45F2B6E9U);
  CHECK(checked_hashes == (layout::native.fused_multiply_add ? 16 : 0));
  std::printf("bits: checked %d hashes of activations\n", checked_hashes);
}

TEST_CASE("the bits of a training step of one layer") {
  constexpr int batch = 13;
  constexpr int inputs = 49;
  constexpr int outputs = 37;
  checked_hashes = 0;
  const test::buffer x = test::random_rows(batch, inputs, 142);
  test::buffer w = test::random_panels(inputs, outputs, 143);
  const test::buffer bias = test::random_bias(outputs, 144);
  test::buffer y(std::int64_t{batch} * layout::row_stride(outputs));
  kernels::dense_forward<batch, inputs, outputs, kind::relu>(x.data(), w.data(), bias.data(),
                                                             y.data(), 0.0F);
  check_hash("forward", hash_rows(y, batch, outputs), 0x6004F11CFC37443CU);

  std::int32_t labels[batch] = {};
  for (int b = 0; b < batch; ++b) {
    labels[b] = (7 * b) % outputs;
  }
  test::buffer gradient(y.size());
  float loss = 0.0F;
  kernels::softmax_cross_entropy(y.data(), labels, batch, outputs, batch, 1.0F / batch, &loss,
                                 gradient.data());
  check_hash("loss", test::hash({&loss, 1}), 0xC072623531276E80U);
  check_hash("gradient of the logits", hash_rows(gradient, batch, outputs), 0x8CF9AEE65C56B0B4U);

  test::buffer d(y.size());
  test::buffer d_transposed(std::int64_t{outputs} * layout::batch_stride(batch));
  kernels::dense_output_gradient<batch, outputs, kind::relu, kernels::gradient_layout::batch_major>(
      gradient.data(), y.data(), d.data(), d_transposed.data(), 0.0F);
  check_hash("d", hash_rows(d, batch, outputs), 0xF7B3610D72209D4CU);
  check_hash("d transposed", hash_rows(d_transposed, outputs, batch), 0xA2D2AA43EE9008A4U);

  test::buffer dx(std::int64_t{inputs} * layout::batch_stride(batch));
  kernels::dense_input_gradient<batch, inputs, outputs>(w.data(), d_transposed.data(), dx.data());
  check_hash("input gradient", hash_rows(dx, inputs, batch), 0x83D6332E1216866AU);

  test::buffer dw(w.size(), 0.0F);
  test::buffer db(bias.size(), 0.0F);
  kernels::dense_weight_gradient<batch, inputs, outputs>(x.data(), d.data(), {.sum = dw.data()},
                                                         {.sum = db.data()}, {});
  check_hash("weight gradient", hash_panels(dw, inputs, outputs), 0x590F8B05E6BE6F48U);
  check_hash("bias gradient", hash_rows(db, 1, outputs), 0xDD014BB63C68846AU);

  test::buffer velocity = test::random_panels(inputs, outputs, 145);
  const sgd_numbers numbers = {0.1F, 0.9F};
  kernels::update_elements<sgd_momentum_rule>({w.data(), {velocity.data()}}, dw.data(), w.size(),
                                              numbers);
  kernels::update_elements<sgd_nesterov_rule>({w.data(), {velocity.data()}}, dw.data(), w.size(),
                                              numbers);
  kernels::update_elements<sgd_rule>({w.data()}, dw.data(), w.size(), {numbers.rate});
  check_hash("weights", hash_panels(w, inputs, outputs), 0x301623C4813192U);
  check_hash("velocity", hash_panels(velocity, inputs, outputs), 0x9AED61D26CE7D457U);
  CHECK(checked_hashes == (layout::native.fused_multiply_add ? 10 : 0));
  std::printf("bits: checked %d hashes of a training step\n", checked_hashes);
}

TEST_CASE("the bits of a single sample's input gradient") {
  constexpr int inputs = 77;
  constexpr int outputs = 101;
  checked_hashes = 0;
  const test::buffer w = test::random_panels(inputs, outputs, 147);
  const test::buffer d = test::random_rows(outputs, 1, 148);
  test::buffer dx(std::int64_t{inputs} * layout::batch_stride(1));
  kernels::dense_input_gradient<1, inputs, outputs>(w.data(), d.data(), dx.data());
  check_hash("input gradient", hash_rows(dx, inputs, 1), 0xE26D3FF457F2A943U);
  CHECK(checked_hashes == (layout::native.fused_multiply_add ? 1 : 0));
  std::printf("bits: checked %d hashes of a single sample\n", checked_hashes);
}

TEST_CASE("the bits of losses") {
  constexpr int batch = 9;
  constexpr int units = 21;
  checked_hashes = 0;
  const test::buffer x = test::random_rows(batch, units, 146, 5.0F);
  test::buffer y(x.size());
  kernels::softmax_forward(x.data(), y.data(), batch, units);
  check_hash("softmax", hash_rows(y, batch, units), 0xA983C1321D045A7BU);
  test::buffer gradient(x.size());
  kernels::softmax_gradient(x.data(), y.data(), gradient.data(), batch, units);
  check_hash("gradient of softmax", hash_rows(gradient, batch, units), 0x074C5C6EC651B12EU);
  const std::int32_t labels[batch] = {0, 5, 20, 3, 3, 1, 12, 7, 19};
  float loss = 0.0F;
  kernels::probability_cross_entropy(y.data(), labels, batch, units, batch, 0.1F, &loss,
                                     gradient.data());
  check_hash("loss of probabilities", test::hash({&loss, 1}), 0x7585666587929B62U);
  check_hash("gradient of probabilities", hash_rows(gradient, batch, units), 0x0D5EF7856BAFFD1BU);
  loss = static_cast<float>(
      kernels::pointwise_sum<squared_error_rule{}>(x.data(), y.data(), units, batch));
  kernels::pointwise_gradient<squared_error_rule{}>(x.data(), y.data(), batch, units, batch, 0.1F,
                                                    gradient.data());
  check_hash("mean squared error", test::hash({&loss, 1}), 0xF10C76867713A8E8U);
  check_hash("gradient of squared error", hash_rows(gradient, batch, units), 0x8A4D60C624CF8047U);
  CHECK(checked_hashes == (layout::native.fused_multiply_add ? 6 : 0));
  std::printf("bits: checked %d hashes of losses\n", checked_hashes);
}

namespace {

/// Outputs in [0, 10), targets in [0, 1).
struct judged_rows {
  static constexpr int batch = 9;
  static constexpr int units = 37;

  test::buffer predicted = test::random_rows(batch, units, 147, 5.0F);
  test::buffer wanted = test::random_rows(batch, units, 148, 0.5F);

  judged_rows() {
    const std::int64_t stride = layout::whole_vectors(units, layout::native);
    for (int b = 0; b < batch; ++b) {
      for (int n = 0; n < units; ++n) {
        predicted[b * stride + n] += 5.0F;
        wanted[b * stride + n] += 0.5F;
      }
    }
  }
};

/// The sum and the gradient of a rule in one hash.
void check_rule(const char* what, double sum, const test::buffer& gradient, std::uint64_t want) {
  const auto loss = static_cast<float>(sum);
  const std::uint64_t of_sum = test::hash({&loss, 1});
  check_hash(what, of_sum ^ hash_rows(gradient, judged_rows::batch, judged_rows::units), want);
}

template <auto Rule>
void check_pairs(const char* what, std::uint64_t want) {
  const judged_rows rows;
  test::buffer gradient(rows.predicted.size());
  const double sum = kernels::pointwise_sum<Rule>(rows.predicted.data(), rows.wanted.data(),
                                                  rows.units, rows.batch);
  kernels::pointwise_gradient<Rule>(rows.predicted.data(), rows.wanted.data(), rows.batch,
                                    rows.units, rows.batch, 0.1F, gradient.data());
  check_rule(what, sum, gradient, want);
}

template <auto Rule>
void check_rows(const char* what, std::uint64_t want) {
  const judged_rows rows;
  test::buffer gradient(rows.predicted.size());
  const double sum = kernels::rowwise_sum<Rule, true>(
      rows.predicted.data(), rows.wanted.data(), layout::row_stride(rows.units), rows.batch,
      rows.units, rows.batch, 0.1F, gradient.data());
  check_rule(what, sum, gradient, want);
}

constexpr score_kind clipped = score_kind::clipped_probabilities;

}  // namespace

TEST_CASE("the bits of losses on float targets") {
  checked_hashes = 0;
  check_pairs<absolute_error_rule{}>("mean_absolute_error", 0xFC9816E262B0EDCCU);
  check_pairs<absolute_percentage_error_rule{}>("mean_absolute_percentage_error",
                                                0x78D96FAC16A9A75FU);
  check_pairs<squared_logarithmic_error_rule{}>("mean_squared_logarithmic_error",
                                                0x99115DC9900841F6U);
  check_pairs<huber_rule{0.25F}>("huber", 0x84C8708F2BF60C25U);
  check_pairs<log_cosh_rule{}>("log_cosh", 0xD831F510E90112A5U);
  check_pairs<poisson_rule{}>("poisson", 0xEFB3F00CAE45A67FU);
  check_pairs<hinge_rule{}>("hinge", 0x0A5192F65492A6B9U);
  check_pairs<squared_hinge_rule{}>("squared_hinge", 0x8083210332662FD6U);
  check_pairs<binary_crossentropy_rule{}>("binary_crossentropy", 0x425FDBA063942FD1U);
  check_pairs<binary_crossentropy_rule{clipped, 0.1F}>("clipped binary_crossentropy",
                                                       0xA38480FD30ED786DU);
  check_rows<kl_divergence_rule{}>("kl_divergence", 0xCCC5B2A4C658BDDFU);
  check_rows<cosine_similarity_rule{}>("cosine_similarity", 0x53E44A1C850B4452U);
  check_rows<categorical_hinge_rule{}>("categorical_hinge", 0x6A9FD06B89381440U);
  check_rows<categorical_crossentropy_rule{}>("categorical_crossentropy", 0x55742A8E65AC9F2CU);
  check_rows<categorical_crossentropy_rule{clipped, 0.1F}>("clipped categorical_crossentropy",
                                                           0xC29A3104E7AE97EAU);
  CHECK(checked_hashes == (layout::native.fused_multiply_add ? 15 : 0));
  std::printf("bits: checked %d hashes of losses on float targets\n", checked_hashes);
}
