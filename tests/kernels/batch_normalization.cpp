// SPDX-License-Identifier: MIT
// Tests of kernels/batch_normalization.hpp: each channel is summed by runs, over valid samples
// only.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <ipu_dsl/kernels/batch_normalization.hpp>
#include <ipu_dsl/kernels/channel_moments.hpp>

#include "support/catch2.hpp"
#include "support/reference/numbers.hpp"

namespace {

using namespace ipu_dsl;
using kernels::channel_rows;

constexpr float not_a_number = __builtin_nanf("");

/// Rows with noise in valid samples and what must not be read elsewhere.
std::vector<float> rows_of(const channel_rows& rows, std::int32_t valid, std::uint64_t seed) {
  std::vector<float> made(static_cast<std::size_t>(rows.batch * rows.stride()), not_a_number);
  const std::vector<float> values =
      reference::numbers(static_cast<std::size_t>(valid * rows.elements()), seed, 2.0F);
  for (std::int32_t i = 0; i < valid * rows.elements(); ++i) {
    const std::int32_t at = i / rows.elements() * rows.stride() + i % rows.elements();
    made[static_cast<std::size_t>(at)] = values[static_cast<std::size_t>(i)];
  }
  return made;
}

/// Visits the elements of a channel in order.
template <typename Visit>
void each_of_channel(const channel_rows& rows, std::int32_t valid, std::int32_t channel,
                     const Visit& visit) {
  for (std::int32_t sample = 0; sample < valid; ++sample) {
    for (std::int32_t position = 0; position < rows.positions; ++position) {
      visit(static_cast<std::size_t>(sample * rows.stride() + position * rows.channels + channel));
    }
  }
}

/// What an element adds to two sums: itself, and the product of both.
struct terms {
  float number;
  float factor;
};

struct sums_of_runs {
  double sum = 0;
  double product = 0;
  std::int32_t positions = 0;
};

/// Some of the runs of a channel: the first so many from a sample on.
struct some_runs {
  std::int32_t sample;
  std::int32_t runs;
};

/// The sums of a channel over some runs: in float32 over up to sixteen positions of a sample, over
/// these in float64.
template <typename TermsOf>
sums_of_runs sum_runs(const channel_rows& rows, const some_runs& of, std::int32_t channel,
                      const TermsOf& terms_of) {
  sums_of_runs found;
  std::int32_t runs = of.runs;
  for (std::int32_t sample = of.sample; runs > 0; ++sample) {
    for (std::int32_t begin = 0; begin < rows.positions && runs > 0; begin += 16, --runs) {
      float sum = 0;
      float product = 0;
      for (std::int32_t i = begin; i < begin + 16 && i < rows.positions; ++i) {
        const terms added = terms_of(
            static_cast<std::size_t>(sample * rows.stride() + i * rows.channels + channel));
        sum += added.number;
        product = kernels::multiply_add(added.number, added.factor, product);
        ++found.positions;
      }
      found.sum += static_cast<double>(sum);
      found.product += static_cast<double>(product);
    }
  }
  return found;
}

/// What a channel's moments are taken around: the mean of one of 32 of its runs, sixteen at most.
float origin_of(const channel_rows& rows, const some_runs& of, std::int32_t channel,
                const std::vector<float>& x) {
  const float first = x[static_cast<std::size_t>(of.sample * rows.stride() + channel)];
  const std::int32_t asked = of.runs < 64 ? 1 : of.runs < 512 ? of.runs / 32 : 16;
  const sums_of_runs around = sum_runs(rows, {of.sample, asked}, channel, [&](std::size_t i) {
    return terms{x[i] - first, x[i] - first};
  });
  return static_cast<float>(static_cast<double>(first) + around.sum / around.positions);
}

/// The runs of block `block` of so many blocks of a batch.
some_runs runs_of_block(const channel_rows& rows, std::int32_t valid, std::int32_t blocks,
                        std::int32_t block) {
  const std::int32_t samples = rows.batch / blocks;
  const std::int32_t first = block * samples;
  const std::int32_t left = valid < first ? 0 : valid - first;
  return {first, (left < samples ? left : samples) * ((rows.positions + 15) / 16)};
}

struct moments {
  double mean = 0;
  double variance = 0;
};

/// Mean and variance of a channel by those of its blocks.
moments moments_of(const channel_rows& rows, std::int32_t valid, std::int32_t blocks,
                   std::int32_t channel, const std::vector<float>& x) {
  struct told {
    double count, mean, around;
  };

  std::vector<told> of_blocks;
  double sum = 0;
  for (std::int32_t block = 0; block < blocks; ++block) {
    const some_runs of = runs_of_block(rows, valid, blocks, block);
    if (of.runs == 0) {
      continue;
    }
    const float origin = origin_of(rows, of, channel, x);
    const sums_of_runs found = sum_runs(
        rows, of, channel, [&](std::size_t i) { return terms{x[i] - origin, x[i] - origin}; });
    const double count = found.positions;
    const double off = found.sum / count;
    const double around = std::fmax(0.0, std::fma(-off * count, off, found.product));
    of_blocks.push_back({count, static_cast<double>(origin) + off, around});
    sum = std::fma(count, of_blocks.back().mean, sum);
  }
  const double count = valid * rows.positions;
  moments made{.mean = sum / count};
  for (const told& each : of_blocks) {
    const double between = each.mean - made.mean;
    made.variance = std::fma(each.count * between, between, made.variance + each.around);
  }
  made.variance /= count;
  return made;
}

struct batch {
  channel_rows rows;
  std::int32_t valid;
  std::int32_t blocks;
  std::vector<float> x = rows_of(rows, valid, 3);
  std::vector<float> d = rows_of(rows, valid, 5);
  std::vector<float> gamma = reference::numbers(static_cast<std::size_t>(rows.channels), 7, 1.0F);
  std::vector<float> beta = reference::numbers(static_cast<std::size_t>(rows.channels), 9, 1.0F);
};

/// What the kernels make of a batch.
struct answers {
  explicit answers(const batch& of)
      : mean(of.gamma.size()),
        variance(of.gamma.size()),
        sums(of.gamma.size()),
        products(of.gamma.size()),
        y(of.x.size(), not_a_number),
        bent(of.x.size(), not_a_number),
        gradient(of.x.size(), not_a_number),
        by_running(of.x.size(), not_a_number) {}

