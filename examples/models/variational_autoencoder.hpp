// SPDX-License-Identifier: MIT
// A variational autoencoder (Kingma, Welling 2013): pictures of 784 pixels through a code of two
// numbers, which is made so that codes drawn by lot become pictures as well.
#pragma once

#include <array>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/activity_penalty.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

// [loss]
/// How far a normal distribution of mean 0 is from that of deviation 1, by Kullback and Leibler,
/// from the logarithm of its deviation: exp(2 l) / 2 - l - 1/2. What the mean m adds to that, m^2 /
/// 2, is a penalty of the layer that makes it.
struct deviation_rule {
  static constexpr bool is_told_nothing = true;

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector add(const Vector& sum, const Vector& logarithm,
                                    const Vector&) const {
    const Vector half = Vector(0.5F) * Math::exponential(logarithm + logarithm);
    return sum + (half - logarithm - Vector(0.5F));
  }

  template <typename Math, typename Vector>
  [[gnu::always_inline]] Vector slope(const Vector& logarithm, const Vector&) const {
    return Math::exponential(logarithm + logarithm) - Vector(1.0F);
  }
};

/// No target belongs to it; so its calls are those of a penalty.
inline constexpr ipu_dsl::family deviation_family{
    .name = "deviation_divergence",
    .shapes = ipu_dsl::activity_penalty_rules::shapes,
    .forward = ipu_dsl::activity_penalty_rules::forward,
    .input_gradient = ipu_dsl::activity_penalty_rules::input_gradient};

struct deviation_divergence {
  static constexpr bool is_loss = true;
  static constexpr const ipu_dsl::family* rule = &deviation_family;
};

// [/loss]

/// What a code becomes: probabilities of ink.
constexpr ipu_dsl::symbolic_tensor decoded(ipu_dsl::functional_builder& build,
                                           ipu_dsl::symbolic_tensor code) {
  using namespace ipu_dsl;
  symbolic_tensor x = build.layer<Dense<64, relu>>("decoder_1", code);
  x = build.layer<Dense<256, relu>>("decoder_2", x);
  return build.layer<sigmoid>("pixels", build.layer<Dense<784>>("ink", x));
}

// [model]
/// Pixels in [0, 1] to the same, and to the logarithms of the deviations that codes are drawn with.
struct variational_autoencoder {
  static constexpr std::array<ipu_dsl::symbolic_tensor, 2> build(
      ipu_dsl::functional_builder& build) {
    using namespace ipu_dsl;
    symbolic_tensor x = build.layer<Dense<256, relu>>("encoder_1", build.input({784}));
    x = build.layer<Dense<64, relu>>("encoder_2", x);
    const symbolic_tensor mean = build.layer<Dense<2, activity_regularizer<l2<0.5F>>>>("mean", x);
    const symbolic_tensor logarithm = build.layer<Dense<2>>("log_deviation", x);
    // Noise upon zeros: drawn in training, and none in prediction.
    const symbolic_tensor zeros = build.layer<Subtract>("zeros", mean, mean);
    const symbolic_tensor drawn = build.layer<GaussianNoise<1.0F>>("drawn", zeros);
    const symbolic_tensor deviation = build.layer<exponential>("deviation", logarithm);
    const symbolic_tensor off = build.layer<Multiply>("off", drawn, deviation);
    const symbolic_tensor code = build.layer<Add>("code", mean, off);
    return {decoded(build, code), logarithm};
  }
};

/// Its second half, with weights of the same names.
struct decoder {
  static constexpr ipu_dsl::symbolic_tensor build(ipu_dsl::functional_builder& build) {
    return decoded(build, build.input({2}));
  }
};

// [/model]

}  // namespace models

template <>
struct ipu_dsl::pointwise_rule<&models::deviation_family> {
  using type = models::deviation_rule;
};
