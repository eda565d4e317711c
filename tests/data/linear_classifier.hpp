// SPDX-License-Identifier: MIT
// Softmax regression on 784 pixels, as plain as can be: the measure of how hard a data set is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ipu_dsl/data/digits.hpp>

namespace ipu_dsl::tests {

class linear_classifier {
 public:
  /// `micro_batches` of 32 samples in order; after every 4 an update by SGD, rate 0.01 and momentum
  /// 0.9, with the sum of the four mean gradients.
  void fit(const digit_dataset& data, int micro_batches) {
    std::uint32_t index = 0;
    for (int batch = 1; batch <= micro_batches; ++batch) {
      for (int sample = 0; sample < 32; ++sample) {
        accumulate(data, index);
        index = (index + 1) % static_cast<std::uint32_t>(data.size());
      }
      if (batch % 4 == 0) {
        update();
      }
    }
  }

  double accuracy(const digit_dataset& data) const {
    std::uint32_t right = 0;
    const std::uint32_t samples = static_cast<std::uint32_t>(data.size());
    for (std::uint32_t index = 0; index < samples; ++index) {
      inputs pixels = read(data, index);
      const outputs logits = forward(pixels);
      const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
      right += best == data.label(index) ? 1U : 0U;
    }
    return static_cast<double>(right) / samples;
  }

 private:
  static constexpr std::size_t pixel_count = 785;  // the last one is always 1: the bias
  using inputs = std::array<float, pixel_count>;
  using outputs = std::array<float, 10>;

  static inputs read(const digit_dataset& data, std::uint32_t index) {
    inputs pixels = {};
    data.gather(index, pixels.data());
    pixels[784] = 1.0f;
    return pixels;
  }

  outputs forward(const inputs& pixels) const {
    outputs logits = {};
    for (std::size_t pixel = 0; pixel < pixel_count; ++pixel) {
      for (std::size_t unit = 0; unit < 10; ++unit) {
        logits[unit] += pixels[pixel] * weights_[pixel][unit];
      }
    }
    return logits;
  }

  void accumulate(const digit_dataset& data, std::uint32_t index) {
    const inputs pixels = read(data, index);
    outputs error = forward(pixels);
    const float highest = *std::max_element(error.begin(), error.end());
    float sum = 0;
    for (float& value : error) {
      value = std::exp(value - highest);
      sum += value;
    }
    for (float& value : error) {
      value /= sum;
    }
    error[static_cast<std::size_t>(data.label(index))] -= 1.0f;
    for (std::size_t pixel = 0; pixel < pixel_count; ++pixel) {
      for (std::size_t unit = 0; unit < 10; ++unit) {
        gradients_[pixel][unit] += pixels[pixel] * error[unit] / 32.0f;
      }
    }
  }

  void update() {
    for (std::size_t pixel = 0; pixel < pixel_count; ++pixel) {
      for (std::size_t unit = 0; unit < 10; ++unit) {
        float& speed = speeds_[pixel][unit];
        speed = 0.9f * speed - 0.01f * gradients_[pixel][unit];
        weights_[pixel][unit] += speed;
        gradients_[pixel][unit] = 0;
      }
    }
  }

  std::vector<outputs> weights_ = std::vector<outputs>(pixel_count);
  std::vector<outputs> gradients_ = std::vector<outputs>(pixel_count);
  std::vector<outputs> speeds_ = std::vector<outputs>(pixel_count);
};

}  // namespace ipu_dsl::tests
