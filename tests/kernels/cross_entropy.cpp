// SPDX-License-Identifier: MIT
#include <ipu_dsl/kernels/cross_entropy.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;
using test::wide;

namespace {

std::vector<std::int32_t> random_labels(int batch, int classes) {
  std::vector<std::int32_t> labels;
  for (int b = 0; b < batch; ++b) {
    const std::uint32_t word = random_word(61, 0, static_cast<std::uint64_t>(b));
    labels.push_back(
        static_cast<std::int32_t>(uniform_below(word, static_cast<std::uint32_t>(classes))));
  }
  return labels;
}

/// What a loss from logits is in float64.
struct exact_loss {
  std::vector<double> softmax;
  double loss = 0.0;
};

exact_loss loss_of(const float* logits, int classes, int label) {
  exact_loss result;
  double sum = 0.0;
  for (int n = 0; n < classes; ++n) {
    sum += std::exp(wide(logits[n]));
  }
  for (int n = 0; n < classes; ++n) {
    result.softmax.push_back(std::exp(wide(logits[n])) / sum);
  }
  result.loss = std::log(sum) - wide(logits[label]);
  return result;
}

/// A probability: the difference from the maximum (at most 8) is rounded once, e^x is off by 2 u,
/// the sum of `classes` by classes u, the quotient by u; the loss adds the logarithm (2 u of at
/// most ln(classes) + 8) and one difference of numbers of at most 16.
double probability_tolerance(int classes) {
  return (8.0 + 2.0 + classes + 1.0 + 2.0) * test::unit_roundoff;
}

double loss_tolerance(int classes) {
  return (probability_tolerance(classes) + (2.0 * 16.0 + 16.0) * test::unit_roundoff) * 2.0;
}

int checked = 0;

void check_logits(int batch, int classes, int valid) {
  const test::buffer logits = test::random_rows(batch, classes, 62, 4.0F);
  const std::vector<std::int32_t> labels = random_labels(batch, classes);
  const std::int64_t stride = layout::row_stride(classes);
  test::buffer gradient(batch * stride);
  const float scale = 0.25F;
  const float before = 1.5F;
  float loss = before;
  kernels::softmax_cross_entropy(logits.data(), labels.data(), batch, classes, valid, scale, &loss,
                                 gradient.data());
  double want = wide(before);
  int wrong = 0;
  for (int b = 0; b < batch; ++b) {
    const int label = labels[static_cast<std::size_t>(b)];
    const exact_loss exact = loss_of(logits.data() + b * stride, classes, label);
    want += b < valid ? wide(scale) * exact.loss : 0.0;
    for (int n = 0; n < classes; ++n) {
      const double hot = n == label ? 1.0 : 0.0;
      const double slope =
          b < valid ? (exact.softmax[static_cast<std::size_t>(n)] - hot) * wide(scale) : 0.0;
      const double off = std::fabs(wide(gradient[b * stride + n]) - slope);
      wrong += off <= wide(scale) * probability_tolerance(classes) ? 0 : 1;
      ++checked;
    }
  }
  INFO("batch " << batch << ", classes " << classes << ", valid " << valid);
  CHECK(wrong == 0);
  // Summing: `valid` roundings of at most the sum itself.
  CHECK(std::fabs(wide(loss) - want) <=
        valid * (loss_tolerance(classes) + want * test::unit_roundoff));
  CHECK(test::padding_is_zero(gradient, batch, classes));
  CHECK(gradient.intact());
  float without_gradient = before;
  kernels::softmax_cross_entropy(logits.data(), labels.data(), batch, classes, valid, scale,
                                 &without_gradient, nullptr);
  CHECK(test::same_bits(loss, without_gradient));
}

}  // namespace

TEST_CASE("cross-entropy from logits agrees with float64") {
  checked = 0;
  for (const int classes : {1, 2, lanes - 1, lanes, lanes + 1, 10, 2 * lanes + 1, 33}) {
    check_logits(1, classes, 1);
    check_logits(13, classes, 13);
    check_logits(32, classes, 20);
    check_logits(3, classes, 0);
  }
  CHECK(checked > 0);
  std::printf("cross_entropy: checked %d gradients\n", checked);
}

TEST_CASE("the loss is one chain over ascending samples") {
  const test::buffer logits = test::random_rows(12, 10, 63, 4.0F);
  const std::vector<std::int32_t> labels = random_labels(12, 10);
  float whole = 0.0F;
  kernels::softmax_cross_entropy(logits.data(), labels.data(), 12, 10, 12, 0.1F, &whole, nullptr);
  float parts = 0.0F;
  for (int part = 0; part < 3; ++part) {
    kernels::softmax_cross_entropy(logits.data() + 4 * part * layout::row_stride(10),
                                   labels.data() + 4 * part, 4, 10, 4, 0.1F, &parts, nullptr);
  }
  CHECK(test::same_bits(whole, parts));
  CHECK(whole > 0.0F);
}

