// SPDX-License-Identifier: MIT
// ResNet-8: the residual network for small pictures of He, Zhang, Ren and Sun (2016, section 4.2)
// with one block of each width.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

/// 32 x 32 pixels of three colours to the scores of ten classes: 78,042 parameters.
struct resnet8 {
  /// A convolution whose bias is that of the normalisation behind it.
  template <std::int32_t Filters, std::int32_t Kernel, std::int32_t Stride>
  using convolution =
      ipu_dsl::Conv2D<Filters, Kernel, ipu_dsl::strides<Stride>, ipu_dsl::same_padding,
                      ipu_dsl::use_bias<false>, ipu_dsl::init<ipu_dsl::he_normal>>;

  using normalization = ipu_dsl::BatchNormalization<ipu_dsl::running_momentum<0.9F>>;

  /// Of a block.
  struct names {
    std::string_view first;
    std::string_view second;
    std::string_view sum;
  };

  /// What two convolutions add to `shortcut`, which is of as many pixels and filters.
  template <std::int32_t Filters, std::int32_t Stride>
  static constexpr ipu_dsl::symbolic_tensor block(ipu_dsl::functional_builder& build,
                                                  const names& called, ipu_dsl::symbolic_tensor x,
                                                  ipu_dsl::symbolic_tensor shortcut) {
    x = build.layer<convolution<Filters, 3, Stride>>(called.first, x);
    x = build.layer<normalization>("", x);
    x = build.layer<ipu_dsl::relu>("", x);
    x = build.layer<convolution<Filters, 3, 1>>(called.second, x);
    x = build.layer<normalization>("", x);
    x = build.layer<ipu_dsl::Add>(called.sum, x, shortcut);
    return build.layer<ipu_dsl::relu>("", x);
  }

  /// What goes past a block that halves rows and columns.
  template <std::int32_t Filters>
  static constexpr ipu_dsl::symbolic_tensor halved(ipu_dsl::functional_builder& build,
                                                   std::string_view name,
                                                   ipu_dsl::symbolic_tensor x) {
    x = build.layer<convolution<Filters, 1, 2>>(name, x);
    return build.layer<normalization>("", x);
  }

  static constexpr ipu_dsl::symbolic_tensor build(ipu_dsl::functional_builder& build) {
    ipu_dsl::symbolic_tensor x = build.input("picture", {32, 32, 3});
    x = build.layer<convolution<16, 3, 1>>("conv1", x);
    x = build.layer<normalization>("", x);
    x = build.layer<ipu_dsl::relu>("", x);
    x = block<16, 1>(build, {"conv2_1", "conv2_2", "add2"}, x, x);
    x = block<32, 2>(build, {"conv3_1", "conv3_2", "add3"}, x, halved<32>(build, "past3", x));
    x = block<64, 2>(build, {"conv4_1", "conv4_2", "add4"}, x, halved<64>(build, "past4", x));
    x = build.layer<ipu_dsl::GlobalAveragePooling2D>("mean", x);
    return build.layer<ipu_dsl::Dense<10>>("scores", x);
  }
};

}  // namespace models
