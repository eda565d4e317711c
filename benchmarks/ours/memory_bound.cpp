// SPDX-License-Identifier: MIT
// Layers that move more than they compute, by the kernels of this library.
#include "peers/memory_bound.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/kernels/batch_normalization.hpp>
#include <ipu_dsl/kernels/channel_moments.hpp>
#include <ipu_dsl/kernels/layer_normalization.hpp>
#include <ipu_dsl/kernels/pooling.hpp>
#include <ipu_dsl/kernels/softmax.hpp>
#include <ipu_dsl/vocabulary/layers/batch_normalization.hpp>

namespace ours {
namespace {

using namespace ipu_dsl;
using measure::buffer;
using peers::memory_bound_kind;
using peers::memory_bound_question;

constexpr float epsilon = 1e-3F;

/// Writes one tensor, in rows of whole vectors.
class layer : public peers::memory_bound_contestant {
 public:
  layer(const memory_bound_question& question, std::int64_t written)
      : question_(question), written_(measure::zeros(written)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      compute();
      measure::clobber_memory();
    }
  }

  std::vector<float> result() override { return {written_.begin(), written_.end()}; }

  std::span<const float> written() const final { return written_; }

 protected:
  virtual void compute() = 0;

  const memory_bound_question& asked() const { return question_; }

  float* output() { return written_.data(); }

 private:
  const memory_bound_question& question_;
  buffer written_;
};

class layer_normalization final : public layer {
 public:
  explicit layer_normalization(const memory_bound_question& question)
      : layer(question, question.elements()),
        backward_(question.kind == memory_bound_kind::layer_normalization_gradient),
        rows_(static_cast<std::int32_t>(question.samples)),
        shape_{rows_, static_cast<std::int32_t>(question.channels)},
        sums_(measure::zeros(2 * question.channels)),
        mean_(measure::zeros(layout::row_stride(rows_))),
        inverse_(mean_) {
    normalize();
  }

 private:
  static constexpr kernels::normalization_form form{
      .centers = true, .scales = true, .shifts = true};

  void compute() override {
    if (backward_) {
      differentiate();
    } else {
      normalize();
    }
  }

  void normalize() {
    kernels::normalize_rows<form>(asked().x.data(), asked().gamma.data(), asked().beta.data(),
                                  epsilon, shape_, {0, rows_}, output(), moments());
  }

  void differentiate() {
    kernels::normalized_rows_gradient<form>(asked().d.data(), asked().x.data(),
                                            asked().gamma.data(), shape_, {0, rows_}, moments(),
                                            output());
    kernels::normalization_weight_gradient<form>(
        asked().d.data(), asked().x.data(), shape_, rows_, moments(),
        {sums_.data(), sums_.data() + asked().channels, false}, {});
  }

  kernels::row_moments moments() { return {mean_.data(), inverse_.data()}; }

  bool backward_;
  std::int32_t rows_;
  kernels::normalized_rows shape_;
  buffer sums_;
  buffer mean_;
  buffer inverse_;
};

class batch_normalization final : public layer {
 public:
  explicit batch_normalization(const memory_bound_question& question)
      : layer(question, question.elements()),
        backward_(question.kind == memory_bound_kind::batch_normalization_gradient),
        shape_{static_cast<std::int32_t>(question.samples),
               static_cast<std::int32_t>(question.rows * question.columns),
               static_cast<std::int32_t>(question.channels)},
        mean_(measure::zeros(question.channels)),
        variance_(mean_),
        beta_sum_(mean_),
        gamma_sum_(mean_),
        pairs_(static_cast<std::size_t>(blocks()) * static_cast<std::size_t>(shape_.channels)) {
    normalize();
  }

 private:
  void compute() override {
    if (backward_) {
      differentiate();
    } else {
      normalize();
    }
  }

  void normalize() {
    kernels::moments_of_blocks(asked().x.data(), shape_, shape_.batch, blocks(), pairs_.data());
    kernels::tell_moments(pairs_.data(), shape_, shape_.batch, blocks(), mean_.data(),
                          variance_.data());
    kernels::normalize_channels(asked().x.data(), shape_, statistics(), asked().gamma.data(),
                                asked().beta.data(), output());
  }