  std::vector<float> mean, variance, sums, products, y, bent, gradient, by_running;
};

/// By so many grains, the last one first.
template <layout::architecture Architecture>
answers answers_of(const batch& of, std::int32_t grains = 1) {
  answers made(of);
  const float* const x = of.x.data();
  const float* const d = of.d.data();
  const kernels::channel_statistics by{made.mean.data(), made.variance.data(), 1e-3F};
  std::vector<kernels::channel_pair> pairs(static_cast<std::size_t>(of.blocks) * of.gamma.size());
  const auto each_grain = [&](const auto& compute) {
    for (std::int32_t index = grains - 1; index >= 0; --index) {
      compute(grain{index, grains});
    }
  };
  each_grain([&](const grain& part) {
    kernels::moments_of_blocks<Architecture>(x, of.rows, of.valid, of.blocks, pairs.data(), part);
  });
  kernels::tell_moments(pairs.data(), of.rows, of.valid, of.blocks, made.mean.data(),
                        made.variance.data());
  each_grain([&](const grain& part) {
    kernels::normalize_channels<activation_kind::linear, Architecture>(
        x, of.rows, by, of.gamma.data(), of.beta.data(), made.y.data(), part);
    kernels::normalize_channels<activation_kind::relu, Architecture>(
        x, of.rows, by, of.gamma.data(), of.beta.data(), made.bent.data(), part);
    kernels::gradients_of_blocks<Architecture>(d, x, of.rows, of.valid, of.blocks, by.mean,
                                               pairs.data(), part);
  });
  kernels::tell_gradients(pairs.data(), of.rows.channels, of.blocks, by, made.sums.data(),
                          made.products.data());
  each_grain([&](const grain& part) {
    kernels::normalized_input_gradient<Architecture>(d, x, of.rows, of.valid, by, of.gamma.data(),
                                                     made.sums.data(), made.products.data(),
                                                     made.gradient.data(), part);
    kernels::scaled_input_gradient<Architecture>(d, of.rows, of.valid, by, of.gamma.data(),
                                                 made.by_running.data(), part);
  });
  return made;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void check_same(const answers& made, const answers& other) {
  CHECK(same_bits(made.mean, other.mean));
  CHECK(same_bits(made.variance, other.variance));
  CHECK(same_bits(made.sums, other.sums));
  CHECK(same_bits(made.products, other.products));
  CHECK(same_bits(made.y, other.y));
  CHECK(same_bits(made.bent, other.bent));
  CHECK(same_bits(made.gradient, other.gradient));
  CHECK(same_bits(made.by_running, other.by_running));
}

/// What relu makes of some numbers.
std::vector<float> bent(std::vector<float> numbers) {
  for (float& number : numbers) {
    number = number < 0.0F ? 0.0F : number;
  }
  return numbers;
}

/// All kernels on one batch against scalar chains, on narrower vectors and by several workers;
/// returns how many numbers were compared.
int check(const channel_rows& rows, std::int32_t valid, std::int32_t blocks) {
  constexpr layout::architecture narrow{4, layout::native.registers,
                                        layout::native.fused_multiply_add};
  const batch given{rows, valid, blocks};
  const answers made = answers_of<layout::native>(given);
  const std::vector<float>& x = given.x;
  const std::vector<float>& d = given.d;
  const std::vector<float>& gamma = given.gamma;
  const std::vector<float>& beta = given.beta;
  check_same(made, answers_of<narrow>(given));
  check_same(made, answers_of<layout::native>(given, 2));
  check_same(made, answers_of<layout::native>(given, 4));
  CHECK(same_bits(made.bent, bent(made.y)));
  const double count = valid * rows.positions;
  int compared = 0;
  for (std::int32_t c = 0; c < rows.channels; ++c) {
    const auto of = static_cast<std::size_t>(c);
    const moments found = moments_of(rows, valid, blocks, c, x);
    CHECK(made.mean[of] == static_cast<float>(found.mean));
    CHECK(made.variance[of] == static_cast<float>(found.variance));
    sums_of_runs gradients;
    for (std::int32_t block = 0; block < blocks; ++block) {
      const sums_of_runs of_block =
          sum_runs(rows, runs_of_block(rows, valid, blocks, block), c,
                   [&](std::size_t i) { return terms{d[i], x[i] - made.mean[of]}; });
      gradients.sum += of_block.sum;
      gradients.product += of_block.product;
    }
    CHECK(made.sums[of] == static_cast<float>(gradients.sum));
    double sum = 0;
    double squares = 0;
    double sum_of_d = 0;
    double product = 0;
    each_of_channel(rows, valid, c, [&](std::size_t i) { sum += static_cast<double>(x[i]); });
    each_of_channel(rows, valid, c, [&](std::size_t i) {
      const double centred = static_cast<double>(x[i]) - sum / count;
      squares += centred * centred;
      sum_of_d += static_cast<double>(d[i]);
      product += static_cast<double>(d[i]) * centred;
    });
    CHECK(static_cast<double>(made.mean[of]) == Approx(sum / count).epsilon(1e-6).margin(1e-6));
    CHECK(static_cast<double>(made.variance[of]) == Approx(squares / count).epsilon(1e-6));
    CHECK(gradients.sum == Approx(sum_of_d).epsilon(1e-6).margin(1e-5));
    CHECK(gradients.product == Approx(product).epsilon(1e-5).margin(1e-4));
    const double inverse =
        1 / std::sqrt(static_cast<double>(made.variance[of]) + static_cast<double>(1e-3F));
    CHECK(made.products[of] == static_cast<float>(gradients.product * inverse));
    each_of_channel(rows, valid, c, [&](std::size_t i) {
      const double normal =
          (static_cast<double>(x[i]) - static_cast<double>(made.mean[of])) * inverse;
      const double scaled = normal * static_cast<double>(gamma[of]);
      CHECK(static_cast<double>(made.y[i]) ==
            Approx(scaled + static_cast<double>(beta[of])).margin(2e-6));
      const double slope = static_cast<double>(d[i]) - sum_of_d / count -
                           normal * static_cast<double>(made.products[of]) / count;
      const double wanted = slope * inverse * static_cast<double>(gamma[of]);
      CHECK(static_cast<double>(made.gradient[i]) == Approx(wanted).margin(4e-6 * inverse));
      CHECK(made.by_running[i] == d[i] * (static_cast<float>(inverse) * gamma[of]));
      compared += 3;
    });
  }
  for (std::int32_t sample = 0; sample < rows.batch; ++sample) {
    for (std::int32_t i = sample < valid ? rows.elements() : 0; i < rows.stride(); ++i) {
      const auto at = static_cast<std::size_t>(sample * rows.stride() + i);
      CHECK(made.gradient[at] == 0.0F);
      CHECK(made.by_running[at] == 0.0F);
      CHECK((i < rows.elements() || made.y[at] == 0.0F));
      ++compared;
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("channels are normalised by sums of runs over valid samples, and padding is zero") {
  int compared = 0;
  for (const std::int32_t channels : {1, 3, 6, 16, 20, 64, 65, 130, 300}) {
    for (const std::int32_t positions : {1, 5, 16, 170}) {
      const channel_rows rows{.batch = 6, .positions = positions, .channels = channels};
      compared += check(rows, 6, 1);
      compared += check(rows, 6, 6);
      compared += check(rows, 4, 2);
      compared += check(rows, 1, 3);
    }
  }
  CHECK(compared > 0);
  std::printf("batch normalization: compared %d elements\n", compared);
}

TEST_CASE(
    "the variance of a channel far from zero, or whose first number is far from it, is right") {
  constexpr std::int32_t positions = 4096;
  const channel_rows rows{.batch = 4, .positions = positions, .channels = 3};
  std::vector<float> x(static_cast<std::size_t>(rows.batch * rows.stride()));
  for (std::size_t i = 0; i < x.size() / 3; ++i) {
    const float wave = static_cast<float>(static_cast<int>(i * 37 % 101) - 50) * 0x1p-5F;
    x[3 * i] = 1e5F + wave;
    x[3 * i + 1] = i == 0 ? 1e4F : wave;
    x[3 * i + 2] = -7.3F;
  }
  std::vector<float> mean(3);
  std::vector<float> variance(3);
  std::vector<kernels::channel_pair> pairs(6);
  kernels::moments_of_blocks(x.data(), rows, rows.batch, 2, pairs.data());
  kernels::tell_moments(pairs.data(), rows, rows.batch, 2, mean.data(), variance.data());
  const double count = static_cast<double>(rows.batch) * positions;
  int compared = 0;
  for (std::int32_t c = 0; c < 3; ++c) {
    double sum = 0;
    each_of_channel(rows, rows.batch, c, [&](std::size_t i) { sum += static_cast<double>(x[i]); });
    double squares = 0;
    each_of_channel(rows, rows.batch, c, [&](std::size_t i) {
      const double centred = static_cast<double>(x[i]) - sum / count;
      squares += centred * centred;
    });
    CHECK(static_cast<double>(variance[static_cast<std::size_t>(c)]) ==
          Approx(squares / count).epsilon(1e-5).margin(0));
    ++compared;
  }
  CHECK(compared == 3);
}

TEST_CASE("a batch without samples has moments of zero and no gradient") {
  const channel_rows rows{.batch = 2, .positions = 1, .channels = 3};
  const std::vector<float> x(static_cast<std::size_t>(2 * rows.stride()), 0.0F);
  std::vector<float> mean(3, 1.0F);
  std::vector<float> variance(3, 1.0F);
  std::vector<kernels::channel_pair> pairs(6, {1.0, 1.0});
  kernels::moments_of_blocks(x.data(), rows, 0, 2, pairs.data());
  kernels::tell_moments(pairs.data(), rows, 0, 2, mean.data(), variance.data());
  CHECK(mean == std::vector<float>(3, 0.0F));
  CHECK(variance == std::vector<float>(3, 0.0F));
}

TEST_CASE("an average moves by its rate") {
  std::vector<float> average = {1.0F, -2.0F};
  const std::vector<float> value = {3.0F, 2.0F};
  kernels::move_average(value.data(), 2, 0.25F, average.data());
  CHECK(average == std::vector<float>{1.5F, -1.0F});
}
