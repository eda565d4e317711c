// SPDX-License-Identifier: MIT
// A model with every merge and every layer that moves numbers, for bits, gradients and tiles.
#pragma once

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace ipu_dsl::tests {

/// Three readings of the input are merged in all ways; what comes of it is padded, repeated, cut
/// and turned. With two stages the second reads what the first made several times, and in
/// training there may be noise of every kind.
template <int Rows, int Columns, int Classes, bool TwoStages, bool Noise>
struct shaped {
  static constexpr symbolic_tensor build(functional_builder& build) {
    symbolic_tensor x = build.input({Rows, Columns});
    x = build.layer<Flatten>("", x);
    const symbolic_tensor a = build.layer<Dense<12, hyperbolic_tangent>>("a", x);
    const symbolic_tensor b = build.layer<Dense<12, softsign>>("b", x);
    const symbolic_tensor c = build.layer<Dense<12, mish>>("c", x);
    const symbolic_tensor difference = build.layer<Subtract>("", a, b);
    const symbolic_tensor product = build.layer<Multiply>("", a, b, c);
    if constexpr (TwoStages) {
      build.stage(1);
    }
    const symbolic_tensor mean = build.layer<Average>("", a, b, c);
    const symbolic_tensor largest = build.layer<Maximum>("", a, b, c);
    const symbolic_tensor smallest = build.layer<Minimum>("", c, a);
    symbolic_tensor image =
        build.layer<Concatenate>("", difference, product, mean, largest, smallest);
    image = build.layer<Reshape<3, 4, 5>>("", image);
    image = build.layer<ZeroPadding2D<1, 0, 0, 2>>("", image);
    image = build.layer<PReLU<shared_axes<1>, init<constant<0.25F>>>>("slopes", image);
    image = build.layer<UpSampling2D<2, 3>>("", image);
    image = build.layer<Cropping2D<1, 2, 2, 5>>("", image);
    if constexpr (Noise) {
      image = build.layer<SpatialDropout2D<0.125F>>("", image);
      image = build.layer<GaussianNoise<0.25F>>("", image);
    }
    image = build.layer<Permute<3, 1, 2>>("", image);
    image = build.layer<Flatten>("", image);
    symbolic_tensor steps = build.layer<RepeatVector<3>>("", mean);
    steps = build.layer<Cropping1D<1, 0>>("", steps);
    steps = build.layer<UpSampling1D<>>("", steps);
    steps = build.layer<ZeroPadding1D<1, 0>>("", steps);
    const symbolic_tensor other =
        build.layer<Reshape<2, 12>>("", build.layer<Concatenate>("", largest, smallest));
    steps = build.layer<ConcatenateOn<1>>("", steps, other);
    if constexpr (Noise) {
      steps = build.layer<SpatialDropout1D<0.125F>>("", steps);
      steps = build.layer<AlphaDropout<0.125F>>("", steps);
    }
    steps = build.layer<Permute<2, 1>>("", steps);
    steps = build.layer<Flatten>("", steps);
    x = build.layer<Concatenate>("", image, steps);
    x = build.layer<PReLU<>>("bends", x);
    if constexpr (Noise) {
      x = build.layer<GaussianDropout<0.125F>>("", x);
    }
    return build.layer<Dense<Classes>>("scores", x);
  }
};

}  // namespace ipu_dsl::tests