  void differentiate() {
    kernels::gradients_of_blocks(asked().d.data(), asked().x.data(), shape_, shape_.batch, blocks(),
                                 mean_.data(), pairs_.data());
    kernels::tell_gradients(pairs_.data(), shape_.channels, blocks(), statistics(),
                            beta_sum_.data(), gamma_sum_.data());
    kernels::normalized_input_gradient(asked().d.data(), asked().x.data(), shape_, shape_.batch,
                                       statistics(), asked().gamma.data(), beta_sum_.data(),
                                       gamma_sum_.data(), output());
  }

  /// As many as the layer takes.
  std::int32_t blocks() const {
    return ipu_dsl::batch_normalization_rules::sample_blocks(shape_.batch);
  }

  kernels::channel_statistics statistics() const {
    return {mean_.data(), variance_.data(), epsilon};
  }

  bool backward_;
  kernels::channel_rows shape_;
  buffer mean_;
  buffer variance_;
  buffer beta_sum_;
  buffer gamma_sum_;
  std::vector<kernels::channel_pair> pairs_;
};

/// Pixels of images are rows of whole vectors.
template <std::int32_t Samples, std::int32_t Size, std::int32_t Channels>
class max_pooling final : public layer {
 public:
  explicit max_pooling(const memory_bound_question& question)
      : layer(question, std::int64_t{Samples} * outputs * outputs * pixel),
        x_(measure::zeros(question.elements() / Channels * pixel)) {
    for (std::int64_t i = 0; i < question.elements(); ++i) {
      x_[place(i / Channels * pixel + i % Channels)] = question.x[place(i)];
    }
  }

  static bool answers(const memory_bound_question& question) {
    return question.kind == memory_bound_kind::max_pooling && question.samples == Samples &&
           question.rows == Size && question.columns == Size && question.channels == Channels;
  }

  std::vector<float> result() override {
    std::vector<float> packed;
    const std::vector<float> pixels = layer::result();
    for (std::int64_t i = 0; i < std::ssize(pixels); ++i) {
      if (i % pixel < Channels) {
        packed.push_back(pixels[place(i)]);
      }
    }
    return packed;
  }

 private:
  static std::size_t place(std::int64_t at) { return static_cast<std::size_t>(at); }

  static constexpr std::int32_t outputs = Size / 2;
  static constexpr std::int64_t pixel = layout::row_stride(Channels);
  static constexpr kernels::pooled_images images{
      Samples, {Size, outputs, 2, 2, 0}, {Size, outputs, 2, 2, 0}, Channels};

  void compute() override { kernels::pool<kernels::largest, images>(x_.data(), output(), {}); }

  buffer x_;
};

/// What looks at rows alone.
class row_function final : public layer {
 public:
  explicit row_function(const memory_bound_question& question)
      : layer(question, question.elements()),
        rows_(static_cast<std::int32_t>(question.samples)),
        units_(static_cast<std::int32_t>(question.channels)) {}

 private:
  void compute() override {
    if (asked().kind == memory_bound_kind::gelu) {
      kernels::activation_forward<activation_kind::gelu>(asked().x.data(), output(), rows_, units_,
                                                         0);
    } else if (asked().kind == memory_bound_kind::gelu_gradient) {
      kernels::activation_gradient_from_input<activation_kind::gelu>(
          asked().d.data(), asked().x.data(), output(), rows_, units_, 0);
    } else {
      kernels::softmax_forward(asked().x.data(), output(), rows_, units_);
    }
  }

  std::int32_t rows_;
  std::int32_t units_;
};

std::unique_ptr<peers::memory_bound_contestant> make(const memory_bound_question& question) {
  using small_pooling = max_pooling<32, 28, 6>;
  using large_pooling = max_pooling<32, 32, 16>;
  switch (question.kind) {
    case memory_bound_kind::layer_normalization:
    case memory_bound_kind::layer_normalization_gradient:
      return std::make_unique<layer_normalization>(question);
    case memory_bound_kind::batch_normalization:
    case memory_bound_kind::batch_normalization_gradient:
      return std::make_unique<batch_normalization>(question);
    case memory_bound_kind::max_pooling:
      if (small_pooling::answers(question)) {
        return std::make_unique<small_pooling>(question);
      }
      return large_pooling::answers(question) ? std::make_unique<large_pooling>(question) : nullptr;
    default:
      return std::make_unique<row_function>(question);
  }
}

const peers::memory_bound_entry enters(peers::ours, make);

}  // namespace
}  // namespace ours