TEST_CASE("logits of any size neither overflow nor vanish") {
  test::buffer logits(layout::row_stride(3), 0.0F);
  logits[0] = 1000.0F;
  logits[1] = -1000.0F;
  logits[2] = 999.0F;
  test::buffer gradient(logits.size());
  for (const std::int32_t label : {0, 1, 2}) {
    float loss = 0.0F;
    kernels::softmax_cross_entropy(logits.data(), &label, 1, 3, 1, 1.0F, &loss, gradient.data());
    const double exact = std::log1p(std::exp(-1.0)) + 1000.0 - wide(logits[label]);
    CHECK(std::fabs(wide(loss) - exact) <= exact * 4.0 * test::unit_roundoff);
    CHECK(gradient[1] == (label == 1 ? -1.0F : 0.0F));
  }
}

TEST_CASE("cross-entropy from probabilities clips as Keras does") {
  constexpr int classes = lanes + 1;
  constexpr int batch = 7;
  const std::int64_t stride = layout::row_stride(classes);
  test::buffer p = test::random_rows(batch, classes, 64);
  for (int b = 0; b < batch; ++b) {
    for (int n = 0; n < classes; ++n) {
      p[b * stride + n] = 0.5F + 0.5F * p[b * stride + n];
    }
  }
  p[0] = 0.0F;
  p[stride] = 1.0F;
  p[2 * stride] = 1e-9F;
  std::vector<std::int32_t> labels = random_labels(batch, classes);
  labels[0] = 0;
  labels[1] = 0;
  labels[2] = 3;
  test::buffer gradient(p.size());
  float loss = 0.0F;
  kernels::probability_cross_entropy(p.data(), labels.data(), batch, classes, batch - 1, 0.5F,
                                     &loss, gradient.data());
  const double low = wide(1e-7F);
  const double high = wide(1.0F - 1e-7F);
  double want = 0.0;
  int counted = 0;
  for (int b = 0; b < batch; ++b) {
    const int label = labels[static_cast<std::size_t>(b)];
    double sum = 0.0;
    for (int n = 0; n < classes; ++n) {
      sum += std::min(high, std::max(low, wide(p[b * stride + n])));
    }
    const double of_label = std::min(high, std::max(low, wide(p[b * stride + label])));
    want += b < batch - 1 ? 0.5 * (std::log(sum) - std::log(of_label)) : 0.0;
    for (int n = 0; n < classes; ++n) {
      const double value = wide(p[b * stride + n]);
      const bool passes = value >= low && value <= high && b < batch - 1;
      const double slope = passes ? 0.5 * (1.0 / sum - (n == label ? 1.0 / of_label : 0.0)) : 0.0;
      // The sum is off by classes u, each quotient by u, their difference by u.
      const double size = 0.5 / sum + (n == label ? 0.5 / of_label : 0.0);
      CHECK(std::fabs(wide(gradient[b * stride + n]) - slope) <=
            size * (classes + 3.0) * test::unit_roundoff);
      ++counted;
    }
  }
  CHECK(counted == batch * classes);
  // Seven chained terms of at most 20, each from two logarithms of at most 17.
  CHECK(std::fabs(wide(loss) - want) <= batch * 60.0 * (classes + 4.0) * test::unit_roundoff);
  CHECK(test::padding_is_zero(gradient, batch, classes));
  CHECK(gradient.intact());
  std::printf("cross_entropy: checked %d gradients of probabilities\n", counted);
}

TEST_CASE("of equal scores the first counts, and only valid samples do") {
  test::buffer scores(4 * layout::row_stride(3), 0.0F);
  const std::int64_t stride = layout::row_stride(3);
  scores[1] = 2.0F;
  scores[2] = 2.0F;
  scores[stride + 2] = 1.0F;
  scores[2 * stride] = -1.0F;
  scores[2 * stride + 1] = -1.0F;
  scores[2 * stride + 2] = -1.0F;
  const std::int32_t labels[] = {1, 1, 0, 0};
  CHECK(kernels::count_hits(scores.data(), labels, 3, 4) == 3);
  CHECK(kernels::count_hits(scores.data(), labels, 3, 3) == 2);
  CHECK(kernels::count_hits(scores.data(), labels, 3, 0) == 0);
}
